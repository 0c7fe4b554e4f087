/** Lists notifications to merchants, with every attempt. */
import { html } from '@remix-run/html-template';
import {
  notificationStates,
  type NotificationFilter,
  type NotificationView,
} from '../../engine/notifications/index.ts';
import { buttons } from '../kit/buttons.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { Listing } from '../kit/listing.ts';
import {
  actionsHeading,
  answerText,
  badge,
  choice,
  hidden,
  textField,
  time,
  type Cell,
} from '../../html/components/parts.ts';
import { actionForm } from '../kit/action-form.ts';
import { notATime, readTime, type Query } from '../../html/components/query.ts';
import type { Session } from '../sign-in/session.ts';

const perPage = 50;
const path = '/ops/notifications';
/** A waiting notification whose latest attempt failed. It is retried automatically. */
const failing = 'failing';
const shownStates = [...notificationStates, failing];

export async function notificationsPage(
  deps: ConsoleDeps,
  { query, rows = perPage }: { readonly query: Query; readonly rows: number | undefined },
  session: Session,
): Promise<Listing> {
  const { owner, type, cursor, payment, from, to } = query;
  const state = shownStates.find((one) => one === query['state']);
  const read = await readSpan(deps, query);
  const { items, nextCursor } =
    'problem' in read
      ? { items: [], nextCursor: null }
      : await deps.searchNotifications({
          ...read.filter,
          ...(payment !== undefined && /^\d{1,15}$/.test(payment) && { paymentRequestId: Number(payment) }),
          ...(cursor !== undefined && { cursor }),
          limit: rows,
        });
  return {
    before: html`<form method="get" action="${path}" class="filters">
        ${choice('state', 'State', shownStates, state)}
        ${textField({ name: 'type', label: 'Type, for example payment.succeeded', value: type })}
        ${textField({ name: 'owner', label: 'Merchant', value: owner })}
        ${textField({ name: 'payment', label: 'Payment', value: payment })}
        ${textField({ name: 'from', label: 'Created from (UTC)', value: from, type: 'datetime-local' })}
        ${textField({ name: 'to', label: 'Created before (UTC)', value: to, type: 'datetime-local' })}
        <button class="main">Show</button>
      </form>
      ${'problem' in read ? html`<p class="note bad" role="alert">${read.problem}</p>` : null}
      ${
        state && state !== 'waiting' && state !== failing && items.length > 0 && payment === undefined
          ? html`<div class="acts">
              ${actionForm(session, 'admin', {
                action: `${path}/resend`,
                label: 'Resend all that match',
                fields: hidden({ state, type, owner, from, to }),
                isDangerous: true,
              })}
            </div>`
          : null
      }`,
    table: {
      caption: 'Notifications, newest first',
      head: ['Created', 'Mode', 'State', 'Type', 'To', 'Attempts', 'Next attempt', actionsHeading],
      rows: items.map((one) => [time(one.createdAt), one.environment, ...notificationCells(one, session)]),
      empty: 'No notifications found.',
    },
    ids: items.map(({ id }) => id),
    ...(nextCursor !== null && { older: { ...query, cursor: nextCursor } }),
  };
}

/**
 * The cells of the state, type, address, attempts and next attempt, and the button that resends. `back` is the page to
 * return to after a resend.
 */
export function notificationCells(one: NotificationView, session: Session, back?: string): Cell[] {
  return [
    badge(stateOf(one)),
    html`${one.type} <small>${one.id}</small>`,
    one.url,
    html`${one.attempts.map((attempt) => html`<div>${answerText(attempt)} <small>${time(attempt.at)}</small></div>`)}`,
    time(one.nextAttemptAt),
    actionForm(session, 'support', {
      action: `${path}/${encodeURIComponent(one.id)}/resend`,
      label: buttons.resend,
      fields: hidden({ back }),
    }),
  ];
}

function stateOf({ state, attempts }: NotificationView): string {
  const { status = 200 } = attempts.at(-1) ?? {};
  const isRefused = status === null || status >= 300;
  return state === 'waiting' && isRefused ? failing : state;
}

/** The filter, or a message that says what is wrong with the query. */
export async function readSpan(
  { owners }: Pick<ConsoleDeps, 'owners'>,
  { state: shownState, type, owner, from, to }: Query,
): Promise<{ readonly filter: NotificationFilter } | { readonly problem: string }> {
  const isFailing = shownState === failing;
  const state = isFailing ? 'waiting' : notificationStates.find((one) => one === shownState);
  const merchant = owner === undefined ? undefined : await owners.find(owner);
  if (owner !== undefined && !merchant) return { problem: 'No merchant has exactly this name.' };
  const [since, before] = [readTime(from), readTime(to)];
  if (since === null || before === null) return { problem: notATime };
  return {
    filter: {
      ...(merchant && { ownerId: merchant.id }),
      ...(state && { state }),
      ...(isFailing && { isFailing }),
      ...(type !== undefined && { type }),
      ...(since && { from: since }),
      ...(before && { to: before }),
    },
  };
}
