/** Acme with every call. Its requests and answers may be changed on their way: each change is a fault of an adapter. */
import {
  nothingCharged,
  readAs,
  readJson,
  stringifyExact,
  toMinor,
  unknown,
  utf8,
  type AdapterContext,
  type HttpReply,
  type HttpRequest,
  type Outcome,
  type ProviderAdapter,
} from '../../index.ts';
import { chargeBody, createAcme, toEvent, toOutcome, type Asked } from './adapter.ts';
import type { Broken } from './broken.ts';
import { capturingVectors, createCapturingAcme, later } from './capturing.ts';
import { Notice, type Options } from './protocol.ts';
import { twoStepVectors } from './two-step.ts';

type Acme = AdapterContext<Options>;
type Call = 'submit' | 'complete' | 'fetchStatus' | 'refund' | 'capture' | 'void';
const calls: readonly Call[] = ['submit', 'complete', 'fetchStatus', 'refund', 'capture', 'void'];

interface Changes {
  readonly request?: (request: HttpRequest, ctx: Acme) => HttpRequest;
  readonly reply?: (reply: HttpReply, asked: Asked) => HttpReply;
}

/** `changes` apply to one call. */
export function createWholeAcme(only?: Call, { request = (one) => one, reply = (one) => one }: Changes = {}) {
  const { submit, fetchStatus, refund } = createAcme() as Required<ProviderAdapter<Options>>;
  const { capture, void: release } = createCapturingAcme() as Required<ProviderAdapter<Options>>;
  const via = (ctx: Acme, call: Call, asked: Asked): Acme => {
    if (call !== only) return ctx;
    return { ...ctx, http: { send: async (sent) => reply(await ctx.http.send(request(sent, ctx)), asked) } };
  };
  return createAcme({
    adapter: {
      submit: (payment, ctx) => submit(payment, via(ctx, 'submit', payment)),
      complete: (payment, _step, ctx) => complete(payment, via(ctx, 'complete', payment)),
      fetchStatus: (payment, ctx) => fetchStatus(payment, via(ctx, 'fetchStatus', payment)),
      refund: (payment, asked, ctx) => refund(payment, asked, via(ctx, 'refund', asked)),
      capture: (payment, asked, ctx) => capture(payment, asked, via(ctx, 'capture', asked)),
      void: (payment, ctx, asked) => release(payment, via(ctx, 'void', { ...asked, money: payment.money }), asked),
    },
  });
}

async function complete(payment: Asked & { readonly providerReference?: string }, ctx: Acme): Promise<Outcome> {
  const headers = { 'X-Key': ctx.options.apiKey, 'Idempotency-Key': `${payment.reference}-D` };
  const path = `/charges/${payment.providerReference}/complete`;
  return toOutcome(await ctx.http.send({ method: 'POST', path, headers, body: '{}' }), payment);
}

/** A call whose answer names the payment's own reference. */
const about = (name: string, state: string, outcome: string) => ({
  ...later(name, 'complete', 'complete', 'GW-10042-1-D', {}, '{}', { ref: 'GW-10042-1', state }),
  expect: { outcome },
});
const refund = { refund: { reference: 'GW-10042-1-R1', amount: '10.00' } };
const capture = { capture: { reference: 'GW-10042-1-C', amount: '20.00' } };
const asks = (sum: number) => JSON.stringify({ minor: sum, cur: 'EUR' });
const waits = { state: 'waiting' };
const given = { state: 'paid', minor: 1000 };

const fetch = capturingVectors.submissions.find((vector) => 'call' in vector && vector.call === 'fetchStatus')!;
/** A fetch of this state; `more` are members of its payment. */
const fetchOf = (name: string, state: string, outcome: string, more: object = {}) => ({
  ...fetch,
  name,
  payment: { ...fetch.payment, ...more },
  reply: { ...fetch.reply, body: fetch.reply.body.replace('"state":"paid"', `"state":"${state}"`) },
  expect: { outcome },
});

/** Acme's vectors, with every call, and two states of each. */
export const wholeVectors = {
  ...capturingVectors,
  submissions: [
    ...capturingVectors.submissions,
    fetchOf('status: waiting', 'waiting', 'pending'),
    about('completed', 'paid', 'succeeded'),
    about('a completion that waits', 'waiting', 'pending'),
    later('given back', 'refund', 'back', 'GW-10042-1-R1', refund, asks(1000), given),
    {
      ...later('a capture that waits', 'capture', 'collect', 'GW-10042-1-C', capture, '{"minor":2000}', {
        ...waits,
        minor: 2000,
      }),
      expect: { outcome: 'pending' },
    },
    {
      ...later('a release that waits', 'void', 'release', 'GW-10042-1-V', {}, '{}', waits),
      expect: { outcome: 'pending' },
    },
  ],
};
const kit = { vectors: wholeVectors };

function ruleOf(call: Call): string {
  return call === 'submit' ? 'submission' : call;
}

/** The answer as an adapter sees it that does not compare some members: they are always as asked. */
const unread =
  (membersOf: (asked: Asked) => object): NonNullable<Changes['reply']> =>
  (reply, asked) =>
    reply.status === 200 ? { ...reply, body: mergedInto(reply.body, membersOf(asked)) } : reply;

function mergedInto(body: Uint8Array, members: object): Uint8Array {
  const said = readJson(utf8(body));
  return said === undefined ? body : Buffer.from(stringifyExact({ ...(said as object), ...members }));
}

const beliefs: readonly { readonly what: string; readonly says: string; readonly reply: Changes['reply'] }[] = [
  {
    what: 'another sum',
    says: 'for another amount',
    reply: unread(({ money }) => ({ minor: Number(toMinor(money)) })),
  },
  { what: 'another currency', says: 'for another currency', reply: unread(({ money }) => ({ cur: money.currency })) },
  {
    what: 'the answer about another payment',
    says: 'for another payment',
    reply: unread(({ reference }) => ({ ref: reference })),
  },
  {
    what: 'a success under an unknown status',
    says: 'with an unheard-of status (state) was treated as succeeded',
    reply: (reply) => {
      const text = Buffer.from(reply.body).toString();
      return { ...reply, body: Buffer.from(text.replace(/"state":"(?!paid|waiting|refused)\w+"/, '"state":"paid"')) };
    },
  },
];

/** Faults of reading an answer, shown for every call. */
export const brokenBeliefs: readonly Broken[] = calls.flatMap((call) =>
  beliefs.map(({ what, says, reply }) => ({
    fault: `believes ${what} in the answer to \`${call}\``,
    rule: ruleOf(call),
    says,
    adapter: createWholeAcme(call, { ...(reply && { reply }) }),
    kit,
  })),
);

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const uuid = (bytes: Uint8Array): string => hex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
const withHeader = (request: HttpRequest, name: string, value: string): HttpRequest => ({
  ...request,
  headers: { ...request.headers, [name]: value },
});
const withMember = (request: HttpRequest, members: object): HttpRequest => ({
  ...request,
  body: mergedInto(Buffer.from(request.body ?? '{}'), members),
});
const keys: readonly { readonly what: string; readonly request: NonNullable<Changes['request']> }[] = [
  {
    what: '12 random bytes in a header of its own name',
    request: (request, ctx) => withHeader(request, 'Acme-Request-Id', hex(ctx.random(12))),
  },
  {
    what: '16 random bytes in a header of its own name',
    request: (request, ctx) => withHeader(request, 'Acme-Request-Id', hex(ctx.random(16))),
  },
  {
    what: 'a UUID of random bytes',
    request: (request, ctx) => withHeader(request, 'Idempotency-Key', uuid(ctx.random(16))),
  },
  { what: 'random bytes in the body', request: (request, ctx) => withMember(request, { key: hex(ctx.random(20)) }) },
  {
    what: 'random bytes in the path',
    request: (request, ctx) => ({ ...request, path: `${request.path}?key=${hex(ctx.random(8))}` }),
  },
  {
    what: 'the time',
    request: (request, ctx) => withHeader(request, 'Acme-Request-Id', ctx.now().toISOString().slice(0, 13)),
  },
];

/** Keys that differ when a call is repeated. */
export const brokenKeys: readonly Broken[] = calls
  .filter((call) => call !== 'fetchStatus')
  .flatMap((call) =>
    keys.map(({ what, request }) => ({
      fault: `names a \`${call}\` by ${what}`,
      rule: call === 'submit' ? 'idempotency' : call,
      says: 'has another idempotency key',
      adapter: createWholeAcme(call, { request }),
      kit,
    })),
  );

const { submissions } = wholeVectors;
const asked = { method: 'GET', path: '/charges/GW-10042-1/end' };
const { request, reply, ...ended } = fetchOf('ended', 'waiting', 'failed', { note: 'asks twice' });
const fourth = {
  ...ended,
  exchanges: [
    { request, reply },
    { request: asked, reply: fetchOf('', 'refused', '').reply },
  ],
};

const acme = createAcme() as Required<ProviderAdapter<Options>>;
const withFetch = (fetchStatus: typeof acme.fetchStatus) => createAcme({ adapter: { fetchStatus } });

/** Asks a second question about a payment that waits. */
const fetchTwice =
  (read: (reply: HttpReply) => Notice | undefined): typeof acme.fetchStatus =>
  async (payment, ctx) => {
    const report = await acme.fetchStatus(payment, ctx);
    const [event] = report.result === 'events' ? report.events : [];
    if (event?.providerStatus !== 'waiting') return report;
    const end = read(await ctx.http.send({ method: 'GET', path: `/charges/${payment.reference}/end` }));
    return end ? { result: 'events', events: [toEvent(end)] } : report;
  };

/** Asks for earlier refunds before it repeats one. */
const refundAfterQuery =
  (isOpen: (reply: HttpReply) => boolean): typeof acme.refund =>
  async (payment, asked, ctx) => {
    if (!asked.isRepetition) return acme.refund(payment, asked, ctx);
    const found = await ctx.http.send({ method: 'GET', path: `/charges/${payment.providerReference}/backs` });
    if (!isOpen(found)) return unknown('the refunds are not known');
    return found.status === 200 ? toOutcome(found, asked) : acme.refund(payment, asked, ctx);
  };

const [firstRefund] = submissions.filter((vector) => 'refund' in vector.payment);
const repeatedRefund = {
  ...firstRefund!,
  name: 'money back, asked for again',
  payment: { ...firstRefund!.payment, refund: { ...refund.refund, isRepetition: true } },
  request: { method: 'GET', path: '/charges/ac_1/backs' },
};

const oldPayment = { endedAt: '2026-02-01T00:00:00.000Z' };
const refunding = (read: (reply: HttpReply, outcome: Outcome) => Outcome) =>
  createAcme({
    adapter: {
      async refund(payment, one, ctx) {
        let last: HttpReply | undefined;
        const send = async (sent: HttpRequest): Promise<HttpReply> => (last = await ctx.http.send(sent));
        const outcome = await acme.refund(payment, one, { ...ctx, http: { send } });
        return read(last!, outcome);
      },
    },
  });

/** Faults that only show in an answer to one request of one sample. */
export const brokenClasses: readonly Broken[] = [
  {
    fault: 'takes an error for an open payment at the second request of a fourth sample',
    rule: 'fetchStatus',
    says: 'after "ended", at request 2, a 401 without a body was treated as pending',
    adapter: withFetch(fetchTwice((end) => readAs(Notice, readJson(utf8(end.body))))),
    kit: {
      vectors: {
        ...wholeVectors,
        submissions: [
          ...capturingVectors.submissions.filter((vector) => !('call' in vector) || vector.call === 'refund'),
          ...['one', 'two', 'three'].map((note) => fetchOf(`paid ${note}`, 'paid', 'succeeded', { note })),
          fourth,
        ],
      },
    },
  },
  {
    fault: 'takes a 500 for the end of a payment that ended',
    rule: 'fetchStatus',
    says: 'after "refused long ago", a 500 without a body was treated as declined 05',
    adapter: withFetch(async (payment, ctx) => {
      let last = 0;
      const send = async (sent: HttpRequest): Promise<HttpReply> => {
        const said = await ctx.http.send(sent);
        last = said.status;
        return said;
      };
      const report = await acme.fetchStatus(payment, { ...ctx, http: { send } });
      const isOld = payment.endedAt !== null && ctx.now().getTime() - payment.endedAt.getTime() > 86_400_000;
      if (last !== 500 || !isOld) return report;
      const { reference, money } = payment;
      const about = { reference, providerReference: null, ...money, dedupeKey: null, decline: '05' } as const;
      return { result: 'events', events: [{ kind: 'payment', providerStatus: 'refused', ...about }] };
    }),
    kit: {
      vectors: {
        ...wholeVectors,
        submissions: [...plainSubmissions(), fetchOf('refused long ago', 'refused', 'failed', oldPayment)],
      },
    },
  },
  {
    fault: 'sends a refund again after any error of the question about it',
    rule: 'refund',
    says: 'was followed by a request that can move money',
    adapter: createAcme({ adapter: { refund: refundAfterQuery(() => true) } }),
    kit: { vectors: { ...wholeVectors, submissions: [...plainSubmissions(), repeatedRefund] } },
  },
  {
    fault: 'takes every error of a refund for a refusal',
    rule: 'refund',
    says: 'was treated as nothing charged',
    adapter: refunding((said, outcome) => (said.status >= 400 ? nothingCharged('not given back') : outcome)),
  },
  {
    fault: 'takes a 500 of a refund for a refusal',
    rule: 'refund',
    says: 'a 500 without a body was treated as nothing charged',
    adapter: refunding((said, outcome) => (said.status === 500 ? nothingCharged('not given back') : outcome)),
  },
  {
    fault: 'charges after a session that was refused',
    rule: 'submission',
    says: 'was followed by a request that can charge',
    adapter: createAcme({
      adapter: {
        async submit(payment, ctx) {
          await ctx.http.send({ method: 'POST', path: '/sessions', chargesNothing: true });
          await ctx.http.send({ method: 'POST', path: '/charges', body: chargeBody(payment, ctx) });
          return unknown('asked later');
        },
      },
    }),
    kit: { vectors: twoStepVectors },
  },
];

function plainSubmissions() {
  return capturingVectors.submissions.filter(
    (vector) => !('call' in vector) || ['fetchStatus', 'refund'].includes(vector.call),
  );
}
