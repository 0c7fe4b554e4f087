/**
 * Alarms: problems that need an operator. Raising an alarm never fails and never blocks: it is logged immediately and
 * stored soon. The problem itself is stored where it belongs (a payment, a callback), so nothing is lost with an
 * alarm.
 */
import type { Connection } from 'mongoose';
import type { Logger } from 'pino';
import type { Alarm, AlarmKind, AlarmSubject } from '../../database/collections/alarm.ts';
import type { TimePage } from '../../database/page-by-time.ts';
import { maskText } from '../../base/log/log-masks.ts';
import type { Metrics } from '../../base/metrics/index.ts';
import type { Mailer } from '../../base/net/mail.ts';
import { createSampledLog } from '../../base/log/sampled-log.ts';
import { alarmKinds } from './kinds.ts';
import { createAlarmStore } from './store.ts';
import { createReporting, type AlarmsConfig, type Reporting } from './report.ts';

export { createAlarmActions, type AlarmActions } from './alarm-actions.ts';
export { raiseOldBacklogs } from './backlogs.ts';
export { alarmKinds, type AlarmMeaning } from './kinds.ts';
export { alarmId } from './store.ts';
export { aboutStatus, adapterOf, adapterSubject, ownerSubject, partsOf, paymentSubject } from './subjects.ts';
export { presentAlarm, type AlarmsConfig } from './report.ts';

/**
 * Raises an alarm, or counts it once more. `logFields` are logged with it and stored nowhere. For one kind and
 * subject, the first few of an interval are logged, then only their number.
 */
export type Raise = (kind: AlarmKind, subject: AlarmSubject, reason: string, logFields?: object) => void;

/** Resolves an alarm whose cause is gone. Never fails, never blocks. */
export type Clear = (kind: AlarmKind, subject: AlarmSubject) => void;

export interface Alarms extends Reporting {
  readonly raise: Raise;
  readonly clear: Clear;
  /** The open and acknowledged alarms, the latest first. */
  list(limit: number): Promise<readonly Alarm[]>;
  /** The same, page by page. */
  page(page: { readonly limit: number; readonly cursor?: string }): Promise<TimePage<Alarm>>;
  get(id: string): Promise<Alarm | undefined>;
  /** Acknowledges an alarm: no more reminders are sent, even if it is raised again. False: it is not open. */
  acknowledge(id: string): Promise<boolean>;
  /**
   * Resolves an alarm: it is deleted after the days of config, and opens again if it is raised again. False: there is
   * none, or it was resolved before.
   */
  resolve(id: string): Promise<boolean>;
  /** Resolves conditions that were not raised again within the time of their kind. Returns how many. */
  resolvePassed(): Promise<number>;
  /** Resolves the alarms whose cause is gone, as the documents of the cause show. Returns how many. */
  resolveRecovered(): Promise<number>;
  /** Stores the alarms that were raised so far, if the database answers. */
  close(): Promise<void>;
}

/** Writes alarms to the log only, for commands without a database. */
export function raiseInto(log: Logger): Raise {
  const lines = createSampledLog(log);
  return (kind, { type, id }, reason, logFields = {}) => {
    const subject = `${type} ${id}`;
    const fields = { alarm: true, alarmKind: kind, subject, ...logFields, reason };
    lines.error(`${kind} ${subject}`, fields, alarmKinds[kind].meaning);
  };
}

/** The settings without a receiver of alarms. */
const usualKeepDays = 90;

export interface AlarmsDeps {
  readonly connection: Connection;
  readonly log: Logger;
  /** The receivers of reports; absent: this process sends none. */
  readonly config?: AlarmsConfig;
  readonly mailer?: Mailer | undefined;
  /** Names this process in leases. */
  readonly worker?: string;
  /** The clock for reports. Absent: the clock of this process. */
  readonly now?: () => Date;
  /** Absent: alarms are not counted. */
  readonly metrics?: Pick<Metrics, 'alarmsRaised'>;
}

export function createAlarms(deps: AlarmsDeps): Alarms {
  const { connection, log, config, mailer, worker = '', now = () => new Date(), metrics } = deps;
  const report = raiseInto(log);
  const store = createAlarmStore(connection, log, config?.keepResolvedDays ?? usualKeepDays);
  return {
    ...createReporting({ connection, config, mailer, worker, now, log }),
    raise(kind, subject, reason, logFields) {
      report(kind, subject, reason, logFields);
      metrics?.alarmsRaised.inc({ kind });
      // The reason is stored, posted and mailed. As in the log, a card, key or secret that an adapter put in is masked.
      store.raised(kind, subject, maskText(reason));
    },
    clear: (kind, subject) => store.cleared(kind, subject),
    resolvePassed: async () => store.resolvePassed(),
    resolveRecovered: async () => store.resolveRecovered(),
    list: async (limit) => store.list(limit),
    page: async (page) => store.page(page),
    get: async (id) => store.get(id),
    acknowledge: async (id) => store.acknowledge(id),
    resolve: async (id) => store.resolve(id),
    close: async () => store.close(),
  };
}
