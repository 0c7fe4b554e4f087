/**
 * Provider G, a card acquirer: every body carries its content in an AES-GCM box, every request and callback is signed
 * with RSA under a key that its serial names, 3D Secure by a challenge form. Protocol: README.md; signed samples:
 * fixtures/vectors.json.
 */
import { brands, defaultReconcilePolicy, defineAdapter, statusTable, v, type Outcome } from '@paywright/contract';
import { callback } from './callbacks/provider-g.ts';
import { MAX_DIGITS } from './charge.ts';
import { complete } from './complete.ts';
import { fetchStatus } from './fetch-status.ts';
import { Options, type Context } from './options.ts';
import { refund } from './refund.ts';
import { findKey } from './signing.ts';
import { declines, statuses } from './statuses.ts';
import { payerFields, submit } from './submit.ts';

export default defineAdapter({
  manifest: {
    name: 'provider-g',
    title: 'Provider G',
    code: 16,
    contract: '^2.0',
    inputs: ['card'],
    bounds: v.looseObject({
      wallet: v.optional(v.custom(() => false, 'must be left out: Provider G accepts no wallets')),
    }),
    ways: [{ method: 'card', title: 'Card', threeDs: 'enforced', payerFields, unfinishedStep: 'charges_nothing' }],
    maxMinorDigits: MAX_DIGITS,
    currencies: 'any',
    brands: { card: [brands.visa, brands.mastercard] },
    options: Options,
    accountKey: ({ merchantId }) => merchantId,
    declines,
    reconcile: { ...defaultReconcilePolicy, thenEverySeconds: 86_400, giveUpAfterSeconds: 604_800 },
    refundNeeds: 'providerReference',
    idempotency:
      'A repetition of the same ref, amount and card is answered with the current state of the charge and charges nothing.',
    console: [
      'Notifications, Address: {publicUrl}/callbacks/providerG. G probes it immediately, then daily.',
      'Nothing to register for 3D Secure: each charge names {publicUrl}/callbacks/3ds.',
    ],
  },
  submit,
  complete,
  fetchStatus,
  refund,
  callbacks: [callback],
  mapStatus: statusTable(statuses),
});

/** G's additional call, which its vectors name: fetches a public key by its serial. */
export const vectorCalls = {
  async keyFetch({ serial }: Readonly<Record<string, unknown>>, ctx: Context): Promise<Outcome> {
    const found = await findKey(String(serial), ctx);
    if (found === 'unavailable') return { outcome: 'unknown' };
    return { outcome: found === 'denied' ? 'failed' : 'succeeded' };
  },
};
