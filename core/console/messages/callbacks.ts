/** Callbacks that need attention or wait for a retry, and the page of one callback. */
import { html, type SafeHtml } from '@remix-run/html-template';
import {
  isTriedAgain,
  deadLetterStates,
  listedStates,
  type WaitingCallback,
  type DeadLetterDetails,
} from '../../engine/callbacks/dead-letters.ts';
import type { TimePage } from '../../database/page-by-time.ts';
import { moneyText } from '../../base/text/money-text.ts';
import { buttons, optionalReason, requiredReason } from '../kit/buttons.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { Listing, ShowTable } from '../kit/listing.ts';
import { badge, choice, textField, time, noWrap } from '../../html/components/parts.ts';
import { paymentLink } from '../payments/payment-link.ts';
import { actionForm } from '../kit/action-form.ts';
import type { Query } from '../../html/components/query.ts';
import type { Session } from '../sign-in/session.ts';

const perPage = 50;
const path = '/ops/callbacks';
const waiting = 'waiting';

export async function callbacksPage(
  { deadLetters }: ConsoleDeps,
  { query, rows = perPage }: { readonly query: Query; readonly rows: number | undefined },
): Promise<Listing> {
  const { adapter, cursor } = query;
  const page = { ...(adapter !== undefined && { adapter }), ...(cursor !== undefined && { cursor }), limit: rows };
  if (query['state'] === waiting) return waitingPage(await deadLetters.waiting(page), query);
  const state = deadLetterStates.find((one) => one === query['state']);
  const { items, nextCursor } = await deadLetters.page({ ...page, ...(state && { state }) });
  return {
    before: filters(state, adapter),
    table: {
      caption: 'Callbacks that need attention, newest first',
      head: ['Received', 'State', 'Adapter', 'Payments', 'Reason', 'Callback'],
      rows: items.map(({ id, receivedAt, state: rowState, adapter: name, paymentRequestIds, reason }) => [
        time(receivedAt),
        badge(rowState),
        name,
        paymentLinks(paymentRequestIds),
        reason,
        callbackLink(id),
      ]),
      empty: 'No callback needs attention.',
    },
    ids: items.map(({ id }) => id),
    ...(nextCursor !== null && { older: { ...query, cursor: nextCursor } }),
  };
}

/** The inbox: callbacks that workers will process automatically. */
function waitingPage({ items, nextCursor }: TimePage<WaitingCallback>, query: Query): Listing {
  return {
    order: 'soonest',
    before: html`${filters(waiting, query['adapter'])}
      <p><small>Workers process these callbacks automatically. The total count is on the Overview page.</small></p>`,
    table: {
      caption: 'Callbacks that wait to be processed, soonest first',
      head: ['Due', 'Received', 'Adapter', 'Payments', 'Tries', 'Why it still waits', 'Callback'],
      rows: items.map(({ id, dueAt, receivedAt, adapter: name, paymentRequestIds, tries, reason }) => [
        time(dueAt),
        time(receivedAt),
        name,
        paymentLinks(paymentRequestIds),
        tries,
        reason || '–',
        callbackLink(id),
      ]),
      empty: 'No callback is waiting.',
    },
    ids: items.map(({ id }) => id),
    ...(nextCursor !== null && { older: { ...query, cursor: nextCursor } }),
  };
}

function filters(state: string | undefined, adapter: string | undefined): SafeHtml {
  return html`<form method="get" action="${path}" class="filters">
    ${choice('state', 'State', listedStates, state, { any: 'needs attention' })}
    ${textField({ name: 'adapter', label: 'Adapter', value: adapter })}
    <button class="main">Show</button>
  </form>`;
}

function callbackLink(id: string): SafeHtml {
  return html`<a href="${path}/${encodeURIComponent(id)}">${id.slice(0, 12)}…</a>`;
}

/** Throws NF001 if the callback does not exist. */
export async function callbackPage(
  { deadLetters }: ConsoleDeps,
  id: string,
  session: Session,
  table: ShowTable,
): Promise<SafeHtml> {
  const deadLetter = await deadLetters.get(id);
  const { adapter, path: route, state, reason, receivedAt, tries, expireAt, requestId, events } = deadLetter;
  const needsAttention = deadLetterStates.some((one) => one === state);
  const again = needsAttention ? buttons.requeue : isTriedAgain(deadLetter) ? 'Retry now' : undefined;
  return html`<p>
      ${badge(state)} ${reason === '' ? null : `${reason}. `}Received ${time(receivedAt)} at
      <code>/callbacks/${route}</code> of ${adapter}, request ${requestId}, tried ${tries} times, kept until
      ${time(expireAt)}.
    </p>
    ${
      again === undefined
        ? null
        : html`<div class="acts">
            ${actionForm(session, 'support', {
              action: `${path}/${encodeURIComponent(id)}/requeue`,
              label: again,
              fields: textField({ name: 'reason', label: optionalReason }),
            })}
            ${
              needsAttention
                ? actionForm(session, 'admin', {
                    action: `${path}/${encodeURIComponent(id)}/discard`,
                    label: buttons.discard,
                    fields: textField({ name: 'reason', label: requiredReason, isRequired: true }),
                    isDangerous: true,
                  })
                : null
            }
          </div>`
    }
    <h2>Events</h2>
    ${table('events', {
      caption: 'Events of the callback',
      head: ['Kind', 'Reported status', 'Reference', 'Amount', 'Payment', 'State', 'Note'],
      rows: events.map((event) => [
        event.kind,
        `${event.providerStatus} (${event.status})`,
        [event.reference, event.providerReference].filter((one) => one !== null).join(' / ') || '–',
        event.amount === null ? '–' : noWrap(moneyText(event.amount, event.currency ?? '')),
        event.paymentRequestId === null ? '–' : paymentLinks([event.paymentRequestId]),
        badge(event.state),
        event.note,
      ]),
      empty: 'No event could be read.',
    })}
    <h2>Message</h2>
    <p><small>Signatures, secrets, tokens and card numbers are hidden.</small></p>
    <pre tabindex="0" class="wrapped">${messageText(deadLetter)}</pre>`;
}

function paymentLinks(ids: readonly number[]): SafeHtml | string {
  if (ids.length === 0) return '–';
  return html`${ids.map((id) => html`${paymentLink(id)} `)}`;
}

function messageText({ raw }: DeadLetterDetails): string {
  if (raw === null) return 'The message cannot be decrypted with any of the encryption keys.';
  const { method, path: address, query, headers, body } = raw;
  const lines = headers.map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${address}${query === '' ? '' : `?${query}`}`, ...lines, '', body].join('\n');
}
