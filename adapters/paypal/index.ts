/**
 * PayPal: an order that the payer approves at PayPal's page. When the payer is back, the gateway captures the money or
 * reserves it. Authorise and capture, refunds and disputes. Webhooks are signed, but only over a checksum of the body,
 * so a fetch reads everything that they report. Protocol: README.md; samples: fixtures/vectors.json.
 */
import { amountBound, defineAdapter, v, wordmark } from '@paywright/contract';
import { webhook } from './callbacks/paypal.ts';
import { capture } from './capture.ts';
import { checkAccount, webhookEvents } from './check-account.ts';
import { complete } from './complete.ts';
import { fetchStatus } from './fetch-status.ts';
import { Options } from './options.ts';
import { refund } from './refund.ts';
import { declines, mapStatus } from './statuses.ts';
import { submit } from './submit.ts';
import { void as release } from './void.ts';
import { MAX_DIGITS, refuseAmount } from './wire.ts';

/** Amounts that PayPal refuses. The merchant's body is checked for them before any request to PayPal. */
const bounds = v.pipe(
  v.looseObject({ amount: v.optional(v.unknown()), unit: v.optional(v.unknown()) }),
  amountBound(refuseAmount),
);

export default defineAdapter({
  manifest: {
    name: 'paypal',
    title: 'PayPal',
    code: 26,
    contract: '^2.1',
    inputs: ['billing'],
    bounds,
    ways: [
      {
        method: 'ewallet_redirect',
        title: 'PayPal',
        leadsTo: 'PayPal',
        threeDs: 'by_other_means',
        payerFields: [],
        // PayPal moves money only after `complete` requests it.
        unfinishedStep: 'charges_nothing',
      },
    ],
    maxMinorDigits: MAX_DIGITS,
    currencies: 'AUD BRL CAD CHF CNY CZK DKK EUR GBP HKD HUF ILS JPY MXN MYR NOK NZD PHP PLN SEK SGD THB TWD USD'.split(
      ' ',
    ),
    brands: { ewallet_redirect: [wordmark('PayPal', '#1f3f8f')] },
    options: Options,
    declines,
    reconcile: {
      // A payer has three hours to approve an order, and PayPal deletes the order three hours later.
      stepsSeconds: [30, 120, 600, 3600, 10_800, 22_000],
      thenEverySeconds: 86_400,
      // An authorisation is valid for 29 days.
      giveUpAfterSeconds: 2_592_000,
    },
    // With `verifyBy: call`, each webhook needs a request of its own.
    loadsPerMinute: 300,
    idempotency:
      'A repetition with the same PayPal-Request-Id gets the first answer: for an order for 6 hours, for a later capture or a refund for 45 days.',
    console: [
      'Apps & Credentials, Live or Sandbox: create an app with the features Accept payments and Disputes. Copy its client ID and its secret.',
      `In the app, Webhooks, Add Webhook: {publicUrl}/callbacks/paypal. Events: ${webhookEvents.join(', ')}.`,
      'Copy the Webhook ID of the new webhook to webhookIds. The live app and the sandbox app have separate webhooks.',
      'Nothing to register for the payer’s return: each order carries the addresses.',
    ],
  },
  submit,
  complete,
  fetchStatus,
  refund,
  capture,
  void: release,
  checkAccount,
  callbacks: [webhook],
  mapStatus,
});
