/** The problems of a payment: facts that an operator looks for. A pure function of the facts. */
import { isAboveZero, subtractDecimals } from '@paywright/contract';
import { collectedAmount, type Attempt } from '../../../database/collections/attempt.ts';
import type { Facts, StoredProblem } from '../../../database/collections/payment-request.ts';
import { keptCharges } from '../refund/double-charge.ts';
import { lackingRefunds } from '../refund/lacking-refunds.ts';
import { disputesOf } from '../state/disputes.ts';
import { derive, refundedSum } from '../state/derive-status.ts';
import { isMore } from '../state/left-to-refund.ts';
import { heldCoins } from '../state/received-coins.ts';
import { refundEntries } from '../state/refund-entries.ts';

/** The facts that every payment without a problem lacks. */
function isPlain({ attempts, refunds, reportedRefunds, disputeStages }: Facts): boolean {
  return (
    refunds.length + reportedRefunds.length + disputeStages.length === 0 &&
    attempts.every(({ received, unknown, needsReview }) => received === null && !unknown && !needsReview) &&
    attempts.filter(({ outcome }) => outcome === 'succeeded').length < 2
  );
}

export function problemsOf(record: Facts): readonly StoredProblem[] {
  if (isPlain(record)) return [];
  const { attempts } = record;
  const entries = refundEntries(record);
  const open = attempts.filter(({ outcome }) => outcome === 'open');
  const found: Readonly<Record<StoredProblem, boolean>> = {
    dispute_open: attempts.some((attempt) => disputesOf(record, attempt).some(({ stage }) => stage === 'opened')),
    charged_back: derive(record).chargedBack,
    charged_twice: keptCharges(record).length > 1,
    underpaid: heldCoins(record).length > 0,
    overpaid: attempts.some((attempt) => isOverpaid(record, attempt)),
    refund_failed: lackingRefunds(record).length > 0,
    refund_pending: entries.some(({ status }) => status === 'pending'),
    refund_needs_merchant: entries.some(({ status }) => status === 'needs_merchant'),
    outcome_unknown: open.some(({ unknown }) => unknown),
    needs_review: open.some(({ needsReview }) => needsReview),
  };
  return (Object.keys(found) as StoredProblem[]).filter((problem) => found[problem]);
}

/** More coins arrived than were due, and the excess was not refunded. */
function isOverpaid(record: Facts, attempt: Attempt): boolean {
  const { n, outcome, amount, received } = attempt;
  if (outcome !== 'succeeded' || received === null || !isAboveZero(received)) return false;
  return isMore(subtractDecimals(collectedAmount(attempt), refundedSum(record, n)), amount);
}
