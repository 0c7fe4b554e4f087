/** The pages of notifications sent to the merchant: a list, and one notification with its request and every attempt. */
import { html, type SafeHtml } from '@remix-run/html-template';
import { SECOND } from '../../base/async/time.ts';
import {
  notificationStates,
  sentRequest,
  type Endpoint,
  type NotificationView,
} from '../../engine/notifications/index.ts';
import { notificationTypes } from '../../http/notifications/webhooks.ts';
import type { Portal } from '../index.ts';
import {
  attemptResult,
  deliveryBadge,
  deliveryStateText,
  deliveryView,
  eventWords,
  retrying,
} from '../../html/components/delivery.ts';
import {
  actionsHeading,
  addressWith,
  emptyState,
  filters,
  note,
  postForm,
  readPeriod,
  searchOf,
  spanText,
  table,
  time,
  type Cell,
  type Table,
} from '../../html/components/parts.ts';
import { notATime, type Query } from '../../html/components/query.ts';
import type { PortalBody } from './page.ts';
import type { PortalSession } from './session.ts';
import { withoutQuery } from '../../base/text/without-query.ts';

const perPage = 50;

export async function deliveriesPage(
  portal: Portal,
  session: PortalSession,
  query: Query,
  now: Date,
): Promise<SafeHtml> {
  const { root, link } = session;
  const { type, cursor, payment } = query;
  const isFailing = query['state'] === retrying;
  const state = isFailing ? 'waiting' : notificationStates.find((one) => one === query['state']);
  const span = readPeriod(query, now);
  const failing = await portal.failingEndpoints(link);
  const { items, nextCursor } = await portal.deliveries(link, {
    ...(state && { state }),
    ...(isFailing && { isFailing }),
    ...(type !== undefined && { type }),
    ...(payment !== undefined && { paymentRequestId: /^\d{1,15}$/.test(payment) ? Number(payment) : -1 }),
    ...(cursor !== undefined && { cursor }),
    ...span,
    limit: perPage,
  });
  return html`${failingNote(root, failing, now)}
  ${filters({
    path: root,
    query,
    period: { label: 'Created' },
    fields: [
      { name: 'state', label: 'State', options: [...notificationStates, retrying], textOf: deliveryStateText },
      { name: 'type', label: 'Event', options: Object.keys(notificationTypes), textOf: eventWords },
      { name: 'payment', label: 'Payment', inputMode: 'numeric' },
    ],
  })}
  ${span === null ? note('bad', notATime) : null}
  ${deliveriesTable(session, items, {
    caption: 'Deliveries, newest first',
    ofPayments: true,
    empty: emptyState({
      title: 'No deliveries found',
      text: 'A delivery is created when something happens to a payment. Change the search, or send a test event.',
      action: { label: 'Send a test event', path: `${root}/endpoints` },
    }),
  })}
  ${
    nextCursor === null
      ? null
      : html`<p class="pages">
          <a href="${addressWith(root, { ...searchOf(query), cursor: nextCursor })}">Older</a>
        </p>`
  }`;
}

const namedEndpoints = 3;

/** What is wrong with the merchant's endpoints, before the list of single deliveries. */
function failingNote(root: string, failing: readonly Endpoint[], now: Date): SafeHtml | null {
  if (failing.length === 0) return null;
  const rest = failing.length - namedEndpoints;
  const named = failing.slice(0, namedEndpoints);
  const lines = named.map((one) => html`<p><strong>${one.origin}</strong> fails. ${failureText(one, now)}</p>`);
  return note(
    failing.some(({ disabledAt }) => disabledAt !== null) ? 'bad' : 'warn',
    html`${lines}
      <p>
        ${rest > 0 ? html`${failing.length} endpoints fail.` : null}
        <a href="${root}/endpoints">${failing.length === 1 ? 'Show the endpoint' : 'Show the endpoints'}</a>
      </p>`,
  );
}

/** Since when an endpoint fails, as a sentence. */
export function failureText(
  { failingSince, disabledAt }: { readonly failingSince: Date; readonly disabledAt: Date | null },
  now: Date,
): string {
  const failedFor = `Every attempt has failed for ${spanText((now.getTime() - failingSince.getTime()) / SECOND)}.`;
  return disabledAt === null ? failedFor : `${failedFor} It is disabled: notifications are kept until you enable it.`;
}

/**
 * A table of deliveries, two lines for each on a narrow screen. `ofPayments`: of several payments, so each row names
 * its payment. What was delivered can be sent again on its own page.
 */
export function deliveriesTable(
  session: PortalSession,
  items: readonly NotificationView[],
  { caption, empty, ofPayments = false }: Pick<Table, 'caption' | 'empty'> & { readonly ofPayments?: boolean },
): SafeHtml {
  const { root } = session;
  const paymentCell = ({ paymentRequestId: id }: NotificationView): Cell =>
    id === null ? '–' : html`<a class="whole" href="${root}/payments/${id}">${id}</a>`;
  return table({
    caption,
    head: [
      { name: 'Event', kind: 'short' },
      { name: 'State', kind: 'short' },
      ...(ofPayments ? [{ name: 'Payment', kind: 'short' as const }] : []),
      { name: 'Created', kind: 'short' },
      { name: 'Latest result', kind: 'short', isMinor: ofPayments },
      { name: 'Sent to', kind: 'long', isMinor: true },
      { name: 'Attempts', isMinor: true },
      { name: 'Next attempt', kind: 'short', isMinor: true },
      actionsHeading,
    ],
    rows: items.map((one) => {
      const last = one.attempts.at(-1);
      return [
        html`<a href="${pathOf(root, one.id)}">${eventWords(one.type)}</a>`,
        deliveryBadge(one),
        ...(ofPayments ? [paymentCell(one)] : []),
        time(one.createdAt),
        last ? attemptResult(last) : '–',
        shortAddress(one.url),
        one.attempts.length,
        time(one.nextAttemptAt, { seconds: true }),
        one.state === 'delivered' ? null : resendForm(session, one.id),
      ];
    }),
    isCompact: true,
    empty,
  });
}

/** Throws NF001 if there is no such notification. */
export async function deliveryPage(portal: Portal, session: PortalSession, id: string): Promise<PortalBody> {
  const { root, link } = session;
  const one = await portal.delivery(link, id);
  const body = deliveryView({
    ...one,
    request: sentRequest({ ...one, environment: link.environment }),
    facts: [
      [
        'Payment',
        one.paymentRequestId === null
          ? '–'
          : html`<a href="${root}/payments/${one.paymentRequestId}">${one.paymentRequestId}</a>`,
      ],
      ['Created', time(one.createdAt, { exact: true })],
      ['Delivery', html`<code>${one.id}</code>`],
    ],
  });
  const refresh = one.state === 'waiting' ? html`<a class="button" href="${pathOf(root, id)}">Refresh</a>` : null;
  return { title: eventWords(one.type), body, primary: html`${refresh} ${resendForm(session, id)}` };
}

/** Without the scheme and the query: the row of a list has little space. */
function shortAddress(url: string): string {
  return withoutQuery(url.replace(/^https?:\/\//, ''));
}

export function pathOf(root: string, id: string): string {
  return `${root}/deliveries/${encodeURIComponent(id)}`;
}

function resendForm(session: PortalSession, id: string): SafeHtml {
  return postForm(session, { action: `${pathOf(session.root, id)}/resend`, label: 'Send again' });
}
