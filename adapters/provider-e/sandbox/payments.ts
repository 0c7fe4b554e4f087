/** E's payments and what happened to them. */
import { addDecimals, subtractDecimals, type EventKind, type EventStatus, type Money } from '@paywright/contract';
import { amountRule, cardBehaviour, type AmountRule, type CardBehaviour } from '@paywright/contract/sandbox';
import { kindOfOperation, mapStatus, meanings } from '../statuses.ts';

/** The interface that a payment came in by. */
export type Way = 'xml' | 'h2h';

/** One thing that happened, as the payment's interface spells it: `CAPTURED`, or `sale/0000`. */
export interface Step {
  readonly providerStatus: string;
  readonly kind: EventKind;
  readonly status: EventStatus;
  readonly money: Money;
  /** Counts what happened to a payment. */
  readonly seq: number;
  readonly at: string;
  /** E's number of the sale, refund or dispute that it happened to. */
  readonly tran: string;
  readonly refusal?: Refusal;
}

export interface Refusal {
  readonly why: string;
  readonly rc: string;
  readonly text: string;
}

export interface Payment {
  readonly way: Way;
  readonly reference: string;
  /** E's number of it: `txn`, or the sale's `tranRef`. */
  readonly number: string;
  readonly money: Money;
  readonly card: CardBehaviour;
  readonly rule: AmountRule | undefined;
  readonly delayed: boolean;
  /** What happens first gets the number after this one. */
  readonly seqFrom: number;
  readonly history: Step[];
  /** The payer got a code and has not given it yet. */
  awaitsCode: boolean;
}

/** What must be known of a payment to open it. */
export interface Opening {
  readonly way: Way;
  readonly reference: string;
  readonly money: Money;
  readonly pan: string;
  readonly delayHours: number;
}

/** The payer's bank sends a code first; host-to-host only. */
const CODE_CARD = '4000000000003246';

/** What a status is about, in either interface. */
export function kindOf(providerStatus: string): EventKind {
  return meanings.get(providerStatus)?.kind ?? kindOfOperation(providerStatus.split('/')[0]!);
}

export function openPayment({ way, reference, money, pan, delayHours }: Opening, number: string, seqFrom = 0): Payment {
  return {
    way,
    reference,
    number,
    money,
    card: cardBehaviour(pan),
    rule: amountRule(money),
    delayed: delayHours > 0,
    seqFrom,
    history: [],
    awaitsCode: way === 'h2h' && pan === CODE_CARD,
  };
}

/** Adds to what happened; `tran` is the payment's own number by default. */
export function record(
  payment: Payment,
  providerStatus: string,
  { money = payment.money, tran = payment.number, refusal }: Partial<Pick<Step, 'money' | 'tran' | 'refusal'>> = {},
): Step {
  const step = toStep(payment, providerStatus, { money, tran, ...(refusal ? { refusal } : {}) });
  payment.history.push(step);
  return step;
}

/** What would happen next, not added yet. */
export function toStep(
  { reference, number, history, seqFrom }: Payment,
  providerStatus: string,
  facts: Pick<Step, 'money' | 'tran' | 'refusal'>,
): Step {
  const kind = kindOf(providerStatus);
  const { amount, currency } = facts.money;
  const event = { kind, providerStatus, reference, providerReference: number, amount, currency, dedupeKey: null };
  const at = `${new Date().toISOString().slice(0, 19)}Z`;
  return {
    providerStatus,
    kind,
    status: mapStatus(event, 'callback'),
    seq: (history.at(-1)?.seq ?? seqFrom) + 1,
    at,
    ...facts,
  };
}

/** The latest thing that happened to the payment itself. */
export function latestOf({ history }: Payment): Step | undefined {
  return history.findLast(({ kind }) => kind === 'payment');
}

/** The latest thing that happened to each sale, refund and dispute, the oldest first. */
export function transactionsOf({ history }: Payment): Step[] {
  return [...new Map(history.map((step) => [step.tran, step])).values()];
}

/** What may still be given back, in major units. */
export function leftOf(payment: Payment): string {
  if (!payment.history.some(({ kind, status }) => kind === 'payment' && status === 'succeeded')) return '0';
  const given = transactionsOf(payment).filter(
    ({ kind, status }) => kind === 'refund' && (status === 'pending' || status === 'succeeded'),
  );
  return subtractDecimals(payment.money.amount, addDecimals('0', ...given.map(({ money }) => money.amount)));
}
