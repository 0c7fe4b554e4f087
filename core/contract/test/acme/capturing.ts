/** Acme as a provider that reserves money, which is captured or released later. */
import { randomUUID } from 'node:crypto';
import {
  nothingCharged,
  toMinor,
  type AdapterContext,
  type CaptureRequest,
  type HttpReply,
  type Outcome,
  type ProviderAdapter,
  type StoredPayment,
} from '../../index.ts';
import { createAcme, toOutcome, type Asked } from './adapter.ts';
import type { Broken } from './broken.ts';
import type { Options } from './protocol.ts';
import { createVectors, options } from './vectors.ts';

interface CapturingOptions {
  /** Reads an answer to either call. */
  readonly read?: (reply: HttpReply, asked: Asked) => Outcome;
  readonly keyOf?: (reference: string, ctx: AdapterContext<Options>) => string;
}

export function createCapturingAcme({ read = toOutcome, keyOf = (reference) => reference }: CapturingOptions = {}) {
  async function ask(ctx: AdapterContext<Options>, path: string, asked: Asked, body: string): Promise<Outcome> {
    const headers = { 'X-Key': ctx.options.apiKey, 'Idempotency-Key': keyOf(asked.reference, ctx) };
    return read(await ctx.http.send({ method: 'POST', path, headers, body }), asked);
  }
  return createAcme({
    adapter: {
      capture: async (
        { providerReference }: StoredPayment,
        { reference, money }: CaptureRequest,
        ctx: AdapterContext<Options>,
      ) => ask(ctx, `/charges/${providerReference}/collect`, { reference, money }, `{"minor":${toMinor(money)}}`),
      void: async ({ providerReference, money }, ctx, { reference }) =>
        ask(ctx, `/charges/${providerReference}/release`, { reference, money }, '{}'),
    } satisfies Partial<ProviderAdapter<Options>>,
  });
}

const plain = createVectors();
const payment = { amount: '25.90', unit: 'EUR', reference: 'GW-10042-1', providerReference: 'ac_1' };

/** A call about a payment, and its answer. */
export function later(
  name: string,
  call: string,
  path: string,
  reference: string,
  more: object,
  body: string,
  said: object = {},
) {
  return {
    name,
    call,
    payment: { ...payment, ...more },
    request: {
      method: 'POST',
      path: `/charges/ac_1/${path}`,
      headers: [
        ['X-Key', options.apiKey],
        ['Idempotency-Key', reference],
      ],
      body,
    },
    reply: {
      status: 200,
      headers: [['Content-Type', 'application/json']],
      body: JSON.stringify({ id: `${path}-1`, ref: reference, state: 'paid', minor: 2590, cur: 'EUR', ...said }),
    },
    expect: { outcome: 'succeeded' },
  };
}

const capture = { capture: { reference: 'GW-10042-1-C', amount: '20.00' } };
/** Acme's vectors, with a capture and a void. */
export const capturingVectors = {
  ...plain,
  submissions: [
    ...plain.submissions,
    later('collected', 'capture', 'collect', 'GW-10042-1-C', capture, '{"minor":2000}', { minor: 2000 }),
    later('released', 'void', 'release', 'GW-10042-1-V', {}, '{}'),
  ],
};

/** The same vectors for an Acme whose 202 without a body means that a release was accepted. */
export const wordlessVectors = {
  ...capturingVectors,
  submissions: capturingVectors.submissions.map((one) =>
    isOf(one, 'void') ? { ...one, reply: { status: 202 }, expect: { outcome: 'pending' } } : one,
  ),
};
export const createWordlessAcme = () =>
  createCapturingAcme({
    read: (reply, named) => (reply.status === 202 ? { outcome: 'pending' } : toOutcome(reply, named)),
  });

const kit = { vectors: capturingVectors };
const refusing = (...given: Parameters<typeof toOutcome>): Outcome => {
  const outcome = toOutcome(...given);
  return outcome.outcome === 'unknown' ? nothingCharged('refused') : outcome;
};
const wrongOptions: readonly { readonly fault: string; readonly says: string; readonly changes: CapturingOptions }[] = [
  {
    fault: 'treats an unreadable answer as a refusal',
    says: 'was treated as nothing charged',
    changes: { read: refusing },
  },
  { fault: 'names it at random', says: 'is sent differently the second time', changes: { keyOf: () => randomUUID() } },
];

/** Faults of capture and void, each shown for both. */
export const brokenCaptures: readonly Broken[] = (['capture', 'void'] as const).flatMap((rule) => [
  {
    fault: `can ${rule}, and has no sample of it`,
    rule: 'abilities',
    says: `no vector is a \`${rule}\``,
    adapter: createCapturingAcme(),
    kit: { vectors: { ...plain, submissions: capturingVectors.submissions.filter((one) => !isOf(one, rule)) } },
  },
  ...wrongOptions.map(({ fault, says, changes }) => {
    return { fault: `can ${rule}, and ${fault}`, rule, says, adapter: createCapturingAcme(changes), kit };
  }),
]);

function isOf(vector: object, call: string): boolean {
  return 'call' in vector && vector.call === call;
}
