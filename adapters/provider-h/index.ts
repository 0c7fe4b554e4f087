/**
 * Provider H, cryptocurrency payments: H gives an address and an amount of coins, the payer's wallet pays, and H
 * reports every step. Digests cover numbers in their original spelling. Protocol: README.md; samples:
 * fixtures/vectors.json.
 */
import { brands, defineAdapter } from '@paywright/contract';
import { callback } from './callbacks/provider-h.ts';
import { fetchStatus } from './fetch-status.ts';
import { Options } from './options.ts';
import { refund } from './refund.ts';
import { declines, mapStatus } from './statuses.ts';
import { submit } from './submit.ts';

const payerFields = ['name', 'email', 'country'] as const;

export default defineAdapter({
  manifest: {
    name: 'provider-h',
    title: 'Provider H',
    code: 17,
    contract: '^2.0',
    inputs: ['billing'],
    ways: [{ method: 'crypto', title: 'Coins', threeDs: 'by_other_means', payerFields, unfinishedStep: 'may_charge' }],
    currencies: 'any',
    coin: ({ coin }) => coin,
    brands: ({ coin }) => (coin === 'BTC' ? { crypto: [brands.bitcoin] } : {}),
    options: Options,
    accountKey: ({ merchantNo }) => merchantNo,
    declines,
    reconcile: {
      stepsSeconds: [30, 120, 300, 600, 1800, 3600, 7200],
      thenEverySeconds: 21_600,
      // H itself reports for a day and a half, and a price is valid for up to a day.
      giveUpAfterSeconds: 259_200,
    },
    refundNeeds: 'providerReference',
    idempotency: 'A repetition with the same gw_ref and content gets the pay in its current state.',
    console: ['Nothing to register: each pay names {publicUrl}/callbacks/providerH as the address of its callbacks.'],
  },
  submit,
  fetchStatus,
  refund,
  callbacks: [callback],
  mapStatus,
});
