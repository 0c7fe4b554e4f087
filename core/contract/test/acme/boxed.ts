/** Acme as a provider that encrypts the content of its messages, and seals the encrypted body. */
import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';
import { genuine, invalidSignature, malformed, readAs, readJson, utf8, v, type Verdict } from '../../index.ts';
import type { AdapterContext, HttpReply, RawCallback } from '../../index.ts';
import { createAcme, verifySeal } from './adapter.ts';
import { Notice, sealHeader, type Options } from './protocol.ts';
import { createVectors, options, seconds } from './vectors.ts';

const keyOf = ({ apiKey }: Options): Buffer => createHash('sha256').update(apiKey).digest();
const nonce = Buffer.alloc(12, 7);

function closeBox(content: string): string {
  const cipher = createCipheriv('aes-256-gcm', keyOf(options), nonce);
  const bytes = Buffer.concat([cipher.update(content, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return JSON.stringify({ box: bytes.toString('base64') });
}

const Box = v.object({ box: v.string() });

/** The content of an encrypted body; undefined if the key does not open it. */
function openBox(body: Uint8Array, own: Options): Buffer | undefined {
  const bytes = Buffer.from(readAs(Box, readJson(utf8(body)))?.box ?? '', 'base64');
  if (bytes.length < 16) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', keyOf(own), nonce, { authTagLength: 16 });
  decipher.setAuthTag(bytes.subarray(-16));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(0, -16)), decipher.final()]);
  } catch {
    return undefined;
  }
}

function readBox(raw: RawCallback, own: Options): Verdict<Notice> {
  const content = openBox(raw.body, own);
  const notice = content && readAs(Notice, readJson(utf8(content)));
  if (!notice) return malformed('no notice in the box');
  return notice.shop === own.shop ? genuine(notice) : invalidSignature('for another shop');
}

/** Compares the seal of the box, then opens the box. */
function verifyBox(raw: RawCallback, ctx: AdapterContext<Options>): Verdict<Notice> {
  const sealed = verifySeal(raw, ctx);
  // `verifySeal` finds no notice in a box whose seal is right.
  return sealed.verdict === 'malformed' ? readBox(raw, ctx.options) : sealed;
}

/** Trusts the cipher: a seal must be there, and is never compared. */
export function verifyBoxAlone(raw: RawCallback, { options: own }: AdapterContext<Options>): Verdict<Notice> {
  const isSealed = raw.headers.some(([name, value]) => name === 'X-Acme-Seal' && /^t=\d+,s=[0-9a-f]{64}$/.test(value));
  return isSealed ? readBox(raw, own) : invalidSignature('no seal');
}

export function createBoxedAcme(verifySignature: typeof verifyBox = verifyBox) {
  return createAcme({ route: { verifySignature } });
}

const vectors = createVectors();
/** Acme's vectors, boxed and then sealed. */
export const boxedVectors = {
  ...vectors,
  callbacks: vectors.callbacks
    .filter(({ expect }) => expect.genuine !== 'stale')
    .map((vector) => {
      const body = closeBox(vector.request.body);
      const key = vector.name.includes('stranger') ? 'stranger' : vector.name.includes('previous') ? 1 : 0;
      const seal = sealHeader(typeof key === 'string' ? key : options.sealKeys[key]!, seconds, Buffer.from(body));
      return { ...vector, request: { ...vector.request, headers: [['X-Acme-Seal', seal]], body } };
    }),
};

/** Acme's vectors, whose answers to submissions are boxed and then sealed. */
export const boxedAnswers = {
  ...vectors,
  submissions: vectors.submissions.map((vector) => {
    if ('call' in vector) return vector;
    const body = closeBox(vector.reply.body);
    const seal = sealHeader(options.sealKeys[0]!, seconds, Buffer.from(body));
    return { ...vector, reply: { ...vector.reply, headers: [['X-Acme-Seal', seal]], body } };
  }),
};

/** Believes whatever the box of an answer holds, and never looks at its seal. */
export function createAnswerBelievingAcme() {
  const plain = createAcme();
  const opened = (reply: HttpReply, own: Options): HttpReply => ({
    ...reply,
    body: openBox(reply.body, own) ?? Buffer.alloc(0),
  });
  return createAcme({
    adapter: {
      submit: (payment, ctx) =>
        plain.submit(payment, {
          ...ctx,
          http: { send: async (request) => opened(await ctx.http.send(request), ctx.options) },
        }),
    },
  });
}
