/** Shows the waiting work of each queue, and its age. */
import { html, type SafeHtml } from '@remix-run/html-template';
import { chart } from '../kit/chart.ts';
import { isTruncated, boundedCount } from '../kit/bounded-count.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { ShowTable } from '../kit/listing.ts';
import { providerText } from '../payments/payment-cells.ts';
import { addressWith, fact, fold, span, spanText, time, type Cell } from '../../html/components/parts.ts';

/** Work that has been due for longer than this is late. */
const lateAfterSeconds = 60;

/** The lines of the chart over time, each with the queues that it combines. */
const charted = {
  inbox: ['inbox', 'pings'],
  reconcile: ['reconcile'],
  notifications: ['notifications'],
  outbox: ['outbox'],
} as const;

export async function queuesPart(deps: ConsoleDeps, table: ShowTable): Promise<SafeHtml> {
  const { queues, paymentsCreated, deadLetters } = await deps.backlog();
  const isBounded = isTruncated(deadLetters);
  const late = queues.filter(({ oldestDueSeconds }) => oldestDueSeconds > lateAfterSeconds);
  const list = table('queues', {
    caption: 'Waiting work by queue',
    head: ['Queue', 'Waiting', 'Due', 'Oldest waiting'],
    rows: queues.map(({ queue, pending, due, oldestDueSeconds }) => [
      queueName(queue),
      boundedCount(pending),
      boundedCount(due),
      span(oldestDueSeconds),
    ]),
    empty: 'There are no queues.',
  });
  const said =
    late.length === 0
      ? 'No work is late.'
      : `Late work: ${late.map(({ queue, oldestDueSeconds }) => `${queue}, for ${spanText(oldestDueSeconds)}`).join('; ')}.`;
  return html`<p>${said}</p>
    ${fold('Waiting work by queue', list, late.length > 0)}
    <dl class="facts">
      ${fact(
        'Payments without an attempt',
        html`<a href="/ops/payments?status=created&amp;mode=all">${boundedCount(paymentsCreated)}</a>`,
      )}
      ${deadLetters.map(({ provider, outcome, count }) =>
        fact(
          `Callbacks of ${providerText(deps, provider)}: ${outcome.replaceAll('_', ' ')}`,
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
        <h3>Oldest due item, maximum per minute</h3>
        ${chart({ label: 'Age of the oldest due item by queue', at, series, textOf: spanText })}
      </section>
    </div>
    <details>
      <summary>Show as a table</summary>
      ${table('ages', {
        caption: 'Age of the oldest due item by minute, latest first',
        head: ['Minute', ...series.map(({ name }) => name)],
        rows: at
          .map((minute, index) => [time(minute), ...series.map(({ values }) => span(values[index] ?? 0))])
          .toReversed(),
        empty: '',
      })}
    </details>`;
}

/** Links to the list of the waiting items. The outbox has no list: its entries are stored with their payments. */
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
