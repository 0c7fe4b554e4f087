/** The alarms that a change of a payment raises and clears. */
import { compareDecimals, type EventKind } from '@paywright/contract';
import { adapterSubject, paymentSubject, type Clear, type Raise } from '../../alarms/index.ts';
import { attemptOf, chargedAmount } from '../../../database/collections/attempt.ts';
import type { AlarmAbout } from '../../../database/collections/alarm.ts';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import type { Refund, ReportedRefund } from '../../../database/collections/refund.ts';
import { keptCharges } from '../refund/double-charge.ts';
import { lackingRefunds } from '../refund/lacking-refunds.ts';
import { amountText, moneyText } from '../../../base/text/money-text.ts';
import { showAmount } from '../../../base/text/show-amount.ts';
import { disputesOf, exceedsPayment } from '../state/disputes.ts';
import { refundEntries } from '../state/refund-entries.ts';
import { receivedSum, underpaidText, unreturnedCoins } from '../state/received-coins.ts';
import { lacksItsMoney } from '../state/apply-collection.ts';
import { aboutPayment } from '../record/alarm-about.ts';
import { attemptsChanged } from '../record/attempts-changed.ts';
import { attemptsLackingThreeDs } from '../three-ds/proof.ts';

/** Call this for every stored change. `before`: undefined for a new payment. */
export type RaisePaymentAlarms = (record: PaymentRecord, before: PaymentRecord | undefined) => void;

export function createPaymentAlarms({
  raise,
  clear,
}: {
  readonly raise: Raise;
  readonly clear: Clear;
}): RaisePaymentAlarms {
  return (record, before) => {
    const subject = paymentSubject(record._id);
    const logFields = { paymentRequestId: record._id };
    const [wasDouble, isDouble] = [before, record].map((one) => one !== undefined && keptCharges(one).length > 1);
    const about = aboutPayment(record);
    const isNewlyDouble = record.logs.slice(before?.logs.length).some(({ code }) => code === 'DOUBLE_CHARGE');
    if (isNewlyDouble || (isDouble && !wasDouble)) {
      const extra = keptCharges(record).at(-1);
      const money = extra && { amount: chargedAmount(extra), currency: extra.currency };
      raise('charged_twice', subject, chargesText(record), logFields, aboutPayment(record, money));
    }
    if (wasDouble && !isDouble) clear('charged_twice', subject);
    for (const { n, adapter } of attemptsLackingThreeDs(record, before))
      raise(
        'three_ds_missing',
        adapterSubject(adapter, record.environment),
        `payment ${record._id}, attempt ${n}`,
        logFields,
        about,
      );
    for (const { n, adapter } of attemptsChanged(record, before, lacksItsMoney))
      raise('capture_failed', subject, `attempt ${n} at ${adapter}`, logFields, about);
    for (const { kind, message } of newMisfits(record, before))
      raise('event_without_effect', paymentSubject(record._id, kind), message, logFields, about);
    const [didExceed, exceeding] = [before, record].map((one) => one && exceedingDispute(one));
    if (exceeding !== undefined && didExceed === undefined)
      raise('dispute_differs', subject, exceeding, logFields, about);
    if (exceeding === undefined && didExceed !== undefined) clear('dispute_differs', subject);
    const [wasUnderpaid, underpaid] = [before, record].map((one) => one && underpaidText(unreturnedCoins(one)));
    if (underpaid !== undefined && underpaid !== wasUnderpaid)
      raise('payment_underpaid', subject, underpaid, logFields, aboutPayment(record, receivedMoney(record)));
    // While a refund of the coins is in progress, the alarm stays open: if the refund fails, it is the same problem.
    if (underpaid === undefined && wasUnderpaid !== undefined) clear('payment_underpaid', subject);
    if (!before) return;
    const [waited, waiting] = [needingMerchant(before), needingMerchant(record)];
    const newly = waiting.find((text) => !waited.includes(text));
    if (newly !== undefined) raise('refund_needs_merchant', subject, newly, logFields, about);
    if (waited.length > 0 && waiting.length === 0) clear('refund_needs_merchant', subject);
    for (const { reference, attempt, amount } of newlyFailed(record, before)) {
      const { currency = record.unit } = attemptOf(record, attempt) ?? {};
      raise('refund_failed', subject, `refund ${reference}`, logFields, aboutPayment(record, { amount, currency }));
    }
    for (const { attempt, amount } of failedWithoutNumber(record, before)) {
      const { currency = '' } = record.attempts[attempt - 1] ?? {};
      raise(
        'refund_failed',
        subject,
        `one refund of ${moneyText(amount, currency)} that succeeded may have failed`,
        logFields,
        aboutPayment(record, { amount, currency }),
      );
    }
    if (lackingRefunds(before).length > 0 && lackingRefunds(record).length === 0) clear('refund_failed', subject);
    if (before.attempts.some(isUnresolved) && !record.attempts.some(isUnresolved)) clear('payment_unresolved', subject);
    if (before.refunds.some(isOpen) && !record.refunds.some(isOpen)) clear('refund_unresolved', subject);
  };
}

/** The charges that the merchant keeps: `2 × €59.00`. */
function chargesText(record: PaymentRecord): string {
  const texts = keptCharges(record).map((charge) => {
    const { currency } = charge;
    return showAmount('en', amountText(chargedAmount(charge), currency), currency);
  });
  const isSame = new Set(texts).size === 1;
  return isSame ? `${texts.length} × ${texts[0]}` : texts.join(' and ');
}

/** What arrived for attempts that it does not pay. Undefined: they are in several currencies. */
function receivedMoney(record: PaymentRecord): AlarmAbout['money'] {
  const held = unreturnedCoins(record);
  const [currency, ...others] = new Set(held.map((attempt) => attempt.currency));
  const amount = receivedSum(held);
  return amount === null || currency === undefined || others.length > 0 ? undefined : { amount, currency };
}

/** The first log entry per kind of event that does not fit the payment. */
function newMisfits(
  { logs }: PaymentRecord,
  before: PaymentRecord | undefined,
): readonly { readonly kind: EventKind; readonly message: string }[] {
  return logs
    .slice(before?.logs.length)
    .flatMap(({ n, misfit: kind, message }) =>
      kind !== undefined && logs.find(({ misfit }) => misfit === kind)?.n === n ? [{ kind, message }] : [],
    );
}

/** Describes an open or lost dispute that is about more than was paid, or about another currency. */
function exceedingDispute(record: PaymentRecord): string | undefined {
  const attempt = record.attempts.find((one) => exceedsPayment(record, one));
  if (!attempt) return undefined;
  const cases = disputesOf(record, attempt).filter(({ isCounted }) => isCounted);
  const reported = cases.map(({ reported: { amount, currency } }) => moneyText(amount, currency)).join(', ');
  return `disputed: ${reported}; paid: ${moneyText(chargedAmount(attempt), attempt.currency)}`;
}

/**
 * Refunds that the merchant believes to be in progress and that will never happen. A merchant learns of an immediate
 * refusal from the answer.
 */
function newlyFailed(record: PaymentRecord, before: PaymentRecord): readonly Refund[] {
  return record.refunds.filter(({ n, state, settledByHand }) => {
    const was = before.refunds[n - 1]?.state;
    return state === 'failed' && !settledByHand && (was === 'pending' || was === 'unknown' || was === 'needs_merchant');
  });
}

/** The refunds that the merchant must send, one text each. */
function needingMerchant(record: PaymentRecord): readonly string[] {
  if (record.refunds.length === 0 && record.reportedRefunds.length === 0) return [];
  return refundEntries(record)
    .filter(({ status }) => status === 'needs_merchant')
    .map(({ id, failureReason }) => `refund ${id}${failureReason === null ? '' : `: ${failureReason}`}`);
}

/**
 * Reports that a refund failed, without its number, although no refund of that amount is open and one succeeded. It may
 * be the one that succeeded. Nothing proves that, so an operator must look at it.
 */
function failedWithoutNumber(record: PaymentRecord, before: PaymentRecord): readonly ReportedRefund[] {
  const isSame = (one: Pick<ReportedRefund, 'attempt' | 'amount'>, other: typeof one): boolean =>
    one.attempt === other.attempt && compareDecimals(one.amount, other.amount) === 0;
  return record.reportedRefunds.slice(before.reportedRefunds.length).filter((report) => {
    if (report.state !== 'failed' || report.subReference !== null) return false;
    const endsOurs = newlyEnded(record, before).some((refund) => isSame(refund, report));
    const given = [...record.refunds, ...record.reportedRefunds].filter(({ state }) => state === 'succeeded');
    return !endsOurs && given.some((refund) => isSame(refund, report));
  });
}

function newlyEnded({ refunds }: PaymentRecord, before: PaymentRecord): readonly Refund[] {
  return refunds.filter(({ n, state }) => state === 'failed' && before.refunds[n - 1]?.state !== 'failed');
}

function isUnresolved({ needsReview, outcome }: PaymentRecord['attempts'][number]): boolean {
  return needsReview && outcome === 'open';
}

/** Refunds without a check raise no alarm. */
function isOpen({ state, checks }: Refund): boolean {
  return checks > 0 && state !== 'succeeded' && state !== 'failed';
}
