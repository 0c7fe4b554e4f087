/** Refunds a payment: creates a pull payment that the payer claims. */
import {
  formatAmount,
  isSameMoney,
  readJsonBody,
  toRefundOutcome,
  unknown,
  urlPath,
  v,
  type Ability,
  type RefundRequest,
  type StoredPayment,
} from '@paywright/contract';
import type { Options } from './options.ts';
import { PullPayment, toRefundEvent } from './pull-payment.ts';
import { mapStatus } from './statuses.ts';
import { errors, post } from './wire.ts';

/** Stored with the attempt by a refund, so that later fetches look for its pull payments. */
export const RefundsBegun = v.object({ refunds: v.literal('begun') });

/** The amount is in the invoice's currency. The amount in coins is fixed when the claim is approved. */
export function refundMessage(
  { reference }: Pick<StoredPayment, 'reference'>,
  refund: Pick<RefundRequest, 'reference' | 'money'>,
) {
  return {
    name: refund.reference,
    description: `Refund of ${reference}`,
    refundVariant: 'Custom' as const,
    customAmount: formatAmount(refund.money),
    customCurrency: refund.money.currency,
  };
}

export const refund: Ability<'refund', Options> = async (payment, asked, { http, options, keep }) => {
  const { reference, providerReference = '' } = payment;
  const path = urlPath`/stores/${options.storeId}/invoices/${providerReference}/refund`;
  keep({ refunds: 'begun' });
  const reply = await http.send(post(options, path, refundMessage(payment, asked)));
  if (reply.status !== 200) return errors.toRefundOutcome(reply);
  const made = readJsonBody(PullPayment, reply);
  if (made?.name !== asked.reference || !isSameMoney(made, asked.money)) {
    return unknown('the answer is not a pull payment for this refund');
  }
  const event = toRefundEvent(made, [], { reference, providerReference });
  return toRefundOutcome(mapStatus(event, 'fetch'), {
    providerReference: made.id,
    providerStatus: event.providerStatus,
    reason: 'the pull payment is archived',
  });
};
