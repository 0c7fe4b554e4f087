/** Mollie's data, simulated: payments with their refunds, captures and chargebacks. */
import { randomBytes } from 'node:crypto';
import { addDecimals, compareDecimals, subtractDecimals, type Money } from '@paywright/contract';
import { amountRule, type AmountRule } from '@paywright/contract/sandbox';

type Metadata = Readonly<Record<string, unknown>>;

export interface Asked {
  readonly amount: Money;
  readonly description: string;
  readonly redirectUrl: string;
  readonly cancelUrl?: string | undefined;
  readonly webhookUrl: string | undefined;
  readonly metadata: Metadata;
  readonly method: readonly string[] | undefined;
  readonly captureMode: 'automatic' | 'manual' | undefined;
}

export type Status = 'open' | 'pending' | 'authorized' | 'paid' | 'failed' | 'canceled' | 'expired';

export interface Payment extends Asked {
  readonly id: string;
  readonly createdAt: Date;
  readonly refunds: Refund[];
  readonly captures: Capture[];
  readonly chargebacks: Chargeback[];
  status: Status;
  failureReason?: string;
}

export interface Refund {
  readonly id: string;
  readonly amount: Money;
  readonly description: string;
  readonly metadata: Metadata;
  readonly createdAt: Date;
  status: 'queued' | 'pending' | 'processing' | 'refunded' | 'failed' | 'canceled';
}

export interface Capture {
  readonly id: string;
  readonly amount: Money;
  readonly metadata: Metadata;
  readonly createdAt: Date;
  status: 'pending' | 'succeeded' | 'failed';
}

export interface Chargeback {
  readonly id: string;
  readonly amount: Money;
  readonly createdAt: Date;
  reversedAt?: Date;
}

const letters = '23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz';

/** An id in Mollie's form: the prefix, then 21 letters and digits. */
export function newId(prefix: string): string {
  return prefix + [...randomBytes(21)].map((byte) => letters[byte % letters.length]!).join('');
}

export function newPayment(asked: Asked, id = newId('tr_')): Payment {
  return { ...asked, id, createdAt: new Date(), refunds: [], captures: [], chargebacks: [], status: 'open' };
}

export function newRefund(asked: Pick<Refund, 'amount' | 'description' | 'metadata'>, id = newId('re_')): Refund {
  return { ...asked, id, createdAt: new Date(), status: 'pending' };
}

export function newChargeback(amount: Money, id = newId('chb_')): Chargeback {
  return { id, amount, createdAt: new Date() };
}

export const ruleOf = ({ amount }: { readonly amount: Money }): AmountRule | undefined => amountRule(amount);

/** Refunds that succeeded or may still succeed. */
function standing({ refunds }: Payment): readonly Refund[] {
  return refunds.filter(({ status }) => status !== 'failed' && status !== 'canceled');
}

/** The sum of the refunds that succeeded or may still succeed. */
export function refundedOf(payment: Payment): string {
  return addDecimals('0', ...standing(payment).map(({ amount }) => amount.amount));
}

/** For an hour, Mollie treats a second refund of the same amount as a mistake. */
export function isDuplicate(payment: Payment, { amount }: Money): boolean {
  const hourAgo = Date.now() - 3_600_000;
  return standing(payment).some(
    (one) => one.createdAt.getTime() > hourAgo && compareDecimals(one.amount.amount, amount) === 0,
  );
}

export function chargedBackOf({ chargebacks }: Payment): string {
  const counted = chargebacks.filter(({ reversedAt }) => !reversedAt);
  return addDecimals('0', ...counted.map(({ amount }) => amount.amount));
}

/** The captured sum of reserved money, and the whole amount of a payment that was charged without a capture. */
export function chargedOf({ amount, captures }: Payment): string {
  const done = captures.filter(({ status }) => status === 'succeeded');
  return done.length > 0 ? addDecimals(...done.map((one) => one.amount.amount)) : amount.amount;
}

/** The amount that can still be refunded. */
export function leftOf(payment: Payment): string {
  if (payment.status !== 'paid') return '0';
  const gone = addDecimals(refundedOf(payment), chargedBackOf(payment));
  const charged = chargedOf(payment);
  return compareDecimals(gone, charged) >= 0 ? '0' : subtractDecimals(charged, gone);
}

/** The reason why a card fails, by the amounts of Mollie's test mode. */
const reasonByEuros: Readonly<Record<string, string>> = {
  '1001': 'invalid_card_number',
  '1002': 'invalid_cvv',
  '1003': 'invalid_card_holder_name',
  '1004': 'card_expired',
  '1005': 'invalid_card_type',
  '1006': 'refused_by_issuer',
  '1007': 'insufficient_funds',
  '1008': 'inactive_card',
  '1009': 'possible_fraud',
  '1010': 'authentication_failed',
  '1011': 'card_declined',
};

export function failureReasonOf({ amount, currency }: Money): string {
  const euros = currency === 'EUR' && /^(\d+)(\.0+)?$/.exec(amount)?.[1];
  return (euros && reasonByEuros[euros]) || 'unknown_reason';
}
