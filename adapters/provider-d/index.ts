/**
 * Provider D, a bank's hosted page: an order is made server to server, paid there with any card, and reported twice, by
 * D's servers and by the payer's browser. Protocol: README.md; signed samples: fixtures/vectors.json.
 */
import { brands, defineAdapter, v } from '@paywright/contract';
import { browserReturn, serverCallback } from './callbacks/provider-dhp.ts';
import { close } from './close.ts';
import { fetchStatus } from './fetch-status.ts';
import { accountKey, Options } from './options.ts';
import { currencies, units } from './order.ts';
import { refund } from './refund.ts';
import { declines, mapStatus } from './statuses.ts';
import { payerFields, submit } from './submit.ts';

const MAX_STATE = 50;

const Bounds = v.looseObject({
  unit: v.optional(v.pipe(v.string(), v.regex(/^[A-Za-z]{2}$/, 'must be exactly 2 letters'))),
  // Counts characters as the interface does: code points.
  state: v.optional(
    v.pipe(
      v.string(),
      v.check((text) => Array.from(text).length <= MAX_STATE, `must have at most ${MAX_STATE} characters`),
    ),
  ),
});

export default defineAdapter({
  manifest: {
    name: 'provider-d',
    title: 'Provider D',
    code: 27,
    contract: '^2.0',
    inputs: ['billing'],
    bounds: Bounds,
    ways: [
      {
        method: 'hosted_page',
        title: 'Card, at the bank’s page',
        threeDs: 'by_other_means',
        payerFields,
        unfinishedStep: 'close',
        // D ends an abandoned page after 30 minutes.
        stepMinutes: 30,
      },
    ],
    maxMinorDigits: 15,
    currencies,
    units,
    brands: { hosted_page: [brands.visa, brands.mastercard] },
    options: Options,
    accountKey,
    declines,
    reconcile: {
      // The sixth fetch comes when an abandoned page has ended (30 minutes).
      stepsSeconds: [15, 60, 240, 600, 960, 1800, 7200],
      thenEverySeconds: 86_400,
      giveUpAfterSeconds: 604_800,
    },
    idempotency: 'A repeated D_Order or D_Refund with the same sum and currency is answered by its present state.',
    console: ['Nothing to enter: each order names {publicUrl}/callbacks/providerDhp for both callbacks.'],
  },

  submit,
  fetchStatus,
  refund,
  close,
  callbacks: [serverCallback, browserReturn],
  mapStatus,
});
