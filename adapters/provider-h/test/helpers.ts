/** What the tests of this adapter share: options, signed callbacks, pays as H shows them, calls that are answered by script. */
import {
  JsonNumber,
  stringifyExact,
  v,
  type HttpReply,
  type Outcome,
  type AdapterContext,
  type StoredPayment,
  type Submission,
} from '@paywright/contract';
import {
  playCallback,
  reply,
  sampleStored,
  sampleSubmission,
  scriptedHttp,
  scriptedProvider,
  type CoreSays,
  type PlayedCallback,
} from '@paywright/contract/testing';
import { callback } from '../callbacks/provider-h.ts';
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

const { card: _card, input: _input, ...cardless } = sampleSubmission;
export const submission: Submission<'billing'> = { input: 'billing', ...cardless };
export const stored: StoredPayment = { ...sampleStored('9007199254740993771', now), method: 'crypto' };
/** `stored` before H's number is known. */
const { providerReference: _number, ...rest } = stored;
export const nameless: StoredPayment = rest;

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

/** A text that has no canonical form is signed as it is. */
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
export function answered<T>(given: HttpReply, call: (ctx: AdapterContext<Options>) => Promise<T>): Promise<T> {
  return call(scriptedProvider({ options, now, http: scriptedHttp([given]) }));
}

export function submit(given: HttpReply, payment: Submission<'billing'> = submission): Promise<Outcome> {
  return answered(given, (ctx) => providerH.submit(payment, ctx));
}

/** An error answer. */
export function refusal(status: number, code: string): HttpReply {
  return answer(status, { error: { code, text: 'for people' } });
}
export const html = reply(502, '<html></html>');

/** What an error answer means, to a submission and to a refund alike. */
export const errors: readonly (readonly [HttpReply, string])[] = [
  [refusal(400, 'bad_request'), 'nothing charged'],
  [refusal(400, 'other'), 'unknown'],
  [refusal(401, 'bad_digest'), 'misconfigured'],
  [refusal(401, 'other'), 'unknown'],
  [refusal(409, 'ref_reused'), 'unknown'],
  [refusal(429, 'slow_down'), 'nothing charged'],
  [refusal(500, 'not_made'), 'nothing charged'],
  [refusal(503, 'not_made'), 'nothing charged'],
  [refusal(502, 'not_made'), 'unknown'],
  [refusal(504, 'not_made'), 'unknown'],
  [refusal(500, 'other'), 'unknown'],
  [html, 'unknown'],
];

/** What an outcome claims. */
export function claimOf(outcome: Outcome): string {
  if (outcome.outcome !== 'failed') return outcome.outcome;
  if (outcome.misconfigured) return 'misconfigured';
  return outcome.nothingCharged ? 'nothing charged' : 'declined';
}
