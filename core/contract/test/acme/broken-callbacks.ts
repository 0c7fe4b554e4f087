/** Adapters that each break one rule of callbacks. */
import { createHmac, randomUUID } from 'node:crypto';
import {
  acknowledgeBy,
  empty,
  invalidSignature,
  fromMinor,
  genuine,
  hmac,
  isFresh,
  malformed,
  noInformation,
  onlyHeader,
  readAs,
  readJson,
  sameText,
  statusTable,
  text,
  utf8,
  v,
  type AdapterContext,
  type CallbackRoute,
  type RawCallback,
  type Verdict,
} from '../../index.ts';
import { acknowledge, createAcme, states, toEvent, verifySeal } from './adapter.ts';
import type { Broken } from './broken.ts';
import { Notice, Options, sealHeader } from './protocol.ts';
import { createAcmeSandbox } from './sandbox.ts';
import { createVectors, options, seconds } from './vectors.ts';

type Acme = AdapterContext<Options>;

function readNotice(raw: RawCallback): Verdict<Notice> {
  const notice = readAs(Notice, readJson(utf8(raw.body)));
  return notice ? genuine(notice) : malformed('not a notice');
}

/** Makes the seal as the correct adapter does, but reads the parts of the header with this function. */
function sealOf(raw: RawCallback): { readonly seconds: string; readonly hex: string } {
  const [, seconds = '', hex = ''] = /^t=(\d*),s=(\w*)$/.exec(onlyHeader(raw, 'x-acme-seal') ?? '') ?? [];
  return { seconds, hex };
}

const verifiedBy = (verifySignature: (raw: RawCallback, ctx: Acme) => Verdict<Notice> | Promise<Verdict<Notice>>) =>
  createAcme({ route: { verifySignature } });

function sealWithoutAmount(key: string, seconds: string, body: Uint8Array): string {
  const signed = Buffer.from(body)
    .toString('latin1')
    .replace(/"minor":\d+/, '');
  return sealHeader(key, seconds, Buffer.from(signed, 'latin1'));
}

const detailing = (detailsOf: () => Readonly<Record<string, string>>) =>
  createAcme({
    route: { parseCallback: ({ value }) => ({ events: [{ ...toEvent(value), details: detailsOf() }] }) },
  });

/** Reports a notice with the member `back` as the refund with that number. `identityOf` makes its dedupe key. */
const refundingAcme = (identityOf: (notice: Notice) => string) =>
  createAcme({
    adapter: { mapStatus: statusTable({ payment: states, refund: states }) },
    route: {
      parseCallback({ value }) {
        const { back } = value;
        if (typeof back !== 'string') return { events: [toEvent(value)] };
        const refund = { kind: 'refund', subReference: back, dedupeKey: identityOf(value) } as const;
        return { events: [{ ...toEvent(value), ...refund }] };
      },
    },
  });

/** Acme's vectors, and refunds with these numbers. */
function withRefunds(...numbers: readonly string[]) {
  const vectors = createVectors();
  const paid = vectors.callbacks[0]!;
  const refunds = numbers.map((number) => {
    const body = paid.request.body.replace('{', `{ "back":"${number}",`);
    const headers = [['X-Acme-Seal', sealHeader(options.sealKeys[0]!, seconds, Buffer.from(body))]];
    const events = [{ kind: 'refund', status: 'succeeded', subReference: number, amount: '25.90' }];
    return {
      ...paid,
      name: `refund ${number}`,
      request: { ...paid.request, headers, body },
      expect: { ...paid.expect, events },
    };
  });
  return { ...vectors, callbacks: [...vectors.callbacks, ...refunds] };
}

/** Signs with the first secret, whichever verified the callback. */
export const acknowledgeUnderFirst: NonNullable<CallbackRoute<Options, Notice>['acknowledge']> = (
  context,
  { options },
) =>
  context.outcome === 'accepted'
    ? text(hmac('sha256', options.sealKeys[0]!, 'noted').toString('hex'))
    : acknowledge(context);

// State in the module, which an adapter must not have.
let counted = 0;
let before: string | undefined;

/** Faults of callback routes. */
export const brokenCallbacks: readonly Broken[] = [
  {
    fault: 'skips the signature',
    rule: 'proof',
    says: 'byte',
    adapter: verifiedBy((raw) => readNotice(raw)),
  },
  {
    fault: 'compares with ==',
    rule: 'proof',
    says: 'sameBytes',
    adapter: verifiedBy((raw, ctx) => {
      const { seconds, hex } = sealOf(raw);
      const macs = ctx.options.sealKeys.map((key) =>
        createHmac('sha256', key).update(`${seconds}.`).update(raw.body).digest('hex'),
      );
      // oxlint-disable-next-line eslint/eqeqeq -- the fault
      if (!macs.some((mac) => mac == hex.toLowerCase())) return invalidSignature('no key makes this seal');
      return verifySeal(raw, ctx);
    }),
  },
  {
    fault: 'trusts an unsigned amount',
    rule: 'proof',
    says: 'mustFetch',
    adapter: verifiedBy((raw, ctx) => {
      const { options } = ctx;
      const { seconds } = sealOf(raw);
      const read = readNotice(raw);
      const given = onlyHeader(raw, 'x-acme-seal') ?? '';
      const right = options.sealKeys.some((key) => sameText(sealWithoutAmount(key, seconds, raw.body), given));
      if (!right || !isFresh(Number(seconds) * 1000, ctx.now(), 300_000)) return invalidSignature('wrong seal');
      return read.verdict === 'genuine' && read.verified.value.shop !== options.shop
        ? invalidSignature('other shop')
        : read;
    }),
    kit: { vectors: createVectors(sealWithoutAmount), sandbox: { create: createAcmeSandbox(), patienceMs: 100 } },
  },
  {
    fault: 'has a route that no sample shows',
    rule: 'proof',
    says: 'POST acme-refunds',
    adapter: createAcme({
      adapter: {
        callbacks: [...createAcme().callbacks, { ...createAcme().callbacks[0]!, path: 'acme-refunds' }],
      },
    }),
  },
  {
    fault: 'reports a success without its amount',
    rule: 'money',
    says: 'mustFetch',
    adapter: createAcme({
      route: { parseCallback: ({ value }) => ({ events: [{ ...toEvent(value), amount: null, currency: null }] }) },
    }),
  },
  {
    fault: 'reports events twice',
    rule: 'events',
    says: 'reports 2 events',
    adapter: createAcme({
      route: { parseCallback: ({ value }) => ({ events: [toEvent(value), toEvent(value)] }) },
    }),
  },
  {
    fault: 'throws on a message that it cannot read',
    rule: 'containment',
    says: 'did not end well',
    adapter: verifiedBy((raw, ctx) => {
      const verdict = verifySeal(raw, ctx);
      return JSON.parse(Buffer.from(raw.body).toString()) === null ? malformed('null') : verdict;
    }),
  },
  {
    fault: 'loses bytes because it serializes what it parsed',
    rule: 'bytes',
    says: 'raw.body',
    adapter: verifiedBy((raw, ctx) => {
      const parsed: unknown = JSON.parse(utf8(raw.body) || 'null');
      return verifySeal({ ...raw, body: Buffer.from(JSON.stringify(parsed)) }, ctx);
    }),
    // With vectors that our own serializer would not write alike, so that only a different spelling shows the fault.
    kit: { vectors: createVectors(sealHeader, (body) => JSON.stringify(JSON.parse(body))) },
  },
  {
    fault: 'reports amounts as floating-point numbers',
    rule: 'money',
    says: '25.9 for 25.90',
    adapter: createAcme({
      route: {
        parseCallback: ({ value }) => ({ events: [{ ...toEvent(value), amount: String(Number(value.minor) / 100) }] }),
      },
    }),
  },
  {
    fault: 'forgets the previous secret',
    rule: 'proof',
    says: 'precedes the one that signed it',
    adapter: verifiedBy((raw, ctx) => {
      const { options } = ctx;
      return verifySeal(raw, { ...ctx, options: { ...options, sealKeys: options.sealKeys.slice(0, 1) } });
    }),
  },
  {
    fault: 'never considers a message too old',
    rule: 'proof',
    says: 'ten days away',
    adapter: verifiedBy((raw, ctx) => {
      const { seconds } = sealOf(raw);
      return verifySeal(raw, { ...ctx, now: () => new Date(Number(seconds) * 1000) });
    }),
  },
  {
    fault: 'checks only the past',
    rule: 'proof',
    says: 'both ways',
    adapter: verifiedBy((raw, ctx) => {
      const sealed = Number(sealOf(raw).seconds) * 1000;
      const now = ctx.now().getTime();
      return verifySeal(raw, { ...ctx, now: () => new Date(Math.max(sealed, now)) });
    }),
  },
  {
    fault: 'believes a message for another shop',
    rule: 'proof',
    says: 'another account',
    adapter: verifiedBy((raw, ctx) => {
      const read = readNotice(raw);
      const shop = read.verdict === 'genuine' ? read.verified.value.shop : '';
      return verifySeal(raw, { ...ctx, options: { ...ctx.options, shop } });
    }),
  },
  {
    fault: 'compares the shop only when it parses the message',
    rule: 'proof',
    says: 'inside `verifySignature`',
    adapter: createAcme({
      route: {
        verifySignature(raw, ctx) {
          const read = readNotice(raw);
          const shop = read.verdict === 'genuine' ? read.verified.value.shop : '';
          return verifySeal(raw, { ...ctx, options: { ...ctx.options, shop } });
        },
        parseCallback: ({ value }, { options }) => ({ events: value.shop === options.shop ? [toEvent(value)] : [] }),
      },
    }),
  },
  {
    fault: 'accepts an empty secret',
    rule: 'proof',
    says: 'empty',
    adapter: createAcme({
      manifest: {
        options: v.strictObject({
          ...Options.entries,
          sealKeys: v.pipe(v.array(v.pipe(v.string(), v.metadata({ secret: true })))),
        }),
      },
      route: {
        verifySignature: (raw, ctx) =>
          ctx.options.sealKeys.some((key) => key === '') ? readNotice(raw) : verifySeal(raw, ctx),
      },
    }),
  },
  {
    fault: 'answers a forgery like an accepted callback',
    rule: 'acknowledgement',
    says: 'would not send it again',
    adapter: createAcme({ route: { acknowledge: () => text('noted') } }),
  },
  {
    fault: 'refuses duplicates',
    rule: 'acknowledgement',
    says: 'forever',
    adapter: createAcme({
      route: {
        acknowledge: (context) => (context.outcome === 'duplicate' ? empty(409) : acknowledge(context)),
      },
    }),
  },
  {
    fault: 'acknowledges differently each time',
    rule: 'acknowledgement',
    says: 'differs the second time',
    adapter: createAcme({
      route: { acknowledge: (context) => ({ ...acknowledgeBy({ accepted: text(randomUUID()) })(context) }) },
    }),
  },
  {
    fault: 'acknowledges with the first secret although the verifying one is required',
    rule: 'acknowledgement',
    says: 'verified by the second of two secrets, is acknowledged with another',
    adapter: createAcme({ route: { acknowledge: acknowledgeUnderFirst } }),
  },
  {
    fault: 'acknowledges with the verifying secret although the first one is required',
    rule: 'acknowledgement',
    says: 'is acknowledged with the secret that verified it',
    adapter: createAcme(),
    kit: { routes: { 'POST acme': { acknowledgedBy: 'first' } } },
  },
  {
    fault: 'gives every event the same dedupe key',
    rule: 'identity',
    says: 'dedupeKey',
    adapter: createAcme({
      route: { parseCallback: ({ value }) => ({ events: [{ ...toEvent(value), dedupeKey: value.id }] }) },
    }),
  },
  {
    fault: 'gives two refunds of one payment the same dedupe key',
    rule: 'identity',
    says: 'core would drop a second refund of the payment',
    adapter: refundingAcme(({ id, state }) => `${id}:${state}`),
    kit: { vectors: withRefunds('ab-6') },
  },
  {
    fault: 'gives two refunds of its samples the same dedupe key',
    rule: 'identity',
    says: 'differ in subReference: core would drop the second',
    adapter: refundingAcme(({ id, state }) => `${id}:${state}`),
    kit: { vectors: withRefunds('ab-6', 'ab-7') },
  },
  {
    fault: 'makes the dedupe key of an event from the time of its arrival',
    rule: 'identity',
    says: 'core would count one fact twice',
    adapter: createAcme({
      route: {
        parseCallback: ({ value }, ctx) => ({
          events: [{ ...toEvent(value), dedupeKey: `${value.notice}:${ctx.now().getTime()}` }],
        }),
      },
    }),
  },
  {
    fault: 'makes the dedupe key of a fetched event from the time of the fetch',
    rule: 'identity',
    says: 'core would count one fact twice',
    adapter: createAcme({
      adapter: {
        async fetchStatus(payment, ctx) {
          const report = await createAcme().fetchStatus!(payment, ctx);
          if (report.result !== 'events') return report;
          const dedupeKey = `fetched:${ctx.now().getTime()}`;
          return { ...report, events: report.events.map((event) => ({ ...event, dedupeKey })) };
        },
      },
    }),
  },
  {
    fault: 'exchanges our reference with the provider’s in its callbacks',
    rule: 'references',
    says: 'names the payment by our reference',
    adapter: createAcme({
      route: {
        parseCallback: ({ value }) => ({
          events: [{ ...toEvent(value), reference: value.id, providerReference: value.ref }],
        }),
      },
    }),
  },
  {
    fault: 'reports the provider’s id of a payment as our reference',
    rule: 'references',
    says: 'no sample reports one of ours',
    adapter: createAcme({
      adapter: { fetchStatus: async () => noInformation('not shown') },
      route: { parseCallback: ({ value }) => ({ events: [{ ...toEvent(value), reference: value.id }] }) },
    }),
  },
  {
    fault: 'gives core our own reference as the provider’s id of a payment',
    rule: 'references',
    says: 'names the payment by our reference',
    adapter: createAcme({
      adapter: {
        submit: async (payment, ctx) => ({
          ...(await createAcme().submit(payment, ctx)),
          providerReference: payment.reference,
        }),
      },
    }),
  },
  {
    fault: 'gives core our own reference as the provider’s id of a refund',
    rule: 'references',
    says: 'names the refund by our reference',
    adapter: {
      ...refundingAcme(({ back }) => String(back)),
      refund: async (payment, refund, ctx) => ({
        ...(await createAcme().refund!(payment, refund, ctx)),
        providerReference: refund.reference,
      }),
    },
    kit: { vectors: withRefunds('ab-6') },
  },
  {
    fault: 'counts events',
    rule: 'proof',
    says: 'something else the second time',
    adapter: createAcme({
      route: {
        parseCallback: ({ value }) => {
          counted += 1;
          return { events: [{ ...toEvent(value), dedupeKey: `n-${counted}` }] };
        },
      },
    }),
  },
  {
    fault: 'has a sandbox that signs with another key',
    rule: 'sandbox',
    says: 'none was believed',
    adapter: createAcme(),
    kit: { sandbox: { create: createAcmeSandbox({ keyOf: () => 'another-key-entirely' }), patienceMs: 500 } },
  },
  {
    fault: 'reads a status that it does not know as paid',
    rule: 'callbacks',
    says: 'with an unheard-of status in place of paid reports payment succeeded',
    adapter: createAcme({
      route: {
        parseCallback: ({ value }) => ({
          events: [toEvent({ ...value, state: Object.hasOwn(states, value.state) ? value.state : 'paid' })],
        }),
      },
    }),
  },
  {
    fault: 'reports amounts without their decimals',
    rule: 'money',
    says: '2.590 for 25.90',
    adapter: createAcme({
      route: {
        parseCallback: ({ value }) => ({
          events: [{ ...toEvent(value), amount: fromMinor(value.minor, 'KWD') }],
        }),
      },
    }),
  },
  {
    fault: 'reports amounts without a currency',
    rule: 'money',
    says: 'without currency',
    adapter: createAcme({
      route: { parseCallback: ({ value }) => ({ events: [{ ...toEvent(value), currency: null }] }) },
    }),
  },
  {
    fault: 'names a secret in its reasons',
    rule: 'secrecy',
    says: 'a callback to POST acme reports a secret',
    adapter: verifiedBy((raw, ctx) => {
      const verdict = verifySeal(raw, ctx);
      return verdict.verdict === 'invalid_signature'
        ? invalidSignature(`not sealed with ${ctx.options.sealKeys.join()}`)
        : verdict;
    }),
  },
  {
    fault: 'reads differently after earlier messages',
    rule: 'state',
    says: 'keep nothing between calls',
    adapter: createAcme({
      route: {
        parseCallback({ value }) {
          const dedupeKey = `${value.notice} after ${before ?? value.notice}`;
          before = value.notice;
          return { events: [{ ...toEvent(value), dedupeKey }] };
        },
      },
    }),
  },
  {
    fault: 'accepts smaller bodies than its provider sends',
    rule: 'events',
    says: 'POST acme accepts 100: core would not read it',
    adapter: createAcme({ route: { maxBodyBytes: 100 } }),
  },
  {
    fault: 'gives more details than a merchant reads',
    rule: 'details',
    says: 'reports 11 details',
    adapter: detailing(() => Object.fromEntries(Array.from({ length: 11 }, (_, at) => [`detail ${at}`, 'x']))),
  },
  {
    fault: 'gives a detail as long as a message',
    rule: 'details',
    says: 'reports the detail note as "xxx',
    adapter: detailing(() => ({ note: 'x'.repeat(201) })),
  },
  {
    fault: 'gives the payer’s UPI id as a detail',
    rule: 'details',
    says: 'a UPI id as the detail vpa',
    adapter: detailing(() => ({ vpa: 'asha.rao@okbank' })),
  },
  {
    fault: 'gives a card number as a detail of a fetch',
    rule: 'details',
    says: '"status: paid" reports a card number',
    adapter: createAcme({
      adapter: {
        async fetchStatus(...given) {
          const report = await createAcme().fetchStatus!(...given);
          if (report.result !== 'events') return report;
          return {
            ...report,
            events: report.events.map((event) => ({ ...event, details: { pan: '4111111111111111' } })),
          };
        },
      },
    }),
  },
];
