/** What is wrong with this host as alarms: raised as long as it lasts, and ended by the first look that finds it right. */
import type { Alarms } from '../../../core/alarms/index.ts';
import type { HostProblem } from './judge-host.ts';

type HostAlarm = NonNullable<HostProblem['kind']>;

const kinds: readonly HostAlarm[] = ['clock_skew', 'key_unknown'];

/** To be called with every look. */
export function createHostAlarms(
  { raise, clear }: Pick<Alarms, 'raise' | 'clear'>,
  hostname: string,
): (problems: readonly HostProblem[]) => void {
  const subject = { type: 'host', id: hostname } as const;
  /** Unknown yet: a start before may have raised any. */
  let open: ReadonlySet<HostAlarm> = new Set(kinds);
  return (problems) => {
    for (const { kind, text } of problems) if (kind) raise(kind, subject, text);
    const found = new Set(problems.flatMap(({ kind }) => kind ?? []));
    for (const kind of open) if (!found.has(kind)) clear(kind, subject);
    open = found;
  };
}
