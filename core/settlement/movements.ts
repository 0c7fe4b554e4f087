/** Movements: the money of a payment that was charged, refunded and charged back. */
import { addDecimals, compareDecimals, subtractDecimals } from '@paywright/contract';
import { collectedAmount, type Attempt } from '../database/collections/attempt.ts';
import type { PaymentRecord } from '../database/collections/payment-request.ts';
import type { Refund } from '../database/collections/refund.ts';
import { settledReports } from '../engine/payments/state/refund-reports.ts';
import { disputesOf } from '../engine/payments/state/disputes.ts';

/** The members of a payment that are compared. */
export type OurPayment = Pick<
  PaymentRecord,
  '_id' | 'attempts' | 'refunds' | 'reportedRefunds' | 'refundTotals' | 'disputeStages' | 'feeAmount'
>;

export interface Movement {
  /** The unique key of the movement. */
  readonly key: string;
  readonly kind: 'payment' | 'refund' | 'chargeback';
  readonly paymentId: number;
  /** Our reference of the attempt or refund. */
  readonly reference: string;
  /** The provider's reference, if known. */
  readonly providerReference: string | null;
  readonly currency: string;
  /** Null: the provider named no amount, or an amount of another currency. */
  readonly amount: string | null;
  /** The fee of the charge; null: unknown for this single attempt. */
  readonly fee: string | null;
  /** The time by our records; null: unknown. */
  readonly at: Date | null;
  /** The money has moved for certain. */
  readonly isDone: boolean;
  /** The refund or case was reversed. */
  readonly isReversed: boolean;
}

export function movementsOf(payment: OurPayment, attempt: Attempt): Movement[] {
  return [...chargesOf(payment, attempt), ...refundsOf(payment, attempt), ...chargebacksOf(payment, attempt)];
}

function chargesOf({ _id, attempts, feeAmount }: OurPayment, attempt: Attempt): Movement[] {
  if (attempt.outcome !== 'succeeded') return [];
  const isOnly = attempts.filter(({ outcome }) => outcome === 'succeeded').length === 1;
  const { reference, providerReference, currency, settledAt } = attempt;
  return [
    {
      key: reference,
      kind: 'payment',
      paymentId: _id,
      reference,
      providerReference,
      currency,
      amount: collectedAmount(attempt),
      fee: isOnly ? feeAmount : null,
      at: settledAt,
      isDone: true,
      isReversed: false,
    },
  ];
}

/**
 * Our refunds, then refunds that were made at the provider: each id once, and of running totals the part beyond all of
 * them.
 */
function refundsOf(payment: OurPayment, attempt: Attempt): Movement[] {
  const own = payment.refunds.filter((one) => one.attempt === attempt.n);
  // What an operator recorded is money that the provider did not move.
  const reports = settledReports(payment, attempt.n).filter(({ settledByHand }) => !settledByHand);
  const numbers = [...new Set(reports.flatMap(({ subReference }) => subReference ?? []))];
  const free = new Set(numbers.filter((number) => !own.some(({ providerReference }) => providerReference === number)));
  const amountOf = (number: string): string => reports.find(({ subReference }) => subReference === number)!.amount;
  const statesOf = (number: string | null): readonly string[] =>
    number === null ? [] : reports.filter(({ subReference }) => subReference === number).map(({ state }) => state);
  const base = { paymentId: payment._id, kind: 'refund', currency: attempt.currency, fee: null } as const;

  const ours = own.flatMap((refund): Movement[] => {
    const number = refund.providerReference ?? claim(refund, free, amountOf);
    const states = statesOf(number);
    if (refund.state === 'failed' && !states.includes('reversed')) return [];
    if (refund.settledByHand && !states.includes('succeeded')) return [];
    return [
      {
        ...base,
        key: refund.reference,
        reference: refund.reference,
        providerReference: number,
        amount: refund.amount,
        at: refund.requestedAt,
        isDone: refund.state === 'succeeded',
        isReversed: states.includes('reversed'),
      },
    ];
  });
  const elsewhere = [...free].flatMap((number): Movement[] => {
    const states = statesOf(number);
    if (!states.includes('succeeded') && !states.includes('reversed')) return [];
    return [
      {
        ...base,
        key: `${attempt.reference} ${number}`,
        reference: attempt.reference,
        providerReference: number,
        amount: amountOf(number),
        at: null,
        isDone: true,
        isReversed: states.includes('reversed'),
      },
    ];
  });
  const known = addDecimals('0', ...[...ours, ...elsewhere].map(({ amount }) => amount ?? '0'));
  const total = payment.refundTotals.find((one) => one.attempt === attempt.n)?.amount ?? '0';
  const beyond = subtractDecimals(total, known);
  if (compareDecimals(beyond, '0') === 0) return [...ours, ...elsewhere];
  const rest: Movement = {
    ...base,
    key: `${attempt.reference} beyond`,
    reference: attempt.reference,
    providerReference: null,
    amount: beyond,
    at: null,
    isDone: true,
    isReversed: false,
  };
  return [...ours, ...elsewhere, rest];
}

/** A refund whose answer had no id is matched with a reported refund of the same amount. */
function claim({ amount }: Refund, free: Set<string>, amountOf: (number: string) => string): string | null {
  const found = [...free].find((number) => compareDecimals(amountOf(number), amount) === 0);
  if (found === undefined) return null;
  free.delete(found);
  return found;
}

function chargebacksOf(payment: OurPayment, attempt: Attempt): Movement[] {
  const isNamed = payment.disputeStages.some((stage) => stage.attempt === attempt.n && stage.amount !== null);
  return disputesOf(payment, attempt).map(({ number, stage, reported }) => ({
    key: `${attempt.reference} case ${number ?? ''}`,
    kind: 'chargeback',
    paymentId: payment._id,
    reference: attempt.reference,
    providerReference: number,
    currency: attempt.currency,
    amount: isNamed && reported.currency === attempt.currency ? reported.amount : null,
    fee: null,
    at: null,
    isDone: true,
    isReversed: stage === 'won' || stage === 'reversed',
  }));
}
