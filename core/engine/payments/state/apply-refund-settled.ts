/**
 * How a refund ended that the provider could not send, as an operator recorded it. What the provider reports later
 * counts if it moved the money itself; that it did not is no news.
 */
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import type { Refund, ReportedRefund } from '../../../database/collections/refund.ts';
import type { FactResult } from './fact-result.ts';
import { refundEntries, type RefundEntry } from './refund-entries.ts';

export interface RefundSettledFact {
  readonly type: 'refund_settled';
  /** Our id of the refund. */
  readonly refund: string;
  readonly status: 'succeeded' | 'failed';
  readonly at: Date;
}

/** A refund that the merchant had to send, by our id, and how it ended. */
export type SettledRefund = Pick<RefundSettledFact, 'refund' | 'status'>;

/** The refund with this id if it waits for the merchant; undefined: there is none. */
export function waitingRefund(record: PaymentRecord, id: string): RefundEntry | undefined {
  return refundEntries(record).find((entry) => entry.id === id && entry.status === 'needs_merchant');
}

export function applyRefundSettled(record: PaymentRecord, fact: RefundSettledFact): FactResult {
  const { refund: id, status } = fact;
  const entry = waitingRefund(record, id);
  if (!entry) return { kind: 'nothing', reason: 'no such refund waits for the merchant' };
  const { attempt, reference } = entry;
  const message = `refund ${id} ${status}, recorded by an operator`;
  const log = { attempt, transactionId: reference ?? '', transactionStatusId: 2, code: '', message } as const;
  const facts = entry.ours
    ? { refunds: record.refunds.map((one) => (one.n === entry.ours!.n ? settled(one, entry, status) : one)) }
    : { reportedRefunds: [...record.reportedRefunds, toReport(entry, fact)] };
  return { kind: 'added', facts, log };
}

function settled(refund: Refund, { reference }: RefundEntry, state: RefundSettledFact['status']): Refund {
  return {
    ...refund,
    state,
    // Later reports under this number are about the same money.
    providerReference: refund.providerReference ?? reference,
    answeredSucceeded: refund.answeredSucceeded || state === 'succeeded',
    settledByHand: true,
  };
}

function toReport({ attempt, reference, amount, id }: RefundEntry, { status, at }: RefundSettledFact): ReportedRefund {
  return {
    attempt,
    subReference: reference,
    eventId: `settled:${id}`,
    amount,
    state: status,
    reportedAt: at,
    settledByHand: true,
  };
}
