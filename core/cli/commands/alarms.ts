import {
  createAlarmActions,
  createAlarms,
  ownerIdOf,
  presentAlarm,
  readMerchantNames,
  stakeText,
  type AlarmActions,
  type Alarms,
} from '../../engine/alarms/index.ts';
import type { Audit } from '../../engine/audit/index.ts';
import type { LoadedConfig } from '../../../config/load-config.ts';
import type { Connection } from 'mongoose';
import { pino } from 'pino';
import { withDatabase } from '../with-database.ts';
import { json, printResult } from '../json.ts';
import { operatorOf } from '../operator.ts';
import { defineCommand, readCount, UsageError, type Shell } from '../command.ts';

async function withAlarms<T>(shell: Shell, work: (alarms: Alarms, audit: Audit) => Promise<T>): Promise<T> {
  return withDatabase(shell, async ({ connection, audit, loaded }) => work(alarmsIn(connection, loaded), audit));
}

function alarmsIn(connection: Connection, { config }: Pick<LoadedConfig, 'config'>): Alarms {
  return createAlarms({ connection, config: config.alarms, log: pino({ level: 'silent' }) });
}

function noSuchAlarm(id: string | undefined): UsageError {
  return new UsageError(`There is no alarm ${id}: "paywright alarms list" lists the open and acknowledged alarms.`);
}

export const alarmsList = defineCommand({
  options: { limit: { type: 'string', value: '<number>', help: 'maximum number (default 100)' }, json },
  async run({ values, shell }) {
    const limit = readCount(values.limit, '--limit') ?? 100;
    const found = (await withAlarms(shell, async (alarms) => alarms.list(limit))).map(presentAlarm);
    if (values.json) shell.print(JSON.stringify(found));
    else if (found.length === 0) shell.print('No alarm is open or acknowledged.');
    else {
      for (const { id, severity, title, state, count, lastSeenAt, reason, money } of found) {
        const stake = money ? `  ${stakeText({ money })}` : '';
        shell.print(`${severity.padEnd(8)}  ${state}  ${title}${stake}`);
        shell.print(`          ${id}  ${reason}  (${count} ×, last ${lastSeenAt.toISOString()})`);
      }
    }
    return 0;
  },
});

export const alarmsShow = defineCommand({
  options: { json },
  async run({ values, operands: [id], shell }) {
    const alarm = await withDatabase(shell, async ({ connection, loaded }) => {
      const found = await alarmsIn(connection, loaded).get(id ?? '');
      if (!found) throw noSuchAlarm(id);
      const names = await readMerchantNames(connection, [found]);
      return { ...presentAlarm(found), merchant: names.get(ownerIdOf(found) ?? NaN) ?? null };
    });
    const { subject, state, count, firstSeenAt, lastSeenAt, reason, title, severity, meaning, nextStep, cure } = alarm;
    if (values.json) shell.print(JSON.stringify(alarm));
    else {
      const { acknowledgedBy, money, environment, merchant } = alarm;
      shell.print(`${title} (${severity})`);
      shell.print(meaning);
      shell.print(`${subject.type} ${subject.id}: ${reason}`);
      if (merchant !== null) shell.print(`Merchant: ${merchant}`);
      if (money) shell.print(`Amount: ${stakeText({ money })}`);
      if (environment !== null) shell.print(`Mode: ${environment}`);
      const handled = acknowledgedBy === null ? state : `${state} by ${acknowledgedBy}`;
      shell.print(`${handled}, ${count} × since ${firstSeenAt.toISOString()}, last ${lastSeenAt.toISOString()}`);
      shell.print(`First step: ${nextStep}`);
      shell.print(`What to do: ${cure}`);
    }
    return 0;
  },
});

/** Exits with 1 if there was nothing to change. */
function ending(act: keyof AlarmActions, done: string) {
  return defineCommand({
    options: { reason: { type: 'string', value: '<text>', help: 'the reason, for the audit log' }, json },
    async run({ values, operands: [id = ''], shell }) {
      return withAlarms(shell, async (alarms, audit) => {
        if (!(await alarms.get(id))) throw noSuchAlarm(id);
        const isDone = await createAlarmActions({ alarms, audit })[act](operatorOf(shell), id, values.reason);
        const state = (await alarms.get(id))?.state ?? 'gone';
        const words = isDone ? `${id} is ${done}.` : `${id} was already ${state}.`;
        printResult(shell, values, { id, isDone, state }, words);
        return isDone ? 0 : 1;
      });
    },
  });
}

export const alarmsAck = ending('acknowledge', 'acknowledged');
export const alarmsResolve = ending('resolve', 'resolved');
