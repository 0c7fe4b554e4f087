import { createHmac } from 'node:crypto';
import { defined } from '@paywright/contract';
import type { CoreSays, DeliveredCallback } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import btcpay from '../../index.ts';
import { callbackStatuses, webhookEvents } from '../../statuses.ts';
import { harness, type Members } from '../messages.ts';

const { options } = harness;

/** A webhook about `submission`. */
function webhook(type = 'InvoiceSettled', members: Members = {}): Members {
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

interface Sent {
  readonly message?: unknown;
  /** The body, where it is not the message's JSON. */
  readonly body?: string;
  readonly secret?: string;
  /** Values of `BTCPay-Sig`, made of the right one. */
  readonly signature?: (right: string) => readonly string[];
}

/**
 * Delivers a webhook, signed as the documentation's example for Node.js does. `coreSays` is what core decides once the
 * webhook is read.
 */
function deliver(sent: Sent, coreSays?: CoreSays): Promise<DeliveredCallback> {
  const { message = webhook(), secret = options.webhookSecrets[0]!, signature = (right) => [right] } = sent;
  const body = Buffer.from(sent.body ?? JSON.stringify(message, null, 2));
  const right = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  return harness.deliver(
    { headers: signature(right).map((value) => ['BTCPAY-SIG', value] as const), body },
    defined({ coreSays }),
  );
}

describe("BTCPay Server's callback route", () => {
  it('reports that something happened to an invoice, without an amount', async () => {
    const { genuine, outcome, events, acknowledgement } = await deliver({});
    expect([genuine, outcome, acknowledgement.status]).to.deep.equal([true, 'accepted', 200]);
    expect(events).to.deep.equal([
      {
        kind: 'payment',
        status: 'succeeded',
        providerStatus: 'InvoiceSettled',
        reference: 'GW-10042-1',
        providerReference: 'HMprBnL9BTXWuPvpoKBS6e',
        amount: null,
        currency: null,
        mustFetch: true,
        dedupeKey: 'XjoFkhHh5KGBEcQPYHFau1',
      },
    ]);
  });

  it('identifies a webhook by its first delivery', async () => {
    const identityOf = async (message: unknown) => (await deliver({ message })).events[0]?.dedupeKey;
    const first = 'XjoFkhHh5KGBEcQPYHFau1';
    expect(await identityOf(webhook('InvoiceSettled', { deliveryId: first, isRedelivery: false }))).to.equal(first);
    expect(await identityOf(webhook('InvoiceSettled', { originalDeliveryId: null }))).to.equal(
      'XjoFkhHh5KGBEcQPYHFau3',
    );
    expect(await identityOf(webhook('InvoiceSettled', { originalDeliveryId: undefined }))).to.equal(
      'XjoFkhHh5KGBEcQPYHFau3',
    );
  });

  for (const [type, status] of Object.entries(callbackStatuses.payment)) {
    it(`reports ${type} as ${status}`, async () => {
      const { events } = await deliver({ message: webhook(type) });
      expect(events[0]).to.include({ kind: 'payment', providerStatus: type, status, mustFetch: true });
    });
  }

  it('demands a fetch of the invoice also for unknown events', async () => {
    const { events } = await deliver({ message: webhook('InvoiceThawed') });
    expect(events[0]).to.include({ status: 'unknown', providerStatus: 'InvoiceThawed', mustFetch: true });
  });

  it('names the refund that was created for an invoice', async () => {
    const { events } = await deliver({ message: webhook('InvoiceRefund', { pullPaymentId: 'pp1' }) });
    expect(events[0]).to.include({ kind: 'refund', status: 'pending', reference: 'GW-10042-1', subReference: 'pp1' });
  });

  for (const state of ['AwaitingApproval', 'AwaitingPayment', 'InProgress', 'Completed', 'Cancelled', 'Thawed']) {
    it(`names only the refund for a payout in state ${state}`, async () => {
      const about = {
        invoiceId: undefined,
        metadata: undefined,
        payoutId: 'po1',
        pullPaymentId: 'pp1',
        payoutState: state,
      };
      const { events } = await deliver({ message: webhook('PayoutUpdated', about) });
      expect(events[0]).to.include({
        kind: 'refund',
        status: state === 'Thawed' ? 'unknown' : 'pending',
        providerStatus: state,
        reference: null,
        providerReference: null,
        subReference: 'pp1',
        mustFetch: true,
      });
    });
  }

  for (const [name, message] of [
    ['another store', webhook('InvoiceSettled', { storeId: 'SomeoneElse1' })],
    ['an invoice of another system', webhook('InvoiceSettled', { metadata: { orderId: 'WC-17' } })],
    ['an invoice without an order', webhook('InvoiceSettled', { metadata: {} })],
    ['an invoice with a malformed order', webhook('InvoiceSettled', { metadata: { orderId: 17 } })],
    [
      'an invoice of another system that lacks its number',
      webhook('InvoiceExpired', { invoiceId: undefined, metadata: { orderId: 'WC-17' } }),
    ],
    ['a refund of another system', webhook('InvoiceRefund', { metadata: { orderId: 'WC-17' } })],
    ['a payout of no refund without a state', webhook('PayoutApproved', { pullPaymentId: null })],
    ['an invoice without metadata', webhook('InvoiceSettled', { metadata: null })],
    ['a payout of no refund', webhook('PayoutUpdated', { pullPaymentId: null, payoutState: 'Completed' })],
    ['a payment request', webhook('PaymentRequestCompleted')],
    ['a subscriber', webhook('SubscriberCreated')],
  ] as const) {
    it(`ignores ${name}`, async () => {
      const { outcome, events, acknowledgement } = await deliver({ message });
      expect([outcome, events, acknowledgement.status]).to.deep.equal(['ignored', [], 200]);
    });
  }

  for (const [name, sent] of [
    ['no JSON', { body: 'InvoiceSettled' }],
    ['a list', { body: '[]' }],
    ['no delivery', { message: webhook('InvoiceSettled', { deliveryId: undefined }) }],
    ['no type', { message: webhook('', {}) }],
    ['no store', { message: webhook('InvoiceSettled', { storeId: undefined }) }],
    ['no invoice', { message: webhook('InvoiceSettled', { invoiceId: undefined }) }],
    ['no refund', { message: webhook('InvoiceRefund') }],
    ['no state', { message: webhook('PayoutUpdated', { pullPaymentId: 'pp1' }) }],
  ] as readonly (readonly [string, Sent])[]) {
    it(`refuses as malformed: ${name}`, async () => {
      const { outcome, acknowledgement } = await deliver(sent);
      expect([outcome, acknowledgement.status]).to.deep.equal(['malformed', 400]);
    });
  }

  for (const [name, sent] of [
    ['another secret', { secret: 'other' }],
    ['the API key', { secret: options.apiKey }],
    ['no signature', { signature: () => [] }],
    ['two signatures', { signature: (right: string) => [right, right] }],
    ['no prefix', { signature: (right: string) => [right.slice('sha256='.length)] }],
    ['another prefix', { signature: (right: string) => [right.replace('sha256', 'sha1')] }],
    ['a shorter signature', { signature: (right: string) => [right.slice(0, -2)] }],
    ['a signature with a suffix', { signature: (right: string) => [`${right} `] }],
  ] as readonly (readonly [string, Sent])[]) {
    it(`refuses a signature: ${name}`, async () => {
      const { outcome, events, acknowledgement } = await deliver(sent);
      expect([outcome, events, acknowledgement.status]).to.deep.equal(['invalid_signature', [], 401]);
    });
  }

  it('accepts the previous secret', async () => {
    expect((await deliver({ secret: 'webhook-secret-old' })).outcome).to.equal('accepted');
  });

  it('asks for another delivery if the event could not be stored', async () => {
    expect((await deliver({}, 'try_later')).acknowledgement.status).to.equal(503);
    expect((await deliver({}, 'duplicate')).acknowledgement.status).to.equal(200);
  });

  it('needs a webhook with every event that the console steps name', () => {
    const steps = btcpay.manifest.console!.join('\n');
    for (const [type, shown] of Object.entries(webhookEvents)) expect(steps).to.include(`${shown} (${type})`);
  });
});
