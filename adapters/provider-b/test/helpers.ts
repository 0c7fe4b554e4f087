/** What the tests of this adapter share: options, a delivered callback, a call that is answered by script. */
import {
  v,
  writeForm,
  type HttpReply,
  type HttpRequest,
  type AdapterContext,
  type RawCallback,
  type ReportedEvent,
  type StoredPayment,
  type Submission,
} from '@paywright/contract';
import { reply, sampleStored, sampleSubmission, scriptedHttp, scriptedProvider } from '@paywright/contract/testing';
import providerB from '../index.ts';
import { controlOf } from '../wire.ts';
import { Options } from '../options.ts';

export const keys = ['B7F3A1D0-test-44E2-9C58', 'B1090C77-test-old-5D21', 'B0000001-test-older-1A2B'] as const;
export const options: Options = v.parse(Options, {
  baseUrl: 'https://gate.provider-b.example',
  sandboxBaseUrl: 'https://sandbox.provider-b.example',
  endpoint: '4471',
  login: 'gateway-eu',
  controlKeys: keys,
});

export const now = new Date('2026-03-02T09:15:30.000Z');

/** Parameters of a callback; undefined leaves one out. */
export type Parameters = Readonly<Record<string, string | undefined>>;

const usual = {
  outcome: 'approved',
  b_txn: '8812003',
  gw_ref: 'GW-10042-1',
  endpoint: '4471',
  op: 'sale',
  op_no: '0',
  total: '25.90',
  cur: 'EUR',
};

/** A query whose check is right for what it says, by default. */
export function query(changes: Parameters = {}, key: string = keys[0]): string {
  const parameters: Parameters = { ...usual, ...changes };
  const check = controlOf(
    key,
    parameters['outcome'] ?? '',
    parameters['b_txn'] ?? '',
    parameters['gw_ref'] ?? '',
  ).toString('hex');
  return writeForm({ ...parameters, ...('check' in changes ? {} : { check }) });
}

export interface Delivered {
  /** `genuine`, or why not; `malformed` also where a genuine callback cannot be read. */
  readonly verdict: string;
  /** What was wrong. */
  readonly reason?: string;
  readonly event?: ReportedEvent & { readonly status: string };
}

export const route = providerB.callbacks[0]!;

export function toRaw(sent: string): RawCallback {
  return {
    method: 'GET',
    path: '/callbacks/providerB',
    query: sent,
    headers: [],
    body: Buffer.from('a body means nothing'),
    remoteAddress: '127.0.0.1',
    receivedAt: now,
  };
}

/** Delivers a callback: verifies, parses and maps it. */
export async function deliver(sent: string, given: Options = options): Promise<Delivered> {
  const ctx = scriptedProvider({ options: given, now });
  const verdict = await route.verifySignature(toRaw(sent), ctx);
  if (verdict.verdict !== 'genuine') {
    return { verdict: verdict.verdict, ...('reason' in verdict ? { reason: verdict.reason } : {}) };
  }
  const parsed = route.parseCallback(verdict.verified, ctx);
  if ('malformed' in parsed) return { verdict: 'malformed', reason: parsed.malformed };
  const [event] = parsed.events;
  return { verdict: 'genuine', event: { ...event!, status: providerB.mapStatus(event!, 'callback') } };
}

export const submission: Submission<'card'> = sampleSubmission;
export const stored: StoredPayment = sampleStored('8812003', now);

const { providerReference: _, ...facts } = stored;
/** A payment whose id at B is not known, and one of which only the action names it. */
export const nameless: StoredPayment = facts;
export const waiting: StoredPayment = { ...facts, action: { type: 'confirm', paymentId: '8812009' } };

export const nothing = { outcome: 'failed', nothingCharged: true } as const;

/** An answer as B writes it: a line feed after each pair, `end=1` last; undefined leaves a pair out. */
export function answer(kind: string, pairs: Parameters = {}): HttpReply {
  const all = { kind, b_txn: '8812003', gw_ref: 'GW-10042-1', ...pairs, end: '1' };
  return reply(200, writeForm(all).replaceAll('&', '\n&') + '\n');
}

export const problem = (code: string, more: Parameters = {}): HttpReply =>
  answer('problem', { b_txn: undefined, gw_ref: undefined, code, note: 'for people', ...more });

/** Makes a call that the given answer answers. */
export function answered<T>(given: HttpReply, call: (ctx: AdapterContext<Options>) => Promise<T>): Promise<T> {
  return call(scriptedProvider({ options, now, http: scriptedHttp([given]) }));
}

/** The fields that a call sends. */
export async function sent(call: (ctx: AdapterContext<Options>) => Promise<unknown>): Promise<URLSearchParams> {
  const http = scriptedHttp([reply(500)]);
  await call(scriptedProvider({ options, now, http }));
  return new URLSearchParams(String((http.requests[0] as HttpRequest).body));
}
