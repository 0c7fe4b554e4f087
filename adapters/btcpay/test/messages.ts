/** BTCPay Server's options and answers; the harness makes the payment, the calls and the callbacks. */
import type { HttpReply } from '@paywright/contract';
import { createAdapterHarness, reply } from '@paywright/contract/testing';
import btcpay from '../index.ts';
import type { Options } from '../options.ts';

export const harness = createAdapterHarness(btcpay, {
  options: {
    baseUrl: 'https://btcpay.example',
    sandboxBaseUrl: 'https://testnet.btcpay.example',
    storeId: '9CiNzKoANXxmk5ayZngSXrHTiVvvgCrwrpFQd4m2K776',
    apiKey: 'api-key-1',
    webhookSecrets: ['webhook-secret-nëw', 'webhook-secret-old'],
  },
  now: new Date('2026-03-02T09:15:30.000Z'),
  input: 'billing',
  stored: { providerReference: 'HMprBnL9BTXWuPvpoKBS6e' },
});
const { options } = harness;
export const addressOptions: Options = { ...options, flow: 'address' };

/** Members of a message; undefined leaves one out. */
export type Members = Readonly<Record<string, unknown>>;

/** An invoice about the sample payment. */
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

export const html = reply(502, '<html></html>');

/** The meaning of an error answer, for a submission and a refund alike. */
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
