/** The status answer, told as events: how the page ended, then what was given back and disputed since. */
import {
  noNews,
  type HttpReply,
  type Provider,
  type ReportedEvent,
  type StatusReport,
  type StoredPayment,
} from '@gateway/contract';
import { readAnswer, readError } from './answer.ts';
import { kindOf, toEvent } from './event.ts';
import { isSameMoney, moneyOf, type Message } from './message.ts';
import type { Options } from './options.ts';
import { isOpen, pageAction } from './order.ts';

export function readStatus(reply: HttpReply, payment: StoredPayment, { options }: Provider<Options>): StatusReport {
  if (reply.status === 404 && readError(reply).d_error === 'no_such_order') {
    // D keeps an order before it answers: once our call has ended, an order that D does not know never began.
    return payment.endedAt ? { news: 'nothing_charged' } : noNews('the order may still be on its way');
  }
  if (reply.status !== 200) return noNews(`D answered ${reply.status}`);
  const message = readAnswer(reply, payment.reference, options);
  if (!message || kindOf(message) !== 'payment' || !isSameMoney(moneyOf(message), payment.money)) {
    return noNews('the answer is no proven status of this order');
  }
  const action = isOpen(message) ? pageAction(message) : undefined;
  if (isOpen(message) && !action) return noNews('an open page without an address');
  return { news: 'events', events: [{ ...toEvent(message), ...(action ? { action } : {}) }, ...laterEvents(message)] };
}

function laterEvents(message: Message): ReportedEvent[] {
  const { D_Order, D_Id, D_Cur, D_Back = '0', D_Case = 'none' } = message;
  const about = { reference: D_Order, providerReference: D_Id };
  const events: ReportedEvent[] = [];
  if (/[1-9]/.test(D_Back)) {
    const money = moneyOf({ D_Sum: D_Back, D_Cur });
    const dedupeKey = `${D_Id}:D_Back:${money.amount}`;
    events.push({ ...about, ...money, kind: 'refund', word: 'D_Back', dedupeKey, cumulative: true });
  }
  if (D_Case !== 'none') {
    const dedupeKey = `${D_Id}:D_Case:${D_Case}`;
    events.push({ ...about, ...moneyOf(message), kind: 'chargeback', word: D_Case, dedupeKey });
  }
  return events;
}
