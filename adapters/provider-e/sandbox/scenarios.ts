/** How a card and an amount decide the result at E, and when it is reported. */
import { compareDecimals, type DeclineCode, type Money } from '@paywright/contract';
import type { Message } from '@paywright/contract/sandbox';
import { latestOf, leftOf, record, type Step, type Payment, type Refusal } from './payments.ts';

const refusals: Readonly<Partial<Record<DeclineCode, Refusal>>> = {
  '05': { why: 'GENERAL', rc: '4005', text: 'refused' },
  '51': { why: 'FUNDS', rc: '4051', text: 'insufficient funds' },
  '54': { why: 'CARD_EXPIRED', rc: '4054', text: 'card expired' },
  '57': { why: 'NOT_PERMITTED', rc: '4057', text: 'not permitted' },
  '61': { why: 'LIMIT', rc: '4061', text: 'over the limit' },
};
const wrongCode: Refusal = { why: 'WRONG_CODE', rc: '4055', text: 'wrong code' };

/** The statuses that this sandbox uses. */
export const vocabulary = {
  xml: {
    sent: 'SENT',
    authorised: 'AUTHORISED',
    captured: 'CAPTURED',
    refundSent: 'REFUND_SENT',
    refunded: 'REFUNDED',
    partRefunded: 'PART_REFUNDED',
    disputed: 'CHARGED_BACK',
    lost: 'CB_LOST',
  },
  h2h: {
    sent: 'sale/2000',
    authorised: 'sale/2002',
    captured: 'sale/0000',
    refundSent: 'refund/2000',
    refunded: 'refund/0000',
    partRefunded: 'refund/0000',
    disputed: 'dispute/7000',
    lost: 'dispute/7002',
  },
} as const;

/** Decides the payment by its card and adds the entries that its answer names. */
export function decide(payment: Payment): void {
  const statuses = vocabulary[payment.way];
  const { card, rule, delayed } = payment;
  if (payment.awaitsCode) {
    record(payment, 'sale/2001'); // Only host-to-host payments ask for a code.
    return;
  }
  const isOpen =
    card.kind === 'pending_approved' || card.kind === 'pending_declined' || card.kind === 'pending_forever';
  if (isOpen || rule === '.56') record(payment, statuses.sent);
  if (card.kind === 'declined') refuse(payment, refusals[card.decline ?? '05']!);
  else if (!isOpen) record(payment, delayed ? statuses.authorised : statuses.captured);
}

/** A code that differs from the payer's: the first answer is final. */
export function refuseCode(payment: Payment): void {
  if (payment.rule === '.56') record(payment, vocabulary[payment.way].sent);
  refuse(payment, wrongCode);
}

function refuse(payment: Payment, refusal: Refusal): Step {
  return record(payment, refusedStatus(payment, refusal), { refusal });
}

function refusedStatus({ way }: Payment, { rc }: Refusal): string {
  return way === 'xml' ? 'REFUSED' : `sale/${rc}`;
}

/** The refusal that a status means; undefined if it is not a refusal. */
export function refusalOf(providerStatus: string): Refusal | undefined {
  if (providerStatus === 'REFUSED') return refusals['05'];
  return [...Object.values(refusals), wrongCode].find(({ rc }) => providerStatus === `sale/${rc}`);
}

/** Adds an entry and builds its message when it is first sent. Undefined means that nothing happens at that moment. */
export type Notify = (
  payment: Payment,
  providerStatus: string,
  after: number,
  happens: () => Step | undefined,
) => Message;

/** All later reports about the payment, including automatic events. */
export function scenarioFor(payment: Payment, newTran: () => string, notify: Notify): Message[] {
  const { card, history, rule, awaitsCode } = payment;
  if (awaitsCode || card.kind === 'pending_forever') return [];
  const statuses = vocabulary[payment.way];
  const sent = history.find(({ providerStatus }) => providerStatus === statuses.sent);
  // For reports out of order, the rule swaps the first two.
  const before = rule === '.56' && sent ? [notify(payment, statuses.sent, 1, () => sent)] : [];
  const after = before.length + 1;
  return [...before, end(payment, after, notify), ...aftermath(payment, after + 1, newTran, notify)];
}

/** The final state: the state that the answer named, or one that is reached when it is reported. */
function end(payment: Payment, after: number, notify: Notify): Message {
  const known = latestOf(payment);
  if (known?.status === 'succeeded' || known?.status === 'failed') {
    return notify(payment, known.providerStatus, after, () => known);
  }
  const { captured } = vocabulary[payment.way];
  const { kind, decline = '05' } = payment.card;
  if (kind !== 'pending_declined') return notify(payment, captured, after, () => record(payment, captured));
  const refusal = refusals[decline]!;
  return notify(payment, refusedStatus(payment, refusal), after, () => refuse(payment, refusal));
}

function aftermath(payment: Payment, after: number, newTran: () => string, notify: Notify): Message[] {
  const statuses = vocabulary[payment.way];
  if (payment.card.kind === 'refunded_later') {
    const givesBack = (): Step | undefined => {
      const left = compareDecimals(leftOf(payment), payment.money.amount) === 0;
      return left ? record(payment, statuses.refunded, { tran: newTran() }) : undefined;
    };
    return [notify(payment, statuses.refunded, after, givesBack)];
  }
  if (payment.card.kind !== 'charged_back_later') return [];
  const tran = newTran();
  return [
    notify(payment, statuses.disputed, after, () => record(payment, statuses.disputed, { tran })),
    notify(payment, statuses.lost, after + 1, () => record(payment, statuses.lost, { tran })),
  ];
}

/** Accepts a refund up to the remaining amount. Returns its first entry and the reports of its end. */
export function giveBack(payment: Payment, money: Money, tran: string, notify: Notify): readonly [Step, Message] {
  const statuses = vocabulary[payment.way];
  const sent = record(payment, statuses.refundSent, { money, tran });
  const isWhole = compareDecimals(money.amount, payment.money.amount) === 0;
  const done = isWhole ? statuses.refunded : statuses.partRefunded;
  return [sent, notify(payment, done, 1, () => record(payment, done, { money, tran }))];
}
