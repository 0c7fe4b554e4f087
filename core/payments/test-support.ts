/** Builders for tests of the payments domain, and a teller of stories: what happens to a payment, in any order. */
import type { FailedOutcome, Outcome } from '@gateway/contract';
import type { StatedEvent } from '../providers/mapped-event.ts';
import type { EventFact } from './apply-event.ts';
import { createAttempt } from './submit/attempt.ts';
import type { AnswerFact, RefundAnswerFact } from './state/apply-outcome.ts';
import { decide, type Decision, type Fact, type FeeOf } from './state/decide.ts';
import { attemptOf, status } from './facts.ts';
import type { Attempt, NotificationType, PaymentRecord, Refund } from './facts.ts';
import { blank } from './store/new-record.ts';
import type { PayerInput } from './service.ts';

/** A moment, counted in seconds. */
export function at(seconds: number): Date {
  return new Date(Date.UTC(2026, 2, 2, 9) + seconds * 1000);
}

/** Differs per attempt, so that a test sees whose fee was taken. */
export const feeOf: FeeOf = ({ n }) => (n === 1 ? '0.3' : '0.5');

/** A payment request of 10 EUR as it stands after its creation; frozen, as `decide` must not change what it is given. */
export function paymentRecord(members: Partial<PaymentRecord> = {}): PaymentRecord {
  return freeze({
    _id: 10042,
    version: 1,
    ownerId: 1,
    environment: 'test',
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

const payer: PayerInput['payer'] = {
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

/** Attempt `n` at a sandbox, as it stands before the provider is asked. */
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

/** What can happen: a fact, or what the service itself does before one (opening an attempt, asking for a refund). */
export type Happening =
  | Fact
  | { readonly type: 'open'; readonly attempt: number }
  | { readonly type: 'ask_refund'; readonly refund: number; readonly attempt: number; readonly amount: string };

export const opens = (attempt: number): Happening => ({ type: 'open', attempt });
export const asksRefund = (refund: number, amount: string, attempt = 1): Happening => {
  return { type: 'ask_refund', refund, attempt, amount };
};
export const cancels: Fact = { type: 'cancel', at: at(50) };
export const lapses: Fact = { type: 'lapse', at: at(60) };

type AnswerMembers = Partial<Omit<AnswerFact, 'type' | 'outcome'>>;

export function answers(outcome: Outcome, members: AnswerMembers = {}): AnswerFact {
  return {
    type: 'answer',
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
export function named(outcome: Outcome, n = 1): Outcome {
  return { ...outcome, providerReference: `P-${n}` };
}

export function refundAnswers(refund: number, outcome: Outcome): RefundAnswerFact {
  return { type: 'refund_answer', refund, outcome, at: at(30) };
}

type EventMembers = Partial<StatedEvent> & { readonly attempt?: number; readonly own?: boolean };

/** An event that fits attempt 1 (or `attempt`): its amount, currency and the provider's reference `P-<n>`. */
function tells(kind: StatedEvent['kind'], word: string, members: EventMembers): EventFact {
  const { attempt = 1, own = false, ...event } = members;
  return {
    type: 'event',
    attempt,
    own,
    at: at(20),
    event: {
      kind,
      word,
      status: word as StatedEvent['status'],
      reference: `GW-10042-${attempt}`,
      providerReference: `P-${attempt}`,
      amount: '10.00',
      currency: 'EUR',
      dedupeKey: `P-${attempt}:${kind}:${event.subReference ?? ''}:${word}`,
      ...event,
    },
  };
}

export function tellsPayment(word: StatedEvent['status'], members: EventMembers = {}): EventFact {
  return tells('payment', word, members);
}

export function tellsRefund(word: StatedEvent['status'], amount: string, members: EventMembers = {}): EventFact {
  return tells('refund', word, { amount, ...members });
}

export function tellsChargeback(word: StatedEvent['status'], members: EventMembers = {}): EventFact {
  return tells('chargeback', word, members);
}

/** One step of a story: what was decided about a happening, and what the payment was before and after. */
export interface Step {
  readonly happening: Happening;
  readonly before: PaymentRecord;
  readonly after: PaymentRecord;
  readonly kind: Decision['kind'];
  readonly announced: readonly NotificationType[];
}

export interface Story {
  readonly record: PaymentRecord;
  readonly announced: readonly NotificationType[];
  readonly steps: readonly Step[];
}

export function beginning(record: PaymentRecord = paymentRecord()): Story {
  return { record, announced: [], steps: [] };
}

/** Causes come before effects: only what exists can be told about, and a merchant's call needs the status that allows it. */
export function canHappen(record: PaymentRecord, happening: Happening): boolean {
  const isPayable = record.statusId === status.created || record.statusId === status.failed;
  switch (happening.type) {
    case 'open':
      return isPayable && record.attempts.length === happening.attempt - 1;
    case 'answer':
    case 'event':
      return attemptOf(record, happening.attempt) !== undefined;
    case 'ask_refund':
      return attemptOf(record, happening.attempt) !== undefined && record.refunds.length === happening.refund - 1;
    case 'refund_answer':
      return record.refunds[happening.refund - 1] !== undefined;
    case 'cancel':
      return isPayable;
    case 'lapse':
      return record.statusId === status.created;
  }
}

export function goOn(story: Story, happening: Happening): Story {
  const before = story.record;
  const decision = happen(before, happening);
  const announced = decision.kind === 'changed' ? decision.announce : [];
  const after = decision.kind === 'nothing' ? before : freeze(decision.next);
  return {
    record: after,
    announced: [...story.announced, ...announced],
    steps: [...story.steps, { happening, before, after, kind: decision.kind, announced }],
  };
}

/** The whole story; throws where something happens before its cause. */
export function tell(...happenings: readonly Happening[]): Story {
  return happenings.reduce((story, happening) => {
    if (!canHappen(story.record, happening)) throw new Error(`${happening.type} cannot happen yet`);
    return goOn(story, happening);
  }, beginning());
}

function happen(record: PaymentRecord, happening: Happening): Decision {
  switch (happening.type) {
    case 'open': {
      const attempts = [...record.attempts, newAttempt(happening.attempt)];
      const step = { at: at(1), from: record.statusId, to: status.pending, cause: 'submitted' };
      const transitions = [...record.transitions, step];
      return { kind: 'changed', next: { ...record, attempts, transitions, statusId: status.pending }, announce: [] };
    }
    case 'ask_refund': {
      const { refund: n, attempt, amount } = happening;
      const reference = `GW-10042-${attempt}-R${n}`;
      const asked: Refund = {
        n,
        attempt,
        reference,
        amount,
        state: 'asking',
        answeredSucceeded: false,
        providerReference: null,
        requestedAt: at(25),
        asked: 0,
        askedAt: null,
      };
      return { kind: 'changed', next: { ...record, refunds: [...record.refunds, asked] }, announce: [] };
    }
    case 'answer':
    case 'event':
    case 'refund_answer':
    case 'cancel':
    case 'lapse':
      return decide(record, happening, feeOf);
  }
}

/** The story in a line, for a test that fails. */
export function wordsOf({ steps }: Story): string {
  return steps
    .map(({ happening }) => {
      if (happening.type === 'answer' || happening.type === 'refund_answer')
        return `${happening.type} ${happening.outcome.outcome}`;
      if (happening.type !== 'event') return happening.type;
      const { kind, status, subReference = '', amount } = happening.event;
      return `${kind} ${happening.attempt} ${status} ${subReference} ${amount}`;
    })
    .join(' > ');
}

/** Every order in which all of these can happen. */
export function* everyOrder(happenings: readonly Happening[], story = beginning()): Generator<Story> {
  if (!happenings.length) yield story;
  for (const [index, happening] of happenings.entries()) {
    if (!canHappen(story.record, happening)) continue;
    yield* everyOrder(happenings.toSpliced(index, 1), goOn(story, happening));
  }
}

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value) && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(freeze);
  }
  return value;
}
