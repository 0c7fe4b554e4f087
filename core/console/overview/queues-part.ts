/** What waits, and since when. */
import { html, type SafeHtml } from '@remix-run/html-template';
import { chart } from '../kit/chart.ts';
import { isTruncated, boundedCount } from '../kit/bounded-count.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { ShowTable } from '../kit/listing.ts';
import { addressWith, fact, span, spanText, time, type Cell } from '../../html/dashboard/parts.ts';

/** What is shown over time: each by the queues that it is of. */
const charted = {
  inbox: ['inbox', 'pings'],
  reconcile: ['reconcile'],
  notifications: ['notifications'],
  outbox: ['outbox'],
} as const;

export async function queuesPart({ backlog }: ConsoleDeps, table: ShowTable): Promise<SafeHtml> {
  const { queues, paymentsCreated, deadLetters } = await backlog();
  const isBounded = isTruncated(deadLetters);
  return html`${table('queues', {
      caption: 'What waits',
      head: ['Queue', 'Waiting', 'Due', 'Due for'],
      rows: queues.map(({ queue, pending, due, oldestDueSeconds }) => [
        queueName(queue),
        boundedCount(pending),
        boundedCount(due),
        span(oldestDueSeconds),
      ]),
      empty: 'There are no queues.',
    })}
    <dl class="facts">
      ${fact(
        'Payments that nobody tried to pay',
        html`<a href="/ops/payments?status=created">${boundedCount(paymentsCreated)}</a>`,
      )}
      ${deadLetters.map(({ provider, outcome, count }) =>
        fact(
          `Callbacks of ${provider}: ${outcome.replaceAll('_', ' ')}`,
          html`<a href="${addressWith('/ops/callbacks', { state: outcome, adapter: provider })}"
            >${boundedCount(count, isBounded)}</a
          >`,
        ),
      )}
    </dl>`;
}

export async function agesPart({ traffic }: ConsoleDeps, table: ShowTable): Promise<SafeHtml> {
  const { minutes } = await traffic();
  const at = minutes.map((one) => one.at);
  const series = Object.entries(charted).map(([name, of]) => {
    const values = minutes.map(({ ages = {} }) => {
      const known = of.flatMap((queue) => ages[queue] ?? []);
      return known.length === 0 ? undefined : Math.max(...known);
    });
    return { name, values };
  });
  return html`<div class="tiles more">
      <section class="tile">
        <h3>Due for, at most within the minute</h3>
        ${chart({ label: 'How long queues have been due', at, series, textOf: spanText })}
      </section>
    </div>
    <details>
      <summary>The same as a table</summary>
      ${table('ages', {
        caption: 'How long queues have been due, a minute at a time, the latest first',
        head: ['Minute', ...series.map(({ name }) => name)],
        rows: at
          .map((minute, index) => [time(minute), ...series.map(({ values }) => span(values[index] ?? 0))])
          .toReversed(),
        empty: '',
      })}
    </details>`;
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
