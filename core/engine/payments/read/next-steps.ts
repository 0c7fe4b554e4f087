/** What happens next with a payment: checks, callbacks and notifications that are due, and what waits for a person. */
import { eventKinds } from '@paywright/contract/core';
import type { Connection } from 'mongoose';
import { alarmId, alarmKinds, meaningOf, paymentSubject } from '../../alarms/index.ts';
import { alarmModel, type Alarm, type AlarmKind } from '../../../database/collections/alarm.ts';
import { attemptOf, latestAttempt, type Attempt } from '../../../database/collections/attempt.ts';
import { auditEntryModel } from '../../../database/collections/audit-entry.ts';
import { inboxModel, type InboxRow } from '../../../database/collections/inbox-row.ts';
import { status, type PaymentRecord } from '../../../database/collections/payment-request.ts';
import type { Refund } from '../../../database/collections/refund.ts';
import { moneyText } from '../../../base/text/money-text.ts';
import type { NotificationView } from '../../notifications/index.ts';
import { doubleCharges } from '../refund/double-charge.ts';
import { lackingRefunds } from '../refund/lacking-refunds.ts';
import { isExpired } from '../record/is-expired.ts';
import { chargesOf } from '../state/charges.ts';
import { disputesOf } from '../state/disputes.ts';
import { refundableOf } from '../state/left-to-refund.ts';
import { isOpenRefund, refundEntries } from '../state/refund-entries.ts';
import { heldCoins, underpaidText } from '../state/received-coins.ts';
import { authorisedAttempt } from '../state/authorised-attempt.ts';

/**
 * An action that an operator may take. The console shows a button for it, the command line a command. `payments show
 * --json` prints these members as they are named here.
 */
export interface NextAction {
  readonly act: 'reconcile' | 'review' | 'refund' | 'settle_refund' | 'requeue' | 'discard' | 'resend';
  /** The id of the payment, callback or notification on which the action is taken. */
  readonly id: string;
  /** For a refund of a payment that was charged more than once: the charge to refund, from 1. */
  readonly charge?: number;
  /** For a refund that failed: its amount. */
  readonly amount?: string;
  /** For a refund that the merchant must send: our id of the refund. */
  readonly refund?: string;
}

/** Something that happens automatically. `at` null: it waits for a person. */
export interface NextStep {
  readonly at: Date | null;
  readonly what: string;
  /** The actions that a person can take for it; one is enough. */
  readonly acts?: readonly NextAction[];
  /** The adapter that `what` names. Pages show the name of its provider instead. */
  readonly adapter?: string;
  /** The callback that this step is about. */
  readonly callbackId?: string;
  /** The notification that this step is about. `what` names it. */
  readonly notificationId?: string;
}

/** A step, and the kinds of alarms that it is about. */
interface Step extends NextStep {
  readonly about?: readonly AlarmKind[];
}

/** Soonest first; what waits for a person is last. */
export type ReadNextSteps = (
  record: PaymentRecord,
  notifications: readonly NotificationView[],
  alarms: readonly UnresolvedAlarm[],
) => Promise<readonly NextStep[]>;

export type UnresolvedAlarm = Pick<Alarm, '_id' | 'kind' | 'reason' | 'state' | 'lastSeenAt'>;

/** Reads the unresolved alarms of a payment, the most recent first. */
export function createPaymentAlarms(connection: Connection): (id: number) => Promise<readonly UnresolvedAlarm[]> {
  const alarms = alarmModel(connection);
  return async (id) =>
    alarms
      .find({ _id: { $in: alarmIdsOf(id) }, state: { $in: ['open', 'acknowledged'] } })
      .sort({ lastSeenAt: -1 })
      .lean<UnresolvedAlarm[]>();
}

export function createNextSteps(connection: Connection): ReadNextSteps {
  const inbox = inboxModel(connection);
  const audit = auditEntryModel(connection);

  return async (record, notifications, open) => {
    const id = record._id;
    const [callbacks, review] = await Promise.all([
      inbox
        .find(
          { 'events.paymentRequestId': id, state: { $in: ['waiting', 'dead_letter', 'malformed'] } },
          { adapter: 1, state: 1, dueAt: 1, pingDueAt: 1 },
        )
        .limit(100)
        .lean<CallbackRow[]>(),
      audit
        .findOne({ 'subject.type': 'payment', 'subject.id': String(id), act: 'payment.review', state: 'done' })
        .sort({ _id: -1 })
        .lean(),
    ]);
    const reviewedAt = review?.at ?? new Date(0);
    const steps = [
      ...checkSteps(record),
      ...payerSteps(record, new Date()),
      ...openRefundSteps(record),
      ...merchantRefundSteps(record),
      ...failedRefundSteps(record, reviewedAt),
      ...doubleChargeSteps(record),
      ...disputeSteps(record),
      ...coinSteps(record, reviewedAt),
    ];
    return [
      ...steps.map(toNextStep),
      ...alarmSteps(id, open, steps),
      ...(record.outboxSince ? [{ at: record.outboxSince, what: 'its notifications are queued' }] : []),
      ...callbacks.map(callbackStep),
      ...notifications.flatMap(notificationSteps),
    ].toSorted(bySoonest);
  };
}

function toNextStep(step: Step): NextStep {
  const { about: _, ...shown } = step;
  return shown;
}

/** The ids of every alarm that the payment may have. */
function alarmIdsOf(id: number): string[] {
  return (Object.keys(alarmKinds) as AlarmKind[]).flatMap((kind) =>
    [undefined, ...eventKinds].map((about) => alarmId(kind, paymentSubject(id, about))),
  );
}

/** Checks at providers, and attempts that are no longer checked. */
function checkSteps({ _id, attempts, refunds, nextCheckAt, lease }: PaymentRecord): Step[] {
  const id = String(_id);
  const unresolved = attempts.filter(({ needsReview, outcome }) => needsReview && outcome === 'open');
  const reviews = unresolved.map(({ reference, adapter }): Step => {
    return {
      at: null,
      what: `look up ${reference} at ${adapter}, then check it again or record what was found`,
      acts: [
        { act: 'reconcile', id },
        { act: 'review', id },
      ],
      adapter,
      about: ['payment_unresolved'],
    };
  });
  // A check that is only about refunds is a step of its own.
  const isAboutRefunds = refunds.some(isOpenRefund) && attempts.every(({ outcome }) => outcome !== 'open');
  if (nextCheckAt === null || isAboutRefunds) return reviews;
  const what =
    lease.token === null
      ? 'its status is checked at the provider'
      : `its status is being checked at the provider${lease.worker ? ` by ${lease.worker}` : ''}; if that check never ends, another worker takes over`;
  return [{ at: nextCheckAt, what }, ...reviews];
}

type CallbackRow = Pick<InboxRow, '_id' | 'adapter' | 'state' | 'dueAt' | 'pingDueAt'>;

function callbackStep({ _id, adapter, state, dueAt, pingDueAt }: CallbackRow): NextStep {
  if (state === 'waiting')
    return { at: dueAt ?? pingDueAt ?? null, what: `a callback of ${adapter} is applied`, adapter };
  return {
    at: null,
    what: `fix why a callback of ${adapter} could not be applied, then have it applied again or discard it`,
    acts: [
      { act: 'requeue', id: _id },
      { act: 'discard', id: _id },
    ],
    adapter,
    callbackId: _id,
  };
}

function payerSteps(record: PaymentRecord, now: Date): Step[] {
  if (record.statusId === status.created)
    return [{ at: record.expiresAt ?? null, what: 'it expires unless it is paid' }];
  if (record.statusId === status.failed && !isExpired(record, now)) {
    const until = record.expiresAt ? ' until then' : '';
    return [{ at: record.expiresAt ?? null, what: `the payer can try again at the link${until}` }];
  }
  const attempt = latestAttempt(record);
  if (authorisedAttempt(record)) return [{ at: null, what: 'the merchant captures the reserved money or releases it' }];
  const waits = attempt?.outcome === 'open' && attempt.action !== null && !attempt.stepLost;
  return waits ? [{ at: null, what: 'the payer takes the next step' }] : [];
}

function doubleChargeSteps(record: PaymentRecord): Step[] {
  const kept = doubleCharges(record);
  const charge = chargesOf(record).findLast(({ n }) => kept.some((one) => one.n === n));
  if (!charge) return [];
  const what = `refund one of its charges, ${moneyText(refundableOf(record, charge), charge.currency)}`;
  const act = { act: 'refund', id: String(record._id), ...chargeMember(record, charge.n) } as const;
  return [{ at: null, what, acts: [act], about: ['charged_twice'] }];
}

/** Coins that arrived without paying, if the latest of them were not reviewed since. */
function coinSteps(record: PaymentRecord, reviewedAt: Date): Step[] {
  const id = String(record._id);
  const isReviewed = ({ n }: Attempt): boolean => {
    const latest = record.logs.findLast(({ attempt, received }) => attempt === n && received !== null);
    return latest !== undefined && latest.at <= reviewedAt;
  };
  const held = heldCoins(record).filter((attempt) => !isReviewed(attempt));
  return held.map((attempt) => ({
    at: null,
    what: `${underpaidText([attempt])} for ${attempt.reference}: wait for the rest, refund what came in, or record what was agreed`,
    acts: [
      { act: 'refund', id, ...chargeMember(record, attempt.n) },
      { act: 'review', id },
    ],
    about: ['payment_underpaid'],
  }));
}

function notificationSteps({ id, type, state, nextAttemptAt, attempts }: NotificationView): NextStep[] {
  if (state === 'exhausted')
    return [{ at: null, what: `send ${type} ${id} again`, notificationId: id, acts: [{ act: 'resend', id }] }];
  const again = attempts.length > 0 ? ' again' : '';
  return nextAttemptAt === null
    ? []
    : [{ at: nextAttemptAt, what: `${type} is sent${again} (${id})`, notificationId: id }];
}

/** Refunds whose result is not known yet. */
function openRefundSteps(record: PaymentRecord): Step[] {
  const open = record.refunds.filter((refund) => isOpenRefund(refund) && refund.state !== 'needs_merchant');
  return open.map((refund) => ({
    at: record.nextCheckAt,
    what: `the provider is asked for the result of ${refundText(record, refund)}${
      refund.state === 'unknown' ? ', because it gave no readable answer' : ''
    }`,
    acts: [{ act: 'reconcile', id: String(record._id) }],
    // The refund may be the cure of one of the other two alarms, which stay open until it has succeeded.
    about: ['refund_unresolved', 'charged_twice', 'payment_underpaid'],
  }));
}

/** Refunds that the provider cannot send. */
function merchantRefundSteps(record: PaymentRecord): Step[] {
  const id = String(record._id);
  return refundEntries(record)
    .filter(({ status: state }) => state === 'needs_merchant')
    .map(({ id: refund, attempt, amount, failureReason }) => {
      const text = refundText(record, { reference: refund, attempt, amount });
      const why = failureReason === null ? '' : ` (${failureReason})`;
      return {
        at: null,
        what: `the provider cannot send ${text}${why}: the merchant sends the money by other means; then record the result`,
        acts: [{ act: 'settle_refund', id, refund }],
        about: ['refund_needs_merchant'],
      };
    });
}

/** Refunds that failed and were neither made later nor reviewed since. */
function failedRefundSteps(record: PaymentRecord, reviewedAt: Date): Step[] {
  const id = String(record._id);
  return lackingRefunds(record)
    .filter(({ doneAt, requestedAt }) => (doneAt ?? requestedAt) > reviewedAt)
    .map((refund) => ({
      at: null,
      what: `${refundText(record, refund)} failed${refund.failureReason ? ` (${refund.failureReason})` : ''}: refund it again, or record what was found`,
      acts: [
        { act: 'refund', id, amount: refund.amount, ...chargeMember(record, refund.attempt) },
        { act: 'review', id },
      ],
      about: ['refund_failed'],
    }));
}

function refundText(
  record: PaymentRecord,
  { reference, attempt, amount }: Pick<Refund, 'reference' | 'attempt' | 'amount'>,
): string {
  return `refund ${reference} of ${moneyText(amount, attemptOf(record, attempt)?.currency ?? record.unit)}`;
}

/** The number of the charge, if there are several. */
function chargeMember(record: PaymentRecord, attempt: number): { readonly charge?: number } {
  const charges = chargesOf(record);
  return charges.length > 1 ? { charge: charges.findIndex(({ n }) => n === attempt) + 1 } : {};
}

function disputeSteps(record: PaymentRecord): Step[] {
  return record.attempts
    .filter(({ outcome }) => outcome === 'succeeded')
    .flatMap((attempt) =>
      disputesOf(record, attempt)
        .filter(({ stage }) => stage === 'opened')
        .map(({ number, reported }) => ({
          at: null,
          what: `chargeback ${number ?? 'without number'} of ${moneyText(reported.amount, reported.currency)} is open: answer it in the console of ${attempt.adapter}`,
          adapter: attempt.adapter,
        })),
    );
}

/** Alarms of the payment that no other step is about. */
function alarmSteps(id: number, alarms: readonly UnresolvedAlarm[], steps: readonly Step[]): NextStep[] {
  const covered = new Set(steps.flatMap(({ about = [] }) => about));
  return alarms
    .filter(({ kind }) => !covered.has(kind))
    .map(({ kind, reason }) => ({
      at: null,
      what: `the alarm ${kind} is open (${reason}): ${meaningOf(kind).cure}`,
      acts: [{ act: 'review', id: String(id) }],
    }));
}

function bySoonest(one: NextStep, other: NextStep): number {
  return (one.at?.getTime() ?? Infinity) - (other.at?.getTime() ?? Infinity) || 0;
}
