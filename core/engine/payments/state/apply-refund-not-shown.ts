/** What a fetch that shows all refunds of a payment, but not this one of ours, adds to the facts. */
import { compareDecimals } from '@paywright/contract';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import { SECOND } from '../../../base/async/time.ts';
import { refundedSum } from './derive-status.ts';
import type { FactResult } from './fact-result.ts';

export interface RefundNotShownFact {
  readonly type: 'refund_not_shown';
  readonly refund: number;
  readonly at: Date;
  /** The sum of all refunds that the fetch shows. */
  readonly shown: string;
  /** How long after it was sent our request may still wait in a queue. */
  readonly settleSeconds: number;
}

/** Believed after two such answers, the second one when our request has surely arrived. */
export function applyRefundNotShown(record: PaymentRecord, fact: RefundNotShownFact): FactResult {
  const { refund: n, at, shown, settleSeconds } = fact;
  const refund = record.refunds[n - 1];
  const isLost = refund?.state === 'requested' || refund?.state === 'unknown';
  // A provider that has numbered a refund once had it: that it does not show it now proves nothing.
  if (!isLost || refund.sentAt === null || refund.providerReference !== null)
    return { kind: 'nothing', reason: 'it says nothing of this refund' };
  if (compareDecimals(shown, refundedSum(record, refund.attempt)) < 0)
    return { kind: 'nothing', reason: 'it shows less than is known to be given back: it is out of date' };
  const log = { attempt: refund.attempt, transactionId: '', transactionStatusId: 2, code: '' } as const;
  const withRefund = (changed: Partial<typeof refund>, message: string): FactResult => {
    const refunds = record.refunds.map((one) => (one.n === n ? { ...one, ...changed } : one));
    return { kind: 'added', facts: { refunds }, log: { ...log, message } };
  };
  if (refund.notShownAt === null)
    return withRefund({ notShownAt: at }, `the provider does not show refund ${refund.reference} yet`);
  if (at.getTime() < refund.sentAt.getTime() + settleSeconds * SECOND)
    return { kind: 'nothing', reason: 'our request may still arrive' };
  return withRefund({ state: 'failed' }, `refund ${refund.reference} failed: the provider never received it`);
}
