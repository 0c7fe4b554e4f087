/** The pages of notifications sent to the merchant: a list, and one notification with its request and every attempt. */
import { html, type SafeHtml } from '@remix-run/html-template';
import { notificationStates, type NotificationView } from '../../engine/notifications/index.ts';
import type { Portal } from '../index.ts';
import {
  actionsHeading,
  addressWith,
  answerText,
  badge,
  choice,
  fact,
  postForm,
  table,
  textField,
  time,
} from '../../html/components/parts.ts';
import type { Query } from '../../html/components/query.ts';
import { indentJson } from './indent-json.ts';
import type { PortalSession } from './session.ts';

const perPage = 50;

export async function deliveriesPage(portal: Portal, session: PortalSession, query: Query): Promise<SafeHtml> {
  const { root, link } = session;
  const { type, cursor, payment } = query;
  const state = notificationStates.find((one) => one === query['state']);
  const { items, nextCursor } = await portal.deliveries(link, {
    ...(state && { state }),
    ...(type !== undefined && { type }),
    ...(payment !== undefined && { paymentRequestId: /^\d{1,15}$/.test(payment) ? Number(payment) : -1 }),
    ...(cursor !== undefined && { cursor }),
    limit: perPage,
  });
  return html`<form method="get" action="${root}" class="filters">
      ${choice('state', 'State', notificationStates, state)}
      ${textField({ name: 'type', label: 'Type, such as payment.succeeded', value: type })}
      ${textField({ name: 'payment', label: 'Payment request', value: payment })}
      <button class="main">Show</button>
    </form>
    ${table({
      caption: 'Notifications, newest first',
      head: ['Created', 'State', 'Type', 'To', 'Latest attempt', 'Attempts', 'Next attempt', actionsHeading],
      rows: items.map((one) => {
        const last = one.attempts.at(-1);
        return [
          time(one.createdAt),
          badge(one.state),
          html`<a href="${pathOf(root, one.id)}">${one.type}</a> <small>${one.id}</small>`,
          one.url,
          last ? html`${answerText(last)} <small>${time(last.at)}</small>` : '–',
          one.attempts.length,
          time(one.nextAttemptAt),
          resendForm(session, one.id),
        ];
      }),
      empty: 'No notifications found.',
    })}
    ${
      nextCursor === null
        ? null
        : html`<p class="pages">
            <a href="${addressWith(root, { state, type, payment, cursor: nextCursor })}">Older</a>
          </p>`
    }`;
}

/** Throws NF001 if there is no such notification. */
export async function deliveryPage(portal: Portal, session: PortalSession, id: string): Promise<SafeHtml> {
  const { root, link } = session;
  const one = await portal.delivery(link, id);
  const headers = [
    'Content-Type: application/json',
    `webhook-id: ${one.id}`,
    `X-Webhook-Mode: ${link.environment}`,
    'webhook-timestamp, webhook-signature, X-Webhook-Signature: different for each attempt',
  ];
  return html`<dl class="facts">
      ${fact('Type', one.type)} ${fact('Id', one.id)} ${fact('State', one.state)}
      ${fact('Payment request', one.paymentRequestId ?? '–')}
    </dl>
    <div class="acts centred">
      ${resendForm(session, id)} ${one.state === 'waiting' ? html`<a href="${pathOf(root, id)}">Refresh</a>` : null}
    </div>
    <h2>Attempts</h2>
    ${one.state === 'waiting' ? html`<p>${nextText(one)}</p>` : null}
    ${table({
      caption: 'Attempts, oldest first',
      head: ['Time', 'Answer'],
      rows: one.attempts.map((attempt) => [time(attempt.at, { precise: true }), answerText(attempt)]),
      empty: 'No attempt yet.',
    })}
    <h2>Request</h2>
    <p>The body is sent in one line. The signatures cover exactly those bytes.</p>
    <div class="scroll" role="region" aria-label="Request" tabindex="0">
      <pre class="wrapped">
POST ${one.url}
${headers.join('\n')}

${indentJson(one.body)}</pre>
    </div>`;
}

function nextText({ nextAttemptAt }: NotificationView): SafeHtml | string {
  return nextAttemptAt === null ? 'An attempt is in progress.' : html`The next attempt is at ${time(nextAttemptAt)}.`;
}

export function pathOf(root: string, id: string): string {
  return `${root}/deliveries/${encodeURIComponent(id)}`;
}

function resendForm(session: PortalSession, id: string): SafeHtml {
  return postForm(session, { action: `${pathOf(session.root, id)}/resend`, label: 'Send again' });
}
