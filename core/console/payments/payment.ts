/** One payment: what needs attention, its money, its data, its next steps, and its timeline. */
import { compareDecimals, isAboveZero } from '@paywright/contract';
import { html, type SafeHtml } from '@remix-run/html-template';
import { notFound } from '../../base/errors.ts';
import { shownMoney } from '../../base/text/money-text.ts';
import { meaningOf } from '../../engine/alarms/index.ts';
import { auditText, type AuditView } from '../../engine/audit/index.ts';
import {
  otherDetailsText,
  leftText,
  paymentHistoryOf,
  paymentWayText,
  problemMarks,
  moneyParts,
  refundText,
  threeDsText,
  type HistoryEntry,
  type NextStep,
  type PaymentDetails,
} from '../../engine/payments/index.ts';
import {
  announced,
  badge,
  copyable,
  details,
  filters,
  fold,
  live,
  maskedText,
  money,
  note,
  stats,
  time,
  timeline,
  type Cell,
  type Stat,
  type TimelineEntry,
} from '../../html/components/parts.ts';
import { movedTiles, refundableTiles } from '../../html/components/money-tiles.ts';
import type { Query } from '../../html/components/query.ts';
import { addressWith } from '../../html/components/table.ts';
import { paymentBadges } from '../../html/components/payment-badges.ts';
import { inOrder, paymentStory } from '../../portal/payment-story.ts';
import type { ConsoleDeps } from '../deps.ts';
import { isAllowed } from '../kit/action-form.ts';
import { nextText } from '../kit/buttons.ts';
import type { ShowTable } from '../kit/listing.ts';
import type { PageBody } from '../kit/page.ts';
import { notificationCells, notificationHead } from '../messages/notifications.ts';
import type { Session } from '../sign-in/session.ts';
import { deadlineCell, stageBadge } from './disputes.ts';
import { historyChart } from './history-chart.ts';
import { accountLink, providerText } from './payment-cells.ts';
import { paymentForms } from './payment-forms.ts';
import { searchField } from './payments.ts';

const shownActions = 50;
const shownNotifications = 100;

interface Shown {
  readonly payment: PaymentDetails;
  readonly merchant: string;
  /** The merchant's default address of notifications. */
  readonly defaultUrl: string | null;
}

/** Throws NF001 if the payment does not exist. */
export async function paymentPage(
  deps: ConsoleDeps,
  id: number,
  session: Session,
  { table, query }: { readonly table: ShowTable; readonly query: Query },
): Promise<PageBody> {
  const payment = await deps.readPayment(id);
  if (!payment) throw notFound(`payment request ${id}`);
  const [owner, notifications, actions, offers] = await Promise.all([
    deps.owners.get(payment.ownerId),
    deps.searchNotifications({ paymentRequestId: id, limit: shownNotifications }),
    deps.audit.list({ subject: { type: 'payment', id: String(id) }, limit: shownActions }),
    deps.payments.offers(id),
  ]);
  const merchant = owner?.name ?? `merchant ${payment.ownerId}`;
  const shown = { payment, merchant, defaultUrl: owner?.notifyUrls[payment.environment] ?? null };
  const titleOf = (adapter: string): string => providerText(deps, adapter);
  const history = [...paymentHistoryOf(payment, titleOf), ...actions.items.map(operatorEntry)].toSorted(
    (one, other) => one.at.getTime() - other.at.getTime(),
  );
  const story = paymentStory(payment, (one) => `${paymentWayText(one)} at ${titleOf(one.adapter)}`);
  const isAfterRefund = query['done'] === 'yes' && actions.items[0]?.act === 'payment.refund';
  const forms = paymentForms({ payment, session, offers, titleOf });
  const body = html`${live(
      'lead',
      html`${isAfterRefund ? refundNote(payment) : null}
      ${announced(html`<div class="lead">${summary(deps, shown)}</div>`)} ${attention(payment, titleOf)}`,
    )}
    ${forms.needed}
    ${live(
      'state',
      html`${stats(moneyTiles(payment))}
        <h2>Details</h2>
        ${details(detailsOf(deps, session, shown))} ${refundTables(deps, payment, table)}
        <h2>Next steps</h2>
        ${table('next', {
          caption: 'Next steps',
          head: [
            { name: 'When', kind: 'short' },
            { name: 'What', kind: 'long' },
          ],
          rows: payment.next
            .filter((step) => !needsAction(step))
            .map((step) => [step.at === null ? 'waiting for action' : time(step.at), nextText(step, titleOf)]),
          empty:
            payment.next.some(needsAction) || payment.alarms.length > 0
              ? 'Nothing else: see above what needs action.'
              : 'No further action.',
        })}`,
    )}
    <h2>Timeline</h2>
    ${forms.note && html`<div class="acts">${forms.note}</div>`}
    ${live(
      'story',
      html`${timeline(inOrder([...story, ...actions.items.map(operatorStory)]))}
        ${technicalLog({ history, id, query, isCut: actions.nextBefore !== null }, table)}
        <h2>Notifications</h2>
        ${table('notifications', {
          caption: 'Notifications of this payment, newest first',
          head: ['Created', ...notificationHead],
          rows: notifications.items.map((one) => [
            time(one.createdAt),
            ...notificationCells(one, session, `/ops/payments/${id}`),
          ]),
          empty: noNotifications(shown),
          ...(notifications.nextCursor !== null && {
            rest: {
              text: `Only the newest ${shownNotifications} are shown.`,
              path: `/ops/notifications?payment=${id}`,
            },
          }),
        })}`,
    )}`;
  return { body, primary: forms.bar, mode: payment.environment };
}

/** What the page says if there is no such payment. */
export function missingPayment(id: string): SafeHtml {
  return html`<p>There is no payment ${id}. Search for it by payer, amount, card or reference:</p>
    ${filters({ path: '/ops/payments', query: {}, fields: [searchField] })}`;
}

interface Log {
  readonly history: readonly HistoryEntry[];
  readonly id: number;
  readonly query: Query;
  /** True if there are more actions of operators than the history has. */
  readonly isCut: boolean;
}

/**
 * Every call, callback and delivery, folded unless the reader has sorted it or asked for all of it. Callbacks that
 * changed nothing are left out until then.
 */
function technicalLog({ history, id, query, isCut }: Log, table: ShowTable): SafeHtml {
  const showsAll = query['history'] === 'all';
  const shown = showsAll ? history : history.filter(({ isMinor }) => !isMinor);
  const left = history.length - shown.length;
  const cut = `Only the newest ${shownActions} operator actions are included. List all with: paywright audit list --subject payment:${id}`;
  const few = `${left === 1 ? '1 callback that changed nothing is' : `${left} callbacks that changed nothing are`} not shown.`;
  const path = addressWith(`/ops/payments/${id}`, { ...query, done: undefined, history: 'all' });
  const log = table('story', {
    caption: 'Technical log',
    head: [
      { name: 'When', kind: 'short' },
      { name: 'What', kind: 'short' },
      { name: 'Details', kind: 'long' },
    ],
    rows: shown.map(({ at, kind, text }) => [time(at, { precise: true }), kindText(kind), maskedText(text)]),
    empty: 'Nothing has happened yet.',
    ...(left > 0 ? { rest: { text: few, path } } : isCut ? { rest: { text: cut } } : {}),
  });
  const isAsked = showsAll || Object.keys(query).some((name) => name.startsWith('story.'));
  return fold(`Technical log (${history.length})`, html`${log} ${chartFold(history)}`, isAsked);
}

function kindText(kind: HistoryEntry['kind']): string {
  return kind === 'call' ? 'Provider call' : `${kind.slice(0, 1).toUpperCase()}${kind.slice(1)}`;
}

function chartFold(history: readonly HistoryEntry[]): SafeHtml | null {
  const chart = historyChart(history);
  return chart && fold('Show as a figure', chart);
}

/** Why a payment has no notifications. */
function noNotifications({ payment: { status, notifyUrl }, defaultUrl }: Shown): string {
  if (status === 'created') return 'None yet: the first one is created when the status changes.';
  const hasAddress = notifyUrl !== null || defaultUrl !== null;
  return `None was created: no address ${hasAddress ? 'was set at that time' : 'is set'}.`;
}

/** Amount, state, problems, merchant and way in two lines. */
function summary(deps: ConsoleDeps, { payment, merchant }: Shown): SafeHtml {
  const { status, amount, currency, createdAt, attempts, problems, ownerId, payer } = payment;
  const latest = attempts.at(-1);
  const who = payer.name ?? payer.email;
  return html`<p>
      <strong class="figure">${money(amount, currency)}</strong>
      ${paymentBadges({ status, problems: problemMarks(problems), ...moneyParts(payment) })}
    </p>
    <p>
      ${who === null ? 'For' : html`From ${maskedText(who)} for`} <a href="/ops/merchants/${ownerId}">${merchant}</a> ·
      ${latest ? `${paymentWayText(latest)} at ${providerText(deps, latest.adapter)}` : 'never submitted'} · created
      ${time(createdAt)}
    </p>`;
}

/** A person must act, as opposed to the payer, the merchant or the gateway itself. */
function needsAction({ at, acts = [] }: NextStep): boolean {
  return at === null && acts.length > 0;
}

/** What an operator must know first: the problem with its cure, open alarms, and why a payment failed. */
function attention(
  { next, alarms, attempts, status, noRoute, currency }: PaymentDetails,
  titleOf: (adapter: string) => string,
): SafeHtml {
  const latest = attempts.at(-1);
  const noRouteNote =
    noRoute === null
      ? null
      : note(
          'warn',
          html`<strong>No route:</strong> no provider can take this payment now: ${noRoute}. Its payer cannot pay it.
            Unless the merchant meant something else, turn on <a href="/ops/adapters">an adapter</a> that takes
            ${currency}, or add a route rule for it in the config.`,
        );
  return html`${noRouteNote}${next.filter(needsAction).map((step) => note('warn', html`<strong>Needs action:</strong> ${nextText(step, titleOf)}`))}
  ${alarms.map(({ id, kind, isAcknowledged, lastSeenAt }) =>
    note(
      isAcknowledged ? 'calm' : 'bad',
      html`Alarm <a href="/ops/alarms/${encodeURIComponent(id)}">${meaningOf(kind).title}</a>, last raised
        ${time(lastSeenAt)}${isAcknowledged ? ', acknowledged' : ''}`,
    ),
  )}
  ${
    status === 'failed' && latest?.failure
      ? note(
          'calm',
          html`<strong>Failed:</strong> ${latest.failure}${
              latest.failureWords === null ? null : html`. The provider says: “${maskedText(latest.failureWords)}”`
            }`,
        )
      : null
  }`;
}

function moneyTiles({ money: sums, amount, currency: requested, attempts, disputes }: PaymentDetails): readonly Stat[] {
  const { currency, paid, fee, netAfterAll, received } = sums;
  const asked = { label: 'Amount', value: money(amount, requested) };
  if (currency === null) {
    const isReserved = attempts.at(-1)?.isAuthorised === true;
    return [
      asked,
      ...(isReserved ? [{ label: 'Reserved', value: money(amount, requested), note: 'not captured yet' }] : []),
      received !== null && isAboveZero(received)
        ? {
            label: 'Received',
            value: money(received, requested),
            note: `of ${shownMoney(amount, requested)}`,
            look: 'warn' as const,
          }
        : { label: 'Paid', value: money('0', requested) },
      ...(isAboveZero(sums.leftToRefund) ? [{ label: 'Refundable', value: leftText(sums) }] : []),
    ];
  }
  const shown = { ...sums, currency };
  const part = (value: string): Cell => money(value, currency);
  const charged = attempts.filter(({ outcome }) => outcome === 'succeeded').length;
  const isOpen = disputes.some(({ stage }) => stage === 'opened');
  return [
    ...(currency === requested && compareDecimals(paid, amount) === 0 ? [] : [asked]),
    ...movedTiles(shown, { charges: charged, isOpen }),
    ...(hasFee(fee) ? [{ label: 'Fee', value: part(fee) }] : []),
    {
      label: 'Net',
      value: netAfterAll === null ? '–' : part(netAfterAll),
      note: hasFee(fee) ? 'after fee, refunds and disputes' : 'no fee is configured or reported',
    },
    ...refundableTiles(shown),
  ];
}

/** Without a configured or reported fee, a payment has a fee of 0. */
function hasFee(fee: string | null): fee is string {
  return fee !== null && isAboveZero(fee);
}

function detailsOf(
  deps: ConsoleDeps,
  session: Session,
  { payment, merchant, defaultUrl }: Shown,
): readonly (readonly [string, Cell])[] {
  const { referenceId, payer, attempts, notifyUrl, payPath, expiresAt, ownerId, id } = payment;
  const latest = attempts.at(-1);
  const url = notifyUrl ?? defaultUrl;
  const canPay = payPath !== null && isAllowed(session.operator.role, 'support');
  const known: readonly (readonly [string, Cell | null])[] = [
    ['Payment', copyable(String(id))],
    ['Merchant', html`<a href="/ops/merchants/${ownerId}">${merchant}</a>`],
    ['Merchant reference', referenceId === null ? null : maskedText(referenceId)],
    ['Payer', payer.name === null ? null : maskedText(payer.name)],
    ['E-mail', payer.email],
    ['Phone', payer.phone === null ? null : maskedText(payer.phone)],
    ['Country', payer.country],
    ['IP address', payer.ip],
    ['Method', latest ? paymentWayText(latest) : null],
    [
      'Provider',
      latest ? html`<a href="/ops/adapters/${latest.adapter}">${providerText(deps, latest.adapter)}</a>` : null,
    ],
    ['Account', latest?.account ? accountLink(latest.adapter, latest.account) : null],
    ['Provider reference', latest?.providerReference ? copyable(maskedText(latest.providerReference)) : null],
    ['Our reference', latest ? copyable(latest.reference) : null],
    ['3D Secure', latest?.threeDs ? threeDsText(latest.threeDs) : null],
    [
      'Notifications go to',
      url === null ? 'no address' : html`${url} ${notifyUrl === null ? html`<small>default</small>` : null}`,
    ],
    ['Link for the payer', canPay ? copyable(`${deps.publicUrl}${payPath}`) : null],
    ['Expires', expiresAt && time(expiresAt, { exact: true })],
  ];
  return known.flatMap(([name, value]) => (value === null || value === '' ? [] : [[name, value] as const]));
}

/** The result of the refund that an operator has just requested, as far as it is known. */
function refundNote({ refunds }: PaymentDetails): SafeHtml | null {
  const latest = refunds.findLast(({ isReported }) => !isReported);
  if (!latest) return null;
  const look = latest.state === 'succeeded' ? 'good' : latest.state === 'failed' ? 'bad' : 'calm';
  return note(look, `${maskedText(refundText(latest))}.`);
}

function refundTables(deps: ConsoleDeps, { refunds, disputes, attempts }: PaymentDetails, table: ShowTable): SafeHtml {
  const paid = attempts.findLast(({ outcome }) => outcome === 'succeeded');
  const charged = paid ? providerText(deps, paid.adapter) : 'the provider';
  const refundRows = refunds.map((refund) => [
    refund.requestedAt ? time(refund.requestedAt) : '–',
    badge(refund.state),
    money(refund.amount, refund.currency),
    maskedText(refundText(refund)),
    maskedText(refund.providerReference),
  ]);
  return html`${
    refunds.length === 0
      ? null
      : html`<h2>Refunds</h2>
          ${table('refunds', {
            caption: 'Refunds of this payment',
            head: ['Requested', 'State', 'Amount', { name: 'Refund', kind: 'long' }, 'Provider reference'],
            rows: refundRows,
            empty: 'No refunds.',
          })}`
  }${
    disputes.length === 0
      ? null
      : html`<h2>Disputes</h2>
          ${table('disputes', {
            caption: 'Disputes of this payment',
            head: ['State', 'Case', 'Amount', 'Reason', 'Answer by', { name: 'Details', kind: 'long' }],
            rows: disputes.map((dispute) => [
              stageBadge(dispute.stage),
              maskedText(dispute.case),
              money(dispute.amount, dispute.currency),
              maskedText(dispute.reason),
              dispute.stage === 'opened' ? deadlineCell(dispute.deadline, deps.now(), charged) : '–',
              maskedText(otherDetailsText(dispute)),
            ]),
            empty: 'No disputes.',
          })}`
  }`;
}

/** An action of an operator, or a note, for people. */
function operatorStory(one: AuditView): TimelineEntry {
  const { at, state, reason } = one;
  return {
    at,
    title: maskedText(auditText(one)),
    text: reason === null ? null : `“${maskedText(reason)}”`,
    look: state === 'failed' ? 'bad' : 'calm',
  };
}

/** The same as an entry of the technical log. */
function operatorEntry(one: AuditView): HistoryEntry {
  const { at, state } = one;
  const why = one.reason === null ? '' : `: “${one.reason}”`;
  return {
    at,
    kind: 'operator',
    text: `${auditText(one)}${why}`,
    about: 'operators',
    look: state === 'failed' ? 'bad' : 'calm',
  };
}
