/**
 * Provider E, a card acquirer with two interfaces: XML orders with basic authentication, and JWS tokens for payments of
 * h2h endpoints. Protocol: README.md; signed samples: fixtures/vectors.json.
 */
import { brands, defineAdapter, v } from '@paywright/contract';
import { notice } from './callbacks/provider-e.ts';
import { h2hCallback } from './callbacks/provider-eh2h.ts';
import { complete } from './complete.ts';
import { fetchStatus } from './fetch-status.ts';
import { Options } from './options.ts';
import { refund } from './refund.ts';
import { mapStatus, resultDeclines, transactionDeclines } from './statuses.ts';
import { payerFields, submit } from './submit.ts';
import { MAX_DIGITS } from './wire.ts';

export default defineAdapter({
  manifest: {
    name: 'provider-e',
    title: 'Provider E',
    code: 14,
    contract: '^2.0',
    inputs: ['card'],
    bounds: v.looseObject({
      is3ds: v.optional(v.custom((value) => value !== true, 'cannot be demanded: Provider E has no 3D Secure')),
      wallet: v.optional(v.custom(() => false, 'must be left out: Provider E accepts no wallets')),
    }),
    maxMinorDigits: MAX_DIGITS,
    ways: [{ method: 'card', title: 'Card', threeDs: 'unsupported', payerFields, unfinishedStep: 'charges_nothing' }],
    currencies: 'any',
    brands: { card: [brands.visa, brands.mastercard] },
    options: Options,
    accountKey: ({ account }) => account,
    declines: { ...resultDeclines, ...transactionDeclines },
    reconcile: {
      stepsSeconds: [5, 15, 60, 300, 1800, 7200, 21_600],
      thenEverySeconds: 86_400,
      giveUpAfterSeconds: 604_800,
    },
    idempotency: 'A repetition with the same code, amount and card gets the first order’s result and charges nothing.',
    console: [
      'Notices, Address: {publicUrl}/callbacks/providerE',
      'Host to host, Callback address: {publicUrl}/callbacks/providerEh2h',
    ],
  },

  submit,
  complete,
  fetchStatus,
  refund,
  callbacks: [notice, h2hCallback],
  mapStatus,
});
