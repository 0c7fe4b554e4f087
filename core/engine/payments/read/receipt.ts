/** What a payer sees of money that came in: the receipt of a payment, and the progress of a payment in coins. */
import { compareDecimals, formatAmount, isAboveZero, subtractDecimals } from '@paywright/contract';
import { chargedAmount, latestAttempt, type Attempt } from '../../../database/collections/attempt.ts';
import { status, type PaymentRecord } from '../../../database/collections/payment-request.ts';
import type { Registry } from '../../providers/registry.ts';
import type { PayReceipt, ReceivedCoins } from '../types/pay-page.ts';
import { paymentWayNamed } from '../submit/attempt.ts';
import { lookOf } from '../submit/payer-ways.ts';
import { coinOf } from '../submit/routing.ts';
import { refundEntries } from '../state/refund-entries.ts';
import { payingAttempt } from '../state/charges.ts';
import { accountRefOf } from '../../providers/account-ref.ts';

/** Null while nothing is paid. */
export function receiptOf(registry: Pick<Registry, 'byName'>, record: PaymentRecord): PayReceipt | null {
  const { statusId, amount, refundedAmount, attempts, createdAt } = record;
  if (statusId !== status.paid && statusId !== status.refunded) return null;
  const paying = payingAttempt(record) ?? latestAttempt(record);
  if (!paying) return null;
  const { adapter, method, sandbox, currency, settledAt, reference, cardBin, cardLastDigits } = paying;
  const active = registry.byName(accountRefOf(paying)) ?? registry.byName(adapter);
  const charged = chargedAmount(paying);
  return {
    paidAt: settledAt ?? createdAt,
    reference,
    way: {
      method,
      ...(active ? lookOf(active, paymentWayNamed(active, method), sandbox) : { title: adapter }),
      coin: active ? coinOf(active, method, sandbox) : null,
    },
    cardBin,
    cardLastDigits,
    charged: formatAmount({ amount: charged, currency }),
    isPart: compareDecimals(charged, amount) < 0,
    laterCharges: attempts
      .filter((one) => one.outcome === 'succeeded' && one !== paying)
      .map((one) => formatAmount({ amount: chargedAmount(one), currency: one.currency })),
    refunded: isAboveZero(refundedAmount) ? formatAmount({ amount: refundedAmount, currency }) : null,
    ...refundFacts(record, paying),
  };
}

function refundFacts(record: PaymentRecord, paying: Attempt): Pick<PayReceipt, 'refundedAt' | 'refundedByProvider'> {
  const done = refundEntries(record).filter((refund) => refund.status === 'succeeded');
  const times = done.flatMap(({ doneAt }) => doneAt?.getTime() ?? []);
  const isByHand = [...record.refunds, ...record.reportedRefunds].some(
    ({ state, settledByHand }) => state === 'succeeded' && settledByHand,
  );
  return {
    refundedAt: times.length > 0 ? new Date(Math.max(...times)) : null,
    refundedByProvider: done.length > 0 && !isByHand && done.every(({ attempt }) => attempt === paying.n),
  };
}

/** Null if nothing came in, or if the payment is not in coins. */
export function coinsOf({ received, amount, currency }: Attempt): ReceivedCoins | null {
  if (received === null || !isAboveZero(received)) return null;
  const show = (decimal: string): string => formatAmount({ amount: decimal, currency });
  const order = compareDecimals(received, amount);
  return {
    received: show(received),
    missing: order < 0 ? show(subtractDecimals(amount, received)) : null,
    excess: order > 0 ? show(subtractDecimals(received, amount)) : null,
  };
}
