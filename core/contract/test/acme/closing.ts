/** Acme as a provider whose unpaid orders can be closed. */
import { randomUUID } from 'node:crypto';
import {
  nothingCharged,
  readAs,
  readJson,
  unknown,
  utf8,
  v,
  type AdapterContext,
  type HttpReply,
  type Outcome,
  type ProviderAdapter,
  type StoredPayment,
} from '../../index.ts';
import { createAcme } from './adapter.ts';
import type { Broken } from './broken.ts';
import type { Options } from './protocol.ts';
import { createVectors, options } from './vectors.ts';

type Mutable = { -readonly [Name in keyof ProviderAdapter<Options>]: ProviderAdapter<Options>[Name] };
type Read = (reply: HttpReply, payment: Pick<StoredPayment, 'reference'>) => Outcome;

interface ClosingOptions {
  readonly read?: Read;
  readonly keyOf?: (reference: string, ctx: AdapterContext<Options>) => string;
}

const Order = v.looseObject({ ref: v.string(), state: v.string() });
const Refusal = v.looseObject({ error: v.string() });

/** Acme answers with the order as it is then. */
export const readClosed: Read = (reply, { reference }) => {
  const message = readJson(utf8(reply.body));
  const refusal = readAs(Refusal, message);
  if (reply.status === 409 && refusal) return nothingCharged(refusal.error);
  const order = reply.status === 200 ? readAs(Order, message) : undefined;
  if (order?.ref !== reference) return unknown('no order, or another one');
  return order.state === 'closed' ? { outcome: 'succeeded' } : unknown('an order that is not closed');
};

const way = {
  method: 'card',
  title: 'Card',
  threeDs: 'unsupported',
  payerFields: ['name'],
  unfinishedStep: 'close',
} as const;

export function createClosingAcme({ read = readClosed, keyOf = (reference) => reference }: ClosingOptions = {}) {
  return createAcme({
    manifest: { ways: [way] },
    adapter: {
      async close(payment, ctx) {
        const headers = { 'X-Key': ctx.options.apiKey, 'Idempotency-Key': keyOf(payment.reference, ctx) };
        const path = `/charges/${payment.providerReference}/close`;
        return read(await ctx.http.send({ method: 'POST', path, headers, body: '{}' }), payment);
      },
    },
  });
}

const plain = createVectors();

function close(name: string, status: number, body: object, outcome: object) {
  return {
    name,
    call: 'close',
    payment: { amount: '25.90', unit: 'EUR', reference: 'GW-10042-1', providerReference: 'ac_1' },
    request: {
      method: 'POST',
      path: '/charges/ac_1/close',
      headers: [
        ['X-Key', options.apiKey],
        ['Idempotency-Key', 'GW-10042-1'],
      ],
      body: '{}',
    },
    reply: { status, headers: [['Content-Type', 'application/json']], body: JSON.stringify(body) },
    expect: outcome,
  };
}

const closed = close('closed', 200, { ref: 'GW-10042-1', state: 'closed' }, { outcome: 'succeeded' });
const refused = close('paid before', 409, { error: 'paid' }, { outcome: 'failed', nothingCharged: true });

/** Acme's vectors, with an order that is closed and one that is not. */
export const closingVectors = { ...plain, submissions: [...plain.submissions, closed, refused] };

const { request, reply: refusal, ...about } = refused;
/** An order that was closed before: Acme refuses, and shows it. */
const closedBefore = {
  ...about,
  name: 'closed before',
  exchanges: [
    { request, reply: refusal },
    {
      request: { method: 'GET', path: '/charges/GW-10042-1', headers: [['X-Key', options.apiKey]] },
      reply: closed.reply,
    },
  ],
  expect: closed.expect,
};

/** Closes as the correct adapter does, and believes any order of the payment after a refusal. */
const closeAndLook: NonNullable<ProviderAdapter<Options>['close']> = async (payment, ctx) => {
  const outcome = await createClosingAcme().close!(payment, ctx);
  if (!('nothingCharged' in outcome)) return outcome;
  const headers = { 'X-Key': ctx.options.apiKey };
  const reply = await ctx.http.send({ method: 'GET', path: `/charges/${payment.reference}`, headers });
  const order = readAs(Order, readJson(utf8(reply.body)));
  return order?.ref === payment.reference ? { outcome: 'succeeded' } : unknown('no order, or another one');
};

const kit = { vectors: closingVectors };
const confirming =
  (isClosed: (status: number, order: v.InferOutput<typeof Order> | undefined) => boolean): Read =>
  (reply, payment) => {
    const order = readAs(Order, readJson(utf8(reply.body)));
    return isClosed(reply.status, order) ? { outcome: 'succeeded' } : readClosed(reply, payment);
  };

const wrong: readonly { readonly fault: string; readonly says: string; readonly changes: ClosingOptions }[] = [
  {
    fault: 'takes a refused close for closed',
    says: 'a 409 without a body was taken for closed',
    changes: { read: confirming((status) => status === 409) },
  },
  {
    fault: 'takes the provider’s own refusal for closed',
    says: 'the answer of "paid before" was taken for closed',
    changes: {
      read: (reply, payment) => {
        const refusal = readAs(Refusal, readJson(utf8(reply.body)));
        return refusal?.error === 'paid' ? { outcome: 'succeeded' } : readClosed(reply, payment);
      },
    },
  },
  {
    fault: 'takes an unknown order for closed',
    says: 'a 404 without a body was taken for closed',
    changes: { read: confirming((status) => status === 404) },
  },
  {
    fault: 'takes a paid order for closed',
    says: 'whose order is paid or open, was taken for closed',
    changes: { read: confirming((status, order) => status === 200 && order?.state !== 'waiting') },
  },
  {
    fault: 'takes an unreadable answer to a close for closed',
    says: 'was treated as succeeded',
    changes: { read: confirming((status, order) => status === 200 && order === undefined) },
  },
  {
    fault: 'takes an error of the provider for closed',
    says: 'a 500 without a body was treated as succeeded',
    changes: { read: confirming((status) => status >= 500) },
  },
  {
    fault: 'takes a close that was accepted for closed, whatever came back',
    says: 'a 200 that is a page of HTML was treated as succeeded',
    changes: { read: confirming((status) => status === 200) },
  },
  {
    fault: 'believes the answer to the close of another order',
    says: 'believed for another payment',
    changes: { read: confirming((status, order) => status === 200 && order?.state === 'closed') },
  },
  {
    fault: 'names a close at random',
    says: 'is sent differently the second time',
    changes: { keyOf: () => randomUUID() },
  },
];

/** Faults of `close`, and of ways that say what becomes of their steps. */
export const brokenCloses: readonly Broken[] = [
  ...wrong.map(({ fault, says, changes }) => ({
    fault,
    rule: 'close',
    says,
    adapter: createClosingAcme(changes),
    kit,
  })),
  {
    fault: 'treats a close that was never sent as closed',
    rule: 'close',
    says: 'a connection that was never made was treated as succeeded',
    adapter: createAcme({
      manifest: { ways: [way] },
      adapter: {
        close: async (payment, ctx) => createClosingAcme().close!(payment, ctx).catch(() => ({ outcome: 'succeeded' })),
      },
    }),
    kit,
  },
  {
    fault: 'takes the order that it looks at after a refusal for closed, whatever it shows',
    rule: 'close',
    says: 'whose order is paid or open, was taken for closed after "closed before"',
    adapter: createAcme({ manifest: { ways: [way] }, adapter: { close: closeAndLook } }),
    kit: { vectors: { ...closingVectors, submissions: [...closingVectors.submissions, closedBefore] } },
  },
  {
    fault: 'can close an order, and has no sample of it',
    rule: 'abilities',
    says: 'no vector is a `close`',
    adapter: createClosingAcme(),
    kit: { vectors: { ...closingVectors, submissions: [...plain.submissions, refused] } },
  },
  {
    fault: 'can close an order, and has no sample of a refusal',
    rule: 'close',
    says: 'no vector is a `close` that the provider refuses',
    adapter: createClosingAcme(),
    kit: { vectors: { ...closingVectors, submissions: [...plain.submissions, closed] } },
  },
  {
    fault: 'promises to close the order of an unfinished step, and cannot',
    rule: 'manifest',
    says: 'an unfinished step of card is to be closed, but there is no `close`',
    adapter: createAcme({ manifest: { ways: [way] } }),
  },
  {
    fault: 'closes orders, and cannot say what became of one that it did not close',
    rule: 'manifest',
    says: 'an unfinished step of card is to be closed, but there is no `fetchStatus`',
    adapter: withoutFetch(),
    kit,
  },
  {
    fault: 'can close an order, and says of no way that it is closed',
    rule: 'manifest',
    says: 'it can close an order, and no way has `unfinishedStep: close`',
    adapter: createAcme({ adapter: { close: async (payment, ctx) => createClosingAcme().close!(payment, ctx) } }),
    kit,
  },
];

function withoutFetch() {
  const adapter: Mutable = { ...createClosingAcme() };
  delete adapter.fetchStatus;
  return adapter;
}
