/**
 * The UPI switch: collect, intent and QR payments in INR, each message a base64 envelope with a salted hash; a payment
 * may stay pending for minutes, and deemed for a day. Protocol: README.md; signed samples: fixtures/vectors.json.
 */
import { brands, defineAdapter } from '@paywright/contract';
import { callback } from './callbacks/upi.ts';
import { fetchStatus, nextFetch, reconcile } from './fetch-status.ts';
import { Options } from './options.ts';
import { refund } from './refund.ts';
import { declines, mapStatus } from './statuses.ts';
import { methodOf, submit } from './submit.ts';

export default defineAdapter({
  manifest: {
    name: 'upi',
    title: 'UPI switch',
    code: 31,
    contract: '^2.0',
    inputs: ['upi'],
    ways: [
      {
        method: 'upi_collect',
        title: 'UPI, by request',
        threeDs: 'by_other_means',
        payerFields: [],
        unfinishedStep: 'may_charge',
      },
      {
        method: 'upi_intent',
        title: 'UPI, in an app',
        threeDs: 'by_other_means',
        payerFields: [],
        unfinishedStep: 'may_charge',
      },
      {
        method: 'upi_qr',
        title: 'UPI, by QR code',
        threeDs: 'by_other_means',
        payerFields: [],
        unfinishedStep: 'may_charge',
      },
    ],
    currencies: ['INR'],
    brands: {
      upi_intent: [brands.upi, brands.googlePay, brands.phonePe, brands.paytm],
      upi_qr: [brands.upi],
      upi_collect: [brands.upi],
    },
    options: Options,
    accountKey: ({ merchantId }) => merchantId,
    declines,
    reconcile,
    refundNeeds: 'providerReference',
    idempotency: 'A repetition with the same reference and values gets the current transaction.',
    console: ['Nothing to enter: each payment names {publicUrl}/callbacks/upi as the address of its callbacks.'],
  },
  methodOf,
  submit,
  fetchStatus,
  nextFetch,
  refund,
  callbacks: [callback],
  mapStatus,
});
