/** Status fetch: reports the end of the page, later refunds and later disputes as events. */
import { defined, noInformation, notFound, refundTotal, type Ability, type ReportedEvent } from '@paywright/contract';
import type { Options } from './options.ts';
import { kindOf, moneyOf, toEvent, type Message } from './order.ts';
import { isOpen, pageAction } from './submit.ts';
import { errors, post, readAnswer } from './wire.ts';

export const fetchStatus: Ability<'fetchStatus', Options> = async (payment, ctx) => {
  const reply = await post('/d/orders/state', { D_Order: payment.reference }, ctx);
  // D keeps an order before it answers. Once our call has ended, an order that D does not know was never created.
  if (reply.status === 404 && errors.read(reply).code === 'no_such_order') return notFound(payment);
  if (reply.status !== 200) return noInformation(`D answered ${reply.status}`);
  const message = readAnswer(reply, payment, ctx.options);
  if (!message || kindOf(message) !== 'payment')
    return noInformation('the answer is not a verified status of this order');
  const action = isOpen(message) ? pageAction(message) : undefined;
  if (isOpen(message) && !action) return noInformation('an open page without an address');
  return { result: 'events', events: [{ ...toEvent(message), ...defined({ action }) }, ...laterEvents(message)] };
};

function laterEvents(message: Message): ReportedEvent[] {
  const { D_Order, D_Id, D_Cur, D_Back = '0', D_Case = 'none' } = message;
  const about = { reference: D_Order, providerReference: D_Id, ...moneyOf(message) };
  const dispute = { ...about, providerStatus: D_Case, dedupeKey: `${D_Id}:D_Case:${D_Case}` };
  return [
    ...refundTotal(about, 'D_Back', moneyOf({ D_Sum: D_Back, D_Cur })),
    ...(D_Case === 'none' ? [] : [{ ...dispute, kind: 'chargeback' } as const]),
  ];
}
