/** What the tests of this adapter share: options, payments, a delivered webhook, a call that is answered by script. */
import {
  basicAuthorization,
  v,
  type AdapterContext,
  type HttpReply,
  type HttpRequest,
  type RawCallback,
  type ReportedEvent,
  type StoredPayment,
  type Submission,
} from '@paywright/contract';
import { reply, scriptedHttp, scriptedProvider } from '@paywright/contract/testing';
import adyen from '../index.ts';
import { Options } from '../options.ts';

export const options: Options = v.parse(Options, {
  baseUrl: 'https://0a1b-Gateway-checkout-live.adyenpayments.com/checkout/v72',
  sandboxBaseUrl: 'https://checkout-test.adyen.com/v72',
  merchantAccount: 'GatewayDemoECOM',
  apiKey: 'AQEtest-2f7c91d04be6',
  hmacKeys: ['4b'.repeat(32), 'a0'.repeat(32)],
  webhookUser: 'gateway',
  webhookPasswords: ['test-webhook-5b0e77', 'test-webhook-old'],
});

export const psp = 'QFQTPCQ8HXSKGK82';

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

export const browserInfo = {
  acceptHeader: 'text/html',
  colorDepth: '24',
  javaEnabled: false,
  language: 'en-US',
  screenHeight: '1080',
  screenWidth: '1920',
  timezone: '-60',
  userAgent: 'Mozilla/5.0',
};

export const stored: StoredPayment = { ...facts, method: 'card', providerReference: psp, endedAt: new Date(0) };

export function context(...answers: readonly HttpReply[]): AdapterContext<Options> {
  return scriptedProvider({ options, http: scriptedHttp(answers), threeDsToken: 'dG9rZW4' });
}

/** Makes a call that the given answer answers; gives what was sent too. */
export async function answered<T>(
  answer: HttpReply,
  call: (ctx: AdapterContext<Options>) => Promise<T>,
): Promise<{ readonly outcome: T; readonly request: HttpRequest | undefined; readonly body: unknown }> {
  let request: HttpRequest | undefined;
  const ctx = context(answer);
  const http = {
    async send(sent: HttpRequest) {
      request = sent;
      return ctx.http.send(sent);
    },
  };
  const outcome = await call({ ...ctx, http });
  return { outcome, request, body: request?.body === undefined ? undefined : JSON.parse(String(request.body)) };
}

export function authorised(more: object = {}): HttpReply {
  const amount = { currency: 'EUR', value: 2590 };
  return reply(200, { pspReference: psp, resultCode: 'Authorised', merchantReference: 'GW-10042-1', amount, ...more });
}

export function error(status: number, errorCode: string, errorType: string): HttpReply {
  return reply(status, { status, errorCode, errorType, message: 'for people' });
}

export interface Delivered {
  readonly verdict: string;
  readonly events: readonly (ReportedEvent & { readonly status: string })[];
  readonly refused: number;
}

/** Delivers a webhook: verifies, parses and maps it. */
export async function deliver(body: unknown, password = options.webhookPasswords[0]!): Promise<Delivered> {
  const [route] = adyen.callbacks;
  const ctx = context();
  const raw: RawCallback = {
    method: 'POST',
    path: '/callbacks/adyen',
    query: '',
    headers: [['Authorization', basicAuthorization(options.webhookUser, password)]],
    body: Buffer.from(JSON.stringify(body)),
    remoteAddress: '127.0.0.1',
    receivedAt: ctx.now(),
  };
  const none = { events: [], refused: 0 };
  const verdict = await route!.verifySignature(raw, ctx);
  if (verdict.verdict !== 'genuine') return { verdict: verdict.verdict, ...none };
  const parsed = route!.parseCallback(verdict.verified, ctx);
  if ('malformed' in parsed) return { verdict: 'malformed', ...none };
  const events = parsed.events.map((event) => ({ ...event, status: adyen.mapStatus(event, 'callback') }));
  return { verdict: 'genuine', events, refused: parsed.refused ?? 0 };
}
