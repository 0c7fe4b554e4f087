/**
 * Applies what callbacks reported to one payment, in one change. Pure, so that it can be repeated on the newest
 * version.
 */
import { readReference } from '@paywright/contract';
import { mainAccount } from '../../providers/account-ref.ts';
import { isOfOtherMode, otherAccount, otherMode } from './apply-event.ts';
import { decide } from './decide.ts';
import { isPaymentId } from './provider-references.ts';
import type { FeeOf } from './fee.ts';
import { requestFetch } from '../record/request-fetch.ts';
import { attemptOf, type Attempt } from '../../../database/collections/attempt.ts';
import { status, type Notice, type PaymentRecord } from '../../../database/collections/payment-request.ts';
import { addResult, findStep, takeStep } from '../three-ds/step.ts';
import { MINUTE } from '../../../base/async/time.ts';
import { namedIds, type MappedEvent } from '../../providers/mapped-event.ts';
import { threeDsRoute } from '../three-ds/read-three-ds.ts';

/** How long a failure waits for the provider's own answer. */
const DECLINE_WAIT_MS = MINUTE;

export interface WaitingEvent {
  readonly adapter: string;
  /**
   * The accounts of the adapter whose secret proves the event: several if they have the same secret. Absent: no account
   * does, as for a ping and for 3D Secure.
   */
  readonly accounts?: readonly string[];
  readonly event: MappedEvent;
  readonly receivedAt: Date;
  /** The trace in which the callback was received; absent: traces are off. */
  readonly trace?: string | undefined;
  /** For a result at /callbacks/3ds: the step's name, and what was posted, encrypted. */
  readonly posted?: { readonly nonce: string; readonly encrypted: Uint8Array };
}

/** `retry`: the payment does not have such an attempt yet, or the provider is being asked why it failed. */
export interface AppliedEvent {
  readonly state: 'applied' | 'nothing' | 'refused' | 'retry';
  readonly note: string;
  /** The error of our own because of which the event failed. */
  readonly error?: unknown;
  /** The status of the payment before and after the event. Only for applied events. */
  readonly change?: { readonly from: number; readonly to: number };
}

/** The note of an event that failed for a reason of our own. */
export const ourError = 'an error on our side';

export interface AppliedAll {
  readonly next: PaymentRecord;
  readonly notify: readonly Notice[];
  readonly results: readonly AppliedEvent[];
}

export function applyEvents(
  record: PaymentRecord,
  waiting: readonly WaitingEvent[],
  feeOf: FeeOf,
  at: Date,
): AppliedAll {
  let next = record;
  const notify: Notice[] = [];
  function apply(one: WaitingEvent): AppliedEvent {
    const attempt = attemptFor(next, one);
    if (!attempt) return { state: 'retry', note: 'the payment has no such attempt yet' };
    const { adapter, event } = one;
    if (isOfOtherMode(attempt, event)) return { state: 'nothing', note: otherMode };
    if (adapter !== threeDsRoute && adapter !== attempt.adapter) {
      const note = `the attempt went to ${attempt.adapter}`;
      // Nothing proves an event that must be fetched, so its sender could raise alarms at will.
      if (event.mustFetch) return { state: 'refused', note };
      const fact = { type: 'event', attempt: attempt.n, event, at, fetched: false, adapter } as const;
      const decision = decide(next, fact, feeOf);
      if (decision.kind === 'refused') next = decision.next;
      return { state: 'refused', note };
    }
    const { account = mainAccount } = attempt;
    const isProvenByOther = adapter !== threeDsRoute && one.accounts !== undefined && !one.accounts.includes(account);
    if (isProvenByOther || event.ofOtherAccount) return { state: 'nothing', note: otherAccount };
    if (event.kind === '3ds') {
      const taken = takeThreeDs(next, attempt, one, at);
      next = taken.next;
      return taken.result;
    }
    if (event.mustFetch) {
      next = requestFetch(next, attempt.n, event.subReference);
      return { state: 'applied', note: 'to be fetched' };
    }
    const decision = decide(next, { type: 'event', attempt: attempt.n, event, at, fetched: false }, feeOf);
    if (decision.kind === 'nothing') return { state: 'nothing', note: decision.reason };
    if (decision.kind === 'changed' && isHeld(attempt, one, at)) {
      if (attempt.fetchesRequested === attempt.fetchesDone) next = requestFetch(next, attempt.n);
      return { state: 'retry', note: 'its decline is being fetched' };
    }
    next = decision.next;
    if (decision.kind === 'changed') {
      notify.push(...decision.notify);
      // The callback does not verify why the payment failed: the provider's own answer does.
      if (event.kind === 'payment' && event.status === 'failed' && !event.decline) next = requestFetch(next, attempt.n);
      return { state: 'applied', note: '' };
    }
    if (decision.fetch) next = requestFetch(next, attempt.n, event.subReference);
    return { state: 'refused', note: decision.reason };
  }
  const results = waiting.map((one): AppliedEvent => {
    const from = next.statusId;
    try {
      const result = apply(one);
      return result.state === 'applied' ? { ...result, change: { from, to: next.statusId } } : result;
    } catch (error) {
      // The other events are applied nevertheless.
      return { state: 'retry', note: ourError, error };
    }
  });
  // A reservation that the same change captures is over before the merchant could act on it.
  const isReserved = next.statusId === status.pending;
  return { next, notify: notify.filter(({ type }) => type !== 'payment.authorised' || isReserved), results };
}

/**
 * True for a failure that does not say why. The provider's answer to a fetch says why and is applied instead, unless it
 * takes too long.
 */
function isHeld({ outcome }: Attempt, { event, receivedAt }: WaitingEvent, at: Date): boolean {
  const isUnexplained = event.kind === 'payment' && event.status === 'failed' && !event.decline;
  return isUnexplained && outcome === 'open' && at.getTime() - receivedAt.getTime() < DECLINE_WAIT_MS;
}

/**
 * Found by our reference, else by the provider's ids of the payment, else by its reference of a refund that was
 * reported under it.
 */
function attemptFor(record: PaymentRecord, { adapter, accounts, event }: WaitingEvent): Attempt | undefined {
  const named = event.reference === null ? undefined : readReference(event.reference);
  if (named) return named.paymentRequestId === String(record._id) ? attemptOf(record, named.attempt) : undefined;
  const { kind, subReference } = event;
  const ids = namedIds(event);
  if (ids.length > 0) {
    const isOwn = (one: Attempt): boolean => accounts === undefined || accounts.includes(one.account ?? mainAccount);
    const all = record.attempts.filter((one) => one.adapter === adapter);
    const ours = [...all.filter(isOwn), ...all.filter((one) => !isOwn(one))];
    return (
      ours.find((one) => one.providerReference === event.providerReference) ??
      ours.find((one) => ids.some((id) => isPaymentId(one, id)))
    );
  }
  if (kind !== 'refund' || subReference === undefined) return undefined;
  const reported = record.reportedRefunds.find((one) => one.subReference === subReference);
  return reported && attemptOf(record, reported.attempt);
}

/** The step is over: a worker calls `complete`, which decides. If the step was taken before, that is done already. */
function takeThreeDs(
  record: PaymentRecord,
  attempt: Attempt,
  { event, posted }: WaitingEvent,
  at: Date,
): { readonly next: PaymentRecord; readonly result: AppliedEvent } {
  const found = findStep(record, (step, owner) => {
    if (owner.n !== attempt.n) return false;
    return posted
      ? step.nonce === posted.nonce
      : step.transactionId !== null && step.transactionId === event.providerReference;
  });
  if (!found) return { next: record, result: { state: 'nothing', note: 'no 3D Secure step of that name waits' } };
  const known = found.step.transactionId;
  if (posted && known !== null && event.providerReference !== null && known.toLowerCase() !== event.providerReference) {
    return { next: record, result: { state: 'refused', note: 'another 3D Secure transaction' } };
  }
  const shown = withShown(record, attempt, event);
  const taken =
    takeStep(shown, attempt, found.step, at, posted?.encrypted ?? null) ??
    (posted && addResult(shown, attempt, found.step, posted.encrypted));
  if (!taken) return { next: shown, result: { state: 'nothing', note: 'the step was taken before' } };
  return { next: requestFetch(taken, attempt.n), result: { state: 'applied', note: 'to be completed' } };
}

/** What a provider proves about the step counts as long as nothing else has settled the attempt. */
function withShown(record: PaymentRecord, { n, outcome }: Attempt, { threeDs }: MappedEvent): PaymentRecord {
  if (threeDs === undefined || outcome !== 'open') return record;
  const attempts = record.attempts.map((one) => (one.n === n ? { ...one, threeDsShown: threeDs } : one));
  return { ...record, attempts };
}
