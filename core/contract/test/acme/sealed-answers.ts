/** Acme as a provider that seals its answers like its notices. */
import {
  hmac,
  readHex,
  replyHeader,
  verifyWithAny,
  type AdapterContext,
  type HttpReply,
  type ProviderAdapter,
} from '../../index.ts';
import type { SignAnswer } from '../../testing/index.ts';
import { createAcme } from './adapter.ts';
import type { Broken } from './broken.ts';
import { sealHeader, type Options } from './protocol.ts';
import { createVectors, options } from './vectors.ts';

const seconds = '1772359210';

/** An answer with a wrong seal counts as no answer. */
export function opened(reply: HttpReply, { sealKeys }: Options): HttpReply {
  const [, at = '', hex = ''] = /^t=(\d{1,12}),s=([0-9a-f]*)$/.exec(replyHeader(reply, 'x-acme-seal') ?? '') ?? [];
  const key = verifyWithAny(sealKeys, readHex(hex, 32), (one) => hmac('sha256', one, `${at}.`, reply.body));
  return key !== undefined ? reply : { ...reply, body: Buffer.alloc(0) };
}

export function createSealedAcme(open: typeof opened = opened): ProviderAdapter<Options> {
  const plain = createAcme();
  const sealed = (ctx: AdapterContext<Options>): AdapterContext<Options> => ({
    ...ctx,
    http: { send: async (request) => open(await ctx.http.send(request), ctx.options) },
  });
  return createAcme({
    adapter: {
      submit: (payment, ctx) => plain.submit(payment, sealed(ctx)),
      fetchStatus: (payment, ctx) => plain.fetchStatus!(payment, sealed(ctx)),
      refund: (payment, refund, ctx) => plain.refund!(payment, refund, sealed(ctx)),
    },
  });
}

/** Seals an answer again, with its original time. */
export const signAnswer: SignAnswer<Options> = (reply, { sealKeys }) => {
  const others = reply.headers.filter(([name]) => name !== 'X-Acme-Seal');
  return { ...reply, headers: [...others, ['X-Acme-Seal', sealHeader(sealKeys[0] ?? '', seconds, reply.body)]] };
};

const vectors = createVectors();
/** The kit's settings for this provider. */
export const sealedKit = {
  signedAnswers: { submit: {}, fetchStatus: {}, refund: {} },
  vectors: {
    ...vectors,
    submissions: vectors.submissions.map((vector) => {
      const seal = sealHeader(options.sealKeys[0]!, seconds, Buffer.from(vector.reply.body));
      return { ...vector, reply: { ...vector.reply, headers: [...vector.reply.headers, ['X-Acme-Seal', seal]] } };
    }),
  },
};

const hollow = (adapter: ProviderAdapter<Options>) => ({ adapter, kit: sealedKit, rule: 'answers' });

/** Faults of adapters whose provider signs its answers. */
export const brokenAnswers: readonly Broken[] = [
  { fault: 'does not check the seal of an answer', says: 'was believed with byte', ...hollow(createAcme()) },
  {
    fault: 'believes an answer under any secret',
    says: 'believed although every secret was replaced',
    ...hollow(createSealedAcme((reply) => opened(reply, options))),
  },
  {
    fault: 'believes an answer without a seal',
    says: 'no header X-Acme-Seal',
    ...hollow(
      createSealedAcme((reply, own) => (replyHeader(reply, 'x-acme-seal') === undefined ? reply : opened(reply, own))),
    ),
  },
];
