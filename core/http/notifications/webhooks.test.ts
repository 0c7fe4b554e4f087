import { expect } from 'chai';
import { describe, it } from 'mocha';
import { notificationTypes as paymentTypes } from '../../database/collections/payment-request.ts';
import { config } from '../testing/gateway.ts';
import { refundTypes } from '../payment-requests/state-examples.ts';
import { webhooks } from './webhooks.ts';

type Json = Readonly<Record<string, unknown>>;

interface Example {
  readonly type: string;
  readonly mode: string;
  readonly data: { readonly paymentRequest: Json; readonly refund?: Json };
}

const examples = new Map(
  Object.entries(webhooks(config)).map(([type, { post }]) => {
    return [type, post!.requestBody!.content['application/json']!.example as Example] as const;
  }),
);

/** What each type says about the payment: the members that differ from one type to another. */
const truths: Readonly<Record<(typeof paymentTypes)[number], Json>> = {
  'payment.pending': { paymentRequestStatusId: 1, transactionStatusId: 1, grossAmount: null },
  'payment.authorised': { paymentRequestStatusId: 1, transactionStatusId: 1, grossAmount: null },
  'payment.capture_failed': { paymentRequestStatusId: 1, transactionStatusId: 1, grossAmount: null },
  'payment.cancel_failed': { paymentRequestStatusId: 1, transactionStatusId: 1, grossAmount: null },
  'payment.succeeded': { paymentRequestStatusId: 2, transactionStatusId: 2, grossAmount: 25.9 },
  'payment.failed': { paymentRequestStatusId: 3, transactionStatusId: 3, grossAmount: null },
  'payment.amount_raised': { paymentRequestStatusId: 2, amount: 25.9, grossAmount: 20, refundableAmount: 20 },
  'payment.double_charged': { paymentRequestStatusId: 2, grossAmount: 51.8, refundableAmount: 25.9 },
  'payment.underpaid': { paymentRequestStatusId: 1, receivedAmount: 10.5, refundableAmount: 10.5, grossAmount: null },
  'payment.refunded': { paymentRequestStatusId: 4, refundedAmount: 25.9, refundableAmount: 0 },
  'payment.partially_refunded': { paymentRequestStatusId: 2, refundedAmount: 5.1, refundableAmount: 20.8 },
  'payment.refund_needs_merchant': { paymentRequestStatusId: 2, refundedAmount: 0, refundableAmount: 20.8 },
  'payment.refund_failed': { paymentRequestStatusId: 2, refundedAmount: 0, refundableAmount: 25.9 },
  'payment.refund_reversed': { paymentRequestStatusId: 2, refundedAmount: 0, refundableAmount: 25.9 },
  'payment.charged_back': { chargedBack: true, disputedAmount: 25.9, refundableAmount: 0 },
  'payment.chargeback_reversed': { chargedBack: false, disputedAmount: 0, refundableAmount: 25.9 },
  'payment.expired': { paymentRequestStatusId: 5, transactionStatusId: 0, grossAmount: null },
};

/** The status of the refund that each type is about. */
const refundStatus: Readonly<Record<string, string>> = {
  'payment.refunded': 'succeeded',
  'payment.partially_refunded': 'succeeded',
  'payment.refund_needs_merchant': 'needs_merchant',
  'payment.refund_failed': 'failed',
  'payment.refund_reversed': 'reversed',
};

describe('the example of a notification', () => {
  for (const type of paymentTypes) {
    const { data, ...envelope } = examples.get(type)!;
    const { paymentRequest: shown, refund } = data;

    it(`shows a true payment for ${type}`, () => {
      expect(envelope.type).to.equal(type);
      expect(shown).to.deep.include(truths[type]);
      expect(shown['isSandbox']).to.equal(envelope.mode === 'test');
      expect(shown['chargedBack']).to.equal(type === 'payment.charged_back');
    });

    it(`shows a log for ${type} that agrees with the payment`, () => {
      const { logs, lastLog } = shown as { readonly logs: readonly Json[]; readonly lastLog: Json };
      expect(logs.at(-1)).to.deep.equal(lastLog);
      expect([shown['logMessage'], shown['logTransactionId'], shown['logTransactionStatusId']]).to.deep.equal([
        lastLog['message'],
        lastLog['transactionId'],
        lastLog['transactionStatusId'],
      ]);
      expect(new Set(logs.map(({ id }) => id)).size).to.equal(logs.length);
    });

    it(`shows sums for ${type} that agree with the refunds and the charge`, () => {
      const sums = ['grossAmount', 'feeAmount', 'netAmount', 'refundedAmount', 'refundableAmount', 'disputedAmount'];
      const [gross, fee, net, refunded, refundable, disputed] = sums.map((name) => cents(shown[name]));
      const refunds = shown['refunds'] as readonly Json[];
      const given = refunds.filter(({ status }) => status === 'succeeded').map(({ amount }) => cents(amount));
      expect(given.reduce((sum, amount) => sum + amount, 0)).to.equal(refunded);
      const inProgress = refunds.filter(({ status }) => status === 'needs_merchant').map(({ amount }) => cents(amount));
      const held = inProgress.reduce((sum, amount) => sum + amount, 0);
      expect(net! + fee!).to.equal(gross);
      const first = type === 'payment.double_charged' ? cents(shown['amount']) : gross;
      const charge = gross === 0 ? cents(shown['receivedAmount']) : first;
      expect(refunded! + held + refundable! + disputed!).to.equal(charge);
    });

    it(`names the refund of ${type}, if it is about one`, () => {
      expect(refund?.['status']).to.equal(refundStatus[type]);
      expect(refund !== undefined).to.equal(refundTypes.includes(type));
      if (refund) expect(shown['refunds']).to.deep.include(refund);
      else expect(shown['refunds']).to.deep.equal([]);
    });
  }
});

function cents(amount: unknown): number {
  return Math.round(Number(amount ?? 0) * 100);
}
