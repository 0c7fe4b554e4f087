/** How does the payment stand? Its status first, then what was given back, as callbacks report them. */
import {
  eventDeclineOf,
  fromMinor,
  noInformation,
  readAs,
  readJsonObject,
  v,
  type HttpReply,
  type ReportedEvent,
  type StatusReport,
  type StoredPayment,
} from '@gateway/contract';
import { readAnswer, type Answer } from './submit.ts';
import { decide, undecided } from './undecided.ts';
import { declines } from './statuses.ts';

/** From then on *unknown reference* is final: what was still on its way has arrived. */
const SETTLED_AFTER_MS = decide(undecided.status, 10_000);

const NotFound = v.object({ error: v.object({ code: v.literal('unknown_reference') }) });

export function readStatus(reply: HttpReply, payment: StoredPayment, now: Date): StatusReport {
  if (reply.status === 404 && readAs(NotFound, readJsonObject(reply.body))) {
    const { endedAt } = payment;
    const isFinal = endedAt !== null && now.getTime() - endedAt.getTime() >= SETTLED_AFTER_MS;
    return isFinal ? { result: 'nothing_charged' } : noInformation('not known yet');
  }
  const answer = reply.status === 200 ? readAnswer(reply, payment) : undefined;
  if (!answer) return noInformation(`New Provider answered ${reply.status}`);
  return { result: 'events', events: eventsOf(answer) };
}

function eventsOf({ id, reference, amount, currency, status, reason, refunded = '0' }: Answer): ReportedEvent[] {
  const about = { reference, providerReference: id, currency };
  const paid: ReportedEvent = {
    ...about,
    kind: 'payment',
    providerStatus: status,
    amount: fromMinor(amount, currency),
    dedupeKey: `${id}:${status}`,
    ...(status === 'refused' ? eventDeclineOf(declines, reason) : {}),
  };
  if (refunded === '0') return [paid];
  const sum = fromMinor(refunded, currency);
  return [
    paid,
    {
      ...about,
      kind: 'refund',
      providerStatus: 'refunded',
      amount: sum,
      dedupeKey: `${id}:refunded:${sum}`,
      cumulative: true,
    },
  ];
}
