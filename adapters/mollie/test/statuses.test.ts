import { CaptureStatus, PaymentMethod, PaymentStatus, RefundStatus } from '@mollie/api-client';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { pageMethods } from '../options.ts';
import { captureStatuses, declines, statuses } from '../statuses.ts';

/** `details.failureReason` in Mollie's OpenAPI document of 2026-08-21. */
const published =
  'authentication_abandoned authentication_failed authentication_required authentication_unavailable_acs card_declined card_expired inactive_card insufficient_funds invalid_cvv invalid_card_holder_name invalid_card_number invalid_card_type possible_fraud refused_by_issuer unknown_reason'.split(
    ' ',
  );

/** Methods that need order lines or the payer's address, use a terminal, or no longer exist. */
const notOffered =
  'alma billie directdebit googlepay in3 klarna klarnapaylater klarnapaynow klarnasliceit payconiq pointofsale riverty voucher'.split(
    ' ',
  );

describe('a table of Mollie’s statuses', () => {
  for (const [what, table, words] of [
    ['statuses of a payment', statuses.payment, PaymentStatus],
    ['statuses of a refund', statuses.refund, RefundStatus],
    ['statuses of a capture', captureStatuses, CaptureStatus],
  ] as const) {
    it(`contains the ${what} of Mollie’s own SDK`, () => {
      expect(Object.keys(table)).to.have.members(Object.values(words));
    });
  }

  it('contains exactly the published reasons of a failed payment', () => {
    expect(Object.keys(declines)).to.have.members(published);
  });

  it('contains each method of the SDK, as offered or as left out', () => {
    expect([...pageMethods, ...notOffered]).to.have.members(Object.values(PaymentMethod));
  });
});
