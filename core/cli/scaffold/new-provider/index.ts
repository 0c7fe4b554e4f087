/** New Provider: one JSON call, reported by sealed messages. Protocol: README.md; samples: fixtures/vectors.json. */
// for: card
import { defineAdapter, v } from '@paywright/contract';
// end
// for: billing token upi
//: import { defineAdapter } from '@paywright/contract';
// end
import { callback } from './callbacks/new-provider.ts';
// for: card token
import { complete } from './complete.ts';
// end
import { fetchStatus } from './fetch-status.ts';
import { Options } from './options.ts';
import { refund } from './refund.ts';
import { declines, mapStatus } from './statuses.ts';
import { payerFields, submit } from './submit.ts';
import { decide, undecided } from './undecided.ts';
// for: card

/** Zero, as a number or as text that keeps its spelling. */
function isZero(value: unknown): boolean {
  return Number(typeof value === 'object' && value && 'text' in value ? value.text : value) === 0;
}
// end

export default defineAdapter({
  manifest: {
    name: 'new-provider',
    title: decide(undecided.manifest, 'New Provider'),
    code: 0,
    contract: '^2.1',
    inputs: ['card'],
    // for: card
    bounds: v.looseObject({
      captureDelayHours: v.optional(v.custom(isZero, 'must be 0 or left out: New Provider captures immediately')),
      wallet: v.optional(v.custom(() => false, 'must be left out: New Provider does not accept wallets')),
    }),
    // end
    ways: [{ method: 'card', title: 'Card', threeDs: 'enforced', payerFields }],
    maxMinorDigits: decide(undecided.limits, 15),
    currencies: 'any',
    options: Options,
    accountKey: ({ account }) => account,
    declines,
    refundNeeds: 'providerReference',
    idempotency: 'A repetition with the same Idempotency-Key gets the stored answer.',
    console: ['Nothing to enter: each payment names {publicUrl}/callbacks/newProvider.'],
    undecided,
  },
  submit,
  // for: card token
  complete,
  // end
  fetchStatus,
  refund,
  callbacks: [callback],
  mapStatus,
});
