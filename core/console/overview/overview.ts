/**
 * The first page: is everything all right, and if not, what first? Then volume and success, the providers, and what the
 * service itself does. Each part is read separately, so that one that fails does not affect the others.
 */
import { html, type SafeHtml } from '@remix-run/html-template';
import type { Environment } from '../../base/environment.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { ShowTable } from '../kit/listing.ts';
import { attentionPart } from './attention.ts';
import { providersPart, trafficPart } from './traffic-part.ts';
import { agesPart, queuesPart } from './queues-part.ts';
import { renderLivePart } from '../kit/page-part.ts';
import { processHead, processRows } from './processes.ts';
import { fold, time } from '../../html/components/parts.ts';
import type { Query } from '../../html/components/query.ts';
import { readVolumeView, volumePart } from './volume-part.ts';

export async function overviewPage(
  deps: ConsoleDeps,
  { query, table, mode }: { readonly query: Query; readonly table: ShowTable; readonly mode?: Environment | undefined },
): Promise<SafeHtml> {
  const view = readVolumeView(query, mode ?? (deps.liveKeys ? 'live' : 'test'));
  const [attention, volume, providers, queues, ...service] = await Promise.all([
    renderLivePart('alarms', 'Needs attention', async () => attentionPart(deps, table)),
    renderLivePart('volume', 'Payments', async () => volumePart(deps, query, view, table)),
    renderLivePart('providers', 'Providers', async () => providersPart(deps, table)),
    renderLivePart('queues', 'Queues', async () => queuesPart(deps, table)),
    renderLivePart('traffic', 'Throughput', async () => trafficPart(deps, table)),
    renderLivePart('ages', 'Queues over time', async () => agesPart(deps, table)),
    renderLivePart('hosts', 'Hosts', async () => hostsPart(deps, table)),
    renderLivePart('processes', 'Processes', async () => processesPart(deps, table)),
  ]);
  return html`${attention} ${volume} ${providers} ${queues}
  ${fold('Service: throughput, hosts and processes', html`${service}`)}`;
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
