/**
 * Acme as a provider that asks for a step of the payer, that reserves money first, and that must be logged in to; and
 * sandboxes that make a round trip with them impossible.
 */
import {
  nothingCharged,
  readAs,
  readJson,
  statusTable,
  unknown,
  utf8,
  v,
  type Ability,
  type AdapterContext,
  type CreateSandbox,
  type HttpReply,
  type Outcome,
  type ProviderAdapter,
  type ReportedEvent,
  type Submission,
} from '../../index.ts';
import { visitPage, type Kit } from '../../testing/index.ts';
import { chargeBody, createAcme, states, toEvent, toOutcome, type Asked } from './adapter.ts';
import type { Broken } from './broken.ts';
import { capturingVectors, createCapturingAcme } from './capturing.ts';
import type { Options } from './protocol.ts';
import { createAcmeSandbox, type AcmeFaults } from './sandbox.ts';
import { createVectors, options } from './vectors.ts';

type Complete = Ability<'complete', Options>;

const mapStatus = statusTable({
  payment: { ...states, step: 'pending', held: 'authorised', released: 'cancelled', closed: 'cancelled' },
});
const Closed = v.looseObject({ state: v.string() });
const Step = v.looseObject({ ref: v.string(), id: v.string(), state: v.string(), page: v.string() });

async function charge(payment: Submission, ctx: AdapterContext<Options>, more: object): Promise<HttpReply> {
  const headers = { 'X-Key': ctx.options.apiKey, 'Idempotency-Key': payment.reference };
  const body = JSON.stringify({ ...(JSON.parse(chargeBody(payment, ctx)) as object), ...more });
  return ctx.http.send({ method: 'POST', path: '/charges', headers, body });
}

/** The outcome of an answer that may ask for a step, or say that the money is reserved. */
function toSteppedOutcome(reply: HttpReply, payment: Asked): Outcome {
  const step = readAs(Step, readJson(utf8(reply.body)));
  if (reply.status !== 200 || step?.ref !== payment.reference) return toOutcome(reply, payment);
  const { id: providerReference, page: url, state } = step;
  if (state === 'held') return { outcome: 'pending', providerReference, authorised: true };
  if (state !== 'step') return toOutcome(reply, payment);
  const action = { type: 'redirect', method: 'GET', url, transactionId: providerReference } as const;
  return { outcome: 'pending', providerReference, action };
}

const complete: Complete = async ({ reference, money }, _step, ctx) => {
  const headers = { 'X-Key': ctx.options.apiKey };
  const path = `/charges/${reference}/complete`;
  const reply = await ctx.http.send({ method: 'POST', path, headers });
  const outcome = toSteppedOutcome(reply, { reference, money });
  return outcome.outcome === 'failed' ? unknown('refused') : outcome;
};

/** Acme with a step of the payer. */
export function createSteppingAcme(own: Complete = complete, more: Partial<ProviderAdapter<Options>> = {}) {
  return createAcme({
    adapter: {
      async submit(payment, ctx) {
        const back = ctx.returnUrl(payment.paymentRequestId);
        return toSteppedOutcome(await charge(payment, ctx, { back }), payment);
      },
      complete: own,
      mapStatus,
      ...more,
    },
  });
}

/** Acme that charges only by `complete`, or says so. */
export function createUnchargingAcme(): ProviderAdapter<Options> {
  const stepping = createSteppingAcme();
  const { manifest } = stepping;
  const ways = [{ ...manifest.ways[0], unfinishedStep: 'charges_nothing' }] as const;
  return { ...stepping, manifest: { ...manifest, ways } };
}

const close: Ability<'close', Options> = async ({ reference }, { http, options: { apiKey } }) => {
  const request = { method: 'POST', path: `/charges/${reference}/close`, chargesNothing: true } as const;
  const reply = await http.send({ ...request, headers: { 'X-Key': apiKey } });
  const { state } = readAs(Closed, readJson(utf8(reply.body))) ?? {};
  return state === 'closed' ? { outcome: 'succeeded' } : nothingCharged('not closed');
};

/** Acme whose orders can be closed while they wait for their payer. */
export const createClosableAcme = (more: Partial<ProviderAdapter<Options>> = {}) =>
  createSteppingAcme(complete, { close, ...more });

/** Acme that reserves the money if the merchant captures later. */
export function createHoldingAcme(): ProviderAdapter<Options> {
  return {
    ...createCapturingAcme(),
    mapStatus,
    async submit(payment, ctx) {
      const { captureDelayHours = 0 } = payment;
      return toSteppedOutcome(await charge(payment, ctx, captureDelayHours > 0 ? { hold: true } : {}), payment);
    },
  };
}

/** Acme that gives a token at its second address first. */
export function createLoginAcme(): ProviderAdapter<Options> {
  const plain = createAcme();
  return createAcme({
    adapter: {
      async submit(payment, ctx) {
        const login = { method: 'POST', path: '/login', to: 'loginBaseUrl', chargesNothing: true } as const;
        const { status } = await ctx.http.send(login);
        return status === 200 ? plain.submit(payment, ctx) : nothingCharged('no token');
      },
    },
  });
}

/** Acme that names its id only in a fetch, or nowhere. */
export function createSilentAcme(saysInFetch = true): ProviderAdapter<Options> {
  const plain = createAcme();
  const withoutId = (event: ReportedEvent): ReportedEvent => ({ ...event, providerReference: null });
  return createAcme({
    manifest: { refundNeeds: 'providerReference' },
    route: { parseCallback: ({ value }) => ({ events: [withoutId(toEvent(value))] }) },
    adapter: {
      async submit(payment, ctx) {
        const { providerReference: _, ...outcome } = await plain.submit(payment, ctx);
        return outcome;
      },
      async fetchStatus(payment, ctx) {
        const report = await plain.fetchStatus!(payment, ctx);
        const isSilent = report.result === 'events' && !saysInFetch;
        return isSilent ? { ...report, events: report.events.map(withoutId) } : report;
      },
    },
  });
}

const plain = createVectors();
const own = { ...options, loginBaseUrl: 'https://login.acme.example' };
export const loginVectors = { ...plain, options: own };
export const steppingVectors = {
  ...plain,
  submissions: [
    ...plain.submissions,
    {
      name: 'completed',
      call: 'complete',
      payment: { amount: '25.90', unit: 'EUR', reference: 'GW-10042-1', providerReference: 'ac_1' },
      request: { method: 'POST', path: '/charges/GW-10042-1/complete', headers: [['X-Key', options.apiKey]] },
      reply: {
        status: 200,
        headers: [['Content-Type', 'application/json']],
        body: '{"id":"ac_1","ref":"GW-10042-1","state":"paid","minor":2590}',
      },
      expect: { outcome: 'succeeded', providerReference: 'ac_1' },
    },
  ],
};

/** A sandbox that plays the second address at this path, or not at all. */
export function createLoginSandbox(path?: string): CreateSandbox<Options> {
  const create = createAcmeSandbox();
  return Object.assign(create, path === undefined ? {} : { addresses: { loginBaseUrl: path } });
}

export const payer: NonNullable<NonNullable<Kit<Options>['sandbox']>['payer']> = (action) => visitPage(action, 'pay');
const patienceMs = 200;
const at = (faults: AcmeFaults = {}) => ({ create: createAcmeSandbox(faults), patienceMs, payer });

/** A sandbox that makes an ability of a correct adapter impossible. */
const impossible: readonly {
  readonly what: string;
  readonly says: string;
  readonly sandbox: NonNullable<Kit<Options>['sandbox']>;
  readonly adapter?: ProviderAdapter<Options>;
  readonly vectors?: object;
}[] = [
  {
    what: 'never lets a payment be paid',
    says: 'the payment was never paid at the sandbox',
    sandbox: at({ neverPays: true }),
  },
  {
    what: 'refuses each refund',
    says: 'a refund in full is nothing charged (never) at the sandbox',
    sandbox: at({ refusesRefunds: 'each' }),
  },
  {
    what: 'allows one refund of a payment',
    says: 'the refund of the rest is nothing charged (never) at the sandbox',
    sandbox: at({ refusesRefunds: 'second' }),
  },
  {
    what: 'names no id to refund',
    says: 'core refused it before any request',
    sandbox: at(),
    adapter: createSilentAcme(false),
  },
  {
    what: 'leaves each refund pending',
    says: 'a refund in full stays pending at the sandbox',
    sandbox: at({ refundState: 'waiting' }),
  },
  {
    what: 'plays no second address',
    says: 'a request left the sandbox: POST /login to loginBaseUrl (https://login.acme.example)',
    sandbox: { ...at(), create: createLoginSandbox() },
    adapter: createLoginAcme(),
    vectors: loginVectors,
  },
  {
    what: 'has its second address at another path',
    says: 'the payment is nothing charged (no token) at the sandbox',
    sandbox: { ...at(), create: createLoginSandbox('/elsewhere') },
    adapter: createLoginAcme(),
    vectors: loginVectors,
  },
  {
    what: 'has no payer for a page',
    says: 'the payment was never paid at the sandbox',
    sandbox: { create: createAcmeSandbox(), patienceMs },
    adapter: createSteppingAcme(),
    vectors: steppingVectors,
  },
  {
    what: 'never asks for a step that the adapter could complete',
    says: 'the adapter has `complete`, and no payment at the sandbox called it',
    sandbox: at(),
    adapter: createSteppingAcme(complete, { submit: (payment, ctx) => createAcme().submit(payment, ctx) }),
    vectors: steppingVectors,
  },
  {
    what: 'charges a step of a way that charges nothing',
    says: 'the payment is succeeded at the sandbox before `complete` was called',
    sandbox: at({ chargesSteps: true }),
    adapter: createUnchargingAcme(),
    vectors: steppingVectors,
  },
  {
    what: 'closes no order',
    says: '`close` of an unpaid order is nothing charged (not closed) at the sandbox',
    sandbox: at({ closes: 'never' }),
    adapter: createClosableAcme(),
    vectors: steppingVectors,
  },
  {
    what: 'lets a payer pay a closed order',
    says: 'a closed order can still be paid at the sandbox',
    sandbox: at({ closes: 'in_words' }),
    adapter: createClosableAcme(),
    vectors: steppingVectors,
  },
  {
    what: 'leaves no order open for `close`',
    says: 'the adapter has `close`, and no payment at the sandbox waits for its payer',
    sandbox: at(),
    adapter: createClosableAcme({ submit: (payment, ctx) => createAcme().submit(payment, ctx) }),
    vectors: steppingVectors,
  },
  ...(['capture', 'void'] as const).flatMap((name) =>
    [
      {
        what: `charges what it should reserve before \`${name}\``,
        says: `the adapter has \`${name}\`, and no money was reserved at the sandbox`,
        sandbox: at({ chargesAll: true }),
      },
      {
        what: `refuses \`${name}\``,
        says: `\`${name}\` of reserved money is nothing charged (not_held) at the sandbox`,
        sandbox: at({ keepsReserved: true }),
      },
      {
        what: `accepts \`${name}\` and does nothing`,
        says: `after \`${name}\` the payment never is`,
        sandbox: at({ forgetsReserved: true }),
      },
      {
        what: `captures reserved money before any \`${name}\``,
        says: `the sandbox took the money automatically before \`${name}\``,
        sandbox: at({ capturesAfterDelays: 0 }),
      },
    ].map((one) => ({ ...one, adapter: createHoldingAcme(), vectors: capturingVectors })),
  ),
];

/** A `complete` with which no payment ends. */
const endless: readonly { readonly fault: string; readonly says: string; readonly complete: Complete }[] = [
  {
    fault: 'never ends `complete`',
    says: 'complete: gave no answer within 200 ms',
    complete: () => new Promise<never>(() => undefined),
  },
  {
    fault: 'leaves each payment pending in `complete`',
    says: '`complete` is pending',
    complete: async ({ action }) => ({ outcome: 'pending', ...(action && { action }) }),
  },
  { fault: 'asks nothing in `complete`', says: '`complete` is unknown', complete: async () => unknown('not asked') },
];

let names = 0;
/** Faults of the id in `checkAccount`. */
const misnamed = [
  { fault: 'names its account by a secret', says: 'contains a secret', nameOf: ({ apiKey }: Options) => apiKey },
  {
    fault: 'names another account at each check',
    says: 'names several accounts',
    nameOf: () => `acct_${(names += 1)}`,
  },
  { fault: 'names its account by an empty text', says: 'not a text', nameOf: () => '' },
];

/** Sandboxes with which the kit must be red, and adapters that cannot finish at a good one. */
export const brokenSandboxes: readonly Broken[] = [
  ...impossible.map(({ what, says, sandbox, adapter = createAcme(), vectors = plain }) => {
    return { fault: `has a sandbox that ${what}`, rule: 'sandbox', says, adapter, kit: { vectors, sandbox } };
  }),
  ...endless.map(({ fault, says, complete: never }) => {
    const adapter = createSteppingAcme(never);
    return { fault, rule: 'sandbox', says, adapter, kit: { vectors: steppingVectors, sandbox: at() } };
  }),
  ...misnamed.map(({ fault, says, nameOf }): Broken => {
    const checkAccount: Ability<'checkAccount', Options> = async ({ options }) => [
      { ok: true, finding: 'the account can accept payments', accountId: nameOf(options) },
    ];
    const adapter = createAcme({ adapter: { checkAccount } });
    return { fault, rule: 'sandbox', says, adapter, kit: { vectors: plain, sandbox: at() } };
  }),
];
