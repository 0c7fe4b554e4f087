/** One payment: its money, why it failed, refunds, disputes and deliveries. It shows no data of a payer or a card. */
import { isAboveZero } from '@paywright/contract';
import { html, type SafeHtml } from '@remix-run/html-template';
import {
  moneyParts,
  paymentWayText,
  problemMarks,
  type AttemptDetails,
  type PaymentDetails,
} from '../../engine/payments/index.ts';
import { accountNameOf } from '../../engine/providers/index.ts';
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
  type Cell,
  type Stat,
} from '../../html/components/parts.ts';
import { movedTiles, refundableTiles } from '../../html/components/money-tiles.ts';
import { paymentBadges } from '../../html/components/payment-badges.ts';
import { paymentStory } from '../payment-story.ts';
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
  const reason = status === 'failed' ? (attempts.at(-1)?.failure ?? null) : null;
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
    ${sectionHead('What happened')} ${timeline(paymentStory(payment, methodText))}`;
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
    ['Account', latest?.account ? accountNameOf(latest) : null],
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
