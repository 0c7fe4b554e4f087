/** The outbox towards merchants: stores notifications, delivers them, and shows their state. */
import type { Connection, mongo } from 'mongoose';
import type { Logger } from 'pino';
import { ownerRangesOf, type Owners } from '../access/index.ts';
import type { Raise } from '../alarms/index.ts';
import { manyDocuments } from '../../database/connect.ts';
import { hostOf, notificationModel } from '../../database/collections/notification.ts';
import type { NotificationDocument } from '../../database/collections/notification.ts';
import type { Mailer } from '../../base/net/mail.ts';
import type { Metrics } from '../../base/metrics/index.ts';
import { driverCodecOf } from '../../database/driver-codec.ts';
import { createInsertBatcher } from '../../database/insert-batcher.ts';
import { dueAtOnce } from '../../database/server-clock.ts';
import { createConnections } from './connections.ts';
import { createDeliveryLoop, type Delivered } from './delivery-loop.ts';
import type { DeliverDue } from './delivery-run.ts';
import { createEndpointNotice } from './endpoint-notice.ts';
import { createEndpoints } from './endpoints.ts';
import { createTargetGuard } from './target-guard.ts';
import { createDirectDispatch } from './direct-dispatch.ts';
import { createNotificationReads, type NotificationReads } from './read.ts';
import type { Resolve } from './target-guard.ts';
import { createDeliveryLimits, type DeliveryLimits } from './delivery-limits.ts';
import { createDeliveryQueue } from './delivery-queue.ts';
import { toRow, type NewNotification } from './new-notification.ts';
import { DAY } from '../../base/async/time.ts';
import { createOwnerResends, type OwnerResends } from './resend.ts';
import { leaseMarginMs } from './send-notification.ts';
import { createSignedStream, type SignedEvent } from './signed-stream.ts';
import { createStreamStore, type Listening } from './stream.ts';
import type { WebhookSecrets } from '../../base/crypto/webhook-signature.ts';

type Environment = NotificationDocument['environment'];

export interface NotificationConfig {
  readonly attemptDelaysSeconds: readonly number[];
  readonly jitterFraction: number;
  readonly timeoutMs: number;
  readonly allowedPrivateNetworks: readonly string[];
  readonly allowedPorts?: readonly (number | string)[];
  readonly refusedPorts?: readonly (number | string)[];
  /** The most concurrent attempts to one receiver, per process. */
  readonly perReceiverConcurrency: number;
  /** Transport failures in a row after which a receiver is paused. */
  readonly breakerFailures: number;
  /** How long a receiver is paused before one attempt may probe it. */
  readonly breakerCoolOffMs: number;
  /** An endpoint is disabled once all its attempts have failed for this long. */
  readonly disableEndpointAfterDays: number;
}

export interface NotificationDeps {
  readonly connection: Connection;
  readonly config: NotificationConfig;
  /** The owner's valid webhook secrets, read at every attempt. */
  readonly secrets: (ownerId: number, environment: Environment) => Promise<WebhookSecrets>;
  /** Names this process in leases. */
  readonly worker: string;
  /** Tells the workers that a notification is due. */
  readonly notifyWorkers?: (work: 'notifications') => void;
  /** Starts a delivery in this process. Absent: this process delivers nothing. */
  readonly workHere?: ((work: 'notifications') => void) | undefined;
  readonly now: () => Date;
  readonly raise: Raise;
  readonly metrics: Metrics;
  /**
   * Finds the owners, who are notified in addition to the operator if an endpoint is disabled. Absent: only the
   * operator.
   */
  readonly owners?: Pick<Owners, 'get'> & Partial<Pick<Owners, 'recordListener'>>;
  readonly mailer?: Mailer | undefined;
  readonly log: Logger;
  /** From 0 to below 1. */
  readonly random?: () => number;
  readonly resolve?: Resolve;
  readonly limits?: DeliveryLimits;
}

export interface Notifications extends NotificationReads, OwnerResends {
  /**
   * Stores each notification once: one whose id is known already stays unchanged. Returns how many were new; they are
   * durable then.
   */
  insert(entries: readonly NewNotification[]): Promise<number>;
  /**
   * Stores the notifications in the caller's transaction. `at`: the database server's time in it. If this process
   * delivers, it immediately sends those for which there is capacity.
   */
  insertWith(entries: readonly NewNotification[], at: Date, session: mongo.ClientSession): Promise<Inserted>;
  /** Sends what is due, first attempts before retries. Safe to call concurrently, in many processes and in one. */
  deliverDue(options: DeliverDue): Promise<Delivered>;
  /** Something may be due. True if a `deliverDue` in progress polls for it. */
  pollSoon(): boolean;
  /** Makes the rows that a dead worker held due immediately. Returns how many. */
  releaseWorker(worker: string): Promise<number>;
  /** When the next attempt is due, or the next lease ends, by the database server's clock. */
  nextDueAt(): Promise<Date | undefined>;
  /**
   * Test events of an owner as they happen, each with the headers that prove it. Yields undefined when nothing came
   * for a moment. Ends with the signal.
   */
  listen(listening: Omit<Listening, 'pollMs'>): AsyncGenerator<SignedEvent | undefined>;
  /** Why nothing will be sent to the URL, as far as the URL itself shows it; undefined: it may be called. */
  refusalOf(url: string): string | undefined;
  /** Deletes notifications created before `before` that are delivered or gone. Returns how many. */
  purge(before: Date): Promise<number>;
  /** The same for exhausted notifications. */
  purgeUndelivered(before: Date): Promise<number>;
  /** Releases what it would have sent next, and closes the idle connections to receivers. */
  close(): Promise<void>;
}

/** Notifications that a transaction is about to store. */
export interface Inserted {
  /** Call it once the transaction is committed: the notifications are sent. */
  stored(): void;
  /** Call it with the error of a transaction that failed. */
  abandoned(error: unknown): void;
}

export function createNotifications(deps: NotificationDeps): Notifications {
  const {
    connection,
    config,
    secrets,
    worker,
    notifyWorkers = () => undefined,
    workHere,
    now,
    raise,
    metrics,
    owners = { get: async () => undefined },
    mailer,
    log,
    random = Math.random,
    resolve,
    limits = createDeliveryLimits({ ...config, now }),
  } = deps;
  const { allowedPrivateNetworks, allowedPorts, refusedPorts, timeoutMs } = config;
  const ports = { ...(allowedPorts && { allowedPorts }), ...(refusedPorts && { refusedPorts }) };
  const model = notificationModel(connection);
  const { collection, toDocument } = driverCodecOf(model);
  const insertOne = createInsertBatcher(model, { onWaiting: metrics.depthOf('notifications') });
  const leaseMs = timeoutMs + leaseMarginMs;
  const reads = createNotificationReads(connection);
  const streamStore = createStreamStore(connection, now);
  const queue = createDeliveryQueue(model, leaseMs, metrics.depthOf('deliveries'));
  const directDispatch = createDirectDispatch({ worker, leaseMs, limits, queue });
  const guard = createTargetGuard({ allowedPrivateNetworks, ...ports, ...(resolve ? { resolve } : {}) });
  const connections = createConnections();
  const endpoints = createEndpoints({
    connection,
    disableAfterMs: config.disableEndpointAfterDays * DAY,
    now,
    onDisabled: createEndpointNotice({ owners, insert, mailer, raise }),
    onEnabled: () => notifyWorkers('notifications'),
    log,
  });
  const loop = createDeliveryLoop({
    queue,
    guard,
    connections,
    limits,
    endpoints,
    directDispatch,
    schedule: config,
    timeoutMs,
    secrets,
    now,
    random,
    raise,
    metrics,
    log,
  });
  metrics.onSnapshot(() => metrics.receiversSpared.set(new Set(limits.paused().receivers.map(hostOf)).size));
  const firstDelayMs = (config.attemptDelaysSeconds[0] ?? 0) * 1000;

  async function insert(given: readonly NewNotification[]): Promise<number> {
    const entries = await streamStore.keep(given);
    const dueAt = firstDelayMs === 0 ? dueAtOnce(now()) : new Date(now().getTime() + firstDelayMs);
    const results = await Promise.all(entries.map(async (entry) => insertOne({ ...toRow(entry), dueAt })));
    const stored = results.filter((result) => result === 'stored').length;
    if (stored) notifyWorkers('notifications');
    return stored;
  }

  return {
    insert,
    listen: createSignedStream({ connection, secrets, owners, now }),

    async insertWith(entries, at, session) {
      const rows = (await streamStore.keep(entries, session)).map(toRow);
      const isHere = workHere !== undefined && firstDelayMs === 0;
      const claim = directDispatch.claim(isHere ? rows : [], at);
      const dueAt = new Date(at.getTime() + firstDelayMs);
      const documents = rows.map((row) => toDocument({ ...row, dueAt, ...claim.leaseOf(row._id) }));
      try {
        if (documents.length > 0) await collection.insertMany(documents as { _id: string }[], { session });
      } catch (error) {
        claim.abandoned(error);
        throw error;
      }
      return {
        stored() {
          const hasOthers = claim.stored() < rows.length;
          if (hasOthers) notifyWorkers('notifications');
          if (hasOthers || !loop.dispatchDirect()) workHere?.('notifications');
        },
        abandoned: (error) => claim.abandoned(error),
      };
    },

    async deliverDue(options) {
      const refreshed = endpoints
        .refresh()
        .catch((error: unknown) => log.warn({ err: error }, 'the state of endpoints could not be refreshed'));
      const [delivered] = await Promise.all([loop.deliverDue(options), refreshed]);
      return delivered;
    },
    pollSoon: () => loop.pollSoon(),
    refusalOf: (url) => guard.refusalOf(url),
    releaseWorker: (worker) => queue.releaseWorker(worker),
    nextDueAt: () => queue.nextDueAt(),

    ...reads,

    ...createOwnerResends({ model, onDue: () => notifyWorkers('notifications') }),

    async purge(before) {
      const ended = { createdAt: { $lt: before }, state: { $in: ['delivered', 'gone'] as const } };
      return (await model.deleteMany(ended, manyDocuments)).deletedCount;
    },

    async purgeUndelivered(before) {
      let purged = 0;
      for (const owned of await ownerRangesOf(connection, {})) {
        const exhausted = { ...owned, state: 'exhausted', createdAt: { $lt: before } } as const;
        purged += (await model.deleteMany(exhausted, manyDocuments)).deletedCount;
      }
      return purged;
    },

    async close() {
      await directDispatch.releaseAll();
      connections.close();
    },
  };
}
