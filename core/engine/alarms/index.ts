/**
 * Alarms: problems that need an operator. Raising an alarm never fails and never blocks: it is logged immediately and
 * stored soon. The problem itself is stored where it belongs (a payment, a callback), so nothing is lost with an
 * alarm.
 */
import type { Connection } from 'mongoose';
import type { Logger } from 'pino';
import type { Alarm, AlarmAbout, AlarmKind, AlarmSubject } from '../../database/collections/alarm.ts';
import { maskText } from '../../base/log/log-masks.ts';
import type { Metrics } from '../../base/metrics/index.ts';
import type { Mailer } from '../../base/net/mail.ts';
import { createSampledLog } from '../../base/log/sampled-log.ts';
import { meaningOf } from './kinds.ts';
import { createAlarmStore, type AlarmHandling, type AlarmQuery } from './store.ts';
import { createReporting, type AlarmsConfig, type Reporting } from './report.ts';

export { createAlarmActions, type AlarmActions } from './alarm-actions.ts';
export { raiseOldBacklogs } from './backlogs.ts';
export { alarmKinds, meaningOf, severities, type AlarmMeaning, type Severity } from './kinds.ts';
export { byUrgency, compareMoney } from './order.ts';
export { alarmId, orderedAtMost, type AlarmQuery } from './store.ts';
export { aboutStatus, adapterOf, adapterSubject, ownerSubject, partsOf, paymentSubject } from './subjects.ts';
export {
  acknowledgedBy,
  environmentOf,
  ownerIdOf,
  presentAlarm,
  readMerchantNames,
  stakeText,
  subjectText,
} from './present.ts';
export { toAlarmsConfig, type AlarmsConfig } from './report.ts';

/**
 * Raises an alarm, or counts it once more. `logFields` are logged with it and stored nowhere; `about` is stored. For
 * one kind and subject, the first few of an interval are logged, then only their number.
 */
export type Raise = (
  kind: AlarmKind,
  subject: AlarmSubject,
  reason: string,
  logFields?: object,
  about?: AlarmAbout,
) => void;

/**
 * Resolves an alarm whose cause is gone. Never fails, never blocks. If it is raised again within a day, it continues
 * with its count and its first time.
 */
export type Clear = (kind: AlarmKind, subject: AlarmSubject) => void;

export interface Alarms extends Reporting {
  readonly raise: Raise;
  readonly clear: Clear;
  /** The open and acknowledged alarms, the most urgent first. */
  list(limit: number): Promise<readonly Alarm[]>;
  /** The most urgent first. If more than `orderedAtMost` alarms match, only those that were raised last are found. */
  find(query: AlarmQuery): Promise<readonly Alarm[]>;
  get(id: string): Promise<Alarm | undefined>;
  /** Acknowledges an alarm: no more reminders are sent, even if it is raised again. False: it is not open. */
  acknowledge(id: string, handling?: AlarmHandling): Promise<boolean>;
  /**
   * Resolves an alarm: it is deleted after the days of config. If it is raised again, it is a new alarm. False: there
   * is none, or it was resolved before.
   */
  resolve(id: string, handling?: AlarmHandling): Promise<boolean>;
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
    lines.error(`${kind} ${subject}`, fields, meaningOf(kind).meaning);
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
    raise(kind, subject, reason, logFields, about) {
      report(kind, subject, reason, logFields);
      metrics?.alarmsRaised.inc({ kind });
      // The reason is stored, posted and mailed. As in the log, a card, key or secret that an adapter put in is masked.
      store.raised(kind, subject, maskText(reason), about);
    },
    clear: (kind, subject) => store.cleared(kind, subject),
    resolvePassed: async () => store.resolvePassed(),
    resolveRecovered: async () => store.resolveRecovered(),
    list: async (limit) => store.list(limit),
    find: async (query) => store.find(query),
    get: async (id) => store.get(id),
    acknowledge: async (id, handling) => store.acknowledge(id, handling),
    resolve: async (id, handling) => store.resolve(id, handling),
    close: async () => store.close(),
  };
}
