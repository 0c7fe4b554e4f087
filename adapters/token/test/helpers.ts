/** What the tests of this adapter share: options, signed deliveries, calls that are answered by script. */
import {
  v,
  type HttpReply,
  type Outcome,
  type AdapterContext,
  type StoredPayment,
  type Submission,
} from '@gateway/contract';
import { reply, sampleStored, sampleSubmission, scriptedHttp, scriptedProvider } from '@gateway/contract/testing';
import token from '../index.ts';
import { Options } from '../options.ts';

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
