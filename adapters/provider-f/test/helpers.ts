/** What the tests of this adapter share: options, F's answers, pings signed at will, calls that are answered by script. */
import {
  formType,
  hmac,
  v,
  type AckOutcome,
  type Acknowledgement,
  type HttpReply,
  type HttpRequest,
  type AdapterContext,
  type RawCallback,
  type ReportedEvent,
  type StoredPayment,
  type Submission,
} from '@paywright/contract';
import { reply, sampleStored, sampleSubmission, scriptedHttp, scriptedProvider } from '@paywright/contract/testing';
import providerF from '../index.ts';
import { Options } from '../options.ts';

export const [current, previous] = ['ping-secret-of-now', 'ping-secret-of-before'];

export const plain = {
  baseUrl: 'https://api.provider-f.example',
  sandboxBaseUrl: 'https://sandbox.provider-f.example:8443',
  shopId: 'shop-5',
  apiToken: 'f_tok_test_0123456789',
  pingSecrets: [current, previous],
  requireSignedPing: false,
};
export const options: Options = v.parse(Options, plain);

export const now = new Date('2026-03-01T10:00:10.000Z');
export const dealId = 'd_7Qm2Zx81';

const { card: _card, input: _input, ...cardless } = sampleSubmission;
export const submission: Submission<'billing'> = { input: 'billing', ...cardless };
export const stored: StoredPayment = { ...sampleStored(dealId, now), method: 'ewallet_redirect' };
const { providerReference: _id, ...nameless } = stored;
/** As `stored`, of a submission that was never answered. */
export const unnamed: StoredPayment = nameless;

export type Members = Readonly<Record<string, unknown>>;

/** A deal about `submission` and `stored`. */
export function deal(members: Members = {}): Members {
  return {
    id: dealId,
    shop: 'shop-5',
    ref: 'GW-10042-1',
    phase: 'settled',
    mark: 2,
    gross: { v: '25.90', c: 'EUR' },
    returned: '0.00',
    clawed: '0.00',
    claim: 'none',
    why: null,
    at: '2026-03-01T10:00:05Z',
    ...members,
  };
}

export const shows = (members: Members = {}, status = 200): HttpReply => reply(status, { deal: deal(members) });

export const fault = (status: number, code: string, started?: unknown): HttpReply =>
  reply(status, { fault: { code, message: 'for people', ...(started === undefined ? {} : { started }) } });

export interface Asking {
  readonly sandbox?: boolean;
  readonly given?: Options;
}

/** Makes a call that the given answer answers; gives what was sent too. */
export async function asked<T>(
  answer: HttpReply,
  call: (ctx: AdapterContext<Options>) => Promise<T>,
  { sandbox = false, given = options }: Asking = {},
): Promise<{ readonly result: T; readonly requests: readonly HttpRequest[] }> {
  const http = scriptedHttp([answer]);
  const result = await call(scriptedProvider({ options: given, now, http, sandbox }));
  return { result, requests: http.requests };
}

/** What no answer about a deal may be, whatever was asked. */
export const unreadable: readonly (readonly [what: string, members: Members])[] = [
  ['another shop', { shop: 'shop-6' }],
  ['no shop', { shop: undefined }],
  ['another reference', { ref: 'GW-10042-2' }],
  ['no id', { id: undefined }],
  ['an id of five characters', { id: 'd_12345' }],
  ['an id of 41 characters', { id: `d_${'1'.repeat(41)}` }],
  ['an id that is a path', { id: 'd_1234567/../seen' }],
  ['no phase', { phase: undefined }],
  ['no mark', { mark: undefined }],
  ['a mark of 0', { mark: 0 }],
  ['a mark that is a text', { mark: '2' }],
  ['a mark that is no whole number', { mark: 1.5 }],
  ['no amount', { gross: undefined }],
  ['an amount that is a number', { gross: { v: 25.9, c: 'EUR' } }],
  ['an amount with a sign', { gross: { v: '-25.90', c: 'EUR' } }],
  ['no sum given back', { returned: undefined }],
  ['a sum given back that is none', { returned: 'all' }],
  ['a sum taken back that is none', { clawed: '' }],
  ['no claim', { claim: undefined }],
  ['a reason that is no text', { why: 5 }],
  ['a way for the payer that is no text', { goTo: 5 }],
];

export interface Signing {
  readonly secret?: string;
  readonly id?: string | undefined;
  readonly request?: string | undefined;
  readonly ts?: string;
}

/** `v1` as F makes it. */
export function macOf({ secret = current, id = dealId, request, ts = String(now.getTime()) }: Signing): string {
  const manifest = `${id ? `id:${id};` : ''}${request === undefined ? '' : `rid:${request};`}ts:${ts};`;
  return hmac('sha256', secret, manifest).toString('hex');
}

export function sign(signing: Signing = {}): string {
  return `ts=${signing.ts ?? now.getTime()},v1=${macOf(signing)}`;
}

export interface Sent {
  readonly query?: string;
  readonly body?: string | Uint8Array;
  readonly headers?: readonly (readonly [string, string])[];
}

export interface Delivered {
  readonly verdict: string;
  readonly reason?: string;
  readonly events: readonly (ReportedEvent & { readonly status: string })[];
}

export const route = providerF.callbacks[0]!;

export function toRaw({ query = '', body = '', headers = [] }: Sent): RawCallback {
  return {
    method: 'POST',
    path: '/callbacks/providerF',
    query,
    headers,
    body: Buffer.from(body as string),
    remoteAddress: '127.0.0.1',
    receivedAt: now,
  };
}

/** Delivers a ping: verifies, parses and maps it. */
export async function deliver(sent: Sent, given: Options = options): Promise<Delivered> {
  const ctx = scriptedProvider({ options: given, now });
  const verdict = await route.verifySignature(toRaw(sent), ctx);
  if (!('verified' in verdict)) return { ...verdict, events: [] };
  const parsed = route.parseCallback(verdict.verified, ctx);
  const events = 'events' in parsed ? parsed.events : [];
  return {
    verdict: verdict.verdict,
    events: events.map((event) => ({ ...event, status: providerF.mapStatus(event, 'callback') })),
  };
}

/** What core answers for an outcome. */
export function answerTo(outcome: AckOutcome): Acknowledgement {
  return route.acknowledge!({ outcome, raw: toRaw({}) }, scriptedProvider({ options }));
}

export const form = [['Content-Type', formType]] as const;
