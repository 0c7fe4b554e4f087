/** What needs somebody now, what goes through, what waits, and which hosts live. */
import { html, type SafeHtml } from '@remix-run/html-template';
import { alarmRows, alarmHead } from './alarms.ts';
import { barChart } from './chart.ts';
import type { ConsoleDeps } from './deps.ts';
import { processRows, processHead, unresponsiveTexts } from './processes.ts';
import { minuteFigures, providerFigures, type MinuteFigures, type ProviderFigures } from './figures.ts';
import type { ShowTable } from './listing.ts';
import { addressWith, badge, fact, live, span, time, type Cell, type Table } from '../../http/dashboard/parts.ts';

const shownAlarms = 10;

export async function nowPage(deps: ConsoleDeps, table: ShowTable): Promise<SafeHtml> {
  const { alarms, backlog, hosts, traffic, adapterStates } = deps;
  const [open, waiting, alive, recent, states, running] = await Promise.all([
    alarms.list(shownAlarms),
    backlog(),
    hosts(),
    traffic(),
    adapterStates.read(),
    adapterStates.running(),
  ]);
  const minutes = minuteFigures(recent);
  const unresponsive = unresponsiveTexts(alive);
  const openAt = new Map(waiting.attemptsOpen.map(({ provider, count }) => [provider, count]));
  const providers = Object.entries(states.states).map(([name, state]) => {
    return { name, state, figures: providerFigures(recent, name), open: openAt.get(name) ?? 0 };
  });
  const busy = providers.filter(isBusy);
  const idle = providers.length - busy.length;
  return html`${live(
    'alarms',
    html`<h2>Alarms</h2>
      ${unresponsive.map((text) => html`<p class="note bad">${text}</p>`)}
      ${
        open.length === 0
          ? unresponsive.length > 0
            ? null
            : html`<p class="note good">Nothing needs you.</p>`
          : table('alarms', {
              caption: 'Alarms that need somebody',
              head: alarmHead,
              rows: await alarmRows(deps, open),
              empty: '',
              ...(open.length === shownAlarms && {
                rest: { text: `The latest ${shownAlarms}.`, path: '/ops/alarms' },
              }),
            })
      }`,
  )}
  ${live(
    'traffic',
    html`<h2>Traffic</h2>
      <div class="tiles">
        ${tile('Callbacks', minutes, 'callbacks')} ${tile('Submissions', minutes, 'submissions')}
        ${tile('Deliveries', minutes, 'deliveries')}
      </div>
      <details>
        <summary>The same as a table</summary>
        ${table('minutes', minutesTable(minutes))}
      </details>
      <h2>Providers</h2>
      ${table('providers', {
        caption: 'Providers within the last hour',
        head: [
          'Adapter',
          'State',
          'Submissions',
          'Succeeded',
          'Calls',
          'Calls failed',
          'p95 of calls',
          'Open attempts',
        ],
        rows: busy.map(({ name, state, figures, open: attempts }) => [
          html`<a href="/ops/adapters/${name}">${name}</a>`,
          badge(state),
          ...figureCells(figures),
          attempts,
        ]),
        empty: 'No adapter did anything within the last hour.',
        ...(idle > 0 && {
          rest: { text: `${idle} more did nothing within the last hour.`, path: '/ops/adapters' },
        }),
      })}`,
  )}
  ${live(
    'queues',
    html`<h2>Queues</h2>
      ${table('queues', {
        caption: 'What waits',
        head: ['Queue', 'Waiting', 'Due', 'Due for'],
        rows: waiting.queues.map(({ queue, pending, due, oldestDueSeconds }) => [
          queueName(queue),
          pending,
          due,
          span(oldestDueSeconds),
        ]),
        empty: 'There are no queues.',
      })}
      <dl class="facts">
        ${fact(
          'Payments that nobody tried to pay',
          html`<a href="/ops/payments?status=created">${waiting.paymentsCreated}</a>`,
        )}
        ${waiting.deadLetters.map(({ provider, outcome, count }) =>
          fact(
            `Callbacks of ${provider}: ${outcome.replaceAll('_', ' ')}`,
            html`<a href="${addressWith('/ops/callbacks', { state: outcome, adapter: provider })}">${count}</a>`,
          ),
        )}
      </dl>`,
  )}
  ${live(
    'hosts',
    html`<h2>Hosts</h2>
      ${table('hosts', {
        caption: 'Hosts of the service',
        head: ['Host', 'Since', 'Last sign of life', 'Processes', 'Workers', 'Adapters'],
        rows: alive.map(({ hostname, startedAt, seenAt, processes, workers, adapters }) => [
          hostname,
          time(startedAt),
          time(seenAt),
          processes.length,
          workers,
          adapters.map(({ name, version }) => `${name} ${version}`).join(', '),
        ]),
        empty: 'No host has shown a sign of life within the last day.',
      })}
      <h2>Processes</h2>
      <p>The adapters’ states are at version ${states.version}.</p>
      ${table('processes', {
        caption: 'Processes, and the version of the adapters’ states that each runs',
        head: processHead,
        rows: processRows(alive, running, states.version),
        empty: 'No host has said which processes it runs.',
      })}`,
  )}`;
}

/** It has something to do, or has had it; one that drains is about to be turned off. */
function isBusy({
  state,
  figures,
  open,
}: {
  readonly state: string;
  readonly figures: ProviderFigures;
  readonly open: number;
}): boolean {
  const { submissions, calls, callbacks } = figures;
  return state === 'draining' || submissions + calls + callbacks + open > 0;
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

function tile(
  label: string,
  minutes: readonly MinuteFigures[],
  name: 'callbacks' | 'submissions' | 'deliveries',
): SafeHtml {
  const values = minutes.map((one) => one[name]);
  const hour = values.reduce((sum, value) => sum + value, 0);
  return html`<section class="tile">
    <h3>${label}</h3>
    <p class="figure">${values.at(-1) ?? 0} <small>in the last full minute</small></p>
    ${barChart(label, values)}
    <p><small>${hour} within the hour</small></p>
  </section>`;
}

function minutesTable(minutes: readonly MinuteFigures[]): Table {
  return {
    caption: 'A minute at a time, the latest first',
    head: ['Minute', 'Callbacks', 'Submissions', 'Deliveries'],
    rows: minutes
      .toReversed()
      .map(({ at, callbacks, submissions, deliveries }) => [time(at), callbacks, submissions, deliveries]),
    empty: '',
  };
}

/** Submissions, succeeded, calls, calls that failed, the slow ones. */
export function figureCells({ submissions, successRate, calls, errorRate, p95Ms }: ProviderFigures): Cell[] {
  return [submissions, percent(successRate), calls, percent(errorRate), p95Ms === undefined ? '–' : `${p95Ms} ms`];
}

export function percent(rate: number | undefined): string {
  return rate === undefined ? '–' : `${(rate * 100).toFixed(1)} %`;
}
