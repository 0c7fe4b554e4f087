/** Notifications for tests, in a database of their own, with receivers on the loopback address. */
import { testDatabaseUri } from '../../../database/testing/test-database-uri.ts';
import { randomUUID } from 'node:crypto';
import { after, afterEach, before } from 'mocha';
import type { Connection } from 'mongoose';
import { pino } from 'pino';
import { raiseInto } from '../../alarms/index.ts';
import { ensureCollections } from '../../../database/collections.ts';
import { connectDatabase } from '../../../database/connect.ts';
import type { Database } from '../../../database/connect.ts';
import { notificationModel, receiverOf } from '../../../database/collections/notification.ts';
import { createMetrics } from '../../../base/metrics/index.ts';
import type { NotificationDocument } from '../../../database/collections/notification.ts';
import { createDeliveryLimits, type DeliveryLimits, type DeliveryLimitsOptions } from '../delivery-limits.ts';
import { createNotifications } from '../notifications.ts';
import type { NewNotification } from '../new-notification.ts';
import type { NotificationConfig, NotificationDeps } from '../notifications.ts';

export const silent = pino({ level: 'silent' });

export const current = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
export const previous = `whsec_${Buffer.alloc(32, 2).toString('base64')}`;

export const testConfig: NotificationConfig = {
  attemptDelaysSeconds: [0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400],
  jitterFraction: 0.1,
  timeoutMs: 20_000,
  allowedPrivateNetworks: ['127.0.0.0/8'],
  perReceiverConcurrency: 4,
  breakerFailures: 20,
  breakerCoolOffMs: 30_000,
  disableEndpointAfterDays: 5,
};

export interface TestDatabase {
  readonly connection: Connection;
  /** For another process that uses the same database. */
  readonly uri: string;
}

/** A database for one suite, on the server at TEST_MONGODB_URI. Notifications are deleted after each test. */
export function useTestDatabase(): TestDatabase {
  const name = `notifications_${randomUUID().slice(0, 13)}`;
  const toUri = (): string => testDatabaseUri(name);
  let database: Database | undefined;

  function opened(): Database {
    if (!database) throw new Error('the suite has not started yet');
    return database;
  }

  before(async () => {
    database = await connectDatabase(toUri(), { log: silent, patience: 'endless' });
    await ensureCollections(opened().connection, silent, [notificationModel]);
  });
  afterEach(async () => {
    await notificationModel(opened().connection).deleteMany({});
  });
  after(async () => {
    await opened().connection.dropDatabase();
    await opened().close();
  });
  return {
    get connection() {
      return opened().connection;
    },
    get uri() {
      return toUri();
    },
  };
}

export function setUp(
  connection: Connection,
  config: Partial<NotificationConfig> = {},
  parts: Partial<NotificationDeps> = {},
) {
  const lines: Record<string, unknown>[] = [];
  const log = pino(
    { base: null },
    { write: (line: string) => lines.push(JSON.parse(line) as Record<string, unknown>) },
  );
  const metrics = parts.metrics ?? createMetrics();
  const notifications = createNotifications({
    connection,
    config: { ...testConfig, ...config },
    secrets: () => Promise.resolve({ current }),
    worker: 'worker-1',
    now: () => new Date(),
    random: () => 0,
    raise: raiseInto(log),
    log,
    ...parts,
    metrics,
  });
  return { notifications, lines, metrics };
}

/** Limits in which each of the receivers is healthy, so that it has the full capacity of a receiver. */
export function limitsWithHealthy(
  targets: readonly (string | Pick<NewNotification, 'url' | 'ownerId'>)[],
  config: Partial<DeliveryLimitsOptions> = {},
): DeliveryLimits {
  const limits = createDeliveryLimits({ ...testConfig, ...config, now: () => new Date() });
  for (const target of targets) {
    const { url, ownerId } = typeof target === 'string' ? notification(target) : target;
    limits.begin({ receiver: receiverOf(ownerId, new URL(url).host), ownerId })?.('answered');
  }
  return limits;
}

export function notification(url: string, more: Partial<NewNotification> = {}): NewNotification {
  const { paymentRequestId = 1_700_000_000_000_001, sequence = 1 } = more;
  const id = `${paymentRequestId}-${sequence}`;
  return {
    id,
    ownerId: 7,
    environment: 'test',
    paymentRequestId,
    sequence,
    type: 'payment.succeeded',
    url,
    body: JSON.stringify({ id, type: 'payment.succeeded', data: { paymentRequest: { recipientName: 'Zoë €' } } }),
    createdAt: new Date(),
    requestId: 'req-1',
    ...more,
  };
}

/** Moves the due time of every row, and the end of every lease, into the past. */
export async function passTime(connection: Connection, ms: number): Promise<void> {
  await notificationModel(connection).updateMany(
    { dueAt: { $exists: true } },
    [{ $set: { dueAt: { $subtract: ['$dueAt', ms] } } }],
    { updatePipeline: true },
  );
}

/** The first notification of each of `count` payment requests. */
export function many(url: string, count: number, first = 1): NewNotification[] {
  return Array.from({ length: count }, (_, at) => notification(url, { paymentRequestId: first + at }));
}

export async function readRow(connection: Connection, id: string): Promise<NotificationDocument> {
  return notificationModel(connection).findById(id).orFail().lean<NotificationDocument>();
}
