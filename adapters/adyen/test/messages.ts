/** Adyen's options and answers; the harness makes the payment, the calls and the callbacks. */
import type { AdapterContext, HttpReply } from '@paywright/contract';
import { createAdapterHarness, reply } from '@paywright/contract/testing';
import adyen from '../index.ts';
import type { Options } from '../options.ts';

export const psp = 'QFQTPCQ8HXSKGK82';

export const harness = createAdapterHarness(adyen, {
  options: {
    baseUrl: 'https://0a1b-Gateway-checkout-live.adyenpayments.com/checkout/v72',
    sandboxBaseUrl: 'https://checkout-test.adyen.com/v72',
    merchantAccount: 'GatewayDemoECOM',
    apiKey: 'AQEtest-2f7c91d04be6',
    hmacKeys: ['4b'.repeat(32), 'a0'.repeat(32)],
    webhookUser: 'gateway',
    webhookPasswords: ['test-webhook-5b0e77', 'test-webhook-old'],
  },
  stored: { providerReference: psp, endedAt: new Date(0) },
  threeDsToken: 'dG9rZW4',
});

/** Makes a call, and shows the request that it sends and the JSON of its body. */
export async function answered<T>(answer: HttpReply, call: (ctx: AdapterContext<Options>) => Promise<T>) {
  const { result: outcome, requests } = await harness.recordCall(answer, call);
  const [request] = requests;
  const body: unknown = request?.body === undefined ? undefined : JSON.parse(String(request.body));
  return { outcome, request, body };
}

export function authorised(more: object = {}): HttpReply {
  const amount = { currency: 'EUR', value: 2590 };
  return reply(200, { pspReference: psp, resultCode: 'Authorised', merchantReference: 'GW-10042-1', amount, ...more });
}

export function error(status: number, errorCode: string, errorType: string): HttpReply {
  return reply(status, { status, errorCode, errorType, message: 'for people' });
}
