/**
 * Razorpay, an Indian payment gateway: UPI by order and payment (collect, intent, QR), and every other method at the
 * page of a payment link; one webhook reports everything. Protocol: README.md; samples: fixtures/vectors.json.
 */
import { brands, defineAdapter } from '@paywright/contract';
import { callback } from './callbacks/razorpay.ts';
import { checkAccount } from './check-account.ts';
import { close } from './close.ts';
import { fetchStatus } from './fetch-status.ts';
import { Options } from './options.ts';
import { Bounds, currencies } from './payment.ts';
import { refund } from './refund.ts';
import { declines, mapStatus, webhookEvents } from './statuses.ts';
import { methodOf, submit } from './submit.ts';

const payerFields = ['name', 'email', 'phoneNumber'] as const;
const byUpi = { threeDs: 'by_other_means', payerFields, unfinishedStep: 'may_charge' } as const;

export default defineAdapter({
  manifest: {
    name: 'razorpay',
    title: 'Razorpay',
    code: 23,
    contract: '^2.0',
    inputs: ['billing', 'upi'],
    bounds: Bounds,
    ways: [
      {
        method: 'hosted_page',
        title: 'Razorpay',
        leadsTo: 'Razorpay',
        threeDs: 'by_other_means',
        payerFields,
        unfinishedStep: 'close',
        stepMinutes: 10_080,
      },
      { method: 'upi_intent', title: 'UPI, in an app', ...byUpi },
      { method: 'upi_qr', title: 'UPI, by QR code', ...byUpi },
      { method: 'upi_collect', title: 'UPI, by request', ...byUpi },
    ],
    maxMinorDigits: 15,
    currencies,
    brands: {
      upi_intent: [brands.upi, brands.googlePay, brands.phonePe, brands.paytm],
      upi_qr: [brands.upi],
      upi_collect: [brands.upi],
      hosted_page: [brands.upi, brands.visa, brands.mastercard, brands.ruPay],
    },
    options: Options,
    accountKey: ({ accountId }) => accountId,
    declines,
    reconcile: {
      // A UPI payment without an answer fails after 10 minutes, and may still be authorised for days after that.
      stepsSeconds: [30, 60, 120, 300, 660, 1800, 3600],
      thenEverySeconds: 21_600,
      giveUpAfterSeconds: 518_400,
    },
    refundNeeds: 'providerReference',
    idempotency:
      'Razorpay refuses a payment link with the same reference_id, and repeats its answer to a refund with the same X-Refund-Idempotency. A UPI payment is never sent twice.',
    console: [
      'Account & Settings, Webhooks, Add New Webhook, once in each mode: {publicUrl}/callbacks/razorpay, with a separate secret.',
      `Active events: ${webhookEvents.join(', ')}.`,
    ],
  },
  methodOf,
  submit,
  fetchStatus,
  refund,
  close,
  checkAccount,
  callbacks: [callback],
  mapStatus,
});
