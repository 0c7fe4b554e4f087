/**
 * Provider C, a card acquirer that uses forms: a payment is a form posted server to server, or a form that the payer's
 * browser posts to C's hosted page. Answers and callbacks are forms too. Protocol: README.md; signed samples:
 * fixtures/vectors.json.
 */
import { brands, defineAdapter, v } from '@paywright/contract';
import { serverForm } from './callbacks/provider-c.ts';
import { pageReturn } from './callbacks/provider-chp.ts';
import { complete } from './complete.ts';
import { fetchStatus } from './fetch-status.ts';
import { Options } from './options.ts';
import { refund } from './refund.ts';
import { declines, mapStatus } from './statuses.ts';
import { methodOf, payerFields, submit } from './submit.ts';
import { isShort, MAX_WHOLE_DIGITS } from './wire.ts';

export default defineAdapter({
  manifest: {
    name: 'provider-c',
    title: 'Provider C',
    code: 13,
    contract: '^2.0',
    inputs: ['card'],
    bounds: v.looseObject({
      amount: v.optional(v.custom(isShort, `an amount of at most ${MAX_WHOLE_DIGITS} digits before the point`)),
    }),
    ways: [
      { method: 'card', title: 'Card', threeDs: 'enforced', payerFields, unfinishedStep: 'charges_nothing' },
      {
        method: 'hosted_page',
        title: 'Card, on the next page',
        threeDs: 'unsupported',
        // C's form holds only these fields of the payer.
        payerFields: ['name', 'email'],
        withoutCard: true,
        unfinishedStep: 'may_charge',
        // The form is valid for 30 minutes, and a challenge after it for 15.
        stepMinutes: 45,
      },
      {
        method: 'wallet_card',
        title: 'Card in a wallet',
        threeDs: 'by_other_means',
        payerFields,
        unfinishedStep: 'charges_nothing',
      },
    ],
    currencies: ({ accounts }) => accounts.map(({ currency }) => currency),
    brands: { card: [brands.visa, brands.mastercard], hosted_page: [brands.visa, brands.mastercard] },
    options: Options,
    accountKey: ({ accounts }) => accounts.map(({ key }) => key),
    declines,
    reconcile: {
      // The fifth fetch comes when an abandoned challenge has ended (15 minutes), the sixth when a page has (30
      // minutes).
      stepsSeconds: [5, 15, 60, 300, 600, 900, 3600, 21_600],
      thenEverySeconds: 86_400,
      giveUpAfterSeconds: 604_800,
    },
    refundNeeds: 'providerReference',
    idempotency: 'A repetition with the same c_ref, total and card is answered as the payment is and charges nothing.',
    console: [
      'Accounts, Hosts: the host of {publicUrl}. C takes no other in the addresses that come with a payment.',
      'Nothing more to enter: each payment names {publicUrl}/callbacks/providerC, …/providerChp and …/3ds.',
    ],
  },

  methodOf,
  submit,
  complete,
  fetchStatus,
  refund,

  // One event comes by two routes, in any order: C's server posts it, and the payer's browser brings it back.
  callbacks: [serverForm, pageReturn],
  mapStatus,
});
