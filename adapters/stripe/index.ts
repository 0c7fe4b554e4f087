/**
 * Stripe: cards by PaymentIntents that the server confirms (by number, or by a PaymentMethod of Stripe.js) or at Stripe
 * Checkout, 3D Secure by redirect, authorise and capture, refunds and disputes, one signed webhook. Protocol:
 * README.md; signed samples: fixtures/vectors.json.
 */
import { amountBound, defaultReconcilePolicy, defineAdapter, v } from '@paywright/contract';
import { cards, pageBrands } from './brands.ts';
import { webhook } from './callbacks/stripe.ts';
import { capture } from './capture.ts';
import { checkAccount, webhookEvents } from './check-account.ts';
import { close } from './close.ts';
import { complete } from './complete.ts';
import { fetchStatus } from './fetch-status.ts';
import { Options } from './options.ts';
import { refund } from './refund.ts';
import { declines, mapStatus } from './statuses.ts';
import { methodOf, payerFields, submit } from './submit.ts';
import { voidPayment } from './void.ts';
import { API_VERSION, MAX_DIGITS, refuseAmount } from './wire.ts';

/** Features that Stripe lacks. The merchant's body is checked for them before any request to Stripe. */
const bounds = v.pipe(
  v.looseObject({
    amount: v.optional(v.unknown()),
    unit: v.optional(v.unknown()),
    captureDelayHours: v.optional(v.custom(isZero, 'must be 0 or left out: Stripe has no delayed capture')),
    wallet: v.optional(v.custom(() => false, 'must be left out: Stripe accepts wallets only at its own page')),
  }),
  amountBound(refuseAmount),
);

/** True for zero, as a number or in the spelling that was received. */
function isZero(value: unknown): boolean {
  return Number(typeof value === 'object' && value && 'text' in value ? value.text : value) === 0;
}

/** Stripe closes an unfinished payment, and a session of Checkout ends within a day. */
const inADay = { threeDs: 'enforced', unfinishedStep: 'close', stepMinutes: 1440 } as const;

export default defineAdapter({
  manifest: {
    name: 'stripe',
    title: 'Stripe',
    code: 21,
    contract: '^2.1',
    inputs: ['card', 'token', 'billing'],
    bounds,
    ways: [
      { method: 'card', title: 'Card', payerFields, ...inADay },
      { method: 'card_token', title: 'Card saved at Stripe', payerFields: [], ...inADay },
      {
        method: 'hosted_page',
        title: 'Card and more, at Stripe’s page',
        leadsTo: 'Stripe',
        payerFields: [],
        ...inADay,
      },
    ],
    maxMinorDigits: MAX_DIGITS,
    currencies: 'any',
    brands: (options) => ({ card: cards, hosted_page: pageBrands(options) }),
    options: Options,
    declines,
    // We cancel a challenge after one day. Checkout ends a session automatically within the same time.
    reconcile: { ...defaultReconcilePolicy, thenEverySeconds: 86_400, giveUpAfterSeconds: 691_200 },
    refundNeeds: 'providerReference',
    idempotency:
      'A repetition with the same Idempotency-Key within 24 hours gets the stored answer. A repeated refund is looked up first.',
    console: [
      `Workbench, Webhooks, Add destination: {publicUrl}/callbacks/stripe, events of your account, API version ${API_VERSION}, payload style snapshot`,
      `Events to send: ${webhookEvents.join(', ')}`,
      'Copy the signing secret (whsec_…) of the new destination to webhookSecrets. Test and live mode have separate destinations.',
      'Nothing to register for 3D Secure and Checkout: each payment carries the payer’s return address.',
    ],
  },
  methodOf,
  submit,
  complete,
  fetchStatus,
  refund,
  capture,
  void: voidPayment,
  close,
  checkAccount,
  callbacks: [webhook],
  mapStatus,
});
