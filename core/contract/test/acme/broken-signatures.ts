/** Adapters that each break one rule of signatures, and of the samples that show it. */
import { crc32 } from 'node:zlib';
import { genuine, hmac, malformed, readAs, readJson, replyHeader, statusTable, utf8 } from '../../index.ts';
import type { AdapterContext, CallbackRoute, HttpReply, RawCallback, ReportedEvent, Verdict } from '../../index.ts';
import type { SignCallback } from '../../testing/index.ts';
import { createAcme, states, toEvent, verifySeal } from './adapter.ts';
import { boxedAnswers, boxedVectors, createAnswerBelievingAcme, createBoxedAcme, verifyBoxAlone } from './boxed.ts';
import type { Broken } from './broken.ts';
import {
  createKeyedAcme,
  createKeyedAnswersAcme,
  keyedAnswersKit,
  keyedKit,
  keyedVectors,
  plainKeyedVectors,
  readNotice,
  verifySignature,
} from './keyed.ts';
import { Notice, sealHeader, type Options } from './protocol.ts';
import { createSealedAcme, opened, sealedKit, signAnswer } from './sealed-answers.ts';
import { createTwoStepAcme, submitKeeping, twoStepVectors } from './two-step.ts';
import { createVectors, options, seconds } from './vectors.ts';

type Acme = AdapterContext<Options>;
const vectors = createVectors();

export const sealCallback: SignCallback<Options> = (raw, { sealKeys }) => ({
  ...raw,
  headers: [['X-Acme-Seal', sealHeader(sealKeys[0] ?? '', seconds, raw.body)]],
});

function readUnverified(raw: RawCallback): Verdict<Notice> {
  const notice = readAs(Notice, readJson(utf8(raw.body)));
  return notice ? genuine(notice) : malformed('not a notice');
}

/** Reports refunds for the notices of refunds, and makes core fetch those events that `isFetched` names. */
function fetching(isFetched: (event: ReportedEvent) => boolean, route: Partial<CallbackRoute<Options, Notice>> = {}) {
  return createAcme({
    adapter: { mapStatus: statusTable({ payment: states, refund: states }) },
    route: {
      parseCallback({ value }) {
        const { back } = value;
        const refund = typeof back === 'string' && ({ kind: 'refund', subReference: back } as const);
        const event = { ...toEvent(value), ...refund };
        return { events: [isFetched(event) ? { ...event, mustFetch: true } : event] };
      },
      ...route,
    },
  });
}

/** Fetched refunds before the one payment that is believed. */
const refundsFirst = {
  ...vectors,
  callbacks: [
    ...['ab-1', 'ab-2', 'ab-3', 'ab-4', 'ab-5'].map((number, at) => {
      const [paid] = vectors.callbacks;
      const body = paid!.request.body.replace('{', `{ "back":"${number}",`).replace('n-1', `n-1${at}`);
      const headers = [['X-Acme-Seal', sealHeader(options.sealKeys[0]!, seconds, Buffer.from(body))]];
      const events = [{ kind: 'refund', status: 'succeeded', subReference: number, amount: '25.90' }];
      return {
        ...paid!,
        name: `refund ${number}`,
        request: { ...paid!.request, headers, body },
        expect: { ...paid!.expect, events, mustFetch: true },
      };
    }),
    ...vectors.callbacks,
  ],
};

/** Acme's vectors, of which core believes nothing. */
const fetched = {
  ...vectors,
  callbacks: vectors.callbacks.map((one) => ({
    ...one,
    expect: { ...one.expect, ...(one.expect.genuine === true && { mustFetch: true }) },
  })),
};
const withoutForged = {
  ...fetched,
  callbacks: fetched.callbacks.filter(({ expect }) => expect.genuine !== 'forged'),
};

/** A second signature, which covers the same bytes with another secret. */
const signTwoHeaders: SignCallback<Options> = (raw, own, side) => {
  const sealed = sealCallback(raw, own, side);
  const second = hmac('sha256', own.apiKey, raw.body).toString('base64');
  return { ...sealed, headers: [...sealed.headers, ['X-Acme-Second', second]] };
};

/** The seal covers only the CRC-32 of the body. */
const sealChecksum = (key: string, at: string, body: Uint8Array): string =>
  sealHeader(key, at, Buffer.from(String(crc32(body))));
function verifyChecksum(raw: RawCallback, ctx: Acme): Verdict<Notice> {
  const sealed = verifySeal({ ...raw, body: Buffer.from(String(crc32(raw.body))) }, ctx);
  // `verifySeal` finds no notice in a checksum whose seal is right.
  return sealed.verdict === 'malformed' ? readUnverified(raw) : sealed;
}
const checksumKit = { vectors: createVectors(sealChecksum), routes: {} };

export const brokenSignatures: readonly Broken[] = [
  {
    fault: 'never compares the seal of an encrypted callback',
    rule: 'proof',
    says: 'with one bit of the signature in header X-Acme-Seal changed is judged as genuine',
    adapter: createBoxedAcme(verifyBoxAlone),
    kit: { vectors: boxedVectors },
  },
  {
    fault: 'never compares the seal of an encrypted callback, and has no signer',
    rule: 'proof',
    says: 'with one bit of header X-Acme-Seal changed is judged as genuine',
    adapter: createBoxedAcme(verifyBoxAlone),
    kit: { vectors: boxedVectors, routes: {} },
  },
  {
    fault: 'skips the signature, and has no signer',
    rule: 'proof',
    says: '"paid" with one bit of header X-Acme-Seal changed is judged as genuine',
    adapter: createAcme({ route: { verifySignature: readUnverified } }),
    kit: { routes: {} },
  },
  {
    fault: 'skips the signature of callbacks that name none',
    rule: 'proof',
    says: 'judged as genuine whichever part of it is changed',
    adapter: createAcme({ route: { verifySignature: readUnverified } }),
    kit: {
      routes: {},
      vectors: {
        ...vectors,
        callbacks: vectors.callbacks
          .filter(({ expect }) => expect.genuine === true)
          .map((one) => ({ ...one, request: { ...one.request, headers: [] } })),
      },
    },
  },
  {
    fault: 'skips the signature, and has many samples before the one that core believes',
    rule: 'proof',
    says: 'changed is believed, and says',
    adapter: fetching(({ kind }) => kind === 'refund', { verifySignature: readUnverified }),
    kit: { vectors: refundsFirst },
  },
  {
    fault: 'makes core fetch everything, and shows no forged sample',
    rule: 'proof',
    says: 'no vector shows that a wrong signature is refused',
    adapter: fetching(() => true),
    kit: { vectors: withoutForged },
  },
  {
    fault: 'makes core fetch everything, and never considers a message too old',
    rule: 'proof',
    says: 'ten days away',
    adapter: fetching(() => true, {
      verifySignature: (raw, ctx) => verifySeal(raw, { ...ctx, now: () => new Date(Number(seconds) * 1000) }),
    }),
    kit: { vectors: fetched },
  },
  {
    fault: 'ignores the second of two signatures',
    rule: 'proof',
    says: 'in header X-Acme-Second',
    adapter: createAcme(),
    kit: { routes: { 'POST acme': { sign: signTwoHeaders } } },
  },
  {
    fault: 'has a signer whose signature is refused',
    rule: 'proof',
    says: 'is refused after `sign` of the kit signed it again',
    adapter: createAcme(),
    kit: {
      routes: {
        'POST acme': { sign: (raw, own, side) => sealCallback(raw, { ...own, sealKeys: [own.apiKey] }, side) },
      },
    },
  },
  {
    fault: 'verifies nothing with the public key of its provider',
    rule: 'proof',
    says: 'with the signature of another sender is judged as genuine',
    adapter: createKeyedAcme(async (raw, ctx) => {
      const verdict = await verifySignature(raw, ctx);
      return verdict.verdict === 'invalid_signature' ? readNotice(raw, ctx) : verdict;
    }),
    kit: { ...keyedKit, vectors: keyedVectors },
  },
  {
    fault: 'verifies text that it serialized again with the public key of its provider',
    rule: 'bytes',
    says: 'with other spaces and a matching signature, is judged as invalid_signature',
    adapter: createKeyedAcme(async (raw, ctx) =>
      verifySignature({ ...raw, body: Buffer.from(JSON.stringify(JSON.parse(utf8(raw.body) || 'null'))) }, ctx),
    ),
    kit: { ...keyedKit, vectors: plainKeyedVectors },
  },
  {
    fault: 'verifies with another key than the callback names',
    rule: 'proof',
    says: 'with header X-Acme-Key being "key-3026" is judged as genuine',
    adapter: createKeyedAcme(),
    kit: { ...keyedKit, vectors: withHeader('X-Acme-Key', 'key-2026') },
  },
  {
    fault: 'verifies with a key from any host',
    rule: 'proof',
    says: 'with header X-Acme-Key being "https://attacker.example/keys" is judged as genuine',
    adapter: createKeyedAcme(),
    kit: { ...keyedKit, vectors: withHeader('X-Acme-Key', 'https://keys.acme.example/keys') },
  },
  {
    fault: 'believes an answer that another key pair signed',
    rule: 'answers',
    says: 'was believed although another sender signed it',
    adapter: createKeyedAnswersAcme(() => true),
    kit: keyedAnswersKit,
  },
  {
    fault: 'believes a success of which only a checksum is signed',
    rule: 'proof',
    says: 'reports payment succeeded that core believes, and only a checksum of it is signed',
    adapter: createAcme({ route: { verifySignature: verifyChecksum, signatureCovers: 'checksum' } }),
    kit: checksumKit,
  },
  {
    fault: 'does not say that only a checksum is signed',
    rule: 'proof',
    says: 'is verified with a CRC-32',
    adapter: createAcme({ route: { verifySignature: verifyChecksum } }),
    kit: checksumKit,
  },
  {
    fault: 'never compares the seal of an encrypted answer',
    rule: 'answers',
    says: 'was believed with one bit of header X-Acme-Seal changed',
    adapter: createAnswerBelievingAcme(),
    kit: { vectors: boxedAnswers, signedAnswers: { submit: {} } },
  },
  {
    fault: 'believes an answer that another sender signed',
    rule: 'answers',
    says: 'was believed although another sender signed it',
    adapter: createSealedAcme((reply, own) => {
      const seal = replyHeader(reply, 'x-acme-seal');
      return seal === undefined ? opened(reply, own) : reply;
    }),
    kit: { ...sealedKit, signAnswer },
  },
  {
    fault: 'compares only the beginning of the seal of an answer',
    rule: 'answers',
    says: 'was believed with one bit of the signature in header X-Acme-Seal changed',
    adapter: createSealedAcme((reply, own) => {
      const seal = replyHeader(reply, 'x-acme-seal') ?? '';
      const right = sealHeader(own.sealKeys[0]!, seconds, reply.body);
      return seal.slice(0, 30) === right.slice(0, 30) ? reply : empty(reply);
    }),
    kit: { ...sealedKit, signAnswer },
  },
  {
    fault: 'compares the seal of the second of two answers alone',
    rule: 'answers',
    says: 'at request 1, the answer to "paid" was believed although another sender signed it',
    adapter: createHalfSealedAcme(),
    kit: {
      signAnswer,
      signedAnswers: { submit: {} },
      vectors: {
        ...twoStepVectors,
        submissions: twoStepVectors.submissions.map((vector) =>
          'exchanges' in vector
            ? { ...vector, exchanges: vector.exchanges.map((one) => ({ ...one, reply: sealReply(one.reply) })) }
            : vector,
        ),
      },
    },
  },
  {
    fault: 'has a signer of answers whose signature is refused',
    rule: 'answers',
    says: 'is unknown after `signAnswer` of the kit signed it again',
    adapter: createSealedAcme(),
    kit: {
      ...sealedKit,
      signAnswer: (reply, own, side, request) => signAnswer(reply, { ...own, sealKeys: [own.apiKey] }, side, request),
    },
  },
];

/** Vectors by a key pair whose callbacks name the key or its address. */
function withHeader(name: string, value: string) {
  return {
    ...keyedVectors,
    providerSide: { ...keyedVectors.providerSide, keyId: value },
    callbacks: keyedVectors.callbacks.map(({ request, ...vector }) => ({
      ...vector,
      request: { ...request, headers: [...request.headers, [name, value]] },
    })),
  };
}

/** Compares the seal of the second answer alone. */
function createHalfSealedAcme() {
  return createTwoStepAcme(async (payment, ctx) => {
    let count = 0;
    const { http } = ctx;
    const send: typeof http.send = async (request) => {
      const reply = await http.send(request);
      count += 1;
      return count === 1 ? reply : opened(reply, ctx.options);
    };
    return submitKeeping(payment, { ...ctx, http: { send } });
  });
}

function sealReply(reply: { readonly status: number; readonly body: string }) {
  return { ...reply, headers: [['X-Acme-Seal', sealHeader(options.sealKeys[0]!, seconds, Buffer.from(reply.body))]] };
}

function empty(reply: HttpReply): HttpReply {
  return { ...reply, body: Buffer.alloc(0) };
}
