/** Razorpay's options and entities; the harness makes the payment, the calls and the callbacks. */
import type { HttpReply, StoredPayment } from '@paywright/contract';
import { createAdapterHarness, reply } from '@paywright/contract/testing';
import razorpay from '../index.ts';

/** The sample payment is made by UPI. `pageStored` and `submissionBy('billing')` make it at Razorpay's page. */
export const harness = createAdapterHarness(razorpay, {
  options: {
    baseUrl: 'https://api.razorpay.com',
    sandboxBaseUrl: 'https://api.razorpay.com',
    accountId: 'acc_BFQ7uQEaa7j2z7',
    keyId: 'rzp_test_8K2fQxVb7Lw3Rn',
    keySecret: 'key-secret',
    webhookSecrets: ['webhook-secret-nëw', 'webhook-secret-old'],
  },
  now: new Date('2026-03-02T09:15:30.000Z'),
  input: 'upi',
  payment: { money: { amount: '25.9', currency: 'INR' }, unit: 'INR' },
  stored: { providerReference: 'pay_1' },
});
export const pageStored: StoredPayment = { ...harness.stored, method: 'hosted_page', providerReference: 'plink_1' };

/** Members of a message; undefined leaves one out. */
export type Members = Readonly<Record<string, unknown>>;

export function payment(status: string, members: Members = {}): Members {
  return {
    id: 'pay_1',
    amount: 2590,
    currency: 'INR',
    status,
    captured: status === 'captured',
    notes: { gateway_payment: 'GW-10042-1' },
    ...members,
  };
}

export function order(payments: readonly Members[], members: Members = {}): Members {
  return {
    id: 'order_1',
    amount: 2590,
    currency: 'INR',
    receipt: 'GW-10042-1',
    payments: { items: payments },
    ...members,
  };
}

export function link(status: string, members: Members = {}): Members {
  return {
    id: 'plink_1',
    amount: 2590,
    amount_paid: status === 'paid' ? 2590 : 0,
    currency: 'INR',
    reference_id: 'GW-10042-1',
    status,
    short_url: 'https://rzp.io/i/1',
    notes: { gateway_page: 'GW-10042-1' },
    payments: status === 'paid' ? [{ payment_id: 'pay_1', status: 'captured' }] : null,
    ...members,
  };
}

export function refundOf(status: string, members: Members = {}): Members {
  return { id: 'rfnd_1', payment_id: 'pay_1', amount: 1000, currency: 'INR', status, ...members };
}

export function refusal(status: number, members: Members = {}): HttpReply {
  const error = {
    code: 'BAD_REQUEST_ERROR',
    description: 'asha@okbank',
    reason: 'input_validation_failed',
    metadata: {},
  };
  return reply(status, { error: { ...error, ...members } });
}
