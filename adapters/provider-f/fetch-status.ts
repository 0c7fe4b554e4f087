/** A fetched deal as events: its state, then its refunds and its dispute. */
import {
  eventDeclineOf,
  isAboveZero,
  noInformation,
  notFound,
  readJsonBody,
  v,
  type Ability,
  type ReportedEvent,
} from '@paywright/contract';
import { actionOf, Deal, isAbout, moneyOf, readDeal } from './deal.ts';
import type { Context, Options } from './options.ts';
import { declines } from './statuses.ts';
import { dealPath, get } from './wire.ts';

const List = v.object({ deals: v.array(Deal) });

/** Looks up by F's id if it is known, otherwise by our reference. */
export const fetchStatus: Ability<'fetchStatus', Options> = async (payment, ctx) => {
  const { providerReference: id, reference } = payment;
  const path = id === undefined ? `/v1/deals?ref=${encodeURIComponent(reference)}` : dealPath(id);
  const reply = await ctx.http.send(get(ctx.options, path));
  // Includes 404: F does not know the id, which proves nothing about the payment.
  if (reply.status !== 200) return noInformation(`F answered ${reply.status}`);
  const list = id === undefined ? readJsonBody(List, reply)?.deals : [readDeal(reply)];
  if (list?.length === 0) return notFound(payment);
  const [deal, ...others] = list ?? [];
  if (!deal || others.length > 0 || !isAbout(deal, payment, ctx.options)) {
    return noInformation('the answer does not show this deal');
  }
  return { result: 'events', events: toEvents(deal, ctx), seenToken: String(deal.mark) };
};

function toEvents(deal: Deal, ctx: Context): ReportedEvent[] {
  const { id, phase, why, claim } = deal;
  const about = { reference: deal.ref, providerReference: id, orderHint: deal.mark };
  const more = { ...(phase === 'dropped' ? eventDeclineOf(declines, why) : {}), ...actionOf(deal, ctx) };
  const events: ReportedEvent[] = [
    { ...about, ...moneyOf(deal), kind: 'payment', providerStatus: phase, dedupeKey: `${id}/${phase}`, ...more },
  ];
  if (isAboveZero(deal.returned)) {
    const total = moneyOf(deal, deal.returned);
    const dedupeKey = `${id}/returned/${total.amount}`;
    events.push({ ...about, ...total, kind: 'refund', providerStatus: 'returned', dedupeKey, cumulative: true });
  }
  if (claim !== 'none') {
    const taken = moneyOf(deal, isAboveZero(deal.clawed) ? deal.clawed : undefined);
    events.push({ ...about, ...taken, kind: 'chargeback', providerStatus: claim, dedupeKey: `${id}/claim/${claim}` });
  }
  return events;
}
