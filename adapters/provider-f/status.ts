/** A fetched deal, told as events: how it stands, then what was given back and disputed. */
import {
  compareDecimals,
  declineOf,
  noNews,
  readAs,
  readJsonObject,
  v,
  type HttpReply,
  type HttpRequest,
  type Provider,
  type ReportedEvent,
  type StatusReport,
  type StoredPayment,
} from '@gateway/contract';
import { dealPath, get } from './wire.ts';
import { actionOf, Deal, isAbout, moneyOf, readDeal } from './deal.ts';
import type { Options } from './options.ts';
import { declines } from './statuses.ts';

/** By F's id where it is known, else by our reference. */
export function statusRequest({ providerReference: id, reference }: StoredPayment, options: Options): HttpRequest {
  return get(options, id === undefined ? `/v1/deals?ref=${encodeURIComponent(reference)}` : dealPath(id));
}

const List = v.object({ deals: v.array(Deal) });

export function readStatus(reply: HttpReply, payment: StoredPayment, provider: Provider<Options>): StatusReport {
  // Also 404: F does not know the id, which says nothing about what became of the payment.
  if (reply.status !== 200) return noNews(`F answered ${reply.status}`);
  const { providerReference: id, reference, endedAt } = payment;
  const list = id === undefined ? readAs(List, readJsonObject(reply.body))?.deals : [readDeal(reply)];
  if (list?.length === 0) {
    return endedAt ? { news: 'nothing_charged' } : noNews('the submission may still be on its way');
  }
  const [deal, ...others] = list ?? [];
  if (!deal || others.length > 0 || !isAbout(deal, { reference, id }, provider.options))
    return noNews('the answer shows no such deal');
  return { news: 'events', events: toEvents(deal, provider), commitNote: String(deal.mark) };
}

function toEvents(deal: Deal, provider: Provider<Options>): ReportedEvent[] {
  const { id, ref: reference, mark: orderHint, phase, why, returned, clawed, claim } = deal;
  const about = { reference, providerReference: id, orderHint };
  const action = actionOf(deal, provider);
  const events: ReportedEvent[] = [
    {
      ...about,
      ...moneyOf(deal),
      kind: 'payment',
      word: phase,
      dedupeKey: `${id}/${phase}`,
      ...(phase === 'dropped' ? refusalOf(why) : {}),
      ...(action ? { action } : {}),
    },
  ];
  if (isAboveZero(returned)) {
    const total = moneyOf(deal, returned);
    const dedupeKey = `${id}/returned/${total.amount}`;
    events.push({ ...about, ...total, kind: 'refund', word: 'returned', dedupeKey, cumulative: true });
  }
  if (claim !== 'none') {
    const taken = isAboveZero(clawed) ? moneyOf(deal, clawed) : moneyOf(deal);
    events.push({ ...about, ...taken, kind: 'chargeback', word: claim, dedupeKey: `${id}/claim/${claim}` });
  }
  return events;
}

function isAboveZero(amount: string): boolean {
  return compareDecimals(amount, '0') > 0;
}

/** As an outcome's, without what only an outcome has. */
function refusalOf(why: string | null | undefined): Partial<ReportedEvent> {
  const { unknownWord: _word, ...refusal } = declineOf(declines, why);
  return refusal;
}
