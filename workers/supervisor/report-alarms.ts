/** What alarms need where no worker works: the supervisor looks at the queues and reports what is due, too. */
import type { Connection } from 'mongoose';
import type { Logger } from 'pino';
import type { Config } from '../../config/schema.ts';
import { createAlarms, raiseOldBacklogs, type Alarms } from '../../core/engine/alarms/index.ts';
import { followServerClock } from '../../core/database/server-clock.ts';
import { createMailer } from '../../core/base/net/mail.ts';
import type { Metrics } from '../../core/base/metrics/index.ts';
import { SECOND } from '../../core/base/async/time.ts';
import { newName } from './process-names.ts';

export interface AlarmReporting {
  readonly alarms: Alarms;
  /** Names it in leases. */
  readonly worker: string;
  /** Reports repeatedly from now on. */
  start(): void;
  /** Before an end of which nobody else may tell. Never rejects. */
  reportLast(): Promise<void>;
  /** Stores what was raised. */
  stop(): Promise<void>;
}

export interface AlarmReportingSetup {
  readonly connection: Connection;
  readonly config: Pick<Config, 'alarms' | 'mail'>;
  readonly metrics: Metrics;
  readonly log: Logger;
}

const everyMs = 10 * SECOND;
/** Of one turn. */
const atOnce = 20;

/** A lease says who reports an alarm, so that the workers may do the same. */
export async function createAlarmReporting(setup: AlarmReportingSetup): Promise<AlarmReporting> {
  const { connection, config, metrics, log } = setup;
  // The clock of a host that is not to serve may be wrong, and who gets an alarm looks at the time of its signature.
  const clock = await followServerClock(connection);
  const mailer = createMailer(config.mail.smtp);
  const worker = newName('supervisor');
  const alarms = createAlarms({ connection, config: config.alarms, mailer, worker, now: clock.now, metrics, log });
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  async function look(): Promise<void> {
    try {
      await raiseOldBacklogs({ connection, raise: alarms.raise }, config.alarms.backlogMinutes);
      await alarms.resolvePassed();
      await alarms.reportDue(atOnce);
    } catch (error) {
      if (!isStopped) log.warn({ err: error }, 'alarms could not be looked after; that is tried again');
    }
    if (!isStopped) timer = setTimeout(() => void look(), everyMs);
  }

  return {
    alarms,
    worker,
    start: () => void look(),
    async reportLast() {
      try {
        await alarms.close();
        await alarms.reportDue(atOnce);
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
