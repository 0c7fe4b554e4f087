/**
 * Alarms: what an operator must look at. Raising one never fails and keeps nobody waiting: it is logged at once and stored
 * soon. What it is about is kept where it belongs (a payment, a callback), so that nothing is lost with an alarm.
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
export { aboutWord, adapterOf, adapterSubject, ownerSubject, partsOf, paymentSubject } from './subjects.ts';
export { presentAlarm, type AlarmsConfig } from './report.ts';

/**
 * Raises an alarm, or counts it once more. `logFields` are logged beside it, and kept nowhere: of a kind and subject the
 * first few of a while are, then their number.
 */
export type Raise = (kind: AlarmKind, subject: AlarmSubject, reason: string, logFields?: object) => void;

/** Its cause is gone: resolved by itself. Never fails, keeps nobody waiting. */
export type Clear = (kind: AlarmKind, subject: AlarmSubject) => void;

export interface Alarms extends Reporting {
  readonly raise: Raise;
  readonly clear: Clear;
  /** What is open or acknowledged, the latest first. */
  list(limit: number): Promise<readonly Alarm[]>;
  /** The same, a page at a time. */
  page(page: { readonly limit: number; readonly cursor?: string }): Promise<TimePage<Alarm>>;
  get(id: string): Promise<Alarm | undefined>;
  /** Somebody looks after it: no reminder comes any more, also where it is raised again. False: it is not open. */
  acknowledge(id: string): Promise<boolean>;
  /**
   * Its cause is gone: it is forgotten after the days of config, and opened anew where it is raised again. False: there is none, or it
   * was resolved before.
   */
  resolve(id: string): Promise<boolean>;
  /** Resolves conditions that have not been raised again for as long as their kind says; gives how many. */
  resolvePassed(): Promise<number>;
  /** Resolves those whose cause is gone, as its own documents show; gives how many. */
  resolveRecovered(): Promise<number>;
  /** Stores what was raised up to now, as far as the database answers. */
  close(): Promise<void>;
}

/** Raises into the log alone, for commands that have no database. */
export function raiseInto(log: Logger): Raise {
  const lines = createSampledLog(log);
  return (kind, { type, id }, reason, logFields = {}) => {
    const subject = `${type} ${id}`;
    const fields = { alarm: true, alarmKind: kind, subject, ...logFields, reason };
    lines.error(`${kind} ${subject}`, fields, alarmKinds[kind].meaning);
  };
}

/** Where alarms are reported to nobody. */
const usualKeepDays = 90;

export interface AlarmsSetup {
  readonly connection: Connection;
  readonly log: Logger;
  /** Whom they are reported to; absent: this process reports none. */
  readonly config?: AlarmsConfig;
  readonly mailer?: Mailer | undefined;
  /** Names this process in leases. */
  readonly worker?: string;
  /** Of reports. Absent: this process's own clock. */
  readonly now?: () => Date;
  /** Left out: they are not counted. */
  readonly metrics?: Pick<Metrics, 'alarmsRaised'>;
}

export function createAlarms(setup: AlarmsSetup): Alarms {
  const { connection, log, config, mailer, worker = '', now = () => new Date(), metrics } = setup;
  const report = raiseInto(log);
  const store = createAlarmStore(connection, log, config?.keepResolvedDays ?? usualKeepDays);
  return {
    ...createReporting({ connection, config, mailer, worker, now, log }),
    raise(kind, subject, reason, logFields) {
      report(kind, subject, reason, logFields);
      metrics?.alarmsRaised.inc({ kind });
      // It is stored, posted and mailed: as the log, it holds no card, key or secret that an adapter put in.
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
