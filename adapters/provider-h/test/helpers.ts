/** What the tests of this adapter share: options, signed callbacks, pays as H shows them, calls that are answered by script. */
import {
  JsonNumber,
  stringifyExact,
  v,
  type HttpReply,
  type Outcome,
  type Provider,
  type StoredPayment,
  type Submission,
} from '@gateway/contract';
import {
  playCallback,
  reply,
  sampleStored,
  sampleSubmission,
  scriptedHttp,
  scriptedProvider,
  type CoreSays,
  type PlayedCallback,
} from '@gateway/contract/testing';
import { callback } from '../callback.ts';
import { canonicalText, digestOf } from '../signing.ts';
import providerH from '../index.ts';
import { Options } from '../options.ts';

export const options: Options = v.parse(Options, {
  baseUrl: 'https://api.provider-h.example',
  sandboxBaseUrl: 'https://sandbox.provider-h.example',
  merchantNo: 'M-0000001',
  apiKey: 'hk_test_9a',
  apiSecret: 'request-secret-tëst',
  ipnSecrets: ['ipn-secret-nëw', 'ipn-secret-old'],
});

export const now = new Date('2026-03-02T09:15:30.000Z');

const { card: _card, ...cardless } = sampleSubmission;
export const submission: Submission = cardless;
export const stored: StoredPayment = { ...sampleStored('9007199254740993771', now), method: 'crypto' };

/** Members of a message; a `JsonNumber` keeps its spelling, undefined leaves a member out. */
export type Members = Readonly<Record<string, unknown>>;

export const spelled = (text: string): JsonNumber => new JsonNumber(text);

/** A pay about `submission`, as a callback shows it. */
export function pay(members: Members = {}): Members {
  return {
    pay_no: spelled('9007199254740993771'),
    gw_ref: 'GW-10042-1',
    shop: 'M-0000001',
    phase: 'done',
    want: { n: spelled('25.90'), cur: 'EUR' },
    asked: { n: spelled('0.00041440'), coin: 'BTC' },
    got: { n: spelled('0.00041440'), coin: 'BTC' },
    fee: { svc: { n: spelled('0.25'), cur: 'EUR' }, net: { n: spelled('1.2e-6'), coin: 'BTC' } },
    chain: 'bitcoin',
    hash: null,
    confs: 3,
    why: null,
    at: 1795251600000,
    ...members,
  };
}

/** The same as an answer shows it. */
export function shown(phase: string, members: Members = {}): Members {
  const way = { address: 'bc1qxyz', memo: null, uri: 'bitcoin:bc1qxyz', lapses_at: '2026-03-02T09:30:30Z' };
  return pay({ phase, ...way, ...members });
}

export interface Sent {
  readonly message?: unknown;
  /** The body, where it is not the message's plain JSON. */
  readonly body?: string | Uint8Array;
  readonly secret?: string;
  /** Values of `X-H-Digest`, made of the right one. */
  readonly digest?: (right: string) => readonly string[];
}

/** Delivers a callback; `coreSays` is what core decides once it is read. */
export function deliver(
  sent: Sent,
  coreSays: CoreSays = 'accepted',
  given: Options = options,
): Promise<PlayedCallback> {
  const { message = pay(), secret = options.ipnSecrets[0]!, digest = (right) => [right] } = sent;
  const body = sent.body ?? stringifyExact(message);
  const canonical = typeof body === 'string' ? canonicalOr(body) : '';
  const right = digestOf(secret, canonical).toString('hex');
  const raw = {
    method: 'POST',
    path: '/callbacks/providerH',
    query: '',
    headers: digest(right).map((value) => ['X-H-Digest', value] as const),
    body: Buffer.from(body as string),
    remoteAddress: '127.0.0.1',
    receivedAt: now,
  };
  return playCallback(providerH, callback, raw, scriptedProvider({ options: given, now }), coreSays);
}

/** A text that has no canonical form is signed as it stands. */
function canonicalOr(body: string): string {
  try {
    return canonicalText(body);
  } catch {
    return body;
  }
}

/** An answer in JSON, numbers as spelled. */
export function answer(status: number, message: unknown): HttpReply {
  return reply(status, stringifyExact(message), [['Content-Type', 'application/json']]);
}

/** Makes a call that the given answer answers. */
export function answered<T>(given: HttpReply, call: (provider: Provider<Options>) => Promise<T>): Promise<T> {
  return call(scriptedProvider({ options, now, http: scriptedHttp([given]) }));
}

export function submit(given: HttpReply, payment: Submission = submission): Promise<Outcome> {
  return answered(given, (provider) => providerH.submit(payment, provider));
}
