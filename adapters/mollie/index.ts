/**
 * Mollie: its hosted page for iDEAL, cards, PayPal and other enabled methods of a profile, authorise and capture,
 * refunds and chargebacks. An unsigned ping reports that a payment changed; a fetch reads the change. Protocol:
 * README.md; samples: fixtures/vectors.json.
 */
import { defineAdapter } from '@paywright/contract';
import { pageBrands } from './brands.ts';
import { callback } from './callbacks/mollie.ts';
import { capture } from './capture.ts';
import { checkAccount } from './check-account.ts';
import { close } from './close.ts';
import { fetchStatus } from './fetch-status.ts';
import { Options } from './options.ts';
import { refund } from './refund.ts';
import { declines, mapStatus } from './statuses.ts';
import { submit } from './submit.ts';
import { void as release } from './void.ts';

export default defineAdapter({
  manifest: {
    name: 'mollie',
    title: 'Mollie',
    code: 24,
    contract: '^2.1',
    inputs: ['billing'],
    ways: [
      {
        method: 'hosted_page',
        title: 'Mollie',
        leadsTo: 'Mollie',
        threeDs: 'unsupported',
        payerFields: [],
        unfinishedStep: 'close',
        stepMinutes: 180,
      },
    ],
    currencies:
      'EUR AED AUD BRL CAD CHF CZK DKK GBP HKD HUF ILS ISK JPY MXN MYR NOK NZD PHP PLN RON SEK SGD THB TWD USD ZAR'.split(
        ' ',
      ),
    brands: (options) => ({ hosted_page: pageBrands(options) }),
    options: Options,
    declines,
    reconcile: {
      // By then iDEAL (15 minutes), cards (30) and banks' pages (an hour) have expired; a bank transfer takes 14 days.
      stepsSeconds: [60, 300, 960, 1860, 3660, 21_600],
      thenEverySeconds: 86_400,
      giveUpAfterSeconds: 1_382_400,
    },
    refundNeeds: 'providerReference',
    idempotency:
      'For one hour, a repetition under the same Idempotency-Key gets the first answer. A refund is looked up before it is repeated.',
    console: [
      'Developers, API access tokens: the Live API key and the Test API key of the website profile.',
      'Payment methods: enable the methods that the page should offer.',
      'Developers, Webhooks: leave empty. Each payment names {publicUrl}/callbacks/mollie, which Mollie must be able to reach.',
    ],
  },
  submit,
  fetchStatus,
  refund,
  capture,
  void: release,
  close,
  checkAccount,
  callbacks: [callback],
  mapStatus,
});
