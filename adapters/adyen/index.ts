/**
 * Adyen: cards by Checkout's payments and payments/details, 3D Secure by redirect, captures, refunds and disputes. Only
 * signed webhooks report later changes of a payment. Protocol: README.md; samples: fixtures/vectors.json.
 */
import { amountBound, brands, defineAdapter, v } from '@paywright/contract';
import { webhook } from './callbacks/adyen.ts';
import { capture } from './capture.ts';
import { checkAccount } from './check-account.ts';
import { complete } from './complete.ts';
import { Options } from './options.ts';
import { refund } from './refund.ts';
import { declines, mapStatus, neededEvents } from './statuses.ts';
import { payerFields, submit } from './submit.ts';
import { void as release } from './void.ts';
import { MAX_MINOR_DIGITS, refuseAmount } from './wire.ts';

export default defineAdapter({
  manifest: {
    name: 'adyen',
    title: 'Adyen',
    code: 22,
    contract: '^2.0',
    inputs: ['card'],
    bounds: v.pipe(
      v.looseObject({
        amount: v.optional(v.unknown()),
        unit: v.optional(v.unknown()),
        wallet: v.optional(v.undefined('This adapter sends only cards to Adyen')),
      }),
      amountBound(refuseAmount),
    ),
    ways: [{ method: 'card', title: 'Card', threeDs: 'enforced', payerFields, unfinishedStep: 'charges_nothing' }],
    maxMinorDigits: MAX_MINOR_DIGITS,
    currencies: 'any',
    brands: { card: [brands.visa, brands.mastercard, brands.americanExpress, brands.maestro] },
    options: Options,
    accountKey: ({ merchantAccount }) => merchantAccount,
    declines,
    refundNeeds: 'providerReference',
    idempotency: 'A repetition with the same idempotency-key gets the stored answer for at least 31 days.',
    console: [
      'Developers, Webhooks, Standard webhook of the merchant account, Server configuration: {publicUrl}/callbacks/adyen, method JSON.',
      `In the same place, Events: ${neededEvents.toSorted().join(', ')}.`,
      'In the same place, Security: a user name, a password and an HMAC key.',
      'Developers, Additional data: 3D Secure results, so that answers show the result of 3D Secure.',
      'Nothing to register for 3D Secure: each payment names {publicUrl}/callbacks/3ds as the return address.',
    ],
  },

  submit,
  complete,
  capture,
  void: release,
  refund,
  checkAccount,
  callbacks: [webhook],
  mapStatus,
});
