/** What is wrong with this host and its processes, as alarms. */
import type { Alarms } from '../../../core/engine/alarms/index.ts';
import type { AlarmSubject } from '../../../core/database/collections/alarm.ts';
import type { Host } from '../../../core/database/collections/host.ts';
import { seriesOf } from '../process-names.ts';
import type { HostState } from './hosts.ts';
import type { HostProblem } from './judge-host.ts';

type HostAlarm = NonNullable<HostProblem['kind']>;

export interface HostAlarms {
  /** To be called with every look: an alarm is raised as long as its problem lasts, and ended by the first look that finds it gone. */
  look(found: Pick<HostState, 'problems' | 'isNameShared'>): void;
  /** One of this host's processes died, or had to be ended. The alarm ends once its place has been well for a while. */
  processFailed(why: string, name: string): void;
}

const kinds: readonly HostAlarm[] = ['clock_skew', 'key_unknown'];

/** They name the host as its machine is called, and by its id where others that live are called the same. */
export function createHostAlarms(
  { raise, clear }: Pick<Alarms, 'raise' | 'clear'>,
  { _id, hostname }: Pick<Host, '_id' | 'hostname'>,
): HostAlarms {
  let name = hostname;
  /** Unknown yet: a start before may have raised any. */
  let open: ReadonlySet<HostAlarm> = new Set(kinds);

  const subject = (): AlarmSubject => ({ type: 'host', id: name });

  function rename(isNameShared: boolean): void {
    const next = isNameShared ? _id : hostname;
    if (next === name) return;
    // What was raised under a hostname that others have, too, may be theirs: it passes by itself.
    if (name === _id) for (const kind of open) clear(kind, subject());
    name = next;
    open = new Set(kinds);
  }

  return {
    look({ problems, isNameShared }) {
      rename(isNameShared);
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
