/** The status answer: a charge answer with all that was told by callback, as events. */
import {
  noNews,
  readAs,
  v,
  type HttpReply,
  type Provider,
  type ReportedEvent,
  type StatusReport,
  type StoredPayment,
} from '@gateway/contract';
import { Charge, isAbout } from './charge.ts';
import type { Options } from './options.ts';
import { openReply, readError } from './reply.ts';
import { Movement, Text, toEvent } from './words.ts';

const Status = v.object({
  ...Charge.entries,
  at: Text,
  events: v.array(v.object({ gid: v.pipe(v.string(), v.nonEmpty()), ...Movement.entries })),
});

/** States of a charge that say nothing yet. */
const open = new Set(['WAITING', 'CHALLENGE']);
/** States that the charge is left in; any other word is told by events alone. */
const reached = new Set(['PAID', 'UNPAID', 'AUTHED', 'CLOSED', 'LAPSED']);

export async function readStatus(
  reply: HttpReply,
  payment: StoredPayment,
  provider: Provider<Options>,
): Promise<StatusReport> {
  if (reply.status === 404 && readError(reply)?.reason === 'NO_CHARGE') {
    return payment.endedAt ? { news: 'nothing_charged' } : noNews('G does not know the reference yet');
  }
  const status = readAs(Status, await openReply(reply, payment.reference, provider));
  if (!status || !isAbout(status, payment)) return noNews('the answer is no proven status of this payment');
  const events: ReportedEvent[] = status.events.map(({ gid, ...movement }) => toEvent(gid, status, movement));
  // A state may be reached a moment before its callback is made.
  if (reached.has(status.status) && events.every(({ word }) => word !== status.status)) {
    events.push(toEvent(`${status.g_txn}:${status.status}`, status, status));
  }
  if (events.length > 0) return { news: 'events', events };
  return open.has(status.status) ? { news: 'waiting' } : noNews('G names a state that is not known');
}
