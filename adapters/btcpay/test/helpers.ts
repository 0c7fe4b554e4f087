/** What the tests of this adapter share: options, signed webhooks, answers of the server, calls that are answered by script. */
import { createHmac } from 'node:crypto';
import {
  v,
  type AdapterContext,
  type HttpReply,
  type Outcome,
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
import { callback } from '../callbacks/btcpay.ts';
import btcpay from '../index.ts';
import { Options } from '../options.ts';

export const options: Options = v.parse(Options, {
  baseUrl: 'https://btcpay.example',
  sandboxBaseUrl: 'https://testnet.btcpay.example',
  storeId: '9CiNzKoANXxmk5ayZngSXrHTiVvvgCrwrpFQd4m2K776',
  apiKey: 'api-key-1',
  webhookSecrets: ['webhook-secret-nëw', 'webhook-secret-old'],
});
export const addressOptions: Options = { ...options, flow: 'address' };

export const now = new Date('2026-03-02T09:15:30.000Z');

const { card: _card, input: _input, ...cardless } = sampleSubmission;
export const submission: Submission<'billing'> = { input: 'billing', ...cardless };
export const stored: StoredPayment = { ...sampleStored('HMprBnL9BTXWuPvpoKBS6e', now), method: 'hosted_page' };
/** `stored` before the server's id is known. */
const { providerReference: _known, ...rest } = stored;
export const nameless: StoredPayment = rest;

/** Members of a message; undefined leaves one out. */
export type Members = Readonly<Record<string, unknown>>;

/** An invoice about `submission`. */
export function invoice(status = 'New', additionalStatus = 'None', members: Members = {}): Members {
  return {
    id: 'HMprBnL9BTXWuPvpoKBS6e',
    storeId: options.storeId,
    amount: '25.9',
    paidAmount: '0',
    currency: 'EUR',
    type: 'Standard',
    checkoutLink: 'https://btcpay.example/i/HMprBnL9BTXWuPvpoKBS6e',
    createdTime: 1772442930,
    expirationTime: 1772443830,
    monitoringExpiration: 1772530230,
    status,
    additionalStatus,
    availableStatusesForManualMarking: ['Settled', 'Invalid'],
    archived: false,
    metadata: { orderId: 'GW-10042-1' },
    checkout: { paymentTolerance: 0 },
    receipt: {},
    ...members,
  };
}

/** A way to pay it; `paid`: the status of each payment. */
export function method(members: Members = {}, ...paid: readonly string[]): Members {
  return {
    paymentMethodId: 'BTC-CHAIN',
    currency: 'BTC',
    destination: 'bc1qxyz',
    paymentLink: 'bitcoin:bc1qxyz?amount=0.0004144',
    rate: '62500',
    due: '0.0004144',
    amount: '0.0004144',
    totalPaid: '0',
    payments: paid.map((status) => ({ id: 'tx-0', value: '0.0004144', status, destination: 'bc1qxyz' })),
    activated: true,
    ...members,
  };
}

export function pullPayment(members: Members = {}): Members {
  return {
    id: 'pp1',
    name: 'GW-10042-1-R1',
    description: 'Refund of GW-10042-1',
    currency: 'EUR',
    amount: '10',
    archived: false,
    autoApproveClaims: false,
    viewLink: 'https://btcpay.example/pull-payments/pp1',
    ...members,
  };
}

export function payout(state: string, originalAmount = '10.0', members: Members = {}): Members {
  return { id: 'po1', pullPaymentId: 'pp1', state, originalAmount, originalCurrency: 'EUR', ...members };
}

export function refusal(status: number, code: string): HttpReply {
  return reply(status, { code, message: 'for people' });
}

/** A webhook about `submission`. */
export function webhook(type = 'InvoiceSettled', members: Members = {}): Members {
  return {
    manuallyMarked: false,
    overPaid: false,
    deliveryId: 'XjoFkhHh5KGBEcQPYHFau3',
    webhookId: '3aFT6UHRgYW4P3dZ6nFPLi',
    originalDeliveryId: 'XjoFkhHh5KGBEcQPYHFau1',
    isRedelivery: true,
    type,
    timestamp: 1772443000,
    storeId: options.storeId,
    invoiceId: 'HMprBnL9BTXWuPvpoKBS6e',
    metadata: { orderId: 'GW-10042-1' },
    ...members,
  };
}

export interface Sent {
  readonly message?: unknown;
  /** The body, where it is not the message's JSON. */
  readonly body?: string;
  readonly secret?: string;
  /** Values of `BTCPay-Sig`, made of the right one. */
  readonly signature?: (right: string) => readonly string[];
}

/** Delivers a webhook, signed as the documentation's example for Node.js does; `coreSays` is what core decides then. */
export function deliver(sent: Sent, coreSays: CoreSays = 'accepted'): Promise<PlayedCallback> {
  const { message = webhook(), secret = options.webhookSecrets[0]!, signature = (right) => [right] } = sent;
  const body = Buffer.from(sent.body ?? JSON.stringify(message, null, 2));
  const right = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  const raw = {
    method: 'POST',
    path: '/callbacks/btcpay',
    query: '',
    headers: signature(right).map((value) => ['BTCPAY-SIG', value] as const),
    body,
    remoteAddress: '127.0.0.1',
    receivedAt: now,
  };
  return playCallback(btcpay, callback, raw, scriptedProvider({ options, now }), coreSays);
}

/** Makes a call that the given answers answer. */
export function answered<T>(
  answers: readonly HttpReply[],
  call: (ctx: AdapterContext<Options>) => Promise<T>,
  own: Options = options,
): Promise<T> {
  return call(scriptedProvider({ options: own, now, http: scriptedHttp(answers) }));
}

export const html = reply(502, '<html></html>');

/** What an error answer means, to a submission and to a refund alike. */
export const errors: readonly (readonly [HttpReply, string])[] = [
  [refusal(400, 'generic-error'), 'nothing charged'],
  [reply(422, [{ path: 'amount', message: 'for people' }]), 'nothing charged'],
  [reply(400, [{ path: 'amount', message: 'for people' }]), 'nothing charged'],
  [refusal(401, 'unauthenticated'), 'misconfigured'],
  [refusal(403, 'missing-permission'), 'misconfigured'],
  [reply(429, ''), 'nothing charged'],
  [refusal(400, 'other'), 'unknown'],
  [refusal(401, 'other'), 'unknown'],
  [refusal(422, 'generic-error'), 'unknown'],
  [refusal(500, 'generic-error'), 'unknown'],
  [reply(500, [{ path: 'amount', message: 'for people' }]), 'unknown'],
  [reply(422, [{ path: 'amount' }]), 'unknown'],
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
