/** Acme as a provider that gives one payment several ids: the charge, which is primary, and an order. */
import type { Notice, Options } from './protocol.ts';
import { sealHeader } from './protocol.ts';
import type { ProviderAdapter, ProviderReferences } from '../../index.ts';
import { createAcme, toEvent } from './adapter.ts';
import type { Broken } from './broken.ts';
import { createVectors, options, seconds } from './vectors.ts';

interface Ids {
  readonly providerReference: string;
  readonly providerReferences: ProviderReferences;
}
type Call = 'submit' | 'fetchStatus' | 'callback';
type NameIds = (id: string, call: Call) => Ids;

const nameIds: NameIds = (id) => ({
  providerReference: id,
  providerReferences: { charge: id, order: `order-of-${id}` },
});

/** Acme whose messages name the ids that this function makes of the id of the charge. */
export function createNamingAcme(name: NameIds = nameIds): ProviderAdapter<Options> {
  const acme = createAcme();
  const named = <T extends { readonly providerReference?: string | null }>(message: T, call: Call): T =>
    message.providerReference ? { ...message, ...name(message.providerReference, call) } : message;
  return createAcme({
    adapter: {
      submit: async (payment, ctx) => named(await acme.submit(payment, ctx), 'submit'),
      async fetchStatus(payment, ctx) {
        const report = await acme.fetchStatus!(payment, ctx);
        if (report.result !== 'events') return report;
        return { ...report, events: report.events.map((event) => named(event, 'fetchStatus')) };
      },
    },
    route: {
      parseCallback: ({ value }: { readonly value: Notice }) => ({ events: [named(toEvent(value), 'callback')] }),
    },
  });
}

const plain = createVectors();
const ids = (id: string) => nameIds(id, 'callback').providerReferences;
const withIds = (event: object, id = 'ac_1') => ({ ...event, providerReferences: ids(id) });

const [paid] = plain.callbacks as [(typeof plain.callbacks)[number]];
const otherBody = paid.request.body
  .replace('"n-1"', '"n-7"')
  .replace('GW-10042-1', 'GW-10043-1')
  .replace('ac_1', 'ac_2');
const other = { reference: 'GW-10043-1', providerReference: 'ac_2', dedupeKey: 'n-7' };
const otherPayment = {
  ...paid,
  name: 'another payment',
  request: {
    ...paid.request,
    headers: [['X-Acme-Seal', sealHeader(options.sealKeys[0]!, seconds, Buffer.from(otherBody))]],
    body: otherBody,
  },
  expect: { ...paid.expect, events: paid.expect.events.map((event) => withIds({ ...event, ...other }, 'ac_2')) },
};

/** Acme's vectors with the ids of each payment, and a callback about a second payment. */
export const namingVectors = {
  ...plain,
  callbacks: [
    ...plain.callbacks.map((one) => ({
      ...one,
      expect: { ...one.expect, events: one.expect.events.map((event) => withIds(event)) },
    })),
    otherPayment,
  ],
  submissions: plain.submissions.map((one) => {
    if ('call' in one && one.call === 'refund') return one;
    const { expect } = one;
    if (!('events' in expect)) return { ...one, expect: withIds(expect) };
    return { ...one, expect: { ...expect, events: expect.events.map((event) => withIds(event)) } };
  }),
};

const rule = 'references';
const faults: readonly { readonly fault: string; readonly says: string; readonly name: NameIds }[] = [
  {
    fault: 'leaves its primary reference out of the ids of a payment',
    says: 'lacks it',
    name: (id) => ({ providerReference: id, providerReferences: { order: `order-of-${id}` } }),
  },
  {
    fault: 'names an id that is not known yet',
    says: 'names the id order as ""',
    name: (id) => ({ providerReference: id, providerReferences: { charge: id, order: '' } }),
  },
  {
    fault: 'names more ids than core keeps',
    says: 'names 7 ids',
    name: (id) => ({
      providerReference: id,
      providerReferences: Object.fromEntries([1, 2, 3, 4, 5, 6, 7].map((n) => [`id${n}`, n === 1 ? id : `${id}-${n}`])),
    }),
  },
  {
    fault: 'names the account as an id of the payment',
    says: 'are about two payments and name the same id account',
    name: (id) => ({ providerReference: id, providerReferences: { charge: id, account: options.shop } }),
  },
  {
    fault: 'has another primary reference in a fetched success',
    says: 'as its primary reference',
    name(id, call) {
      const named = nameIds(id, call);
      return call === 'fetchStatus' ? { ...named, providerReference: named.providerReferences['order']! } : named;
    },
  },
];

export const brokenReferences: readonly Broken[] = faults.map(({ fault, says, name }) => ({
  fault,
  rule,
  says,
  adapter: createNamingAcme(name),
  kit: { vectors: namingVectors },
}));
