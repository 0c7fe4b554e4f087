/**
 * Names of processes: leases, locks and logs use a unique name; metrics and alarms use the series, such as `worker-2`.
 */
import { randomBytes } from 'node:crypto';

/** A name for a new process of this series. The same name is never used twice. */
export function newName(series: string): string {
  return `${series}-${randomBytes(4).toString('hex')}`;
}

/** The series of a process. A process and its replacement belong to the same series. */
export function seriesOf(name: string): string {
  return name.replace(/-[0-9a-f]{8}$/, '');
}
