/** Whether what waits is worked off: by the ages of the queues that all hosts share, and the database's clock. */
import type { Connection } from 'mongoose';
import type { AlarmKind, AlarmSubject } from '../../database/collections/alarm.ts';
import { readQueues } from '../../database/backlog.ts';
import { MINUTE, SECOND } from '../../base/async/time.ts';

export interface BacklogAlarms {
  readonly connection: Connection;
  readonly raise: (kind: AlarmKind, subject: AlarmSubject, reason: string) => void;
}

/** As alarms call them, where that is not as the metrics do. */
const names: Readonly<Record<string, string>> = { inbox: 'callbacks' };

/** Raises an alarm for each queue whose oldest has been due for longer; gives for how many. */
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
