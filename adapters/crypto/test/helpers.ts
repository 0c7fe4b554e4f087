/** What the tests of this adapter share: options, signed deliveries, answers of the server, calls that are answered by script. */
import {
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
import { callback } from '../callbacks/crypto.ts';
import coinServer from '../index.ts';
import { Options } from '../options.ts';
import { signatureOf } from '../wire.ts';

export const options: Options = v.parse(Options, {
  baseUrl: 'https://coins.example',
  sandboxBaseUrl: 'https://sandbox.coins.example',
  storeId: 'st_Test1',
  apiToken: 'tok_test_1',
  hookSecrets: ['hook-secret-nëw', 'hook-secret-old'],
});
export const pageOptions: Options = { ...options, flow: 'page' };

export const now = new Date('2026-03-02T09:15:30.000Z');

const { card: _card, input: _input, ...cardless } = sampleSubmission;
export const submission: Submission<'billing'> = { input: 'billing', ...cardless };
export const stored: StoredPayment = { ...sampleStored('inv_1', now), method: 'crypto' };
/** `stored` before the server's id is known. */
const { providerReference: _known, ...rest } = stored;
export const nameless: StoredPayment = rest;

/** Members of a message; undefined leaves one out. */
export type Members = Readonly<Record<string, unknown>>;

/** A callback about `submission`. */
export function notice(members: Members = {}): Members {
  return {
    deliveryNo: 'dl_2',
    firstDeliveryNo: 'dl_1',
    resent: true,
    type: 'invoice.settled',
    invoice: 'inv_1',
    ref: 'GW-10042-1',
    storeId: 'st_Test1',
    time: 1795251600,
    ...members,
  };
}

/** An invoice about `submission`, as an answer shows it. */
export function invoice(state: string, members: Members = {}): Members {
  return {
    invoice: 'inv_1',
    ref: 'GW-10042-1',
    storeId: 'st_Test1',
    state,
    flags: [],
    price: '25.90',
    unit: 'EUR',
    paid: '0.00',
    reason: null,
    due: { coin: 'BTC', network: 'bitcoin', address: 'bc1qxyz', amount: '0.00041440' },
    got: '0.00000000',
    page: 'https://coins.example/i/inv_1',
    closesAt: 1772443830,
    ...members,
  };
}

export interface Sent {
  readonly message?: unknown;
  /** The body, where it is not the message's plain JSON. */
  readonly body?: string | Uint8Array;
  readonly secret?: string;
  /** Values of `X-Cr-Sig`, made of the right hex. */
  readonly signature?: (hex: string) => readonly string[];
}

/** Delivers a callback; `coreSays` is what core decides once it is read. */
export function deliver(
  sent: Sent,
  coreSays: CoreSays = 'accepted',
  given: Options = options,
): Promise<PlayedCallback> {
  const { message = notice(), secret = options.hookSecrets[0]!, signature = (hex) => [`sha256=${hex}`] } = sent;
  const body = Buffer.from((sent.body ?? JSON.stringify(message)) as string);
  const raw = {
    method: 'POST',
    path: '/callbacks/crypto',
    query: '',
    headers: signature(signatureOf(secret, body).toString('hex')).map((value) => ['X-Cr-Sig', value] as const),
    body,
    remoteAddress: '127.0.0.1',
    receivedAt: now,
  };
  return playCallback(coinServer, callback, raw, scriptedProvider({ options: given, now }), coreSays);
}

/** Makes a call that the given answer answers. */
export function answered<T>(
  given: HttpReply,
  call: (ctx: AdapterContext<Options>) => Promise<T>,
  own: Options = options,
): Promise<T> {
  return call(scriptedProvider({ options: own, now, http: scriptedHttp([given]) }));
}

export function submit(given: HttpReply, own: Options = options): Promise<Outcome> {
  return answered(given, (ctx) => coinServer.submit(submission, ctx), own);
}

export const html = reply(502, '<html></html>');

/** What an error answer means, to a submission and to a refund alike. */
export const errors: readonly (readonly [HttpReply, string])[] = [
  [reply(400, { code: 'validation', items: [] }), 'nothing charged'],
  [reply(400, { code: 'other' }), 'unknown'],
  [reply(401, { code: 'unauthenticated' }), 'misconfigured'],
  [reply(401, { code: 'other' }), 'unknown'],
  [reply(403, { code: 'forbidden' }), 'misconfigured'],
  [reply(409, { code: 'reference-in-use' }), 'unknown'],
  [reply(429, { code: 'throttled' }), 'nothing charged'],
  [reply(500, { code: 'unavailable', created: false }), 'nothing charged'],
  [reply(503, { code: 'unavailable', created: false }), 'nothing charged'],
  [reply(500, { code: 'unavailable', created: true }), 'unknown'],
  [reply(500, { code: 'unavailable', created: 'false' }), 'unknown'],
  [reply(500, { code: 'unavailable' }), 'unknown'],
  [reply(502, { code: 'unavailable', created: false }), 'unknown'],
  [reply(504, { code: 'unavailable', created: false }), 'unknown'],
  [reply(404, { code: 'not-found' }), 'unknown'],
  [reply(422, { code: 'other', reason: 'limit' }), 'unknown'],
  [html, 'unknown'],
];

/** What an outcome claims. */
export function claimOf(outcome: Outcome): string {
  if (outcome.outcome !== 'failed') return outcome.outcome;
  if (outcome.misconfigured) return 'misconfigured';
  return outcome.nothingCharged ? 'nothing charged' : 'declined';
}
export const titleOf = (given: HttpReply): string =>
  `${given.status} ${Buffer.from(given.body).toString().slice(0, 44)}`;
