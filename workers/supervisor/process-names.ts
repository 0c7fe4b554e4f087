/** How processes are named: in leases, locks and logs by a name of their own, in metrics by their place. */
import { randomBytes } from 'node:crypto';

/** Of a process in this place, such as `worker-2`: never given twice. */
export function newName(place: string): string {
  return `${place}-${randomBytes(4).toString('hex')}`;
}

/** The place of a process: the one that replaces it goes on with its series. */
export function seriesOf(name: string): string {
  return name.replace(/-[0-9a-f]{8}$/, '');
}
