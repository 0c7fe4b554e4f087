/** What the tests of this adapter share: options, a delivered callback, a call that is answered by script. */
import {
  v,
  type CallbackRoute,
  type HttpReply,
  type Outcome,
  type AdapterContext,
  type RawCallback,
  type ReportedEvent,
  type StoredPayment,
  type Submission,
} from '@paywright/contract';
import { reply, scriptedHttp, scriptedProvider } from '@paywright/contract/testing';
import providerA from '../index.ts';
import { Options } from '../options.ts';

export const options: Options = v.parse(Options, {
  baseUrl: 'https://api.provider-a.example',
  sandboxBaseUrl: 'https://sandbox.provider-a.example',
  account: 'GatewayEU',
  apiKey: 'aak_test_2f7c91d04be6',
  itemKeys: ['3c'.repeat(32), 'a0'.repeat(32), 'b1'.repeat(32)],
  returnKeys: ['ret-test-8d21f47c0be9', 'ret-test-old-8d21f4'],
  sealKeys: ['ask_test_5b0e77a1c94d', 'ask_test_old'],
  refundKeys: ['rfk-test-c7a95e1f3b20', 'rfk-test-old-c7a95e'],
});

export const now = new Date('2026-03-02T09:15:30.000Z');

interface Sent {
  readonly body?: string | Uint8Array;
  readonly query?: string;
  readonly headers?: readonly (readonly [string, string])[];
}

export interface Delivered {
  /** `genuine`, or why not; `malformed` also where a genuine message cannot be read. */
  readonly verdict: string;
  readonly events: readonly (ReportedEvent & { readonly status: string })[];
  readonly refused: number;
}

/** Delivers a callback to a route: verifies, parses and maps it. */
export async function deliver(path: string, sent: Sent): Promise<Delivered> {
  const route = providerA.callbacks.find((candidate) => candidate.path === path)!;
  const ctx = scriptedProvider({ options, now });
  const none = { events: [], refused: 0 };
  const verdict = await route.verifySignature(toRaw(route, sent), ctx);
  if (verdict.verdict !== 'genuine') return { verdict: verdict.verdict, ...none };
  const parsed = route.parseCallback(verdict.verified, ctx);
  if ('malformed' in parsed) return { verdict: 'malformed', ...none };
  const events = parsed.events.map((event) => ({ ...event, status: providerA.mapStatus(event, 'callback') }));
  return { verdict: 'genuine', events, refused: parsed.refused ?? 0 };
}

function toRaw(
  { path, method }: CallbackRoute<Options, never>,
  { body = '', query = '', headers = [] }: Sent,
): RawCallback {
  return {
    method,
    path: `/callbacks/${path}`,
    query,
    headers,
    body: Buffer.from(body),
    remoteAddress: '127.0.0.1',
    receivedAt: now,
  };
}

const facts = {
  paymentRequestId: '10042',
  attempt: 1,
  reference: 'GW-10042-1',
  money: { amount: '25.9', currency: 'EUR' },
  unit: 'EUR',
  sandbox: false,
  isH2h: true,
};

export const submission: Submission<'card'> = {
  ...facts,
  input: 'card',
  payer: {
    name: 'Ines Duarte',
    email: 'ines.duarte@shop.example',
    phoneNumber: '+351912345678',
    address: 'Rua Augusta 12',
    city: 'Lisboa',
    state: 'LX',
    postalCode: '1100-053',
    country: 'PT',
    ipAddress: null,
  },
  card: { number: '4111111111111111', expiration: '03/31', expiryMonth: '03', expiryYear: '2031', cvv: '737' },
};

export const stored: StoredPayment = {
  ...facts,
  method: 'card',
  providerReference: 'A-7H2K9Q',
  endedAt: new Date(now.getTime() - 60_000),
};

/** A charge answer about `submission` and `stored`. */
export function charge(state: string, more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return { txn: 'A-7H2K9Q', ref: 'GW-10042-1', state, sum: { minor: 2590, cur: 'EUR' }, ...more };
}

export { reply };

/** An error answer. */
export function error(status: number, code: string, more: Readonly<Record<string, unknown>> = {}): HttpReply {
  return reply(status, { error: { code, text: 'for people', ...more } });
}

/** Makes a call that the given answer answers. */
export function answered<T>(answer: HttpReply, call: (ctx: AdapterContext<Options>) => Promise<T>): Promise<T> {
  return call(scriptedProvider({ options, now, http: scriptedHttp([answer]) }));
}

export function submit(answer: HttpReply, payment: Submission<'card'> = submission): Promise<Outcome> {
  return answered(answer, (ctx) => providerA.submit(payment, ctx));
}
