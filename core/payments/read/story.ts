/** One payment as an operator sees it: what it is, all that happened, its money, and what happens next. */
import { addDecimals, subtractDecimals } from '@gateway/contract';
import type { Connection } from 'mongoose';
import { chargedAmount, latestAttempt, type Attempt } from '../../documents/attempt.ts';
import { fromDocument } from '../../documents/decimals.ts';
import { inboxModel, type InboxRow } from '../../documents/inbox-row.ts';
import { paymentRequestModel, status, type PaymentRecord } from '../../documents/payment-request.ts';
import type { Refund } from '../../documents/refund.ts';
import type { Environment } from '../../environment.ts';
import type { NotificationView } from '../../notifications/index.ts';
import { doubleCharges } from '../refund/double-charge.ts';
import { leftOf, leftToRefund } from '../refund/left-to-refund.ts';
import type { TimelineItem } from '../service.ts';
import { disputedSum } from '../state/disputes.ts';
import { authorisedAttempt } from '../submit/capture.ts';
import { stateOf, type StateWord } from './state-word.ts';
import { createTimeline, type TimelineDeps } from './timeline.ts';

export interface StoryAttempt extends Pick<
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
  /** Reserved, and neither collected nor released. */
  readonly isAuthorised: boolean;
}

/** Decimal text in `currency`; nothing was paid where that is null. */
export interface StoryMoney {
  readonly currency: string | null;
  readonly paid: string;
  readonly refunded: string;
  /** By open and lost cases. */
  readonly disputed: string;
  readonly fee: string | null;
  /** Paid less the fee. */
  readonly net: string | null;
  readonly leftToRefund: string;
  /** Where it was charged twice, what of that is to be given back; null: it was not, or it has been. */
  readonly chargedTwice: string | null;
}

/** Something that happens by itself; `at` null: it waits for somebody. */
export interface NextStep {
  readonly at: Date | null;
  readonly what: string;
  /** The callback that it is about. */
  readonly callbackId?: string;
}

export interface PaymentStory {
  readonly id: number;
  readonly ownerId: number;
  readonly environment: Environment;
  readonly status: StateWord;
  readonly amount: string;
  readonly unit: string;
  readonly createdAt: Date;
  readonly referenceId: string | null;
  readonly email: string | null;
  readonly chargedBack: boolean;
  readonly attempts: readonly StoryAttempt[];
  readonly refunds: readonly Pick<Refund, 'reference' | 'amount' | 'state' | 'requestedAt' | 'providerReference'>[];
  /** As merchants see it. */
  readonly timeline: readonly TimelineItem[];
  readonly money: StoryMoney;
  /** The soonest first. */
  readonly next: readonly NextStep[];
}

export interface StoryDeps extends TimelineDeps {
  readonly connection: Connection;
}

/** Undefined where there is no such payment request. */
export type ReadStory = (id: number) => Promise<PaymentStory | undefined>;

export function createStories(deps: StoryDeps): ReadStory {
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

function describe(record: PaymentRecord): Omit<PaymentStory, 'timeline' | 'money' | 'next'> {
  const { _id: id, ownerId, environment, amount, unit, createdAt, referenceId, chargedBack } = record;
  return {
    id,
    ownerId,
    environment,
    status: stateOf(record),
    amount,
    unit,
    createdAt,
    referenceId,
    email: record.client.email ?? record.payerEmail,
    chargedBack,
    attempts: record.attempts.map((attempt) => presentAttempt(attempt, attempt.n === authorisedAttempt(record)?.n)),
    refunds: record.refunds.map(({ reference, amount: given, state, requestedAt, providerReference }) => ({
      reference,
      amount: given,
      state,
      requestedAt,
      providerReference,
    })),
  };
}

function presentAttempt(attempt: Attempt, isAuthorised: boolean): StoryAttempt {
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

function moneyOf(record: PaymentRecord): StoryMoney {
  const { paidAmount, paidCurrency, refundedAmount, feeAmount, attempts } = record;
  const charged = attempts.filter(({ outcome }) => outcome === 'succeeded');
  const charge = doubleCharges(record).at(-1);
  return {
    currency: paidCurrency,
    paid: addDecimals('0', ...charged.map(chargedAmount)),
    refunded: refundedAmount,
    disputed: addDecimals('0', ...charged.map((attempt) => disputedSum(record, attempt))),
    fee: feeAmount,
    net: paidAmount === null ? null : subtractDecimals(paidAmount, feeAmount ?? '0'),
    leftToRefund: leftToRefund(record),
    chargedTwice: charge ? leftOf(record, charge, chargedAmount(charge)) : null,
  };
}

/** Questions to providers, and what nobody asks any more. */
function checkSteps({ _id, attempts, nextCheckAt, lease }: PaymentRecord): NextStep[] {
  const unresolved = attempts.filter(({ needsReview, outcome }) => needsReview && outcome === 'open');
  const reviews = unresolved.map(({ reference, adapter }) => ({
    at: null,
    what: `somebody looks ${reference} up at ${adapter}, asks it once more (gateway payments reconcile ${_id}), or says what was found`,
  }));
  if (nextCheckAt === null) return reviews;
  const what =
    lease.token === null
      ? 'its provider is asked about it'
      : `its provider is being asked${lease.worker ? ` by ${lease.worker}` : ''}; where that never ends, somebody else asks`;
  return [{ at: nextCheckAt, what }, ...reviews];
}

type CallbackRow = Pick<InboxRow, '_id' | 'adapter' | 'state' | 'dueAt' | 'pingDueAt'>;

function callbackStep({ _id, adapter, state, dueAt, pingDueAt }: CallbackRow): NextStep {
  if (state === 'waiting') return { at: dueAt ?? pingDueAt ?? null, what: `a callback of ${adapter} is applied` };
  const what =
    `somebody mends why a callback of ${adapter} could not be applied, then has it applied again or gives it up: in the ` +
    `console, or by gateway inbox requeue ${_id} (or discard)`;
  return { at: null, what, callbackId: _id };
}

function payerSteps(record: PaymentRecord): NextStep[] {
  if (record.statusId === status.created)
    return [{ at: record.expiresAt ?? null, what: 'it expires, unless somebody pays it' }];
  const attempt = latestAttempt(record);
  if (authorisedAttempt(record))
    return [{ at: null, what: 'the merchant collects the reserved money, or releases it' }];
  const waits = attempt?.outcome === 'open' && attempt.action !== null && !attempt.stepLost;
  return waits ? [{ at: null, what: 'the payer takes the next step' }] : [];
}

function doubleChargeSteps(record: PaymentRecord): NextStep[] {
  const charge = doubleCharges(record).at(-1);
  if (!charge) return [];
  return [{ at: null, what: `somebody gives one of its charges back, ${chargedAmount(charge)} ${charge.currency}` }];
}

function notificationSteps({ id, type, state, nextAttemptAt, attempts }: NotificationView): NextStep[] {
  if (state === 'exhausted')
    return [
      {
        at: null,
        what: `somebody sends ${type} ${id} again: Send again in the console, or gateway notifications resend ${id}`,
      },
    ];
  const again = attempts.length > 0 ? ' again' : '';
  return nextAttemptAt === null ? [] : [{ at: nextAttemptAt, what: `${type} is sent${again} (${id})` }];
}

function bySoonest(one: NextStep, other: NextStep): number {
  return (one.at?.getTime() ?? Infinity) - (other.at?.getTime() ?? Infinity) || 0;
}
