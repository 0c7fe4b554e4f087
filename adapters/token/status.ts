/** The status answer: how the charge stands; refunds and disputes are not shown. */
import {
  fromMinor,
  noNews,
  readAs,
  readJsonObject,
  v,
  type HttpReply,
  type HttpRequest,
  type ReportedEvent,
  type StatusReport,
  type StoredPayment,
} from '@gateway/contract';
import { challengeOf, readReply, refusalOf, type Reply } from './charge.ts';
import type { Options } from './options.ts';

export const statusWords = {
  payment: {
    'charge.succeeded': 'succeeded',
    'charge.failed': 'failed',
    'charge.challenge': 'pending',
    'charge.pending': 'pending',
    'charge.authorised': 'authorised',
    'charge.cancelled': 'cancelled',
    'charge.expired': 'expired',
  },
} as const;

/** By the charge's id where it is known, else by our reference. */
export function statusRequest({ providerReference: id, reference }: StoredPayment, { apiKey }: Options): HttpRequest {
  const path =
    id === undefined ? `/v1/charges?ref=${encodeURIComponent(reference)}` : `/v1/charges/${encodeURIComponent(id)}`;
  return { method: 'GET', path, headers: { Authorization: `Bearer ${apiKey}` } };
}

const List = v.object({ charges: v.array(v.unknown()) });

export function readStatus(reply: HttpReply, payment: StoredPayment, options: Options): StatusReport {
  if (reply.status !== 200) return noNews(`the vault answered ${reply.status}`);
  const message = readJsonObject(reply.body);
  const { providerReference: id } = payment;
  const list = id === undefined ? readAs(List, message)?.charges : [message];
  if (list?.length === 0) return { news: 'nothing_charged' };
  const found = list?.length === 1 ? readReply(list[0], payment, options) : undefined;
  if (!found || (id !== undefined && found.charge.id !== id)) return noNews('the answer is no status of this payment');
  return { news: 'events', events: [toEvent(found)] };
}

function toEvent(reply: Reply): ReportedEvent {
  const { id, ref, state, minor, cur, why } = reply.charge;
  const action = challengeOf(reply);
  const { unknownWord: _, ...refusal } = state === 'failed' ? refusalOf(why) : { unknownWord: undefined };
  return {
    kind: 'payment',
    word: `charge.${state}`,
    reference: ref,
    providerReference: id,
    amount: fromMinor(minor, cur),
    currency: cur,
    dedupeKey: `${id}:${state}`,
    ...refusal,
    ...(action ? { action } : {}),
    facts: { from: 'status' },
  };
}
