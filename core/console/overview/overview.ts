/**
 * The first page: unresolved alarms, throughput, queues, hosts and processes. Each part is read separately, so that
 * one that fails does not affect the others.
 */
import { html, type SafeHtml } from '@remix-run/html-template';
import { alarmHead, alarmRows } from '../system/alarms.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { ShowTable } from '../kit/listing.ts';
import { providersPart, trafficPart } from './traffic-part.ts';
import { agesPart, queuesPart } from './queues-part.ts';
import { renderLivePart } from '../kit/page-part.ts';
import { processHead, processRows, unresponsiveTexts } from './processes.ts';
import { announced, time } from '../../html/components/parts.ts';

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
  if (open.length + unresponsive.length === 0)
    return announced(html`<p class="note good">No unresolved alarms. All processes respond.</p>`);
  return html`${announced(
    html`<p class="unseen">
      ${problemsText(open.length, unresponsive.length)} ${open[0] ? `The latest alarm: ${open[0].reason}` : ''}
    </p>`,
  )}
  ${unresponsive.map((text) => html`<p class="note bad">${text}</p>`)}
  ${
    open.length === 0
      ? null
      : table('alarms', {
          caption: 'Unresolved alarms',
          head: alarmHead,
          rows: await alarmRows(deps, open),
          empty: '',
          ...(open.length === shownAlarms && {
            rest: { text: `The latest ${shownAlarms} are shown.`, path: '/ops/alarms' },
          }),
        })
  }`;
}

function problemsText(alarms: number, unresponsive: number): string {
  const most = alarms === shownAlarms ? 'At least ' : '';
  return [
    ...(alarms > 0 ? [`${most}${alarms} unresolved ${alarms === 1 ? 'alarm' : 'alarms'}.`] : []),
    ...(unresponsive > 0 ? [`${unresponsive} unresponsive ${unresponsive === 1 ? 'process' : 'processes'}.`] : []),
  ].join(' ');
}

async function hostsPart({ hosts }: ConsoleDeps, table: ShowTable): Promise<SafeHtml> {
  const alive = await hosts();
  return table('hosts', {
    caption: 'Hosts of the service',
    head: ['Host', 'Started', 'Last heartbeat', 'Processes', 'Workers', 'Adapters'],
    rows: alive.map(({ hostname, startedAt, seenAt, processes, workers, adapters }) => [
      hostname,
      time(startedAt),
      time(seenAt),
      processes.length,
      workers,
      adapters.map(({ name, version }) => `${name} ${version}`).join(', '),
    ]),
    empty: 'No host has sent a heartbeat within the last day.',
  });
}

async function processesPart({ hosts, adapterStates }: ConsoleDeps, table: ShowTable): Promise<SafeHtml> {
  const [alive, { version }, running] = await Promise.all([hosts(), adapterStates.read(), adapterStates.running()]);
  return html`<p>The adapter states are at version ${version}.</p>
    ${table('processes', {
      caption: 'Processes, with the version of the adapter states that each one uses',
      head: processHead,
      rows: processRows(alive, running, version),
      empty: 'No host has reported its processes.',
    })}`;
}
