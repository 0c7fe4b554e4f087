/** Builders for tests of the payments domain, and a player of histories: the events of a payment, in any order. */
import type { FailedOutcome, Outcome } from '@paywright/contract';
import type { MappedEvent } from '../../providers/mapped-event.ts';
import type { EventFact } from '../state/apply-event.ts';
import { createAttempt } from '../submit/attempt.ts';
import type { OutcomeFact, RefundOutcomeFact } from '../state/apply-outcome.ts';
import { waitingRefund } from '../state/apply-refund-settled.ts';
import { decide } from '../state/decide.ts';
import type { Decision, Fact } from '../state/fact.ts';
import type { FeeOf } from '../state/fee.ts';
import { attemptOf, type Attempt } from '../../../database/collections/attempt.ts';
import { status, type NotificationType, type PaymentRecord } from '../../../database/collections/payment-request.ts';
import type { Refund } from '../../../database/collections/refund.ts';
import { blank } from '../store/new-record.ts';
import type { PayerInput } from '../types/input.ts';

/** A moment, in seconds after a fixed start. */
export function at(seconds: number): Date {
  return new Date(Date.UTC(2026, 2, 2, 9) + seconds * 1000);
}

/** Differs per attempt, so that a test sees which attempt's fee was used. */
export const feeOf: FeeOf = ({ n }) => (n === 1 ? '0.3' : '0.5');

/** A payment request of 10 EUR as it is after its creation. Frozen, because `decide` must not change its input. */
export function paymentRecord(members: Partial<PaymentRecord> = {}): PaymentRecord {
  return freeze({
    _id: 10042,
    version: 1,
    ownerId: 1,
    environment: 'test',
    keyEnvironment: 'test',
    createdAt: at(0),
    linkKey: 'k',
    amount: '10',
    unit: 'EUR',
    ...blank,
    referenceId: null,
    notifyUrl: null,
    successUrl: null,
    failureUrl: null,
    originDomain: null,
    clientId: 7,
    client: { name: null, email: null, address: null, phone: null, memberId: null },
    isH2h: false,
    ...members,
  });
}

export const payer: PayerInput['payer'] = {
  name: 'Zoe Müller',
  email: 'zoe@example.com',
  phoneNumber: '+4930123456',
  address: 'Hauptstr. 1',
  city: 'Berlin',
  state: 'BE',
  postalCode: '10115',
  country: 'DE',
  ipAddress: null,
};

/** Attempt `n` at a sandbox, before the provider is called. */
export function newAttempt(n: number, members: Partial<Attempt> = {}): Attempt {
  const attempt = createAttempt(
    {
      n,
      paymentRequestId: 10042,
      adapter: `provider-${n}`,
      providerCode: 10 + n,
      method: 'card',
      money: { amount: '10', currency: 'EUR' },
      sandbox: true,
      isFallback: false,
      now: at(1),
      limitMs: 30_000,
    },
    { kind: 'card', payer, body: {} },
  );
  return { ...attempt, ...members };
}

/** A step of a history: a fact, or what the service does before one (opening an attempt, requesting a refund). */
export type TestStep =
  | Fact
  | { readonly type: 'open'; readonly attempt: number }
  | { readonly type: 'request_refund'; readonly refund: number; readonly attempt: number; readonly amount: string };

export const openAttempt = (attempt: number): TestStep => ({ type: 'open', attempt });
export const requestRefund = (refund: number, amount: string, attempt = 1): TestStep => {
  return { type: 'request_refund', refund, attempt, amount };
};
export const cancelPayment: Fact = { type: 'cancel', at: at(50) };
export const replaceAttempt = (n: number): Fact => ({ type: 'replace', attempt: n, by: newAttempt(n + 1), at: at(15) });
export const expirePayment: Fact = { type: 'expire', at: at(60) };

type AnswerMembers = Partial<Omit<OutcomeFact, 'type' | 'outcome'>>;

export function answerWith(outcome: Outcome, members: AnswerMembers = {}): OutcomeFact {
  return {
    type: 'outcome',
    attempt: 1,
    outcome,
    at: at(10),
    action: null,
    step: null,
    completed: null,
    fallback: null,
    ...members,
  };
}

export const succeeded: Outcome = { outcome: 'succeeded' };
export const declined: FailedOutcome = { outcome: 'failed', decline: '51' };
export const nothingWasCharged: FailedOutcome = { outcome: 'failed', nothingCharged: true };
export const pending: Outcome = { outcome: 'pending' };
export const unknownOutcome: Outcome = { outcome: 'unknown' };

/** The outcome with the provider's reference of attempt `n`. */
export function withReference(outcome: Outcome, n = 1): Outcome {
  return { ...outcome, providerReference: `P-${n}` };
}

export function answerRefund(refund: number, outcome: Outcome): RefundOutcomeFact {
  return { type: 'refund_outcome', refund, outcome, at: at(30) };
}

type EventMembers = Partial<MappedEvent> & { readonly attempt?: number; readonly fetched?: boolean };

/** An event that fits attempt 1 (or `attempt`): its amount, currency and the provider's reference `P-<n>`. */
function providerEvent(kind: MappedEvent['kind'], providerStatus: string, members: EventMembers): EventFact {
  const { attempt = 1, fetched = false, ...event } = members;
  return {
    type: 'event',
    attempt,
    fetched,
    at: at(20),
    event: {
      kind,
      providerStatus,
      status: providerStatus as MappedEvent['status'],
      reference: `GW-10042-${attempt}`,
      providerReference: `P-${attempt}`,
      amount: '10.00',
      currency: 'EUR',
      dedupeKey: `P-${attempt}:${kind}:${event.subReference ?? ''}:${providerStatus}`,
      ...event,
    },
  };
}

export function paymentEvent(providerStatus: MappedEvent['status'], members: EventMembers = {}): EventFact {
  return providerEvent('payment', providerStatus, members);
}

export function refundEvent(
  providerStatus: MappedEvent['status'],
  amount: string,
  members: EventMembers = {},
): EventFact {
  return providerEvent('refund', providerStatus, { amount, ...members });
}

export function chargebackEvent(providerStatus: MappedEvent['status'], members: EventMembers = {}): EventFact {
  return providerEvent('chargeback', providerStatus, members);
}

/** The decision about one step, and the payment before and after it. */
export interface StepResult {
  readonly step: TestStep;
  readonly before: PaymentRecord;
  readonly after: PaymentRecord;
  readonly kind: Decision['kind'];
  readonly notified: readonly NotificationType[];
}

export interface History {
  readonly record: PaymentRecord;
  readonly notified: readonly NotificationType[];
  readonly results: readonly StepResult[];
}

export function newHistory(record: PaymentRecord = paymentRecord()): History {
  return { record, notified: [], results: [] };
}

/**
 * True if the cause of the step has happened: a report needs its attempt or refund, and a merchant's call needs a
 * status that allows it.
 */
export function isPossible(record: PaymentRecord, step: TestStep): boolean {
  const isPayable = record.statusId === status.created || record.statusId === status.failed;
  switch (step.type) {
    case 'open':
      return isPayable && record.attempts.length === step.attempt - 1;
    case 'replace':
      return attemptOf(record, step.attempt)?.outcome === 'open' && step.by?.n === record.attempts.length + 1;
    case 'outcome':
    case 'event':
    case 'capture_outcome':
    case 'void_outcome':
    case 'close_outcome':
    case 'not_found':
      return attemptOf(record, step.attempt) !== undefined;
    case 'request_refund':
      return attemptOf(record, step.attempt) !== undefined && record.refunds.length === step.refund - 1;
    case 'refund_outcome':
    case 'refund_not_shown':
      return record.refunds[step.refund - 1] !== undefined;
    case 'refund_settled':
      return waitingRefund(record, step.refund) !== undefined;
    case 'cancel':
      return isPayable;
    case 'expire':
      return record.statusId === status.created;
  }
}

export function continueWith(history: History, step: TestStep): History {
  const before = history.record;
  const decision = apply(before, step);
  const notified = decision.kind === 'changed' ? decision.notify.map(({ type }) => type) : [];
  const after = decision.kind === 'nothing' ? before : freeze(decision.next);
  return {
    record: after,
    notified: [...history.notified, ...notified],
    results: [...history.results, { step, before, after, kind: decision.kind, notified }],
  };
}

/** Plays the whole history. Throws if something happens before its cause. */
export function playHistory(...steps: readonly TestStep[]): History {
  return steps.reduce((history, step) => {
    if (!isPossible(history.record, step)) throw new Error(`${step.type} cannot happen yet`);
    return continueWith(history, step);
  }, newHistory());
}

function apply(record: PaymentRecord, step: TestStep): Decision {
  switch (step.type) {
    case 'open': {
      const attempts = [...record.attempts, newAttempt(step.attempt)];
      const transition = { at: at(1), from: record.statusId, to: status.pending, cause: 'submitted' };
      const transitions = [...record.transitions, transition];
      return { kind: 'changed', next: { ...record, attempts, transitions, statusId: status.pending }, notify: [] };
    }
    case 'request_refund': {
      const { refund: n, attempt, amount } = step;
      const reference = `GW-10042-${attempt}-R${n}`;
      const requested: Refund = {
        n,
        attempt,
        reference,
        amount,
        state: 'requested',
        answeredSucceeded: false,
        providerReference: null,
        requestedAt: at(25),
        sentAt: at(25),
        reportedBefore: [],
        notShownAt: null,
        checks: 0,
        lastCheckedAt: null,
      };
      return { kind: 'changed', next: { ...record, refunds: [...record.refunds, requested] }, notify: [] };
    }
    case 'replace':
    case 'outcome':
    case 'event':
    case 'refund_outcome':
    case 'capture_outcome':
    case 'void_outcome':
    case 'close_outcome':
    case 'not_found':
    case 'refund_not_shown':
    case 'refund_settled':
    case 'cancel':
    case 'expire':
      return decide(record, step, feeOf);
  }
}

/** The history in one line, for the message of a failing test. */
export function describeHistory({ results }: History): string {
  return results
    .map(({ step }) => {
      if (step.type === 'outcome' || step.type === 'refund_outcome') return `${step.type} ${step.outcome.outcome}`;
      if (step.type !== 'event') return step.type;
      const { kind, status, subReference = '', amount } = step.event;
      return `${kind} ${step.attempt} ${status} ${subReference} ${amount}`;
    })
    .join(' > ');
}

/** Every order in which all of these steps can happen. */
export function* everyOrder(steps: readonly TestStep[], history = newHistory()): Generator<History> {
  if (!steps.length) yield history;
  for (const [index, step] of steps.entries()) {
    if (!isPossible(history.record, step)) continue;
    yield* everyOrder(steps.toSpliced(index, 1), continueWith(history, step));
  }
}

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value) && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(freeze);
  }
  return value;
}
