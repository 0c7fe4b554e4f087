/** Tells the operator of alarms, by webhook and by mail: once when one is opened, then again as long as it stays open. */
import type { Connection, mongo } from 'mongoose';
import type { Logger } from 'pino';
import { alarmModel, type Alarm } from '../documents/alarm.ts';
import { createLeases, endLease } from '../documents/lease.ts';
import type { Mailer } from '../mail.ts';
import { HOUR, MINUTE, SECOND } from '../time.ts';
import { signatureHeaders } from '../webhook-signature.ts';
import { alarmKinds } from './kinds.ts';

export interface AlarmsConfig {
  /** `secret`: `whsec_` and base64. */
  readonly webhook?: { readonly url: string; readonly secret: string } | undefined;
  readonly mailTo: readonly string[];
  readonly reminderHours: number;
  readonly keepResolvedDays?: number;
}

export interface Telling {
  /** Tells of those that are due, up to `limit`; gives of how many. Nothing is due where config names nobody. */
  tellDue(limit: number): Promise<number>;
}

interface TellingSetup {
  readonly connection: Connection;
  readonly config: AlarmsConfig | undefined;
  readonly mailer: Mailer | undefined;
  readonly worker: string;
  readonly log: Logger;
}

/** Longer than both ways may take. */
const leaseMs = MINUTE;
const timeoutMs = 10 * SECOND;
const longestDelayMs = HOUR;

export function createTelling({ connection, config, mailer, worker, log }: TellingSetup): Telling {
  const model = alarmModel(connection);
  const collection = model.collection as unknown as mongo.Collection<Alarm>;
  const leases = createLeases(model, 'dueAt', leaseMs);
  const ways = config ? waysOf(config, mailer) : [];

  async function tell(alarm: Alarm): Promise<void> {
    const { _id, lease, told, failures } = alarm;
    const results = await Promise.allSettled(ways.map(async (way) => way(alarm)));
    const failed = results.filter((result) => result.status === 'rejected');
    for (const { reason } of failed) log.warn({ err: reason as unknown, alarm: _id }, 'the operator could not be told');
    // Where one way failed both are tried again: whoever was told knows it by its id.
    const delayMs = failed.length ? Math.min(MINUTE * 2 ** failures, longestDelayMs) : config!.reminderHours * HOUR;
    const counts = failed.length ? { failures: failures + 1 } : { failures: 0, told: told + 1 };
    const dueAt = { $add: ['$$NOW', delayMs] };
    await collection.updateOne({ _id, 'lease.token': lease.token }, [{ $set: { ...endLease, ...counts, dueAt } }]);
  }

  return {
    async tellDue(limit) {
      if (ways.length === 0) return 0;
      for (let done = 0; done < limit; done += 1) {
        const alarm = await leases.claimNext(worker, { where: { state: 'open' } });
        if (!alarm) return done;
        await tell(alarm);
      }
      return limit;
    },
  };
}

type Way = (alarm: Alarm) => Promise<void>;

function waysOf({ webhook, mailTo }: AlarmsConfig, mailer: Mailer | undefined): readonly Way[] {
  return [
    ...(webhook ? [async (alarm: Alarm) => post(webhook, alarm)] : []),
    ...(mailer ? mailTo.map((to) => async (alarm: Alarm) => mailer.send({ to, ...toMail(alarm) })) : []),
  ];
}

/** The address is the operator's own, so it may be private. */
async function post({ url, secret }: NonNullable<AlarmsConfig['webhook']>, alarm: Alarm): Promise<void> {
  const id = `${alarm._id}:${alarm.firstSeenAt.getTime()}:${alarm.told}`;
  const at = new Date();
  const type = alarm.told === 0 ? 'alarm.opened' : 'alarm.reminder';
  const body = Buffer.from(JSON.stringify({ id, type, createdAt: at, data: { alarm: presentAlarm(alarm) } }));
  const headers = { 'Content-Type': 'application/json', ...signatureHeaders({ id, body, at }, { current: secret }) };
  const signal = AbortSignal.timeout(timeoutMs);
  const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`alarms.webhook.url answered ${response.status}`);
}

function toMail(alarm: Alarm): { readonly subject: string; readonly text: string } {
  const { meaning, cure, subject, reason, count, firstSeenAt, lastSeenAt, id } = presentAlarm(alarm);
  const about = `${subject.type} ${subject.id}`;
  const often = `${count} × since ${firstSeenAt.toISOString()}, last ${lastSeenAt.toISOString()}`;
  return {
    subject: `${alarm.told === 0 ? 'Alarm' : 'Still open'}: ${meaning}`,
    text: `${meaning}\n\n${about}: ${reason}\n${often}\n\nWhat to do: ${cure}\n\ngateway alarms ack ${id}\n`,
  };
}

/** As operators see it. */
export function presentAlarm({ _id: id, kind, subject, reason, state, count, firstSeenAt, lastSeenAt }: Alarm) {
  return { id, kind, subject, reason, state, count, firstSeenAt, lastSeenAt, ...alarmKinds[kind] };
}
