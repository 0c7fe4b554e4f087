/**
 * Alarms: what an operator must look at. Raising one never fails and keeps nobody waiting: it is logged at once and stored
 * soon. What it is about is kept where it belongs (a payment, a callback), so that nothing is lost with an alarm.
 */
import type { Connection } from 'mongoose';
import type { Logger } from 'pino';
import type { Alarm, AlarmKind, AlarmSubject } from '../documents/alarm.ts';
import { alarmKinds } from './kinds.ts';
import { createAlarmStore } from './store.ts';

export { alarmKinds, type AlarmMeaning } from './kinds.ts';

/** Raises an alarm, or counts it once more. `logFields` are logged beside it, and kept nowhere. */
export type Raise = (kind: AlarmKind, subject: AlarmSubject, reason: string, logFields?: object) => void;

export interface Alarms {
  readonly raise: Raise;
  /** What is open or acknowledged, the latest first. */
  list(limit: number): Promise<readonly Alarm[]>;
  /** Its cause is gone: it is forgotten after 90 days, and opened anew where it is raised again. */
  resolve(kind: AlarmKind, subject: AlarmSubject): Promise<void>;
  /** Stores what was raised up to now, as far as the database answers. */
  close(): Promise<void>;
}

export function paymentSubject(id: number): AlarmSubject {
  return { type: 'payment', id: String(id) };
}

/** Raises into the log alone, for commands that have no database. */
export function raiseInto(log: Logger): Raise {
  return (kind, { type, id }, reason, logFields = {}) => {
    log.error(
      { alarm: true, alarmKind: kind, subject: `${type} ${id}`, ...logFields, reason },
      alarmKinds[kind].meaning,
    );
  };
}

export function createAlarms({ connection, log }: { readonly connection: Connection; readonly log: Logger }): Alarms {
  const report = raiseInto(log);
  const store = createAlarmStore(connection, log);
  return {
    raise(kind, subject, reason, logFields) {
      report(kind, subject, reason, logFields);
      store.raised(kind, subject, reason);
    },
    list: async (limit) => store.list(limit),
    resolve: async (kind, subject) => store.resolve(kind, subject),
    close: async () => store.close(),
  };
}
