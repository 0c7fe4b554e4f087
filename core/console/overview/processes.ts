/** The processes of all hosts: which ones respond, and which version of the adapter states each one uses. */
import { html } from '@remix-run/html-template';
import type { AdapterRun } from '../../database/collections/adapter-state.ts';
import { maxSilentMs, type Host, type HostProcess } from '../../database/collections/host.ts';
import { SECOND } from '../../base/async/time.ts';
import { badge, type Cell } from '../../html/components/parts.ts';

type SeenHost = Pick<Host, 'hostname' | 'processes' | 'processStates'>;

export const processHead = ['Process', 'Host', 'State', 'Name in the log', 'Version', 'Adapter states'] as const;

export function processRows(
  hosts: readonly SeenHost[],
  runs: readonly Pick<AdapterRun, '_id' | 'version' | 'problem'>[],
  wanted: number,
): readonly (readonly Cell[])[] {
  const runOf = new Map(runs.map((run) => [run._id, run]));
  return hosts.flatMap((host) =>
    processesOf(host).map(({ title, name, state, silentMs }) => [
      title,
      host.hostname,
      state === 'unresponsive' ? html`${badge(state)} for ${seconds(silentMs)}` : state ? badge(state) : '–',
      name || '–',
      // The last report of a process that does not respond is of no use.
      ...followCells(state === undefined || state === 'up' ? runOf.get(name) : undefined, wanted),
    ]),
  );
}

/** Each process that does not answer: its name, and what happens to it. */
export function unresponsiveProcesses(
  hosts: readonly SeenHost[],
): readonly { readonly name: string; readonly reason: string }[] {
  return hosts.flatMap(({ hostname, processStates = [] }) =>
    processStates.flatMap(({ title, state, silentMs }) =>
      state === 'unresponsive'
        ? [
            {
              name: `${title} on host ${hostname}`,
              reason: `silent for ${seconds(silentMs)}; it is killed and replaced after ${seconds(maxSilentMs)}`,
            },
          ]
        : [],
    ),
  );
}

type SeenProcess = Omit<HostProcess, 'state'> & { readonly state?: HostProcess['state'] };

/** A host of an earlier version reports only the names of its processes. */
function processesOf({ processes, processStates }: SeenHost): readonly SeenProcess[] {
  return processStates?.length ? processStates : processes.map((name) => ({ title: name, name, silentMs: 0 }));
}

function followCells(run: Pick<AdapterRun, 'version' | 'problem'> | undefined, wanted: number): readonly Cell[] {
  if (!run) return ['–', '–'];
  const { version, problem } = run;
  return [
    version,
    version < wanted ? html`${badge('behind')} ${problem || 'it has not checked yet'}` : badge('up_to_date'),
  ];
}

function seconds(ms: number): string {
  return `${Math.floor(ms / SECOND)} s`;
}
