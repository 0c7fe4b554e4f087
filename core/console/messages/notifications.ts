/** Lists notifications to merchants, and shows one of them with its request and every attempt. */
import { html, type SafeHtml } from '@remix-run/html-template';
import type { Environment } from '../../base/environment.ts';
import {
  notificationStates,
  resendCountText,
  sentRequest,
  type FoundNotification,
  type NotificationFilter,
  type NotificationView,
  type ResendFilter,
} from '../../engine/notifications/index.ts';
import { notificationTypes } from '../../http/notifications/webhooks.ts';
import { buttons } from '../kit/buttons.ts';
import type { ConsoleDeps, FailingEndpoint } from '../deps.ts';
import type { Listing } from '../kit/listing.ts';
import {
  addressCell,
  attemptResult,
  deliveryBadge,
  deliveryStateText,
  deliveryView,
  eventWords,
  hostOf,
  retrying,
} from '../../html/components/delivery.ts';
import {
  actionsHeading,
  addressWith,
  badge,
  copyable,
  emptyState,
  filters,
  hidden,
  readPeriod,
  sectionHead,
  table as renderTable,
  time,
  type Cell,
} from '../../html/components/parts.ts';
import { actionForm } from '../kit/action-form.ts';
import { notATime, type Query } from '../../html/components/query.ts';
import { merchantPath } from '../merchants/merchants.ts';
import { paymentLink } from '../payments/payment-link.ts';
import type { Session } from '../sign-in/session.ts';

const perPage = 50;
const path = '/ops/notifications';
const shownStates = [...notificationStates, retrying];
const modes: readonly Environment[] = ['live', 'test'];
/** The page of resending many is on this address, so the filters keep their names there. */
const filterNames = ['type', 'owner', 'endpoint', 'mode', 'from', 'to', 'period'] as const;

export async function notificationsPage(
  deps: ConsoleDeps,
  { query, rows }: { readonly query: Query; readonly rows: number | undefined },
  session: Session,
): Promise<Listing> {
  const { cursor, payment } = query;
  const read = await readFilter(deps, query);
  const { items, nextCursor } =
    'problem' in read
      ? { items: [], nextCursor: null }
      : await deps.searchNotifications({
          ...read.filter,
          ...(payment !== undefined && { paymentRequestId: /^\d{1,15}$/.test(payment) ? Number(payment) : -1 }),
          ...(cursor !== undefined && { cursor }),
          limit: rows ?? perPage,
        });
  const names = await merchantNames(deps, items);
  const isFirst = rows === undefined && cursor === undefined && payment === undefined;
  // An export needs no button.
  const canResend = rows === undefined && payment === undefined && items.length > 0;
  return {
    before: html`${filterForm(query)}
    ${'problem' in read ? html`<p class="note bad" role="alert">${read.problem}</p>` : null}
    ${'filter' in read && isFirst ? await failingEndpoints(deps, session, read.filter) : null}`,
    primary: 'filter' in read && canResend ? await resendAllForm(deps, session, read.filter, query) : null,
    table: {
      caption: 'Notifications, newest first',
      head: [
        { name: 'Created', kind: 'short' },
        { name: 'State', kind: 'short' },
        { name: 'Event', kind: 'short' },
        'Merchant',
        { name: 'Sent to', kind: 'short' },
        { name: 'Latest result', kind: 'short' },
        { name: 'Next attempt', kind: 'short' },
        actionsHeading,
      ],
      rows: items.map((one) => [
        time(one.createdAt),
        deliveryBadge(one),
        html`${eventLink(one)} ${one.environment === 'test' ? badge('test') : null} <small>${one.id}</small>`,
        names.get(one.ownerId) ?? '–',
        addressCell(one.url),
        html`${latestResult(one)} ${attemptsNote(one)}`,
        time(one.nextAttemptAt, { seconds: true }),
        one.state === 'delivered' ? null : resendForm(one, session),
      ]),
      empty: emptyState({ title: 'No notifications found', text: 'Change the search, or choose a longer time.' }),
    },
    ids: items.map(({ id }) => id),
    ...(nextCursor !== null && { older: { ...query, cursor: nextCursor } }),
  };
}

function filterForm(query: Query): SafeHtml {
  return filters({
    path,
    query,
    period: { label: 'Created' },
    fields: [
      { name: 'state', label: 'State', options: shownStates, textOf: deliveryStateText },
      { name: 'type', label: 'Event', options: Object.keys(notificationTypes), textOf: eventWords },
      { name: 'owner', label: 'Merchant' },
      { name: 'mode', label: 'Mode', options: modes },
      { name: 'payment', label: 'Payment', inputMode: 'numeric' },
      { name: 'endpoint', label: 'Endpoint', placeholder: 'shop.example', isRare: true },
    ],
  });
}

const shownEndpoints = 10;

/** Endpoints that accept nothing, those that have failed for longest first. Null: there are none for this search. */
async function failingEndpoints(deps: ConsoleDeps, session: Session, filter: ShownFilter): Promise<SafeHtml | null> {
  const { state, host, ownerId, environment } = filter;
  if (host !== undefined || (state !== undefined && state !== 'waiting')) return null;
  const found = (await deps.failingEndpoints())
    .filter((one) => (ownerId ?? one.ownerId) === one.ownerId && (environment ?? one.environment) === one.environment)
    .toSorted((one, other) => one.failingSince.getTime() - other.failingSince.getTime());
  if (found.length === 0) return null;
  const shown = found.slice(0, shownEndpoints);
  const names = await merchantNames(deps, shown);
  return html`${sectionHead('Failing endpoints')}
  ${renderTable({
    caption: 'Endpoints that have accepted nothing for a quarter of an hour',
    head: [
      { name: 'Endpoint', kind: 'short' },
      'Merchant',
      { name: 'Failing since', kind: 'short' },
      { name: 'Waiting', kind: 'number' },
      actionsHeading,
    ],
    rows: await Promise.all(shown.map(async (one) => endpointRow(deps, session, one, names))),
    empty: '',
  })}
  ${found.length > shown.length ? html`<p class="hint">${found.length - shown.length} more endpoints fail.</p>` : null}
  ${sectionHead('Notifications')}`;
}

async function endpointRow(
  { notifications, owners }: ConsoleDeps,
  session: Session,
  { ownerId, environment, origin, receiver, failingSince }: FailingEndpoint,
  names: ReadonlyMap<number, SafeHtml>,
): Promise<readonly Cell[]> {
  const count = await notifications.count({ ownerId, environment, host: receiver, state: 'waiting', isFailing: true });
  const owner = (await owners.get(ownerId))?.name;
  const search = { state: retrying, owner, endpoint: receiver, mode: environment };
  return [
    html`<a href="${merchantPath(ownerId, 'webhooks')}">${hostOf(origin)}</a>
      ${environment === 'test' ? badge('test') : null}`,
    names.get(ownerId) ?? '–',
    time(failingSince),
    html`<a href="${addressWith(path, search)}">${resendCountText(count)}</a>`,
    count === 0
      ? null
      : actionForm(session, 'admin', { action: `${path}/resend`, label: 'Resend all', fields: hidden(search) }),
  ];
}

/** Null if the filter names no state whose notifications can be sent again. */
async function resendAllForm(
  { notifications }: ConsoleDeps,
  session: Session,
  filter: NotificationFilter,
  query: Query,
): Promise<SafeHtml | null> {
  const { state, isFailing } = filter;
  if (!state || (state === 'waiting' && !isFailing)) return null;
  // Nearly all notifications are delivered: the confirmation counts them, not every view of the list.
  const count = state === 'delivered' ? undefined : await notifications.count({ ...filter, state });
  return actionForm(session, 'admin', {
    action: `${path}/resend`,
    label: count === undefined ? 'Resend all' : `Resend all (${resendCountText(count)})`,
    fields: hidden({
      state: isFailing ? retrying : state,
      ...Object.fromEntries(filterNames.map((name) => [name, query[name]])),
    }),
    isDangerous: true,
  });
}

async function merchantNames(
  { owners }: ConsoleDeps,
  items: readonly Pick<FoundNotification, 'ownerId'>[],
): Promise<ReadonlyMap<number, SafeHtml>> {
  const ids = [...new Set(items.map(({ ownerId }) => ownerId))];
  const found = await Promise.all(ids.map(async (id) => [id, (await owners.get(id))?.name ?? `${id}`] as const));
  return new Map(found.map(([id, name]) => [id, html`<a href="/ops/merchants/${id}">${name}</a>`]));
}

/** Names the event. Throws NF001 if the notification does not exist. */
export async function notificationTitle(deps: Pick<ConsoleDeps, 'findNotification'>, id: string): Promise<string> {
  return eventWords((await deps.findNotification(id)).type);
}

/** The page of one notification. Throws NF001 if it does not exist. */
export async function notificationPage(
  deps: ConsoleDeps,
  id: string,
  session: Session,
): Promise<{ readonly body: SafeHtml; readonly primary: SafeHtml | null }> {
  const one = await deps.findNotification(id);
  const names = await merchantNames(deps, [one]);
  const body = deliveryView({
    ...one,
    request: sentRequest(one),
    facts: [
      ['Merchant', names.get(one.ownerId) ?? '–'],
      ['Mode', one.environment],
      ['Payment', one.paymentRequestId === null ? '–' : paymentLink(one.paymentRequestId)],
      ['Created', time(one.createdAt)],
      ['Notification', copyable(one.id)],
    ],
  });
  return { body, primary: resendForm(one, session, addressOf(id)) };
}

/**
 * The cells of the state, type, address, attempts, latest result and next attempt, and the button that resends what is
 * not delivered yet; the page of a notification resends any. `back` is the page to return to after a resend.
 */
export function notificationCells(one: NotificationView, session: Session, back?: string): Cell[] {
  return [
    deliveryBadge(one),
    html`${eventLink(one)} <small>${one.id}</small>`,
    addressCell(one.url),
    one.attempts.length,
    latestResult(one),
    time(one.nextAttemptAt, { seconds: true }),
    one.state === 'delivered' ? null : resendForm(one, session, back),
  ];
}

/** The names of `notificationCells`. */
export const notificationHead = [
  'State',
  { name: 'Event', kind: 'short' },
  { name: 'Sent to', kind: 'short' },
  'Attempts',
  'Latest result',
  'Next attempt',
  actionsHeading,
] as const;

function resendForm({ id }: Pick<NotificationView, 'id'>, session: Session, back?: string): SafeHtml | null {
  return actionForm(session, 'support', {
    action: `${addressOf(id)}/resend`,
    label: buttons.resend,
    fields: hidden({ back }),
  });
}

function eventLink({ id, type }: Pick<NotificationView, 'id' | 'type'>): SafeHtml {
  return html`<a href="${addressOf(id)}">${eventWords(type)}</a>`;
}

function addressOf(id: string): string {
  return `${path}/${encodeURIComponent(id)}`;
}

/** Nothing for the usual single attempt. */
function attemptsNote({ attempts }: Pick<NotificationView, 'attempts'>): SafeHtml | null {
  return attempts.length < 2 ? null : html`<small>${attempts.length} attempts</small>`;
}

function latestResult({ attempts }: Pick<NotificationView, 'attempts'>): Cell {
  const last = attempts.at(-1);
  return last ? attemptResult(last) : '–';
}

/** The filter of resending many. Its state is required. */
export type ShownFilter = NotificationFilter & Partial<Pick<ResendFilter, 'state'>>;

/** The filter, or a message that says what is wrong with the query. */
export async function readFilter(
  { owners, now }: Pick<ConsoleDeps, 'owners' | 'now'>,
  query: Query,
): Promise<{ readonly filter: ShownFilter } | { readonly problem: string }> {
  const { state: shownState, type, owner, mode, endpoint } = query;
  const isFailing = shownState === retrying;
  const state = isFailing ? 'waiting' : notificationStates.find((one) => one === shownState);
  const environment = modes.find((one) => one === mode);
  const merchant = owner === undefined ? undefined : await owners.find(owner);
  if (owner !== undefined && !merchant) return { problem: `No merchant is called “${owner}”.` };
  if (endpoint !== undefined && !merchant) return { problem: 'Name the merchant whose endpoint you look for.' };
  const span = readPeriod(query, now());
  if (span === null) return { problem: notATime };
  return {
    filter: {
      ...(merchant && { ownerId: merchant.id }),
      ...(environment && { environment }),
      ...(state && { state }),
      ...(isFailing && { isFailing }),
      ...(type !== undefined && { type }),
      ...(endpoint !== undefined && { host: endpoint }),
      ...span,
    },
  };
}
