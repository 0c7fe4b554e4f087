/** What needs somebody now, what waits, and which hosts live. */
import { html, type SafeHtml } from '@remix-run/html-template';
import { fact, table, time } from '../../http/dashboard/parts.ts';
import { alarmCells } from './alarms.ts';
import type { ConsoleDeps } from './deps.ts';

const shownAlarms = 10;

export async function nowPage({ alarms, backlog, hosts }: ConsoleDeps): Promise<SafeHtml> {
  const [open, waiting, alive] = await Promise.all([alarms.list(shownAlarms), backlog(), hosts()]);
  const { queues, paymentsCreated, attemptsOpen, deadLetters } = waiting;
  return html`<h2>Alarms</h2>
    ${table({
      caption: 'Alarms that need somebody',
      head: ['Last seen', 'State', 'Times', 'About', 'What it is'],
      rows: open.map(alarmCells),
      empty: 'Nothing needs you.',
    })}
    <h2>Queues</h2>
    ${table({
      caption: 'What waits',
      head: ['Queue', 'Waiting', 'Due', 'Due for'],
      rows: queues.map(({ queue, pending, due, oldestDueSeconds }) => [queue, pending, due, seconds(oldestDueSeconds)]),
      empty: 'There are no queues.',
    })}
    <h2>Payments</h2>
    <dl class="facts">
      ${fact('Created, and not tried yet', paymentsCreated)}
      ${attemptsOpen.filter(({ count }) => count > 0).map(({ provider, count }) => fact(`Open at ${provider}`, count))}
      ${deadLetters.map(({ provider, outcome, count }) =>
        fact(`Callbacks of ${provider}: ${outcome.replaceAll('_', ' ')}`, count),
      )}
    </dl>
    <h2>Hosts</h2>
    ${table({
      caption: 'Hosts of the service',
      head: ['Host', 'Since', 'Last sign of life', 'Workers', 'Adapters'],
      rows: alive.map(({ hostname, startedAt, seenAt, workers, adapters }) => [
        hostname,
        time(startedAt),
        time(seenAt),
        workers,
        adapters.map(({ name, version }) => `${name} ${version}`).join(', '),
      ]),
      empty: 'No host has shown a sign of life within the last day.',
    })}`;
}

function seconds(count: number): string {
  if (count < 1) return '–';
  if (count < 120) return `${Math.round(count)} s`;
  return count < 7200 ? `${Math.round(count / 60)} min` : `${Math.round(count / 3600)} h`;
}
