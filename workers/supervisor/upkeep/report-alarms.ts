/** Lets the supervisor check the queues and report due alarms as well, so that alarms need no worker. */
import type { Connection } from 'mongoose';
import type { Logger } from 'pino';
import { createAlarms, raiseOldBacklogs, toAlarmsConfig, type Alarms } from '../../../core/engine/alarms/index.ts';
import type { RunConfig } from '../../../core/base/run-config.ts';
import { followServerClock } from '../../../core/database/server-clock.ts';
import { createMailer } from '../../../core/base/net/mail.ts';
import type { Metrics } from '../../../core/base/metrics/index.ts';
import { SECOND } from '../../../core/base/async/time.ts';
import { newName } from '../processes/process-names.ts';

export interface AlarmReporting {
  readonly alarms: Alarms;
  /** Names the supervisor in leases. */
  readonly worker: string;
  /** Reports repeatedly from now on. */
  start(): void;
  /** Reports alarms before an exit that no other process may report. Never rejects. */
  reportLast(): Promise<void>;
  /** Stores the alarms that were raised. */
  stop(): Promise<void>;
}

export interface AlarmReportingDeps {
  readonly connection: Connection;
  readonly run: Pick<RunConfig, 'config' | 'environment'>;
  readonly metrics: Metrics;
  readonly log: Logger;
}

const everyMs = 10 * SECOND;
/** Alarms about backlogs count minutes. */
const backlogsEveryMs = 30 * SECOND;
/** Maximum number of alarms per turn. */
const batch = 20;

/** Each alarm is leased while it is reported, so workers may report alarms at the same time. */
export async function createAlarmReporting(deps: AlarmReportingDeps): Promise<AlarmReporting> {
  const { connection, run, metrics, log } = deps;
  const { config } = run;
  // The clock of a fenced host may be wrong, and receivers of alarms check the time of the signature.
  const clock = await followServerClock(connection);
  const mailer = createMailer(config.mail.smtp);
  const worker = newName('supervisor');
  const alarms = createAlarms({
    connection,
    config: toAlarmsConfig(run),
    mailer,
    worker,
    now: clock.now,
    metrics,
    log,
  });
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  let backlogsReadAt = -Infinity;

  async function report(): Promise<void> {
    try {
      if (performance.now() - backlogsReadAt >= backlogsEveryMs) {
        await raiseOldBacklogs({ connection, raise: alarms.raise }, config.alarms.backlogMinutes);
        backlogsReadAt = performance.now();
      }
      await alarms.resolvePassed();
      await alarms.reportDue(batch);
    } catch (error) {
      if (!isStopped) log.warn({ err: error }, 'alarms could not be checked and reported; the supervisor retries');
    }
    if (!isStopped) timer = setTimeout(() => void report(), everyMs);
  }

  return {
    alarms,
    worker,
    start: () => void report(),
    async reportLast() {
      try {
        await alarms.close();
        await alarms.reportDue(batch);
      } catch (error) {
        log.warn({ err: error }, 'the last alarms could not be reported');
      }
    },
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      clock.stop();
      await alarms.close();
      mailer?.close();
    },
  };
}
