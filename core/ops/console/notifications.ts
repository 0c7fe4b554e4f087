/** Notifications to merchants, with every attempt. */
import { html, type SafeHtml } from '@remix-run/html-template';
import { notificationStates } from '../../notifications/index.ts';
import { addressWith, attemptText, badge, choice, table, textField, time } from '../../http/dashboard/parts.ts';
import type { Query } from '../../http/dashboard/query.ts';
import { actForm } from './act-form.ts';
import type { ConsoleDeps } from './deps.ts';
import type { Session } from './session.ts';

const perPage = 50;
const path = '/ops/notifications';

export async function notificationsPage(deps: ConsoleDeps, query: Query, session: Session): Promise<SafeHtml> {
  const { owner, type, cursor, payment } = query;
  const state = notificationStates.find((one) => one === query['state']);
  const merchant = owner === undefined ? undefined : await deps.owners.find(owner);
  const isUnknown = owner !== undefined && !merchant;
  const { items, nextCursor } = isUnknown
    ? { items: [], nextCursor: null }
    : await deps.searchNotifications({
        ...(merchant && { ownerId: merchant.id }),
        ...(state && { state }),
        ...(type !== undefined && { type }),
        ...(payment !== undefined && /^\d{1,15}$/.test(payment) && { paymentRequestId: Number(payment) }),
        ...(cursor !== undefined && { cursor }),
        limit: perPage,
      });
  return html`<form method="get" action="${path}" class="filters">
      ${choice('state', 'State', notificationStates, state)}
      ${textField({ name: 'type', label: 'Type, such as payment.succeeded', value: type })}
      ${textField({ name: 'owner', label: 'Merchant', value: owner })}
      ${textField({ name: 'payment', label: 'Payment', value: payment })}
      <button class="main">Show</button>
    </form>
    ${isUnknown ? html`<p class="note bad" role="alert">There is no merchant of exactly this name.</p>` : null}
    ${table({
      caption: 'Notifications, the newest first',
      head: ['Made', 'Mode', 'State', 'Type', 'To', 'Attempts', 'Next attempt', 'Act'],
      rows: items.map((one) => [
        time(one.createdAt),
        one.environment,
        badge(one.state),
        html`${one.type} <small>${one.id}</small>`,
        one.url,
        html`${one.attempts.map((attempt) => html`<div>${attemptText(attempt)} <small>${time(attempt.at)}</small></div>`)}`,
        time(one.nextAttemptAt),
        actForm(session, 'support', { action: `${path}/${encodeURIComponent(one.id)}/resend`, label: 'Send again' }),
      ]),
      empty: 'No notification is like this.',
    })}
    ${
      nextCursor === null
        ? null
        : html`<p class="pages">
            <a href="${addressWith(path, { state, owner, type, payment, cursor: nextCursor })}">Older</a>
          </p>`
    }`;
}
