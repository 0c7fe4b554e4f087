/** Raises and clears the alarms about this host and its processes. */
import type { Alarms } from '../../../core/engine/alarms/index.ts';
import type { AlarmSubject } from '../../../core/database/collections/alarm.ts';
import type { Host } from '../../../core/database/collections/host.ts';
import { seriesOf } from '../processes/process-names.ts';
import type { HostState } from './hosts.ts';
import type { HostProblem } from './judge-host.ts';

type HostAlarm = NonNullable<HostProblem['kind']>;

export interface HostAlarms {
  /**
   * Call it after every poll. Raises an alarm while its problem lasts, and clears it after the first poll without it.
   */
  update(found: Pick<HostState, 'problems' | 'isNameShared'>): void;
  /**
   * A process of this host died or had to be killed. The alarm is resolved when its series had no failure for a while.
   */
  processFailed(why: string, name: string): void;
}

const kinds: readonly HostAlarm[] = ['clock_skew', 'key_unknown'];

/** The alarms name the host by its hostname, or by its id while another host that is alive has the same hostname. */
export function createHostAlarms(
  { raise, clear }: Pick<Alarms, 'raise' | 'clear'>,
  { _id, hostname }: Pick<Host, '_id' | 'hostname'>,
): HostAlarms {
  let name = hostname;
  /** At first all kinds, because an earlier start may have raised any of them. */
  let open: ReadonlySet<HostAlarm> = new Set(kinds);

  const subject = (): AlarmSubject => ({ type: 'host', id: name });

  function updateName(isNameShared: boolean): void {
    const next = isNameShared ? _id : hostname;
    if (next === name) return;
    // An alarm under a shared hostname may belong to the other host; it resolves automatically.
    if (name === _id) for (const kind of open) clear(kind, subject());
    name = next;
    open = new Set(kinds);
  }

  return {
    update({ problems, isNameShared }) {
      updateName(isNameShared);
      for (const { kind, text } of problems) if (kind) raise(kind, subject(), text);
      const found = new Set(problems.flatMap(({ kind }) => kind ?? []));
      for (const kind of open) if (!found.has(kind)) clear(kind, subject());
      open = found;
    },
    processFailed(why, process) {
      const id = `${seriesOf(process)}@${name}`;
      raise('process_failed', { type: 'process', id }, `${why} Its lines in the log have the name ${process}.`);
    },
  };
}
