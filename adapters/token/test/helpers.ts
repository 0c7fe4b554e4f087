/** What the tests of this adapter share: options, signed deliveries, calls that are answered by script. */
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
import { callback } from '../callbacks/token.ts';
import token from '../index.ts';
import { hookKey, Options } from '../options.ts';
import { hookMac } from '../signing.ts';

export const options: Options = v.parse(Options, {
  baseUrl: 'https://vault.example',
  sandboxBaseUrl: 'https://sandbox.vault.example',
  merchantId: 'V-1',
  apiKey: 'vk_test_0f3a',
  hookSecrets: [1, 2].map((byte) => `tks_${Buffer.alloc(32, byte).toString('base64')}`),
  callbackUrl: 'https://pay.shop.example:8443/hooks/token/',
});

export const now = new Date('2026-03-02T09:15:30.000Z');

const { card: _card, input: _input, ...cardless } = sampleSubmission;
export const submission: Submission<'token'> = { input: 'token', ...cardless, token: 'tok_approved' };
export const stored: StoredPayment = { ...sampleStored('ch_1', now), method: 'card_token' };

/** A whole reply about `submission` and `stored`. */
export function whole(charge: Readonly<Record<string, unknown>>, step: unknown = null): Record<string, unknown> {
  return {
    charge: { id: 'ch_1', ref: 'GW-10042-1', mid: 'V-1', minor: 2590, cur: 'EUR', why: null, ...charge },
    token: { handle: 'th_1', brand: 'visa', last4: '1111', expires: '2029-12' },
    step,
  };
}

/** Makes a call that the given answer answers. */
export function answered<T>(answer: HttpReply, call: (ctx: AdapterContext<Options>) => Promise<T>): Promise<T> {
  return call(scriptedProvider({ options, now, http: scriptedHttp([answer]) }));
}

export function submit(answer: HttpReply, payment: Submission<'token'> = submission): Promise<Outcome> {
  return answered(answer, (ctx) => token.submit(payment, ctx));
}

/** `stored` before the vault’s id is known. */
const { providerReference: _id, ...rest } = stored;
export const nameless: StoredPayment = rest;

/** An error answer. */
export function error(status: number, code: string, more: Readonly<Record<string, unknown>> = {}): HttpReply {
  return reply(status, { error: { code, ...more } });
}

export type Headers = readonly (readonly [string, string])[];

export interface Sent {
  readonly body: string | Uint8Array;
  readonly id?: string;
  /** Unix seconds; now by default. */
  readonly time?: string;
  readonly secret?: string;
  readonly address?: string;
  /** The receiver's clock. */
  readonly now?: Date;
  /** Makes `tk-sign` of the right base64. */
  readonly sign?: (mac: string) => string;
  readonly headers?: (headers: Headers) => Headers;
}

/** The receiver's clock in Unix seconds. */
export const seconds = now.getTime() / 1000;
export const charge = { id: 'ch_1', ref: 'GW-10042-1', state: 'succeeded', minor: 2590, cur: 'EUR', why: null };
export const card = { handle: 'th_1', state: 'active', brand: 'visa', last4: '1111', expires: '2029-12' };

/** An event of ours as JSON. */
export function event(name: string, members: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({ event: name, mid: 'V-1', seq: 3, at: '2026-03-02T09:15:29Z', ...members });
}

/** Delivers a callback; `coreSays` is what core decides once it is read. */
export function deliver(
  sent: Sent,
  given: Options = options,
  coreSays: CoreSays = 'accepted',
): Promise<PlayedCallback> {
  const { id = 'ev_1', time = String(seconds), secret = options.hookSecrets[0]!, address = options.callbackUrl } = sent;
  const body = Buffer.from(sent.body);
  const mac = hookMac(hookKey(secret), address, id, time, body).toString('base64');
  const headers: Headers = [
    ['tk-id', id],
    ['tk-time', time],
    ['tk-sign', sent.sign?.(mac) ?? `v1,${mac}`],
  ];
  const raw = {
    method: 'POST',
    path: '/callbacks/token',
    query: '',
    headers: sent.headers?.(headers) ?? headers,
    body,
    remoteAddress: '127.0.0.1',
    receivedAt: now,
  };
  return playCallback(token, callback, raw, scriptedProvider({ options: given, now: sent.now ?? now }), coreSays);
}
