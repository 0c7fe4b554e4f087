/** G's options, keys and messages; the harness makes the payment, the calls and the callbacks. */
import type { HttpReply } from '@paywright/contract';
import {
  createAdapterHarness,
  fixture,
  reply,
  type DeliveredCallback,
  type DeliveryChanges,
} from '@paywright/contract/testing';
import { closeBox, openBox } from '../box.ts';
import providerG from '../index.ts';
import type { Options } from '../options.ts';
import { signedText, signedHeaders } from '../signing.ts';

export interface GKey {
  readonly serial: string;
  readonly privateKey: string;
}
interface Vectors {
  readonly options: unknown;
  readonly providerSide: {
    readonly keys: readonly [GKey, GKey, GKey];
    readonly merchantKeys: readonly [{ readonly publicKey: string }];
  };
}

const vectors = fixture(import.meta.url, 'vectors.json') as Vectors;
export const { providerSide } = vectors;
/** Two keys that the options know, and one that is only learned. */
export const [first, second, learned] = providerSide.keys;

export const reference = 'GW-10042-1';
export const txn = '4200000000000000017';
const boxNonce = Buffer.alloc(12, 7);

export const harness = createAdapterHarness(providerG, {
  options: vectors.options,
  now: new Date('2026-03-02T09:15:30.000Z'),
  stored: { providerReference: txn },
  threeDsToken: 'the-token',
});
const { options, seconds } = harness;

type Members = Readonly<Record<string, unknown>>;

/** A body whose box holds these members, or this text. */
export function boxed(ref: string, said: Members | string, head: Members = { ref }, by: Options = options): string {
  const text = typeof said === 'string' ? said : JSON.stringify({ mid: options.merchantId, ...said });
  return JSON.stringify({ ...head, box: closeBox(by, ref, boxNonce, text) });
}

export interface SignedBy {
  readonly key?: GKey;
  /** Unix seconds, as text where it is to be odd. */
  readonly time?: number | string;
  readonly nonce?: string;
  /** Other bytes than the body's. */
  readonly over?: string;
}

export type Headers = readonly (readonly [name: string, value: string])[];

export function headersFor(body: string | Uint8Array, by: SignedBy = {}): Headers {
  const { key = first, time = seconds, nonce = 'nonce-00000001', over = body } = by;
  const head = { time: String(time), nonce };
  return Object.entries(signedHeaders(key, head, signedText([head.time, head.nonce], Buffer.from(over as string))));
}

/** A signed 200. */
export function signedReply(body: string, by?: SignedBy): HttpReply {
  return { status: 200, headers: headersFor(body, by), body: Buffer.from(body) };
}

/** A charge answer about `submission` and `stored`. */
export function charge(status: string, more: Members = {}): Members {
  return { g_txn: txn, gw_ref: 'GW-10042-1', status, minor: 2590, cur: 'EUR', why: null, challenge: null, ...more };
}

export function chargeReply(status: string, more: Members = {}, by?: SignedBy): HttpReply {
  return signedReply(boxed(reference, charge(status, more)), by);
}

export function errorReply(status: number, reason: string, begun?: unknown): HttpReply {
  return { status, headers: [], body: Buffer.from(JSON.stringify({ code: 'FAIL', reason, begun })) };
}

/** A callback's facts about a payment. */
export function news(status: string, more: Members = {}): Members {
  const at = '2026-03-02T09:15:20Z';
  return { g_txn: txn, gw_ref: 'GW-10042-1', status, minor: 2590, cur: 'EUR', why: null, at, ...more };
}

export function newsBody(said: Members | string, kind: unknown = 'payment', gid = 'g_1'): string {
  return boxed(gid, said, { gid, kind });
}

/** Delivers a signed callback. */
export function deliver(
  body: string | Uint8Array,
  headers: Headers = headersFor(body),
  changes: DeliveryChanges<Options> = {},
): Promise<DeliveredCallback> {
  return harness.deliver({ headers, body }, changes);
}

/** The decrypted box of our request. */
export function plaintextOf(body: string | Uint8Array | undefined): Readonly<Record<string, unknown>> {
  const { box } = JSON.parse(Buffer.from((body ?? '{}') as string).toString()) as { readonly box: unknown };
  return openBox(options, box)!.message;
}

export const challenge = {
  id: '8a880dc0-d2d2-4067-bcb1-b08d1690b26e',
  url: 'https://acs.example/acs/8a88',
  creq: 'eyJ9',
};

/** Answers with status 200 that are not verified, or are about another. */
export const unverified: readonly (readonly [what: string, reply: HttpReply])[] = [
  ['an unsigned answer', { ...chargeReply('PAID'), headers: [] }],
  ['a signature over other bytes', chargeReply('PAID', {}, { over: 'x' })],
  ['an answer 301 s old', chargeReply('PAID', {}, { time: seconds - 301 })],
  ['an answer 301 s early', chargeReply('PAID', {}, { time: seconds + 301 })],
  [
    'a header twice',
    { ...chargeReply('PAID'), headers: [...chargeReply('PAID').headers, ['G-Nonce', 'nonce-00000002']] },
  ],
  ['a box about another ref', signedReply(boxed('GW-10042-2', charge('PAID')))],
  ['a box bound to another ref', signedReply(boxed('GW-10042-2', charge('PAID'), { ref: reference }))],
  ['another ref beside the box', signedReply(boxed(reference, charge('PAID'), { ref: 'GW-10042-2' }))],
  ['an answer without ref', signedReply(boxed(reference, charge('PAID'), {}))],
  ['a plaintext that is a list', signedReply(boxed(reference, '[]'))],
  ['another mid', chargeReply('PAID', { mid: 'M1000428' })],
  ['another gw_ref', chargeReply('PAID', { gw_ref: 'GW-10042-2' })],
  ['another minor', chargeReply('PAID', { minor: 2591 })],
  ['minor with a point', signedReply(boxed(reference, withMid(charge('PAID')).replace('2590', '2590.0')))],
  ['minor as text', chargeReply('PAID', { minor: '2590' })],
  ['another cur', chargeReply('PAID', { cur: 'USD' })],
  ['cur in small letters', chargeReply('PAID', { cur: 'eur' })],
  ['no g_txn', chargeReply('PAID', { g_txn: undefined })],
  ['a g_txn that is a number', chargeReply('PAID', { g_txn: 17 })],
  ['no status', chargeReply('PAID', { status: null })],
  ['a page', reply(200, '<html>')],
];

function withMid(members: object): string {
  return JSON.stringify({ mid: options.merchantId, ...members });
}

/** Errors that do not say `"begun":false`, or that are not recognised as G's. */
export const unclear: readonly (readonly [what: string, reply: HttpReply])[] = [
  ['409 REF_REUSED', errorReply(409, 'REF_REUSED', true)],
  ['409 IN_WORK', errorReply(409, 'IN_WORK', true)],
  ['500 that had begun', errorReply(500, 'INTERNAL', true)],
  ['500 without begun', errorReply(500, 'INTERNAL')],
  ['begun as text', errorReply(500, 'INTERNAL', 'false')],
  ['begun as 0', errorReply(500, 'INTERNAL', 0)],
  ['begun as null', errorReply(500, 'INTERNAL', null)],
  ['an error without code', reply(503, { reason: 'CLOSED', begun: false })],
  ['an error of another code', reply(503, { code: 'SUCCESS', reason: 'CLOSED', begun: false })],
  ['an error without reason', reply(503, { code: 'FAIL', begun: false })],
  ['a page', reply(502, '<html>')],
  ['429 without a body', reply(429, '')],
  ['an error with status 200', errorReply(200, 'CLOSED', false)],
  ['an error with status 302', errorReply(302, 'CLOSED', false)],
  ['a verified charge with status 201', { ...chargeReply('PAID'), status: 201 }],
];
