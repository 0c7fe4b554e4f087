/**
 * Provider A, a card acquirer: JSON, 3D Secure by redirect, four callback routes, each verified in its own way.
 * Protocol: README.md; signed samples: fixtures/vectors.json.
 */
import { brands, defaultReconcilePolicy, defineAdapter } from '@paywright/contract';
import { batch } from './callbacks/provider-a.ts';
import { chargeback } from './callbacks/provider-a-chargeback.ts';
import { refundNotice } from './callbacks/provider-a-refund.ts';
import { threeDsReturn } from './callbacks/provider-a3ds.ts';
import { complete } from './complete.ts';
import { fetchStatus } from './fetch-status.ts';
import { Options } from './options.ts';
import { refund } from './refund.ts';
import { declines, mapStatus } from './statuses.ts';
import { payerFields, submit } from './submit.ts';

export default defineAdapter({
  manifest: {
    name: 'provider-a',
    title: 'Provider A',
    code: 11,
    contract: '^2.0',
    inputs: ['card'],
    ways: [
      { method: 'card', title: 'Card', threeDs: 'enforced', payerFields, unfinishedStep: 'charges_nothing' },
      // A never challenges a wallet payment, even if `stepUp` requests it: the wallet's cryptogram authenticates the
      // payer.
      {
        method: 'wallet_card',
        title: 'Card in a wallet',
        threeDs: 'by_other_means',
        payerFields,
        unfinishedStep: 'charges_nothing',
      },
    ],
    maxMinorDigits: 15,
    currencies: 'any',
    brands: { card: [brands.visa, brands.mastercard, brands.americanExpress] },
    options: Options,
    accountKey: ({ account }) => account,
    declines,
    reconcile: { ...defaultReconcilePolicy, thenEverySeconds: 86_400, giveUpAfterSeconds: 604_800 },
    refundNeeds: 'providerReference',
    idempotency: 'A repetition with the same Idempotency-Key and values gets the stored answer and charges nothing.',
    console: [
      'Notifications, Address: {publicUrl}/callbacks/providerA',
      'Disputes, Address: {publicUrl}/callbacks/providerA-chargeback',
      'Refunds, Notice address: {publicUrl}/callbacks/providerA-refund',
      'Nothing to enter for 3D Secure: each charge names {publicUrl}/callbacks/providerA3ds as the way back.',
    ],
  },

  methodOf: ({ wallet }) => (wallet ? 'wallet_card' : 'card'),
  submit,
  complete,
  fetchStatus,
  refund,
  callbacks: [batch, threeDsReturn, chargeback, refundNotice],
  mapStatus,
});
