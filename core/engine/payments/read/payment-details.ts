/** One payment as an operator sees it: what it is, everything that happened, its money, and what happens next. */
import { addDecimals, subtractDecimals } from '@paywright/contract';
import type { Connection } from 'mongoose';
import { attemptOf, chargedAmount, latestAttempt, type Attempt } from '../../../database/collections/attempt.ts';
import { fromDocument } from '../../../database/decimals.ts';
import { inboxModel, type InboxRow } from '../../../database/collections/inbox-row.ts';
import { paymentRequestModel, status, type PaymentRecord } from '../../../database/collections/payment-request.ts';
import type { Refund } from '../../../database/collections/refund.ts';
import type { Environment } from '../../../base/environment.ts';
import { moneyText } from '../../../base/text/money-text.ts';
import type { NotificationView } from '../../notifications/index.ts';
import { doubleCharges } from '../refund/double-charge.ts';
import { chargedOf, leftOf, leftToRefund } from '../state/left-to-refund.ts';
import type { TimelineItem } from '../types/listing.ts';
import { disputedSum } from '../state/disputes.ts';
import { authorisedAttempt } from '../submit/capture-request.ts';
import { statusLabelOf, type StatusLabel } from '../record/status-label.ts';
import { createTimeline, type TimelineDeps } from './timeline.ts';

export interface AttemptDetails extends Pick<
  Attempt,
  | 'n'
  | 'reference'
  | 'adapter'
  | 'providerCode'
  | 'method'
  | 'amount'
  | 'currency'
  | 'outcome'
  | 'unknown'
  | 'providerReference'
  | 'decline'
  | 'declineText'
  | 'cardBin'
  | 'cardLastDigits'
  | 'openedAt'
  | 'settledAt'
  | 'checks'
  | 'lastCheckedAt'
  | 'needsReview'
> {
  /** The money is reserved and neither captured nor released. */
  readonly isAuthorised: boolean;
}

/** Decimal text in `currency`. `currency` is null if nothing was paid. */
export interface MoneyDetails {
  readonly currency: string | null;
  readonly paid: string;
  readonly refunded: string;
  /** Held by open and lost cases. */
  readonly disputed: string;
  readonly fee: string | null;
  /** The paid amount minus the fee. */
  readonly net: string | null;
  readonly leftToRefund: string;
  /** After a double charge: the amount that is to be refunded; null: there was none, or it has been refunded. */
  readonly chargedTwice: string | null;
  /** If there are several charges of which something can still be refunded: these charges. Otherwise empty. */
  readonly doubleCharges: readonly ChargeDetails[];
}

export interface ChargeDetails extends Pick<Attempt, 'n' | 'reference' | 'adapter' | 'currency' | 'settledAt'> {
  /** Decimal text: what can still be refunded of the charge. */
  readonly left: string;
}

/**
 * An action that an operator may take. The console shows a button for it, the command line a command. `payments show
 * --json` prints these members as they are named here.
 */
export interface NextAction {
  readonly act: 'reconcile' | 'review' | 'refund' | 'requeue' | 'discard' | 'resend';
  /** The id of the payment, callback or notification on which the action is taken. */
  readonly id: string;
}

/** Something that happens automatically. `at` null: it waits for a person. */
export interface NextStep {
  readonly at: Date | null;
  readonly what: string;
  /** The actions that a person can take for it; one is enough. */
  readonly acts?: readonly NextAction[];
  /** The callback that this step is about. */
  readonly callbackId?: string;
}

export interface RefundDetails extends Pick<
  Refund,
  'reference' | 'amount' | 'state' | 'requestedAt' | 'providerReference'
> {
  readonly currency: string;
}

export interface PaymentDetails {
  readonly id: number;
  readonly ownerId: number;
  readonly environment: Environment;
  readonly status: StatusLabel;
  readonly amount: string;
  readonly unit: string;
  readonly createdAt: Date;
  readonly referenceId: string | null;
  readonly email: string | null;
  readonly chargedBack: boolean;
  readonly attempts: readonly AttemptDetails[];
  readonly refunds: readonly RefundDetails[];
  /** As merchants see it. */
  readonly timeline: readonly TimelineItem[];
  readonly money: MoneyDetails;
  /** Soonest first. */
  readonly next: readonly NextStep[];
}

export interface PaymentDetailsDeps extends TimelineDeps {
  readonly connection: Connection;
}

/** Undefined if there is no such payment request. */
export type ReadPaymentDetails = (id: number) => Promise<PaymentDetails | undefined>;

export function createPaymentDetails(deps: PaymentDetailsDeps): ReadPaymentDetails {
  const { connection, notificationsOf } = deps;
  const payments = paymentRequestModel(connection);
  const inbox = inboxModel(connection);

  return async (id) => {
    const found = await payments.findById(id).lean();
    if (!found) return undefined;
    const record = fromDocument(found) as PaymentRecord;
    const notifications = await notificationsOf(id);
    const [timeline, callbacks] = await Promise.all([
      createTimeline({ connection, notificationsOf: async () => notifications })(record),
      inbox
        .find(
          { 'events.paymentRequestId': id, state: { $in: ['waiting', 'dead_letter', 'malformed'] } },
          { adapter: 1, state: 1, dueAt: 1, pingDueAt: 1 },
        )
        .limit(100)
        .lean<CallbackRow[]>(),
    ]);
    const next = [
      ...checkSteps(record),
      ...payerSteps(record),
      ...doubleChargeSteps(record),
      ...(record.outboxSince ? [{ at: record.outboxSince, what: 'its notifications are queued' }] : []),
      ...callbacks.map(callbackStep),
      ...notifications.flatMap(notificationSteps),
    ];
    return { ...describe(record), timeline, money: moneyOf(record), next: next.toSorted(bySoonest) };
  };
}

function describe(record: PaymentRecord): Omit<PaymentDetails, 'timeline' | 'money' | 'next'> {
  const { _id: id, ownerId, environment, amount, unit, createdAt, referenceId, chargedBack } = record;
  return {
    id,
    ownerId,
    environment,
    status: statusLabelOf(record),
    amount,
    unit,
    createdAt,
    referenceId,
    email: record.client.email ?? record.payerEmail,
    chargedBack,
    attempts: record.attempts.map((attempt) => presentAttempt(attempt, attempt.n === authorisedAttempt(record)?.n)),
    refunds: record.refunds.map(({ reference, attempt, amount: given, state, requestedAt, providerReference }) => ({
      reference,
      amount: given,
      currency: attemptOf(record, attempt)?.currency ?? unit,
      state,
      requestedAt,
      providerReference,
    })),
  };
}

function presentAttempt(attempt: Attempt, isAuthorised: boolean): AttemptDetails {
  const { n, reference, adapter, providerCode, method, amount, currency, outcome, unknown } = attempt;
  const { providerReference, decline, declineText, cardBin, cardLastDigits } = attempt;
  const { openedAt, settledAt, checks, lastCheckedAt, needsReview } = attempt;
  return {
    n,
    reference,
    adapter,
    providerCode,
    method,
    amount,
    currency,
    outcome,
    unknown,
    providerReference,
    decline,
    declineText,
    cardBin,
    cardLastDigits,
    openedAt,
    settledAt,
    checks,
    lastCheckedAt,
    needsReview,
    isAuthorised,
  };
}

function moneyOf(record: PaymentRecord): MoneyDetails {
  const { paidAmount, paidCurrency, refundedAmount, feeAmount, attempts } = record;
  const charged = attempts.filter(({ outcome }) => outcome === 'succeeded');
  const double = doubleCharges(record).map((attempt) => presentCharge(record, attempt));
  return {
    currency: paidCurrency,
    paid: addDecimals('0', ...charged.map(chargedAmount)),
    refunded: refundedAmount,
    disputed: addDecimals('0', ...charged.map((attempt) => disputedSum(record, attempt))),
    fee: feeAmount,
    net: paidAmount === null ? null : subtractDecimals(paidAmount, feeAmount ?? '0'),
    leftToRefund: leftToRefund(record),
    chargedTwice: double.at(-1)?.left ?? null,
    doubleCharges: double,
  };
}

function presentCharge(record: PaymentRecord, attempt: Attempt): ChargeDetails {
  const { n, reference, adapter, currency, settledAt } = attempt;
  return { n, reference, adapter, currency, settledAt, left: leftOf(record, attempt, chargedOf(attempt)) };
}

/** Checks at providers, and attempts that are no longer checked. */
function checkSteps({ _id, attempts, nextCheckAt, lease }: PaymentRecord): NextStep[] {
  const id = String(_id);
  const unresolved = attempts.filter(({ needsReview, outcome }) => needsReview && outcome === 'open');
  const reviews = unresolved.map(({ reference, adapter }): NextStep => {
    return {
      at: null,
      what: `look up ${reference} at ${adapter}, then check it again or record what was found`,
      acts: [
        { act: 'reconcile', id },
        { act: 'review', id },
      ],
    };
  });
  if (nextCheckAt === null) return reviews;
  const what =
    lease.token === null
      ? 'its status is checked at the provider'
      : `its status is being checked at the provider${lease.worker ? ` by ${lease.worker}` : ''}; if that check never ends, another worker takes over`;
  return [{ at: nextCheckAt, what }, ...reviews];
}

type CallbackRow = Pick<InboxRow, '_id' | 'adapter' | 'state' | 'dueAt' | 'pingDueAt'>;

function callbackStep({ _id, adapter, state, dueAt, pingDueAt }: CallbackRow): NextStep {
  if (state === 'waiting') return { at: dueAt ?? pingDueAt ?? null, what: `a callback of ${adapter} is applied` };
  return {
    at: null,
    what: `fix why a callback of ${adapter} could not be applied, then have it applied again or discard it`,
    acts: [
      { act: 'requeue', id: _id },
      { act: 'discard', id: _id },
    ],
    callbackId: _id,
  };
}

function payerSteps(record: PaymentRecord): NextStep[] {
  if (record.statusId === status.created)
    return [{ at: record.expiresAt ?? null, what: 'it expires unless it is paid' }];
  const attempt = latestAttempt(record);
  if (authorisedAttempt(record)) return [{ at: null, what: 'the merchant captures the reserved money or releases it' }];
  const waits = attempt?.outcome === 'open' && attempt.action !== null && !attempt.stepLost;
  return waits ? [{ at: null, what: 'the payer takes the next step' }] : [];
}

function doubleChargeSteps(record: PaymentRecord): NextStep[] {
  const charge = doubleCharges(record).at(-1);
  if (!charge) return [];
  const what = `refund one of its charges, ${moneyText(chargedAmount(charge), charge.currency)}`;
  return [{ at: null, what, acts: [{ act: 'refund', id: String(record._id) }] }];
}

function notificationSteps({ id, type, state, nextAttemptAt, attempts }: NotificationView): NextStep[] {
  if (state === 'exhausted') return [{ at: null, what: `send ${type} ${id} again`, acts: [{ act: 'resend', id }] }];
  const again = attempts.length > 0 ? ' again' : '';
  return nextAttemptAt === null ? [] : [{ at: nextAttemptAt, what: `${type} is sent${again} (${id})` }];
}

function bySoonest(one: NextStep, other: NextStep): number {
  return (one.at?.getTime() ?? Infinity) - (other.at?.getTime() ?? Infinity) || 0;
}
