/**
 * Provider B, a card processor: forms with a SHA-1 control, answers as `key=value` text. Results come by polling and by
 * a GET callback whose check covers only some fields. Protocol: README.md; signed samples: fixtures/vectors.json.
 */
import { brands, defineAdapter, v } from '@paywright/contract';
import { callback } from './callbacks/provider-b.ts';
import { complete } from './complete.ts';
import { fetchStatus } from './fetch-status.ts';
import { Options } from './options.ts';
import { refund } from './refund.ts';
import { declines, mapStatus } from './statuses.ts';
import { payerFields, submit } from './submit.ts';

/** What B does not support. Core checks it in the merchant's body before any request to B. */
const Bounds = v.looseObject({
  captureDelayHours: v.optional(v.custom(isZero, 'must be 0 or left out: Provider B captures immediately')),
  wallet: v.optional(v.custom(() => false, 'must be left out: Provider B does not accept wallets')),
  is3ds: v.optional(v.custom((value) => value !== true, 'must not be true: Provider B has no 3D Secure')),
});

/** Zero, as a number or in the merchant's spelling. */
function isZero(value: unknown): boolean {
  return Number(typeof value === 'object' && value && 'text' in value ? value.text : value) === 0;
}

export default defineAdapter({
  manifest: {
    name: 'provider-b',
    title: 'Provider B',
    code: 12,
    contract: '^2.0',
    inputs: ['card'],
    bounds: Bounds,
    ways: [{ method: 'card', title: 'Card', threeDs: 'unsupported', payerFields, unfinishedStep: 'charges_nothing' }],
    currencies: 'any',
    brands: { card: [brands.visa, brands.mastercard] },
    options: Options,
    accountKey: ({ endpoint }) => endpoint,
    declines,
    reconcile: { stepsSeconds: [2, 5, 10, 30, 60, 300, 900], thenEverySeconds: 3600, giveUpAfterSeconds: 259_200 },
    refundNeeds: 'providerReference',
    idempotency: 'A repetition with the same gw_ref, total, cur and pan gets the stored answer and charges nothing.',
    console: ['Nothing to enter: each sale names {publicUrl}/callbacks/providerB as its hook.'],
  },

  submit,
  complete,
  fetchStatus,
  refund,
  callbacks: [callback],
  mapStatus,
});
