/** Adds to our refunds and totals that a fact changes when that happened and why, the same for every kind of fact. */
import type { Facts } from '../../../database/collections/payment-request.ts';
import { refundReasonOf } from './event-result.ts';
import type { Fact } from './fact.ts';
import { shortText } from './fact-result.ts';

type RefundFacts = Pick<Facts, 'refunds' | 'refundTotals'>;

/** `added`: what the fact adds to the payment. */
export function stampRefunds(before: RefundFacts, added: Partial<Facts>, fact: Fact): Partial<Facts> {
  const { at } = fact;
  const { refunds, refundTotals } = added;
  const reason = reasonOf(fact);
  const failure = reason === undefined ? {} : { failureReason: shortText(reason) };
  return {
    ...added,
    ...(refunds && {
      refunds: refunds.map((refund) => {
        if (refund.state === before.refunds[refund.n - 1]?.state) return refund;
        if (refund.state === 'needs_merchant') return { ...refund, ...failure };
        if (refund.state !== 'succeeded' && refund.state !== 'failed') return refund;
        const { failureReason: _, ...rest } = refund;
        return { ...rest, doneAt: at, ...(refund.state === 'failed' ? failure : {}) };
      }),
    }),
    ...(refundTotals && {
      refundTotals: refundTotals.map((total) =>
        before.refundTotals.includes(total) ? total : { ...total, reportedAt: at },
      ),
    }),
  };
}

/** Why a refund failed, came back or needs the merchant; undefined: the fact does not say why. */
function reasonOf(fact: Fact): string | undefined {
  if (fact.type === 'event') return refundReasonOf(fact.event);
  if (fact.type === 'refund_not_shown') return 'the provider never received it';
  if (fact.type !== 'refund_outcome') return undefined;
  if (fact.outcome.outcome === 'pending') return fact.outcome.reason;
  if (fact.outcome.outcome !== 'failed') return undefined;
  const { notSent, reason, declineText } = fact.outcome;
  return notSent ? 'the provider could not be reached' : (reason ?? declineText);
}
