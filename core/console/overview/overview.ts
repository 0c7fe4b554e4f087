/** What needs somebody now, what goes through, what waits, and which hosts live: each is read, and fails, by itself. */
import { html, type SafeHtml } from '@remix-run/html-template';
import { alarmHead, alarmRows } from '../system/alarms.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { ShowTable } from '../kit/listing.ts';
import { providersPart, trafficPart } from './traffic-part.ts';
import { agesPart, queuesPart } from './queues-part.ts';
import { renderLivePart } from '../kit/page-part.ts';
import { processHead, processRows, unresponsiveTexts } from './processes.ts';
import { announced, time } from '../../html/dashboard/parts.ts';

const shownAlarms = 10;

export async function overviewPage(deps: ConsoleDeps, table: ShowTable): Promise<SafeHtml> {
  const parts = await Promise.all([
    renderLivePart('alarms', 'Alarms', async () => alarmsPart(deps, table)),
    renderLivePart('traffic', 'Traffic', async () => trafficPart(deps, table)),
    renderLivePart('providers', 'Providers', async () => providersPart(deps, table)),
    renderLivePart('queues', 'Queues', async () => queuesPart(deps, table)),
    renderLivePart('ages', 'Queues over time', async () => agesPart(deps, table)),
    renderLivePart('hosts', 'Hosts', async () => hostsPart(deps, table)),
    renderLivePart('processes', 'Processes', async () => processesPart(deps, table)),
  ]);
  return html`${parts}`;
}

async function alarmsPart(deps: ConsoleDeps, table: ShowTable): Promise<SafeHtml> {
  const [open, alive] = await Promise.all([deps.alarms.list(shownAlarms), deps.hosts()]);
  const unresponsive = unresponsiveTexts(alive);
  const needs = open.length + unresponsive.length;
  if (needs === 0) return announced(html`<p class="note good">Nothing needs you.</p>`);
  const most = open.length === shownAlarms ? 'at least ' : '';
  return html`${announced(
    html`<p class="unseen">
      ${most}${needs === 1 ? '1 thing needs' : `${needs} things need`} you.
      ${open[0] ? `The latest alarm: ${open[0].reason}` : ''}
    </p>`,
  )}
  ${unresponsive.map((text) => html`<p class="note bad">${text}</p>`)}
  ${
    open.length === 0
      ? null
      : table('alarms', {
          caption: 'Alarms that need somebody',
          head: alarmHead,
          rows: await alarmRows(deps, open),
          empty: '',
          ...(open.length === shownAlarms && {
            rest: { text: `The latest ${shownAlarms}.`, path: '/ops/alarms' },
          }),
        })
  }`;
}

async function hostsPart({ hosts }: ConsoleDeps, table: ShowTable): Promise<SafeHtml> {
  const alive = await hosts();
  return table('hosts', {
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
  });
}

async function processesPart({ hosts, adapterStates }: ConsoleDeps, table: ShowTable): Promise<SafeHtml> {
  const [alive, { version }, running] = await Promise.all([hosts(), adapterStates.read(), adapterStates.running()]);
  return html`<p>The adapters’ states are at version ${version}.</p>
    ${table('processes', {
      caption: 'Processes, and the version of the adapters’ states that each runs',
      head: processHead,
      rows: processRows(alive, running, version),
      empty: 'No host has said which processes it runs.',
    })}`;
}
