/** Stripe's options and messages, and its official SDK; the harness makes the payment, the calls and the callbacks. */
import { createAdapterHarness, fixture } from '@paywright/contract/testing';
import { Stripe } from 'stripe';
import stripe from '../index.ts';
import { API_VERSION } from '../wire.ts';

export const PI = 'pi_3SVtest0001';

export const harness = createAdapterHarness(stripe, {
  options: {
    baseUrl: 'https://api.stripe.com',
    sandboxBaseUrl: 'https://api.stripe.com',
    secretKey: 'sk_test_openTestKey21',
    webhookSecrets: ['whsec_openTestNew', 'whsec_openTestOld'],
    cardEntry: 'server',
  },
  now: new Date('2026-11-21T09:00:00.000Z'),
  payment: { sandbox: true },
  stored: { providerReference: PI },
});

/** A PaymentIntent of the sample payment, paid. */
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

/** Stripe's own library, which sends requests only through `fetch`. */
export function officialSdk(fetch: typeof globalThis.fetch, host?: URL): Stripe {
  return new Stripe(harness.options.secretKey, {
    apiVersion: API_VERSION,
    httpClient: Stripe.createFetchHttpClient(fetch),
    maxNetworkRetries: 0,
    telemetry: false,
    ...(host ? { host: host.hostname, port: host.port, protocol: 'http' as const } : {}),
  });
}

/** The SDK, and every request that it sends. */
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

interface Exchange {
  readonly request?: { readonly method: string; readonly path: string; readonly body?: string } | null;
  readonly reply?: { readonly status: number; readonly body: string } | null;
}

export const vectors = fixture(import.meta.url, 'vectors.json') as {
  readonly options: { readonly webhookSecrets: readonly string[] };
  readonly submissions: readonly (Exchange & { readonly name: string; readonly exchanges?: readonly Exchange[] })[];
  readonly callbacks: readonly {
    readonly name: string;
    readonly now: string;
    readonly request: { readonly headers: readonly (readonly [string, string])[]; readonly body: string };
    readonly expect: { readonly genuine: boolean | string };
  }[];
};
