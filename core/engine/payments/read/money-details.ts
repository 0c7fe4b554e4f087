/** The money of a payment as an operator sees it: paid, refunded, disputed, fee, and what is left. */
import { addDecimals, compareDecimals, isAboveZero, subtractDecimals } from '@paywright/contract';
import { signedDifference } from '../../../base/signed-difference.ts';
import { chargedAmount, type Attempt } from '../../../database/collections/attempt.ts';
import type { Facts, PaymentRecord } from '../../../database/collections/payment-request.ts';
import { doubleCharges } from '../refund/double-charge.ts';
import { chargesOf } from '../state/charges.ts';
import { refundedSum } from '../state/derive-status.ts';
import { disputedSum, heldSum } from '../state/disputes.ts';
import { leftToRefund, refundableOf } from '../state/left-to-refund.ts';
import { receivedSum, underpaidText } from '../state/received-coins.ts';

/** Decimal text in `currency`. `currency` is null if nothing was paid. */
export interface MoneyDetails {
  readonly currency: string | null;
  readonly paid: string;
  /** For a payment in coins: what providers report as received. Null: nothing was reported. */
  readonly received: string | null;
  /** For coins that arrived without paying: `Received 48.36 EUR of 80.60 EUR`. Null: there are none. */
  readonly underpaid: string | null;
  readonly refunded: string;
  /** The amounts of open and lost cases, at most what was paid. */
  readonly disputed: string;
  /** What these cases take: less than `disputed` if an open case is also about money that was already refunded. */
  readonly held: string;
  readonly fee: string | null;
  /** The paid amount minus the fee. */
  readonly net: string | null;
  /** `net` minus what was refunded. Below 0 if the fee is not returned. */
  readonly netAfterRefunds: string | null;
  /** What the merchant keeps: `netAfterRefunds` minus `held`. Below 0 if it lost more than it got. */
  readonly netAfterAll: string | null;
  readonly leftToRefund: string;
  /** After a double charge: the amount that is to be refunded; null: there was none, or it has been refunded. */
  readonly chargedTwice: string | null;
  /** The charges of which something can still be refunded, in their order. Empty: there are not several of them. */
  readonly doubleCharges: readonly ChargeDetails[];
  /** All charges, in their order. */
  readonly charges: readonly ChargeDetails[];
}

export interface ChargeDetails extends Pick<Attempt, 'n' | 'reference' | 'adapter' | 'currency' | 'settledAt'> {
  /** The number of the charge, from 1, as in a refund's `charge`. */
  readonly charge: number;
  /** Decimal text: what can still be refunded of the charge. */
  readonly left: string;
}

type MoneyRecord = Facts & Pick<PaymentRecord, 'paidAmount' | 'paidCurrency' | 'refundedAmount' | 'feeAmount'>;

export function moneyOf(record: MoneyRecord): MoneyDetails {
  const { paidAmount, paidCurrency, refundedAmount, feeAmount, attempts } = record;
  const charged = attempts.filter(({ outcome }) => outcome === 'succeeded');
  const charges = chargesOf(record).map((attempt, index) => presentCharge(record, attempt, index + 1));
  const double = doubleCharges(record).flatMap(({ n }) => charges.find((charge) => charge.n === n) ?? []);
  const disputed = addDecimals('0', ...charged.map((attempt) => disputedSum(record, attempt)));
  const held = addDecimals('0', ...charged.map((attempt) => heldSum(record, attempt, refundedSum(record, attempt.n))));
  const net = paidAmount === null ? null : subtractDecimals(paidAmount, feeAmount ?? '0');
  return {
    currency: paidCurrency,
    paid: addDecimals('0', ...charged.map(chargedAmount)),
    received: receivedSum(attempts),
    underpaid: underpaidText(attempts) ?? null,
    refunded: refundedAmount,
    disputed,
    held,
    fee: feeAmount,
    net,
    netAfterRefunds: net === null ? null : signedDifference(net, refundedAmount),
    netAfterAll: net === null ? null : signedDifference(net, addDecimals(refundedAmount, held)),
    leftToRefund: leftToRefund(record),
    chargedTwice: double.at(-1)?.left ?? null,
    doubleCharges: double,
    charges,
  };
}

export interface MoneyPart {
  readonly amount: string;
  readonly currency: string;
}

export interface MoneyParts {
  /** What was paid, if it is not the requested amount: a part was captured, or the payer was charged twice. */
  readonly paid: MoneyPart | null;
  /** What was given back of a payment that is not refunded in full. Null: nothing. */
  readonly refunded: MoneyPart | null;
}

/** The sums that a list must show next to the requested amount, because the amount and the status do not say them. */
export function moneyParts(
  found: { readonly status: string; readonly amount: string } & {
    readonly money: Pick<MoneyDetails, 'currency' | 'paid' | 'refunded'>;
  },
): MoneyParts {
  const { status, amount, money } = found;
  const { currency, paid, refunded } = money;
  if (currency === null) return { paid: null, refunded: null };
  return {
    paid: compareDecimals(paid, amount) === 0 ? null : { amount: paid, currency },
    refunded: status !== 'refunded' && isAboveZero(refunded) ? { amount: refunded, currency } : null,
  };
}

function presentCharge(record: MoneyRecord, attempt: Attempt, charge: number): ChargeDetails {
  const { n, reference, adapter, currency, settledAt } = attempt;
  return { n, charge, reference, adapter, currency, settledAt, left: refundableOf(record, attempt) };
}
