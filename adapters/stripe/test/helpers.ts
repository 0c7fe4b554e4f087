/** What the tests of this adapter share: options, vectors, calls that are answered by script, and the official SDK. */
import {
  v,
  type AdapterContext,
  type HttpReply,
  type RawCallback,
  type StoredPayment,
  type Submission,
} from '@paywright/contract';
import {
  fixture,
  playCallback,
  sampleStored,
  sampleSubmission,
  scriptedHttp,
  scriptedProvider,
  type CoreSays,
  type PlayedCallback,
} from '@paywright/contract/testing';
import { Stripe } from 'stripe';
import { webhook } from '../callbacks/stripe.ts';
import stripe from '../index.ts';
import { Options } from '../options.ts';
import { API_VERSION } from '../wire.ts';

export const options: Options = v.parse(Options, {
  baseUrl: 'https://api.stripe.com',
  sandboxBaseUrl: 'https://api.stripe.com',
  secretKey: 'sk_test_openTestKey21',
  webhookSecrets: ['whsec_openTestNew', 'whsec_openTestOld'],
  cardEntry: 'server',
});

export const now = new Date('2026-11-21T09:00:00.000Z');
export const PI = 'pi_3SVtest0001';

export const submission: Submission<'card'> = { ...sampleSubmission, sandbox: true };
const { card: _card, input: _input, ...cardless } = submission;
export const byToken: Submission<'token'> = { ...cardless, input: 'token', token: 'pm_card_visa' };
export const atPage: Submission<'billing'> = { ...cardless, input: 'billing' };
export const stored: StoredPayment = { ...sampleStored(PI, now), sandbox: true };

/** A context whose requests the given answers answer. */
export function context(answers: readonly HttpReply[], given: Options = options): AdapterContext<Options> {
  return scriptedProvider({ options: given, now, sandbox: true, http: scriptedHttp(answers) });
}

/** A PaymentIntent of `submission`, paid. */
export function intent(members: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    id: PI,
    object: 'payment_intent',
    amount: 2590,
    amount_received: 2590,
    cancellation_reason: null,
    currency: 'eur',
    last_payment_error: null,
    latest_charge: 'ch_1',
    livemode: false,
    metadata: { gateway_reference: 'GW-10042-1' },
    next_action: null,
    payment_method_options: { card: { request_three_d_secure: 'automatic' } },
    status: 'succeeded',
    ...members,
  };
}

/** An event as Stripe writes it. */
export function event(type: string, object: unknown, members: Readonly<Record<string, unknown>> = {}): string {
  const head = {
    id: 'evt_1',
    object: 'event',
    api_version: API_VERSION,
    created: now.getTime() / 1000,
    livemode: false,
  };
  return JSON.stringify({ ...head, pending_webhooks: 1, request: null, type, data: { object }, ...members });
}

/** Delivers a body under the value of `Stripe-Signature`. */
export function deliver(body: string, signature: string, coreSays: CoreSays = 'accepted'): Promise<PlayedCallback> {
  const raw: RawCallback = {
    method: 'POST',
    path: '/callbacks/stripe',
    query: '',
    headers: [
      ['Content-Type', 'application/json'],
      ['Stripe-Signature', signature],
    ],
    body: Buffer.from(body),
    remoteAddress: '127.0.0.1',
    receivedAt: now,
  };
  return playCallback(stripe, webhook, raw, context([]), coreSays);
}

/** Stripe's own library, which sends nothing but by `fetch`. */
export function officialSdk(fetch: typeof globalThis.fetch, host?: URL): Stripe {
  return new Stripe(options.secretKey, {
    apiVersion: API_VERSION,
    httpClient: Stripe.createFetchHttpClient(fetch),
    maxNetworkRetries: 0,
    telemetry: false,
    ...(host ? { host: host.hostname, port: host.port, protocol: 'http' as const } : {}),
  });
}

/** The same, with all that it sends. */
export function recordingSdk() {
  const sent: { readonly path: string; readonly version: string | null; readonly body: string }[] = [];
  const sdk = officialSdk(async (url, init) => {
    const request = new Request(url, init);
    const { pathname: path } = new URL(request.url);
    sent.push({ path, version: request.headers.get('Stripe-Version'), body: await request.text() });
    return new Response('{}', { headers: { 'Content-Type': 'application/json' } });
  });
  return { sdk, sent };
}

interface Sample {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
}
interface Exchange {
  readonly request?: Sample | null;
  readonly reply?: { readonly status: number; readonly body: string } | null;
}
interface Vectors {
  readonly options: { readonly webhookSecrets: readonly string[] };
  readonly submissions: readonly (Exchange & { readonly name: string; readonly exchanges?: readonly Exchange[] })[];
  readonly callbacks: readonly {
    readonly name: string;
    readonly now: string;
    readonly request: { readonly headers: readonly (readonly [string, string])[]; readonly body: string };
    readonly expect: { readonly genuine: boolean | string };
  }[];
}

export const vectors = fixture(import.meta.url, 'vectors.json') as Vectors;

/** All requests of the vectors with their answers. */
export const exchanges = vectors.submissions.flatMap(({ name, request, reply, exchanges: several }) =>
  (several ?? [{ request, reply }]).flatMap((one) =>
    one.request ? [{ name, request: one.request, reply: one.reply }] : [],
  ),
);
