/** What the tests of this adapter share: options, messages of G's at will, calls that are answered by script. */
import {
  v,
  type HttpReply,
  type Outcome,
  type Provider,
  type RawCallback,
  type StoredPayment,
  type Submission,
} from '@gateway/contract';
import {
  fixture,
  playCallback,
  sampleStored,
  sampleSubmission,
  scriptedHttp,
  scriptedProvider,
  type CoreSays,
  type PlayedCallback,
  type Script,
} from '@gateway/contract/testing';
import { closeBox, openBox } from '../box.ts';
import providerG from '../index.ts';
import { Options } from '../options.ts';
import { messageText, signedHeaders } from '../signature.ts';

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
export const options: Options = v.parse(Options, vectors.options);
/** Two that the options know, and one that is only learned. */
export const [first, second, learned] = providerSide.keys;

export const now = new Date('2026-03-02T09:15:30.000Z');
export const seconds = now.getTime() / 1000;
export const txn = '4200000000000000017';
const boxNonce = Buffer.alloc(12, 7);

export const submission: Submission = sampleSubmission;
export const stored: StoredPayment = sampleStored(txn, now);

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
  return Object.entries(signedHeaders(key, head, messageText(head, Buffer.from(over as string))));
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
  return signedReply(boxed('GW-10042-1', charge(status, more)), by);
}

export function errorReply(status: number, reason: string, begun?: unknown): HttpReply {
  return { status, headers: [], body: Buffer.from(JSON.stringify({ code: 'FAIL', reason, begun })) };
}

/** G's answer to a question for a key. */
export function keyReply(serial: string, members: Members): HttpReply {
  return { status: 200, headers: [], body: Buffer.from(boxed(serial, { serial, ...members })) };
}

/** What G says of a payment by callback. */
export function news(status: string, more: Members = {}): Members {
  const at = '2026-03-02T09:15:20Z';
  return { g_txn: txn, gw_ref: 'GW-10042-1', status, minor: 2590, cur: 'EUR', why: null, at, ...more };
}

export function newsBody(said: Members | string, kind: unknown = 'payment', gid = 'g_1'): string {
  return boxed(gid, said, { gid, kind });
}

/** A provider for callbacks and calls; `script` answers what it sends. */
export function provider(script: Script | readonly (HttpReply | null)[] = []): Provider<Options> {
  return scriptedProvider({ options, now, http: scriptedHttp(script), threeDsToken: 'the-token' });
}

export function rawCallback(body: string | Uint8Array, headers: Headers): RawCallback {
  return {
    method: 'POST',
    path: '/callbacks/providerG',
    query: '',
    headers,
    body: Buffer.from(body as string),
    remoteAddress: '127.0.0.1',
    receivedAt: now,
  };
}

/** Delivers a callback: proves, parses, maps and acknowledges it. */
export function deliver(
  body: string | Uint8Array,
  headers: Headers = headersFor(body),
  lent: Provider<Options> = provider(),
  coreSays?: CoreSays,
): Promise<PlayedCallback> {
  return playCallback(providerG, providerG.callbacks[0]!, rawCallback(body, headers), lent, coreSays);
}

export function submit(answer: HttpReply, payment = submission): Promise<Outcome> {
  return providerG.submit(payment, provider([answer]));
}

/** What a request of ours holds in its box. */
export function plaintextOf(body: string | Uint8Array | undefined): Readonly<Record<string, unknown>> {
  const { box } = JSON.parse(Buffer.from((body ?? '{}') as string).toString()) as { readonly box: unknown };
  return openBox(options, box)!.message;
}
