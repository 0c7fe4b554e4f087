/** Fetches the payment with its captures, refunds and chargebacks, in one answer. */
import { noInformation, notFound, urlPath, type Ability, type StoredPayment } from '@paywright/contract';
import type { Context, Options } from './options.ts';
import { readPayment, toEvents, type Payment } from './payment.ts';
import { errors, get } from './wire.ts';

export const fetchStatus: Ability<'fetchStatus', Options> = async (payment, ctx) => {
  const id = payment.providerReference;
  // Only the lost answer had the page's address, so no payer can have paid there.
  if (id === undefined) return notFound(payment);
  const shown = await lookAt(id, payment, ctx);
  if (typeof shown === 'string') return noInformation(shown);
  const events = toEvents(shown);
  const { refunds } = shown._embedded;
  return refunds.isComplete ? { result: 'events', events, showsAllRefunds: true } : { result: 'events', events };
};

/** Returns the payment at Mollie, or the reason why it is not visible. */
export async function lookAt(
  id: string,
  payment: StoredPayment,
  { http, options }: Context,
): Promise<Payment | string> {
  const reply = await http.send(get(options, urlPath`/v2/payments/${id}?embed=captures,refunds,chargebacks`));
  if (reply.status !== 200) return errors.read(reply).named;
  return readPayment(reply, payment) ?? 'the answer is not a payment of this attempt';
}
