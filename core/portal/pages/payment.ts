/** One payment: its money, why it failed, refunds, disputes and deliveries. It shows no data of a payer or a card. */
import { isAboveZero } from '@paywright/contract';
import { html, type SafeHtml } from '@remix-run/html-template';
import {
  declineText,
  moneyParts,
  paymentWayText,
  problemMarks,
  type AttemptDetails,
  type PaymentDetails,
} from '../../engine/payments/index.ts';
import type { Portal } from '../index.ts';
import {
  addressWith,
  badge,
  copyable,
  details,
  maskedText,
  money,
  note,
  sectionHead,
  stats,
  table,
  time,
  timeline,
  toSentence,
  type Cell,
  type Stat,
  type TimelineEntry,
} from '../../html/components/parts.ts';
import { movedTiles, refundableTiles } from '../../html/components/money-tiles.ts';
import { paymentBadges } from '../../html/components/payment-badges.ts';
import { deliveriesTable } from './deliveries.ts';
import { merchantProblems } from './payments.ts';
import type { PortalSession } from './session.ts';

const shownDeliveries = 50;

/** Throws NF001 if the merchant has no such payment. */
export async function paymentPage(portal: Portal, session: PortalSession, id: string): Promise<SafeHtml> {
  const { root, link } = session;
  const payment = await portal.payment(link, /^\d{1,15}$/.test(id) ? Number(id) : 0);
  const { items, nextCursor } = await portal.deliveries(link, { paymentRequestId: payment.id, limit: shownDeliveries });
  const { status, amount, currency, problems, attempts, payUrl, noRoute } = payment;
  const marks = problemMarks(merchantProblems(problems));
  const reason = status === 'failed' ? failureOf(attempts.at(-1)) : null;
  const tiles = tilesOf(payment);
  return html`<div class="lead">
      <p>
        <strong class="figure">${money(amount, currency)}</strong>
        ${paymentBadges({ status, problems: marks, ...moneyParts(payment) })}
      </p>
    </div>
    ${reason === null ? null : note('bad', html`<strong>Failed:</strong> ${reason}`)}
    ${noRoute === null ? null : note('warn', html`<strong>The payer can’t pay it:</strong> ${noRoute}.`)}
    ${tiles.length === 0 ? null : stats(tiles)}
    ${payUrl === null ? null : html`<p class="panel">The payer pays at: ${copyable(payUrl)}</p>`}
    ${details(factsOf(payment, session))} ${refundsPart(payment)} ${disputesPart(payment)}
    ${sectionHead(
      'Deliveries',
      nextCursor === null ? null : html`<a href="${addressWith(root, { payment: id })}">Show all</a>`,
    )}
    ${deliveriesTable(session, items, {
      caption: 'Deliveries of this payment, newest first',
      empty: 'None was created: no address was set, or nothing has happened yet that is announced.',
    })}
    ${sectionHead('What happened')} ${timeline(storyOf(payment))}`;
}

/** Why a payment failed, in a few words. Null: it did not fail. */
export function failureOf(
  attempt: Pick<AttemptDetails, 'decline' | 'declineText' | 'failure'> | undefined,
): string | null {
  if (!attempt) return null;
  const { decline, failure } = attempt;
  return decline === null ? failure : `${declineText(decline) ?? 'Declined'} (code ${decline})`;
}

/** Sums that the title of the page does not say. */
function tilesOf({ money: sums, amount, currency: asked, attempts, disputes }: PaymentDetails): readonly Stat[] {
  const { currency, received } = sums;
  if (currency === null) {
    const isReserved = attempts.at(-1)?.isAuthorised === true;
    return [
      ...(isReserved ? [{ label: 'Reserved', value: money(amount, asked), note: 'not captured yet' }] : []),
      ...(received !== null && isAboveZero(received)
        ? [{ label: 'Received', value: money(received, asked), look: 'warn' as const }]
        : []),
    ];
  }
  const shown = { ...sums, currency };
  const charges = attempts.filter(({ outcome }) => outcome === 'succeeded').length;
  const isOpen = disputes.some(({ stage }) => stage === 'opened');
  return [...movedTiles(shown, { charges, isOpen }), ...refundableTiles(shown)];
}

function factsOf(
  { id, referenceId, attempts, createdAt, notifyUrl, environment }: PaymentDetails,
  { root }: PortalSession,
): readonly (readonly [string, Cell])[] {
  const latest = attempts.at(-1);
  const known: readonly (readonly [string, Cell | null])[] = [
    ['Payment', copyable(String(id))],
    ['Your reference', referenceId === null ? null : maskedText(referenceId)],
    ['Method', latest ? methodText(latest) : 'Not tried yet'],
    ['Created', time(createdAt)],
    ['Mode', environment],
    [
      'Notifications go to',
      notifyUrl === null ? html`your <a href="${root}/endpoints">default endpoint</a>` : maskedText(notifyUrl),
    ],
  ];
  return known.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
}

/** The method and the brand of the card, without its digits. */
function methodText(attempt: AttemptDetails): string {
  return paymentWayText({ ...attempt, cardLastDigits: null });
}

function refundsPart({ refunds }: PaymentDetails): SafeHtml | null {
  if (refunds.length === 0) return null;
  return html`${sectionHead('Refunds')}
  ${table({
    caption: 'Refunds of this payment',
    head: [
      { name: 'Requested', kind: 'short' },
      { name: 'State', kind: 'short' },
      'Amount',
      { name: 'Refund', kind: 'long' },
    ],
    rows: refunds.map((one) => [
      time(one.requestedAt),
      badge(one.state),
      money(one.amount, one.currency),
      one.failureReason === null
        ? one.reference
        : html`${one.reference} <small>${maskedText(one.failureReason)}</small>`,
    ]),
    empty: 'No refunds.',
  })}`;
}

function disputesPart({ disputes }: PaymentDetails): SafeHtml | null {
  if (disputes.length === 0) return null;
  return html`${sectionHead('Disputes')}
  ${table({
    caption: 'Disputes of this payment',
    head: [{ name: 'State', kind: 'short' }, 'Amount', { name: 'Reason', kind: 'long' }, 'Answer by'],
    rows: disputes.map(({ stage, amount, currency, reason, deadline }) => [
      badge(stage === 'opened' ? 'open' : stage, stage === 'won' || stage === 'reversed' ? 'good' : 'bad'),
      money(amount, currency),
      maskedText(reason),
      time(deadline, { exact: true }),
    ]),
    empty: 'No disputes.',
  })}`;
}

/** The facts of the payment in their order. */
function storyOf({
  createdAt,
  attempts,
  refunds,
  disputes,
  timeline: items,
}: PaymentDetails): readonly TimelineEntry[] {
  const tries = attempts.flatMap((attempt): TimelineEntry[] => {
    const { openedAt, settledAt, outcome, amount, captured, currency } = attempt;
    const begun: TimelineEntry = { at: openedAt, title: `The payer tried to pay by ${methodText(attempt)}` };
    if (settledAt === null) return [begun];
    if (outcome === 'succeeded')
      return [begun, { at: settledAt, title: html`${money(captured ?? amount, currency)} paid`, look: 'good' }];
    return [begun, { at: settledAt, title: 'Not paid', text: failureOf(attempt), look: 'bad' }];
  });
  const back = refunds.map((refund): TimelineEntry => {
    const isBad = refund.state === 'failed' || refund.state === 'reversed';
    return {
      at: refund.doneAt ?? refund.requestedAt,
      title: html`Refund of ${money(refund.amount, refund.currency)}: ${badge(refund.state)}`,
      text: refund.failureReason === null ? null : maskedText(refund.failureReason),
      look: isBad ? 'bad' : 'calm',
    };
  });
  // The provider's reports about a case carry its number. Its own word is in parentheses at the end.
  const cases = items.flatMap((item): TimelineEntry[] => {
    const { at, kind, refused, transactionId, message } = item;
    const isOfCase = kind === 'event' && refused !== true && disputes.some((one) => one.case === transactionId);
    if (!isOfCase || typeof message !== 'string') return [];
    const look = /won|reversed/.test(message) ? 'good' : 'bad';
    return [{ at, title: toSentence(message.replace(/ \([^()]*\)$/, '')).slice(0, -1), look }];
  });
  const entries: readonly TimelineEntry[] = [{ at: createdAt, title: 'Created' }, ...tries, ...back, ...cases];
  return entries.toSorted((one, other) => (one.at?.getTime() ?? 0) - (other.at?.getTime() ?? 0));
}
