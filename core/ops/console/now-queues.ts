/** What waits, and since when. */
import { html, type SafeHtml } from '@remix-run/html-template';
import { areCut, counted } from './counted.ts';
import type { ConsoleDeps } from './deps.ts';
import type { ShowTable } from './listing.ts';
import { addressWith, fact, span, type Cell } from '../../http/dashboard/parts.ts';

export async function queuesPart({ backlog }: ConsoleDeps, table: ShowTable): Promise<SafeHtml> {
  const { queues, paymentsCreated, deadLetters } = await backlog();
  const isCut = areCut(deadLetters);
  return html`${table('queues', {
      caption: 'What waits',
      head: ['Queue', 'Waiting', 'Due', 'Due for'],
      rows: queues.map(({ queue, pending, due, oldestDueSeconds }) => [
        queueName(queue),
        counted(pending),
        counted(due),
        span(oldestDueSeconds),
      ]),
      empty: 'There are no queues.',
    })}
    <dl class="facts">
      ${fact(
        'Payments that nobody tried to pay',
        html`<a href="/ops/payments?status=created">${counted(paymentsCreated)}</a>`,
      )}
      ${deadLetters.map(({ provider, outcome, count }) =>
        fact(
          `Callbacks of ${provider}: ${outcome.replaceAll('_', ' ')}`,
          html`<a href="${addressWith('/ops/callbacks', { state: outcome, adapter: provider })}"
            >${counted(count, isCut)}</a
          >`,
        ),
      )}
    </dl>`;
}

/** What waits can be looked at one by one, but for what is queued with its payment. */
function queueName(queue: string): Cell {
  const pages: Readonly<Record<string, string>> = {
    inbox: '/ops/callbacks?state=waiting',
    pings: '/ops/callbacks?state=waiting',
    reconcile: '/ops/checks',
    notifications: '/ops/notifications?state=waiting',
  };
  const page = pages[queue];
  return page === undefined ? queue : html`<a href="${page}">${queue}</a>`;
}
