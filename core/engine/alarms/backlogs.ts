/** Checks whether queues are processed in time, from their ages over all hosts and by the clock of the database. */
import type { Connection } from 'mongoose';
import type { AlarmKind, AlarmSubject } from '../../database/collections/alarm.ts';
import { readQueues } from '../../database/backlog.ts';
import { MINUTE, SECOND } from '../../base/async/time.ts';

export interface BacklogAlarms {
  readonly connection: Connection;
  readonly raise: (kind: AlarmKind, subject: AlarmSubject, reason: string) => void;
}

/** The names of queues in alarms, if they differ from those in metrics. */
const names: Readonly<Record<string, string>> = { inbox: 'callbacks' };

/** Raises an alarm for each queue whose oldest row has been due for longer. Returns how many. */
export async function raiseOldBacklogs({ connection, raise }: BacklogAlarms, backlogMinutes: number): Promise<number> {
  let raised = 0;
  for (const { queue, oldestDueSeconds } of await readQueues(connection)) {
    const minutes = (oldestDueSeconds * SECOND) / MINUTE;
    if (minutes <= backlogMinutes) continue;
    const id = names[queue] ?? queue;
    raise('backlog_old', { type: 'queue', id }, `the oldest has waited for ${Math.floor(minutes)} min`);
    raised += 1;
  }
  return raised;
}
