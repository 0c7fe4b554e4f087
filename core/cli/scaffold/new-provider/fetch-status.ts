/** Reads the status of the payment first, then its refunds, as callbacks report them. */
import { moneyFromMinor, noInformation, notFound, refundTotal, urlPath, type Ability } from '@paywright/contract';
import type { Options } from './options.ts';
import { readAnswer, toEvent } from './payment.ts';
import { decide, undecided } from './undecided.ts';
import { errors, get } from './wire.ts';

/** After this time, *unknown reference* is final: a request in transit has arrived by then. */
const SETTLED_AFTER_MS = decide(undecided.status, 10_000);

export const fetchStatus: Ability<'fetchStatus', Options> = async (payment, { http, options, now }) => {
  const reply = await http.send(get(options, urlPath`/v1/payments/${payment.reference}`));
  const { code, named } = errors.read(reply);
  if (reply.status === 404 && code === 'unknown_reference') {
    return notFound(payment, { now: now(), afterMs: SETTLED_AFTER_MS });
  }
  const answer = reply.status === 200 ? readAnswer(reply, payment) : undefined;
  if (!answer) return noInformation(named);
  const { id: providerReference, reference, refunded = '0', currency } = answer;
  const refunds = refundTotal({ reference, providerReference }, 'refunded', moneyFromMinor(refunded, currency));
  return { result: 'events', events: [toEvent(answer), ...refunds] };
};
