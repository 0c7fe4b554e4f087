/**
 * Reports alarms to the operator by webhook and by mail: once when an alarm opens, and then with reminders while it
 * stays open.
 */
import type { Connection, mongo } from 'mongoose';
import type { Logger } from 'pino';
import { alarmModel, type Alarm } from '../../database/collections/alarm.ts';
import { readAuditHead, type AuditHead } from '../../database/collections/audit-entry.ts';
import { createLeases, endLease } from '../../database/lease.ts';
import type { Mailer } from '../../base/net/mail.ts';
import { HOUR, MINUTE, SECOND } from '../../base/async/time.ts';
import { signatureHeaders } from '../../base/crypto/webhook-signature.ts';
import { alarmKinds } from './kinds.ts';

export interface AlarmsConfig {
  /** `secret`: `whsec_` and base64. */
  readonly webhook?: { readonly url: string; readonly secret: string } | undefined;
  readonly mailTo: readonly string[];
  readonly reminderHours: number;
  readonly keepResolvedDays?: number;
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
  const receivers = config ? receiversOf(config, { ...deps, readHead: async () => readAuditHead(connection) }) : [];
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
    await collection.updateOne({ _id, 'lease.token': lease.token }, [{ $set: { ...endLease, ...result, dueAt } }]);
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
  /** Returns the receivers that have accepted the report. */
  readonly name: string;
  readonly send: (alarm: Alarm) => Promise<void>;
}

function receiversOf(
  { webhook, mailTo }: AlarmsConfig,
  {
    mailer,
    now,
    readHead,
  }: Pick<ReportingDeps, 'mailer' | 'now'> & { readonly readHead: () => Promise<AuditHead | undefined> },
): readonly AlarmReceiver[] {
  const mails = mailer ? [...new Set(mailTo)] : [];
  return [
    ...(webhook ? [{ name: 'webhook', send: async (alarm: Alarm) => post(webhook, alarm, now()) }] : []),
    ...mails.map((to) => ({
      name: to,
      send: async (alarm: Alarm) => mailer!.send({ to, ...toMail(alarm, await readHead()) }),
    })),
  ];
}

/** The operator chose the address, so it may be private. */
async function post({ url, secret }: NonNullable<AlarmsConfig['webhook']>, alarm: Alarm, at: Date): Promise<void> {
  const { _id, firstSeenAt, reports = 0 } = alarm;
  const id = `${_id}:${firstSeenAt.getTime()}:${reports}`;
  const type = reports === 0 ? 'alarm.opened' : 'alarm.reminder';
  const body = Buffer.from(JSON.stringify({ id, type, createdAt: at, data: { alarm: presentAlarm(alarm) } }));
  const headers = { 'Content-Type': 'application/json', ...signatureHeaders({ id, body, at }, { current: secret }) };
  const signal = AbortSignal.timeout(timeoutMs);
  const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`alarms.webhook.url answered ${response.status}`);
}

function toMail(alarm: Alarm, head: AuditHead | undefined): { readonly subject: string; readonly text: string } {
  const { meaning, cure, subject, reason, count, firstSeenAt, lastSeenAt, id } = presentAlarm(alarm);
  const about = `${subject.type} ${subject.id}`;
  const often = `${count} × since ${firstSeenAt.toISOString()}, last ${lastSeenAt.toISOString()}`;
  return {
    subject: `${alarm.reports ? 'Still open' : 'Alarm'}: ${meaning}`,
    text: `${meaning}\n\n${about}: ${reason}\n${often}\n\nWhat to do: ${cure}\n\npaywright alarms ack '${id}'\n${auditLine(head)}`,
  };
}

/** A mail is outside the database, so it can prove later that the audit log was not shortened. */
function auditLine(head: AuditHead | undefined): string {
  return head ? `\nThe audit log ends with ${head.sequence}:${head.hash} (paywright audit verify --noted).\n` : '';
}

/** The alarm as operators see it. */
export function presentAlarm({ _id: id, kind, subject, reason, state, count, firstSeenAt, lastSeenAt }: Alarm) {
  return { id, kind, subject, reason, state, count, firstSeenAt, lastSeenAt, ...alarmKinds[kind] };
}
