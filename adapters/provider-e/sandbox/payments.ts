/** E's payments and their history. */
import { addDecimals, subtractDecimals, type EventKind, type EventStatus, type Money } from '@paywright/contract';
import { amountRule, cardBehaviour, type AmountRule, type CardBehaviour } from '@paywright/contract/sandbox';
import { kindOfOperation, mapStatus, meanings } from '../statuses.ts';

/** The interface of the payment. */
export type Way = 'xml' | 'h2h';

/** One entry of the history, in the spelling of the payment's interface: `CAPTURED`, or `sale/0000`. */
export interface Step {
  readonly providerStatus: string;
  readonly kind: EventKind;
  readonly status: EventStatus;
  readonly money: Money;
  /** Position of the entry in the payment's history. */
  readonly seq: number;
  readonly at: string;
  /** E's number of the sale, refund or dispute that the entry is about. */
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
  /** E's number of the payment: `txn`, or the sale's `tranRef`. */
  readonly number: string;
  readonly money: Money;
  readonly card: CardBehaviour;
  readonly rule: AmountRule | undefined;
  readonly delayed: boolean;
  /** The first entry of the history gets the number after this one. */
  readonly seqFrom: number;
  readonly history: Step[];
  /** The payer received a code and has not entered it yet. */
  awaitsCode: boolean;
}

/** Facts needed to open a payment. */
export interface Opening {
  readonly way: Way;
  readonly reference: string;
  readonly money: Money;
  readonly pan: string;
  readonly delayHours: number;
}

/** The payer's bank sends a code first; host-to-host only. */
const CODE_CARD = '4000000000003246';

/** The subject of a status, in either interface. */
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

/** Adds an entry to the history. `tran` is the payment's own number by default. */
export function record(
  payment: Payment,
  providerStatus: string,
  { money = payment.money, tran = payment.number, refusal }: Partial<Pick<Step, 'money' | 'tran' | 'refusal'>> = {},
): Step {
  const step = toStep(payment, providerStatus, { money, tran, ...(refusal ? { refusal } : {}) });
  payment.history.push(step);
  return step;
}

/** The next entry, without adding it. */
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

/** The latest entry about the payment itself. */
export function latestOf({ history }: Payment): Step | undefined {
  return history.findLast(({ kind }) => kind === 'payment');
}

/** The latest entry about each sale, refund and dispute, the oldest first. */
export function transactionsOf({ history }: Payment): Step[] {
  return [...new Map(history.map((step) => [step.tran, step])).values()];
}

/** The amount that can still be refunded, in major units. */
export function leftOf(payment: Payment): string {
  if (!payment.history.some(({ kind, status }) => kind === 'payment' && status === 'succeeded')) return '0';
  const given = transactionsOf(payment).filter(
    ({ kind, status }) => kind === 'refund' && (status === 'pending' || status === 'succeeded'),
  );
  return subtractDecimals(payment.money.amount, addDecimals('0', ...given.map(({ money }) => money.amount)));
}
