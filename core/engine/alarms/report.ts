/**
 * Reports alarms to the operator by webhook and by mail: once when an alarm opens, and then with reminders while it
 * stays open.
 */
import type { Connection, mongo } from 'mongoose';
import type { Logger } from 'pino';
import { alarmModel, type Alarm } from '../../database/collections/alarm.ts';
import { readAuditHead } from '../../database/collections/audit-entry.ts';
import { createLeases, endLease } from '../../database/lease.ts';
import type { Mailer } from '../../base/net/mail.ts';
import type { RunConfig } from '../../base/run-config.ts';
import { HOUR, MINUTE, SECOND } from '../../base/async/time.ts';
import { signatureHeaders } from '../../base/crypto/webhook-signature.ts';
import { toAlarmMail, type AlarmMailFacts } from './alarm-mail.ts';
import { ownerIdOf, presentAlarm, readMerchantNames } from './present.ts';
import { withEvent } from './store.ts';

export interface AlarmsConfig {
  /** `secret`: `whsec_` and base64. */
  readonly webhook?: { readonly url: string; readonly secret: string } | undefined;
  readonly mailTo: readonly string[];
  readonly reminderHours: number;
  readonly keepResolvedDays?: number;
  /** The address of the console, for links. Absent: reports name a command instead. */
  readonly consoleUrl?: string | undefined;
  /** The environment of the gateway, such as `production`. Absent: reports do not name it. */
  readonly environment?: string;
}

export function toAlarmsConfig({ config, environment }: Pick<RunConfig, 'config' | 'environment'>): AlarmsConfig {
  return { ...config.alarms, consoleUrl: config.ops.publicUrl, environment };
}

export interface Reporting {
  /** Reports up to `limit` due alarms. Returns how many. Without a receiver in config, it returns 0. */
  reportDue(limit: number): Promise<number>;
  /** Makes the reports that a dead process was sending due immediately. */
  releaseWorker(worker: string): Promise<void>;
}

interface ReportingDeps {
  readonly connection: Connection;
  readonly config: AlarmsConfig | undefined;
  readonly mailer: Mailer | undefined;
  readonly worker: string;
  readonly now: () => Date;
  readonly log: Logger;
}

/** Longer than a report to all receivers may take. */
const leaseMs = MINUTE;
const timeoutMs = 10 * SECOND;
const longestDelayMs = HOUR;

/** Returns the delay of the retry after this many failures. */
function delayAfter(failures: number): number {
  return Math.min(MINUTE * 2 ** failures, longestDelayMs);
}

/** Returns the time from the first try to the retry after this many failures. */
function triedFor(failures: number): number {
  return Array.from({ length: failures }, (_, before) => delayAfter(before)).reduce((sum, ms) => sum + ms, 0);
}

export function createReporting(deps: ReportingDeps): Reporting {
  const { connection, config, worker, log } = deps;
  const model = alarmModel(connection);
  const collection = model.collection as unknown as mongo.Collection<Alarm>;
  const leases = createLeases(model, 'dueAt', leaseMs);
  const receivers = config ? receiversOf(config, deps) : [];
  const { reminderHours = 0 } = config ?? {};

  async function report(alarm: Alarm): Promise<void> {
    const { _id, lease, reports = 0, failures, reportedTo = [] } = alarm;
    const left = receivers.filter(({ name }) => !reportedTo.includes(name));
    const results = await Promise.allSettled(left.map(async ({ send }) => send(alarm)));
    const accepted = [...reportedTo];
    for (const [at, result] of results.entries()) {
      if (result.status === 'fulfilled') accepted.push(left[at]!.name);
      else log.warn({ err: result.reason as unknown, alarm: _id }, 'the alarm could not be reported');
    }
    const reminderMs = reminderHours * HOUR;
    const isFailed = accepted.length < reportedTo.length + left.length;
    // Only a receiver that has not accepted the report is retried. If it never does, the others still get their
    // reminders.
    const isRoundComplete = !isFailed || (accepted.length > 0 && triedFor(failures + 1) >= reminderMs);
    const result = isRoundComplete
      ? { failures: 0, reports: reports + 1, reportedTo: '$$REMOVE' }
      : { failures: failures + 1, reportedTo: { $literal: accepted } };
    const dueAt = { $add: ['$$NOW', isFailed ? delayAfter(failures) : reminderMs] };
    const newly = accepted.slice(reportedTo.length);
    const history = newly.length > 0 && { history: withEvent('reported', { to: newly }) };
    const set = { ...endLease, ...result, ...history, dueAt };
    await collection.updateOne({ _id, 'lease.token': lease.token }, [{ $set: set }]);
  }

  return {
    async reportDue(limit) {
      if (receivers.length === 0) return 0;
      for (let done = 0; done < limit; done += 1) {
        const alarm = await leases.claimNext(worker, { where: { state: 'open' } });
        if (!alarm) return done;
        await report(alarm);
      }
      return limit;
    },

    async releaseWorker(name) {
      await leases.releaseWorker(name);
    },
  };
}

interface AlarmReceiver {
  readonly name: string;
  readonly send: (alarm: Alarm) => Promise<void>;
}

function receiversOf(
  { webhook, mailTo, consoleUrl, environment: gateway }: AlarmsConfig,
  { connection, mailer, now }: Pick<ReportingDeps, 'connection' | 'mailer' | 'now'>,
): readonly AlarmReceiver[] {
  const mails = mailer ? [...new Set(mailTo)] : [];
  const factsOf = async (alarm: Alarm): Promise<AlarmFacts> => {
    const names = await readMerchantNames(connection, [alarm]);
    const merchant = names.get(ownerIdOf(alarm) ?? NaN);
    const url = consoleUrl && `${consoleUrl}/ops/alarms/${encodeURIComponent(alarm._id)}`;
    return { merchant, url, gateway };
  };
  return [
    ...(webhook
      ? [{ name: 'webhook', send: async (alarm: Alarm) => post(webhook, alarm, await factsOf(alarm), now()) }]
      : []),
    ...mails.map((to) => ({
      name: to,
      async send(alarm: Alarm) {
        const [facts, head] = await Promise.all([factsOf(alarm), readAuditHead(connection)]);
        await mailer!.send({ to, ...toAlarmMail(alarm, { ...facts, head }) });
      },
    })),
  ];
}

type AlarmFacts = Omit<AlarmMailFacts, 'head'>;

/** The operator chose the address, so it may be private. */
async function post(
  { url, secret }: NonNullable<AlarmsConfig['webhook']>,
  alarm: Alarm,
  { merchant, url: page, gateway }: AlarmFacts,
  at: Date,
): Promise<void> {
  const { _id, firstSeenAt, reports = 0 } = alarm;
  const id = `${_id}:${firstSeenAt.getTime()}:${reports}`;
  const type = reports === 0 ? 'alarm.opened' : 'alarm.reminder';
  const data = {
    alarm: {
      ...presentAlarm(alarm),
      merchant: merchant ?? null,
      url: page ?? null,
      gateway: gateway ?? null,
    },
  };
  const body = Buffer.from(JSON.stringify({ id, type, createdAt: at, data }));
  const headers = { 'Content-Type': 'application/json', ...signatureHeaders({ id, body, at }, { current: secret }) };
  const signal = AbortSignal.timeout(timeoutMs);
  const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`alarms.webhook.url answered ${response.status}`);
}
