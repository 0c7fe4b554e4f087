/**
 * The token vault: charges a saved card by its token, 3D Secure by redirect, one callback route for charges, refunds,
 * disputes and the life of tokens, whose acknowledgement is signed. Protocol: README.md; samples:
 * fixtures/vectors.json.
 */
import { defaultReconcilePolicy, defineAdapter, payerFields } from '@paywright/contract';
import { callback } from './callbacks/token.ts';
import { complete } from './complete.ts';
import { fetchStatus } from './fetch-status.ts';
import { Options } from './options.ts';
import { refund } from './refund.ts';
import { declines, mapStatus } from './statuses.ts';
import { submit } from './submit.ts';

export default defineAdapter({
  manifest: {
    name: 'token',
    title: 'Token vault',
    code: 51,
    contract: '^2.0',
    inputs: ['token'],
    ways: [
      { method: 'card_token', title: 'Saved card', threeDs: 'enforced', payerFields, unfinishedStep: 'may_charge' },
    ],
    currencies: 'any',
    options: Options,
    accountKey: ({ merchantId }) => merchantId,
    declines,
    reconcile: { ...defaultReconcilePolicy, thenEverySeconds: 86_400, giveUpAfterSeconds: 604_800 },
    refundNeeds: 'providerReference',
    idempotency: 'A repetition with the same Idempotency-Key and values gets the current charge.',
    console: [
      'Hooks, Address: {publicUrl}/callbacks/token, written exactly as in the option callbackUrl',
      'Nothing to enter for 3D Secure: each charge names the payer’s way back.',
    ],
  },
  submit,
  complete,
  fetchStatus,
  refund,
  callbacks: [callback],
  mapStatus,
});
