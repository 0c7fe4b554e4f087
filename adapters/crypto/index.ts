/**
 * The invoices of a self-run coin server. A callback reports that an invoice changed, but no amount, so the invoice is
 * fetched before any amount is believed. Protocol: README.md; signed samples: fixtures/vectors.json.
 */
import { brands, defineAdapter } from '@paywright/contract';
import { callback } from './callbacks/crypto.ts';
import { fetchStatus } from './fetch-status.ts';
import { Options } from './options.ts';
import { refund } from './refund.ts';
import { declines, mapStatus } from './statuses.ts';
import { methodOf, submit } from './submit.ts';

const payerFields = ['name', 'email', 'country'] as const;

export default defineAdapter({
  manifest: {
    name: 'crypto',
    title: 'Coin server',
    code: 18,
    contract: '^2.0',
    inputs: ['billing'],
    ways: [
      { method: 'crypto', title: 'Coins', threeDs: 'by_other_means', payerFields, unfinishedStep: 'may_charge' },
      {
        method: 'hosted_page',
        title: 'Cryptocurrency, at the payment page',
        threeDs: 'by_other_means',
        payerFields,
        unfinishedStep: 'may_charge',
        stepMinutes: 1440,
      },
    ],
    currencies: 'any',
    coin: ({ coin }) => coin,
    brands: ({ coin }) => (coin === 'BTC' ? { crypto: [brands.bitcoin], hosted_page: [brands.bitcoin] } : {}),
    options: Options,
    accountKey: ({ storeId }) => storeId,
    declines,
    reconcile: {
      stepsSeconds: [30, 120, 300, 600, 1200, 3600, 7200],
      thenEverySeconds: 21_600,
      // A lost callback is never sent again, and a price holds for up to a day.
      giveUpAfterSeconds: 259_200,
    },
    refundNeeds: 'providerReference',
    idempotency: 'A repetition with the same Idempotency-Key, price, unit and coin gets the current invoice.',
    console: ['Nothing to enter: each invoice names {publicUrl}/callbacks/crypto as the address of its callbacks.'],
  },
  methodOf,
  submit,
  fetchStatus,
  refund,
  callbacks: [callback],
  mapStatus,
});
