/** The payment's status first, then what was given back, as callbacks report them. */
import {
  moneyFromMinor,
  noInformation,
  notFound,
  readAs,
  readJsonObject,
  refundTotal,
  urlPath,
  v,
  type Ability,
} from '@gateway/contract';
import type { Options } from './options.ts';
import { readAnswer, toEvent } from './payment.ts';
import { decide, undecided } from './undecided.ts';
import { get } from './wire.ts';

/** From then on *unknown reference* is final: what was still on its way has arrived. */
const SETTLED_AFTER_MS = decide(undecided.status, 10_000);

const NotFound = v.object({ error: v.object({ code: v.literal('unknown_reference') }) });

export const fetchStatus: Ability<'fetchStatus', Options> = async (payment, { http, options, now }) => {
  const reply = await http.send(get(options, urlPath`/v1/payments/${payment.reference}`));
  if (reply.status === 404 && readAs(NotFound, readJsonObject(reply.body))) {
    return notFound(payment, { now: now(), afterMs: SETTLED_AFTER_MS });
  }
  const answer = reply.status === 200 ? readAnswer(reply, payment) : undefined;
  if (!answer) return noInformation(`New Provider answered ${reply.status}`);
  const { id: providerReference, reference, refunded = '0', currency } = answer;
  const refunds = refundTotal({ reference, providerReference }, 'refunded', moneyFromMinor(refunded, currency));
  return { result: 'events', events: [toEvent(answer), ...refunds] };
};
