/** Acme as a provider that needs an access token first, and signs its notices with a key pair. */
import { generateKeyPairSync, sign, verify } from 'node:crypto';
import {
  invalidSignature,
  genuine,
  onlyHeader,
  replyHeader,
  readAs,
  readJson,
  tryLater,
  utf8,
  v,
  type HttpReply,
  type AdapterContext,
  type ProviderSide,
  type RawCallback,
  type Verdict,
} from '../../index.ts';
import type { Kit } from '../../testing/index.ts';
import { createAcme } from './adapter.ts';
import { Notice, type Options } from './protocol.ts';
import { createVectors } from './vectors.ts';

const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
const reported = (body: object) => ({ status: 200, headers: [], body: JSON.stringify(body) });

/** `standing` of the vectors. */
export const standing = [
  { request: { method: 'POST', path: '/token' }, reply: reported({ token: 't-1' }) },
  { request: { method: 'GET', path: '/keys' }, reply: reported({ key: pem }) },
];

const signed = (body: string): string => sign(null, Buffer.from(body), privateKey).toString('base64');

/** The kit's settings for this provider. */
export const keyedKit: Pick<Kit<Options>, 'routes'> = {
  routes: {
    'POST acme': {
      signedByKeyPair: true,
      sign: (raw: RawCallback, _options: Options, { acmeKey }: ProviderSide) => ({
        ...raw,
        headers: [['X-Acme-Seal', sign(null, raw.body, String(acmeKey)).toString('base64')]],
      }),
    },
  },
};

const providerSide = { acmeKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };

/** Acme's vectors, with a signature instead of the seal; none of them becomes stale. */
function createKeyedVectors(spell?: (body: string) => string) {
  const vectors = createVectors((_key, _seconds, body) => signed(Buffer.from(body).toString()), spell);
  return {
    ...vectors,
    standing,
    providerSide,
    callbacks: vectors.callbacks.filter(({ expect }) => expect.genuine === true),
  };
}
export const keyedVectors = createKeyedVectors();
/** The same, in the spelling of our own serializer. */
export const plainKeyedVectors = createKeyedVectors((body) => JSON.stringify(JSON.parse(body)));

const read = (reply: HttpReply, name: string): string => {
  const found = readAs(v.record(v.string(), v.string()), readJson(utf8(reply.body)))?.[name];
  if (found === undefined) throw new Error('no answer that can be read');
  return found;
};

async function keyOf({ http }: AdapterContext<Options>): Promise<string | undefined> {
  try {
    return read(await http.send({ method: 'GET', path: '/keys' }), 'key');
  } catch {
    return undefined;
  }
}

export async function verifySignature(raw: RawCallback, ctx: AdapterContext<Options>): Promise<Verdict<Notice>> {
  const key = await keyOf(ctx);
  if (key === undefined) return tryLater('no key');
  const given = Buffer.from(onlyHeader(raw, 'x-acme-seal') ?? '', 'base64');
  if (given.toString('base64') !== onlyHeader(raw, 'x-acme-seal')) return invalidSignature('another spelling');
  if (!verify(null, raw.body, key, given)) return invalidSignature('not by the key of Acme');
  return readNotice(raw, ctx);
}

export function readNotice(raw: RawCallback, { options }: AdapterContext<Options>): Verdict<Notice> {
  const notice = readAs(Notice, readJson(utf8(raw.body)));
  return notice?.shop === options.shop ? genuine(notice) : invalidSignature('no notice for this shop');
}

/** `verifySignature` may be replaced by a wrong one. */
export function createKeyedAcme(verified: typeof verifySignature = verifySignature) {
  const plain = createAcme();
  return createAcme({
    adapter: {
      async submit(payment, ctx) {
        const token = read(await ctx.http.send({ method: 'POST', path: '/token', chargesNothing: true }), 'token');
        const { http } = ctx;
        const send: typeof http.send = async (request) =>
          http.send({ ...request, headers: { ...request.headers, Authorization: token } });
        return plain.submit(payment, { ...ctx, http: { send } });
      },
    },
    route: { verifySignature: verified },
  });
}

const isSignedByAcme = (reply: HttpReply): boolean =>
  verify(null, reply.body, publicKey, Buffer.from(replyHeader(reply, 'x-acme-sign') ?? '', 'base64'));

/** Acme as a provider that signs its answers to submissions with a key pair. */
export function createKeyedAnswersAcme(isProven: typeof isSignedByAcme = isSignedByAcme) {
  const plain = createAcme();
  return createAcme({
    adapter: {
      submit: (payment, ctx) =>
        plain.submit(payment, {
          ...ctx,
          http: {
            async send(request) {
              const reply = await ctx.http.send(request);
              return isProven(reply) ? reply : { ...reply, body: Buffer.alloc(0) };
            },
          },
        }),
    },
  });
}

const answered = createVectors();
export const keyedAnswersKit = {
  signedAnswers: { submit: { signedByKeyPair: true } },
  signAnswer: (reply, _options, { acmeKey }) => ({
    ...reply,
    headers: [
      ...reply.headers.filter(([name]) => name !== 'X-Acme-Sign'),
      ['X-Acme-Sign', sign(null, reply.body, String(acmeKey)).toString('base64')],
    ],
  }),
  vectors: {
    ...answered,
    providerSide,
    submissions: answered.submissions.map((vector) => {
      const header = ['X-Acme-Sign', signed(vector.reply.body)];
      return { ...vector, reply: { ...vector.reply, headers: [...vector.reply.headers, header] } };
    }),
  },
} satisfies Partial<Kit<Options>>;
