/** The outbox towards merchants: takes events, delivers them, and shows what became of them. */
import type { Connection, mongo } from 'mongoose';
import type { Logger } from 'pino';
import type { Raise } from '../alarms/index.ts';
import { invalidField, notFound } from '../errors.ts';
import { notificationModel } from '../documents/notification.ts';
import type { AttemptRecord, NotificationDocument, NotificationState } from '../documents/notification.ts';
import { noLease } from '../documents/lease.ts';
import { nativeOf } from '../documents/native.ts';
import { createWriteLane } from '../documents/write-lane.ts';
import { createConnections } from './connections.ts';
import { createDrain, leaseMarginMs } from './drain.ts';
import type { Delivered, DeliverDue } from './drain.ts';
import { createGuard } from './guard.ts';
import { createHandOver } from './hand-over.ts';
import type { Resolve } from './guard.ts';
import { createDeliveryLimits, type DeliveryLimits } from './delivery-limits.ts';
import { createDeliveryQueue, newRound } from './delivery-queue.ts';
import type { WebhookSecrets } from '../webhook-signature.ts';

type Environment = NotificationDocument['environment'];

/** One event for one URL. Every attempt sends the body's bytes as they are here. */
export interface NewNotification {
  /** `<payment request>-<sequence>`; for an event of an owner what names it once, such as `<owner>-version-<day>`. */
  readonly id: string;
  readonly ownerId: number;
  readonly environment: Environment;
  readonly paymentRequestId: number | null;
  readonly sequence: number | null;
  readonly type: string;
  readonly url: string;
  readonly body: string;
  readonly createdAt: Date;
  readonly requestId: string;
}

export interface NotificationView {
  readonly id: string;
  readonly type: string;
  readonly paymentRequestId: number | null;
  readonly sequence: number | null;
  readonly url: string;
  readonly state: NotificationState;
  readonly createdAt: Date;
  /** null where none is planned, or one is under way. */
  readonly nextAttemptAt: Date | null;
  readonly attempts: readonly AttemptRecord[];
}

/** Whose notifications. */
export interface Scope {
  readonly ownerId: number;
  readonly environment: Environment;
}

export interface NotificationQuery extends Scope {
  readonly paymentRequestId?: number;
  readonly state?: NotificationState;
  readonly type?: string;
  readonly limit: number;
  readonly cursor?: string;
}

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
  readonly log: Logger;
  /** From 0 to below 1. */
  readonly random?: () => number;
  readonly resolve?: Resolve;
  readonly limits?: DeliveryLimits;
}

export interface Notifications {
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
  /** Newest first. Throws VAL002 on a cursor that is not ours. */
  list(query: NotificationQuery): Promise<{ items: NotificationView[]; nextCursor: string | null }>;
  /** Throws NF001 where the owner has none of this id. */
  get(scope: Scope & { readonly id: string }): Promise<NotificationView>;
  /** Starts a new round of attempts, now, whatever became of the earlier ones. Throws NF001 like `get`. */
  resend(scope: Scope & { readonly id: string }): Promise<NotificationView>;
  /** The same for all made from `from` to before `to`: exhausted ones, unless another state is named. */
  resendSpan(
    span: Scope & { readonly from: Date; readonly to: Date; readonly state?: NotificationState },
  ): Promise<number>;
  /** All of one payment request, in the order of their events. */
  forPayment(paymentRequestId: number): Promise<NotificationView[]>;
  /** Why nothing will be sent to the URL, as far as itself shows it; undefined: it may be called. */
  refusalOf(url: string): string | undefined;
  /** Removes those from before `before` that were delivered or are gone; gives how many. */
  purge(before: Date): Promise<number>;
  /** Gives back what it would have sent next, and ends the connections to receivers that were kept open. */
  close(): Promise<void>;
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
    log,
    random = Math.random,
    resolve,
    limits = createDeliveryLimits({ ...config, now }),
  } = parts;
  const { allowedPrivateNetworks, allowedPorts, refusedPorts, timeoutMs } = config;
  const ports = { ...(allowedPorts && { allowedPorts }), ...(refusedPorts && { refusedPorts }) };
  const model = notificationModel(connection);
  const { collection, toDocument } = nativeOf(model);
  const lane = createWriteLane(model);
  const leaseMs = timeoutMs + leaseMarginMs;
  const queue = createDeliveryQueue(model, leaseMs);
  const handOver = createHandOver({ worker, leaseMs, limits, queue });
  const guard = createGuard({ allowedPrivateNetworks, ...ports, ...(resolve ? { resolve } : {}) });
  const connections = createConnections();
  const drain = createDrain({
    queue,
    guard,
    connections,
    limits,
    handOver,
    schedule: config,
    timeoutMs,
    secrets,
    now,
    random,
    raise,
    log,
  });
  const firstDelayMs = (config.attemptDelaysSeconds[0] ?? 0) * 1000;

  return {
    async insert(entries) {
      const dueIn = { dueAt: firstDelayMs };
      const results = await Promise.all(entries.map(async (entry) => lane.insert(toRow(entry), dueIn)));
      const stored = results.filter((result) => result === 'stored').length;
      if (stored) notifyWorkers('notifications');
      return stored;
    },

    async insertWith(entries, at, session) {
      const rows = entries.map(toRow);
      const isHere = workHere !== undefined && firstDelayMs === 0;
      const claim = handOver.claim(isHere ? rows : [], at);
      const dueAt = new Date(at.getTime() + firstDelayMs);
      const documents = rows.map((row) => toDocument({ ...row, dueAt, ...claim.leaseOf(row._id) }));
      try {
        await collection.insertMany(documents as { _id: string }[], { session });
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

    deliverDue: async (options) => drain.deliverDue(options),
    lookForDue: () => drain.look(),
    refusalOf: (url) => guard.refusalOf(url),
    releaseWorker: (worker) => queue.releaseWorker(worker),
    nextDueAt: () => queue.nextDueAt(),

    async list({ limit, cursor, ...filter }) {
      const after = cursor === undefined ? {} : readCursor(cursor);
      const rows = await model
        .find({ ...filter, ...after })
        .sort({ createdAt: -1, _id: -1 })
        .limit(limit + 1)
        .lean();
      const items = rows.slice(0, limit);
      const last = items.at(-1);
      return { items: items.map(presentRow), nextCursor: rows.length > limit && last ? toCursor(last) : null };
    },

    async get({ ownerId, environment, id }) {
      const row = await model.findOne({ _id: id, ownerId, environment }).lean();
      if (!row) throw notFound('the notification');
      return presentRow(row);
    },

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
      const { modifiedCount } = await model.updateMany(filter, newRound, { updatePipeline: true });
      if (modifiedCount) notifyWorkers('notifications');
      return modifiedCount;
    },

    async forPayment(paymentRequestId) {
      const rows = await model.find({ paymentRequestId }).sort({ sequence: 1 }).lean();
      return rows.map(presentRow);
    },

    async purge(before) {
      const ended = { createdAt: { $lt: before }, state: { $in: ['delivered', 'gone'] as const } };
      return (await model.deleteMany(ended)).deletedCount;
    },

    async close() {
      await handOver.giveBack();
      connections.close();
    },
  };
}

function toRow({ id, ...entry }: NewNotification): NotificationDocument {
  return {
    _id: id,
    ...entry,
    receiver: URL.canParse(entry.url) ? new URL(entry.url).host : 'unreadable',
    state: 'waiting',
    round: 1,
    tries: 0,
    lease: noLease,
    fresh: true,
    attempts: [],
  };
}

function presentRow(row: NotificationDocument): NotificationView {
  const { _id: id, type, paymentRequestId, sequence, url, state, createdAt, dueAt, lease, attempts } = row;
  const nextAttemptAt = lease.token === null ? (dueAt ?? null) : null;
  return { id, type, paymentRequestId, sequence, url, state, createdAt, nextAttemptAt, attempts };
}

function toCursor({ createdAt, _id }: NotificationDocument): string {
  return Buffer.from(`${createdAt.getTime()}.${_id}`).toString('base64url');
}

function readCursor(cursor: string) {
  const [, time = '', id] = /^(\d{1,15})\.(.+)$/s.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (id === undefined) throw invalidField('cursor', cursor, 'must be a nextCursor of an earlier answer');
  const createdAt = new Date(Number(time));
  return { createdAt: { $lte: createdAt }, $or: [{ createdAt: { $lt: createdAt } }, { _id: { $lt: id } }] };
}
