/** Builds all domains for one process. The API, the workers and the commands call them. */
import type { Connection } from 'mongoose';
import type { Logger } from 'pino';
import type { Config } from '../config/schema.ts';
import { createAccess, type AccessDomain, type CountOne } from './engine/access/index.ts';
import { createAlarms, toAlarmsConfig, type Alarms } from './engine/alarms/index.ts';
import { createBackgroundTasks } from './base/async/background-tasks.ts';
import { createCallbacks, type Callbacks } from './engine/callbacks/index.ts';
import type { Database, Patience } from './database/connect.ts';
import { followServerClock } from './database/server-clock.ts';
import { toHttpConfig } from './http/http-config.ts';
import type { AppDeps } from './app.ts';
import type { Work } from './engine/jobs/index.ts';
import type { Metrics } from './base/metrics/index.ts';
import { createMailer } from './base/net/mail.ts';
import { createNotifications, type Notifications } from './engine/notifications/index.ts';
import { createVersionNotice } from './engine/notifications/version-notice.ts';
import { createPayments, type PaymentsDomain } from './engine/payments/index.ts';
import { createPortal } from './portal/index.ts';
import { createProviders, loadConfigured, type Providers } from './engine/providers/index.ts';
import { readEssentials, type RunConfig } from './base/run-config.ts';
import { createReturnAddresses } from './engine/payments/present/return-address.ts';
import { connectEncrypted } from './engine/secrets/index.ts';

export interface GatewayOptions extends RunConfig {
  readonly log: Logger;
  /** Names this process in leases. */
  readonly worker: string;
  readonly metrics: Metrics;
  /** Wakes the workers, because work is waiting. Cheap, may be called often, never throws. */
  readonly notifyWorkers: (work: Work) => void;
  /** Does the work in this process. Absent: this process does no such work. */
  readonly workHere?: (work: Work) => void;
  /** The clock of all decisions. Absent: this process's clock, corrected by the database server's time. */
  readonly now?: () => Date;
  /** Counts requests without a key together with the other processes. Absent: this process counts alone. */
  readonly countOne?: CountOne;
}

export interface Gateway {
  readonly config: Config;
  readonly worker: string;
  readonly connection: Connection;
  readonly access: AccessDomain;
  readonly alarms: Alarms;
  readonly providers: Providers;
  readonly payments: PaymentsDomain;
  readonly callbacks: Callbacks;
  readonly notifications: Notifications;
  readonly httpDeps: Omit<AppDeps, 'health'>;
  /** Releases the leases of a dead worker. */
  releaseWorker(worker: string): Promise<void>;
  readonly database: Pick<Database, 'isUp' | 'isWorking' | 'onDoubt'>;
  close(): Promise<void>;
}

/** Connects and loads the adapters. The supervisor created the indexes before. An error says what to do. */
export async function createGateway(options: GatewayOptions, patience: Patience = 'work'): Promise<Gateway> {
  const { config, log, worker, metrics, notifyWorkers, workHere, countOne } = options;
  const { publicUrl } = config.server;
  const { uri, encryptionKeys, threeDs } = readEssentials(config);

  // Report wrong options before connecting to anything.
  await loadConfigured(options, {});
  const { database, encrypter } = await connectEncrypted(uri, encryptionKeys, { log, patience });
  const { connection } = database;
  const clock = options.now ? { now: options.now, stop: () => undefined } : await followServerClock(connection);
  const returnAddresses = createReturnAddresses(encrypter, publicUrl);
  const mailer = createMailer(config.mail.smtp);
  const { now } = clock;
  const alarms = createAlarms({ connection, config: toAlarmsConfig(options), mailer, worker, now, metrics, log });
  const { raise, clear } = alarms;
  const backgroundTasks = createBackgroundTasks(log);
  const common = { connection, raise, clear, worker, notifyWorkers, mailer, backgroundTasks, now, metrics, log };

  const access = createAccess({ ...common, encrypter, config: config.keys });
  const { owners, rateLimiter, idempotency } = access;
  const returnUrl = (id: string): string => returnAddresses.of(id);
  const providers = await createProviders({ ...common, encrypter, run: options, returnUrl });
  const { registry, calls } = providers;
  const notifications = createNotifications({
    ...common,
    config: config.notifications,
    secrets: access.webhookSecrets,
    owners,
    workHere,
  });
  const payments = createPayments({
    ...common,
    registry,
    calls,
    owners,
    rateLimiter,
    notifications,
    encrypter,
    config: { ...config, publicUrl, threeDs, callTimeoutMs: config.provider.callTimeoutMs },
  });
  const callbacks = createCallbacks({
    ...common,
    registry,
    calls,
    payments,
    encrypter,
    config: { publicUrl, threeDs, callbacks: config.callbacks, adapters: config.adapters },
    countOne,
  });

  return {
    config,
    worker,
    connection,
    access,
    alarms,
    providers,
    payments,
    callbacks,
    notifications,
    httpDeps: {
      payments: payments.service,
      callbacks,
      access,
      rateLimiter,
      countOne,
      idempotency,
      encrypter,
      adapters: () => registry.all(),
      notifications,
      portal: createPortal({ ...common, encrypter, access, notifications, payments, registry, config }),
      reports: payments.reports,
      merchantVersionNotice: createVersionNotice({ owners, notifications, mailer, now }),
      now,
      metrics,
      log,
      config: toHttpConfig(config),
    },
    async releaseWorker(name) {
      for (const one of [callbacks, payments.reconciler, notifications, alarms]) await one.releaseWorker(name);
    },
    database,
    async close() {
      clock.stop();
      await providers.close();
      await alarms.close();
      mailer?.close();
      await notifications.close();
      await callbacks.close();
      await database.close();
    },
  };
}
