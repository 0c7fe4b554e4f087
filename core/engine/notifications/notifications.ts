/** The outbox towards merchants: takes events, delivers them, and shows what became of them. */
import type { Connection, mongo } from 'mongoose';
import type { Logger } from 'pino';
import { ownerRangesOf, type Owners } from '../access/index.ts';
import type { Raise } from '../alarms/index.ts';
import { notFound } from '../../base/errors.ts';
import { manyDocuments } from '../../database/connect.ts';
import { notificationModel } from '../../database/collections/notification.ts';
import type { NotificationDocument, NotificationState } from '../../database/collections/notification.ts';
import type { Mailer } from '../../base/net/mail.ts';
import type { Metrics } from '../../base/metrics/index.ts';
import { driverCodecOf } from '../../database/driver-codec.ts';
import { createInsertBatcher } from '../../database/insert-batcher.ts';
import { dueAtOnce } from '../../database/server-clock.ts';
import { createConnections } from './connections.ts';
import { createDrain, leaseMarginMs } from './drain.ts';
import type { Delivered, DeliverDue } from './drain.ts';
import { createEndpointNotice } from './endpoint-notice.ts';
import { createEndpoints } from './endpoints.ts';
import { createGuard } from './guard.ts';
import { createHandOver } from './hand-over.ts';
import {
  createNotificationReads,
  presentRow,
  type NotificationReads,
  type NotificationView,
  type Scope,
} from './read.ts';
import type { Resolve } from './guard.ts';
import { createDeliveryLimits, type DeliveryLimits } from './delivery-limits.ts';
import { createDeliveryQueue, newRound } from './delivery-queue.ts';
import { toRow, type NewNotification } from './new-notification.ts';
import { DAY } from '../../base/async/time.ts';
import { createStreamStore, listen, streamKeepMs, type ListenedEvent, type Listening } from './stream.ts';
import { signatureHeaders, type WebhookSecrets } from '../../base/crypto/webhook-signature.ts';

type Environment = NotificationDocument['environment'];

export interface NotificationConfig {
  readonly attemptDelaysSeconds: readonly number[];
  readonly jitterFraction: number;
  readonly timeoutMs: number;
  readonly allowedPrivateNetworks: readonly string[];
  readonly allowedPorts?: readonly (number | string)[];
  readonly refusedPorts?: readonly (number | string)[];
  /** Attempts to one receiver under way at once, per process. */
  readonly perReceiverConcurrency: number;
  /** Transport failures in a row after which a receiver is spared. */
  readonly breakerFailures: number;
  /** For how long. */
  readonly breakerCoolOffMs: number;
  /** An endpoint at which every attempt fails for so long is disabled. */
  readonly disableEndpointAfterDays: number;
}

export interface NotificationParts {
  readonly connection: Connection;
  readonly config: NotificationConfig;
  /** The owner's valid webhook secrets, read at every attempt. */
  readonly secrets: (ownerId: number, environment: Environment) => Promise<WebhookSecrets>;
  /** Names this process in leases. */
  readonly worker: string;
  /** Something is to be delivered. */
  readonly notifyWorkers?: (work: 'notifications') => void;
  /** Begins to deliver in this process. Absent: it delivers nothing. */
  readonly workHere?: ((work: 'notifications') => void) | undefined;
  readonly now: () => Date;
  readonly raise: Raise;
  readonly metrics: Metrics;
  /** Who is told that an endpoint is disabled, beside the operator. Absent: nobody. */
  readonly owners?: Pick<Owners, 'get'> & Partial<Pick<Owners, 'listens'>>;
  readonly mailer?: Mailer | undefined;
  readonly log: Logger;
  /** From 0 to below 1. */
  readonly random?: () => number;
  readonly resolve?: Resolve;
  readonly limits?: DeliveryLimits;
}

export interface Notifications extends NotificationReads {
  /** Keeps them, each once: one whose id is known is left as it is. Gives how many were new; durable then. */
  insert(entries: readonly NewNotification[]): Promise<number>;
  /**
   * Keeps them where the caller's transaction is committed, and `at` is the database server's time in it. Where this
   * process delivers, it sends at once those for which there is room.
   */
  insertWith(entries: readonly NewNotification[], at: Date, session: mongo.ClientSession): Promise<Inserted>;
  /** Sends what is due, first attempts before retries. Safe to call at once in many processes, and twice in one. */
  deliverDue(options: DeliverDue): Promise<Delivered>;
  /** Something may be due: true where a `deliverDue` that runs looks for it. */
  lookForDue(): boolean;
  /** Makes what a dead worker held due at once. Gives how many. */
  releaseWorker(worker: string): Promise<number>;
  /** When the next attempt is due, or the next lease ends, by the database server's clock. */
  nextDueAt(): Promise<Date | undefined>;
  /** Starts a new round of attempts, now, whatever became of the earlier ones. Throws NF001 like `get`. */
  resend(scope: Scope & { readonly id: string }): Promise<NotificationView>;
  /** The same for all made from `from` to before `to`: exhausted ones, unless another state is named. */
  resendSpan(
    span: Scope & { readonly from: Date; readonly to: Date; readonly state?: NotificationState },
  ): Promise<number>;
  /**
   * Test events of an owner as they happen, each with the headers that prove it; undefined where nothing came for a moment.
   * Ends with the signal.
   */
  listen(listening: Omit<Listening, 'pollMs'>): AsyncGenerator<SignedEvent | undefined>;
  /** Why nothing will be sent to the URL, as far as itself shows it; undefined: it may be called. */
  refusalOf(url: string): string | undefined;
  /** Removes those from before `before` that were delivered or are gone; gives how many. */
  purge(before: Date): Promise<number>;
  /** The same of those that had all their attempts. */
  purgeUndelivered(before: Date): Promise<number>;
  /** Gives back what it would have sent next, and ends the connections to receivers that were kept open. */
  close(): Promise<void>;
}

export interface SignedEvent extends ListenedEvent {
  readonly headers: Readonly<Record<string, string>>;
}

/** What a transaction is about to store. */
export interface Inserted {
  /** To be called once it is committed: they are sent. */
  stored(): void;
  /** It failed with this. */
  abandoned(error: unknown): void;
}

export function createNotifications(parts: NotificationParts): Notifications {
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
  } = parts;
  const { allowedPrivateNetworks, allowedPorts, refusedPorts, timeoutMs } = config;
  const ports = { ...(allowedPorts && { allowedPorts }), ...(refusedPorts && { refusedPorts }) };
  const model = notificationModel(connection);
  const { collection, toDocument } = driverCodecOf(model);
  const insertOne = createInsertBatcher(model, { onWaiting: metrics.depthOf('notifications') });
  const leaseMs = timeoutMs + leaseMarginMs;
  const reads = createNotificationReads(connection);
  const streamStore = createStreamStore(connection, now);
  const queue = createDeliveryQueue(model, leaseMs, metrics.depthOf('deliveries'));
  const handOver = createHandOver({ worker, leaseMs, limits, queue });
  const guard = createGuard({ allowedPrivateNetworks, ...ports, ...(resolve ? { resolve } : {}) });
  const connections = createConnections();
  const endpoints = createEndpoints({
    connection,
    disableAfterMs: config.disableEndpointAfterDays * DAY,
    now,
    onDisabled: createEndpointNotice({ owners, insert, mailer, raise }),
    onEnabled: () => notifyWorkers('notifications'),
    log,
  });
  const drain = createDrain({
    queue,
    guard,
    connections,
    limits,
    endpoints,
    handOver,
    schedule: config,
    timeoutMs,
    secrets,
    now,
    random,
    raise,
    metrics,
    log,
  });
  metrics.onSnapshot(() => metrics.receiversSpared.set(limits.spared().receivers.length));
  const firstDelayMs = (config.attemptDelaysSeconds[0] ?? 0) * 1000;

  async function* listenSigned(listening: Omit<Listening, 'pollMs'>): AsyncGenerator<SignedEvent | undefined> {
    const { ownerId } = listening;
    let heldAt = -Infinity;
    for await (const event of listen(connection, listening)) {
      if (performance.now() - heldAt > streamKeepMs / 2) {
        heldAt = performance.now();
        await owners.listens?.(ownerId, new Date(now().getTime() + streamKeepMs));
      }
      if (!event) {
        yield undefined;
        continue;
      }
      const { id, body } = event;
      const signed = signatureHeaders({ id, body: Buffer.from(body), at: now() }, await secrets(ownerId, 'test'));
      yield { ...event, headers: { 'Content-Type': 'application/json', 'X-Webhook-Mode': 'test', ...signed } };
    }
  }

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
    listen: listenSigned,

    async insertWith(entries, at, session) {
      const rows = (await streamStore.keep(entries, session)).map(toRow);
      const isHere = workHere !== undefined && firstDelayMs === 0;
      const claim = handOver.claim(isHere ? rows : [], at);
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
          if (hasOthers || !drain.sendHanded()) workHere?.('notifications');
        },
        abandoned: (error) => claim.abandoned(error),
      };
    },

    async deliverDue(options) {
      const refreshed = endpoints
        .refresh()
        .catch((error: unknown) => log.warn({ err: error }, 'the state of endpoints was not looked after'));
      const [delivered] = await Promise.all([drain.deliverDue(options), refreshed]);
      return delivered;
    },
    lookForDue: () => drain.look(),
    refusalOf: (url) => guard.refusalOf(url),
    releaseWorker: (worker) => queue.releaseWorker(worker),
    nextDueAt: () => queue.nextDueAt(),

    ...reads,

    async resend({ ownerId, environment, id }) {
      const filter = { _id: id, ownerId, environment };
      const row = await model
        .findOneAndUpdate(filter, newRound, { updatePipeline: true, returnDocument: 'after' })
        .lean();
      if (!row) throw notFound('the notification');
      notifyWorkers('notifications');
      return presentRow(row);
    },

    async resendSpan({ ownerId, environment, from, to, state = 'exhausted' }) {
      const filter = { ownerId, environment, createdAt: { $gte: from, $lt: to }, state };
      const { modifiedCount } = await model.updateMany(filter, newRound, { ...manyDocuments, updatePipeline: true });
      if (modifiedCount) notifyWorkers('notifications');
      return modifiedCount;
    },

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
      await handOver.giveBack();
      connections.close();
    },
  };
}
