/**
 * Reads the backlog: the work that waits in the queues that all hosts share. Every query uses an index only, counts at
 * most `countedAtMost` documents and has a time limit.
 */
import type { Connection, mongo } from 'mongoose';
import type { PipelineStage } from 'mongoose';
import { alarmModel } from './collections/alarm.ts';
import { endpointModel } from './collections/endpoint.ts';
import { hostModel } from './collections/host.ts';
import { inboxModel } from './collections/inbox-row.ts';
import { notificationModel, receiverNamesOf } from './collections/notification.ts';
import { paymentRequestModel } from './collections/payment-request.ts';

export interface QueueBacklog {
  readonly queue: string;
  /** All waiting entries, due or not. */
  readonly pending: number;
  readonly due: number;
  /**
   * How long the oldest due entry has been due, by the database server's clock; 0 if nothing is due. Notifications to a
   * failing receiver are left out: they wait for the receiver and not for a worker.
   */
  readonly oldestDueSeconds: number;
}

interface Count {
  readonly count: number;
}

/** The part of the backlog that operators see. */
export interface Waiting {
  readonly queues: readonly QueueBacklog[];
  /** Payment requests without an attempt to pay. */
  readonly paymentsCreated: number;
  readonly deadLetters: readonly (Count & { readonly provider: string; readonly outcome: string })[];
}

export interface Backlog extends Waiting {
  /** Attempts whose outcome is not known yet. */
  readonly attemptsOpen: readonly (Count & { readonly provider: string })[];
  readonly alarmsOpen: readonly (Count & { readonly kind: string })[];
  readonly hostsUp: number;
}

/** Maximum count of each query. This value means "this many or more". */
export const countedAtMost = 10_000;
/** Maximum number of failing endpoints to read. It is far above the number that fails at the same time. */
const failingAtMost = 10_000;
const limits = { maxTimeMS: 2000 } as const;
/** A host without a renewal for this long is not counted as up. Hosts renew their document every second. */
const hostSilentMs = 6000;

/** Counts open attempts only for the given `adapters`. Rejects if the database does not answer in time. */
export async function readBacklog(connection: Connection, adapters: readonly string[]): Promise<Backlog> {
  const seenAt = { $expr: { $gt: ['$seenAt', { $subtract: ['$$NOW', hostSilentMs] }] } };
  const [waiting, attemptsOpen, alarmsOpen, hostsUp] = await Promise.all([
    readWaiting(connection),
    countOpenAttempts(connection, adapters),
    countBy(alarmModel(connection), { state: 'open' }, { kind: '$kind' }),
    hostModel(connection).countDocuments(seenAt, limits),
  ]);
  return { ...waiting, attemptsOpen, alarmsOpen, hostsUp };
}

/** Rejects if the database does not answer in time. */
export async function readWaiting(connection: Connection): Promise<Waiting> {
  const inbox = inboxModel(connection);
  const payments = paymentRequestModel(connection);
  // The queries run concurrently, because the caller waits for them and each is bounded.
  const [queues, paymentsCreated, deadLetters] = await Promise.all([
    readQueues(connection),
    payments.countDocuments({ statusId: 0 }, { ...limits, limit: countedAtMost }),
    countBy(inbox, { state: { $in: ['dead_letter', 'malformed'] } }, { provider: '$adapter', outcome: '$state' }),
  ]);
  return { queues, paymentsCreated, deadLetters };
}

/** Reads only the queues. Rejects if the database does not answer in time. */
export async function readQueues(connection: Connection): Promise<readonly QueueBacklog[]> {
  const inbox = inboxModel(connection);
  const payments = paymentRequestModel(connection);
  return Promise.all([
    readQueue('inbox', inbox, 'dueAt'),
    readQueue('pings', inbox, 'pingDueAt'),
    readQueue('reconcile', payments, 'nextCheckAt'),
    readNotifications(connection),
    readQueue('outbox', payments, 'outboxSince'),
  ]);
}

async function readNotifications(connection: Connection): Promise<QueueBacklog> {
  const [queue, member] = ['notifications', 'dueAt'];
  const notifications = notificationModel(connection);
  // The index of notifications starts with `fresh`.
  const any = { fresh: { $in: [true, false] } };
  const all = await readQueue(queue, notifications, member, any);
  if (all.due === 0) return all;
  const failing = await endpointModel(connection)
    .find({}, { _id: 0, ownerId: 1, receiver: 1 })
    .limit(failingAtMost)
    .maxTimeMS(limits.maxTimeMS)
    .lean<{ readonly ownerId: number; readonly receiver: string }[]>();
  if (failing.length === 0) return all;
  const receiver = {
    $nin: [...new Set(failing.flatMap((endpoint) => receiverNamesOf(endpoint.ownerId, endpoint.receiver)))],
  };
  const { oldestDueSeconds } = await readQueue(queue, notifications, member, { ...any, receiver });
  return { ...all, oldestDueSeconds };
}

/** Counts open attempts per adapter. Rejects if the database does not answer in time. */
export async function countOpenAttempts(
  connection: Connection,
  adapters: readonly string[],
): Promise<Backlog['attemptsOpen']> {
  const payments = paymentRequestModel(connection);
  return Promise.all(
    adapters.map(async (provider) => {
      const open = { attempts: { $elemMatch: { adapter: provider, outcome: 'open' } } };
      return { provider, count: await payments.countDocuments(open, { ...limits, limit: countedAtMost }) };
    }),
  );
}

interface Asked {
  readonly collection: {
    aggregate<T extends mongo.Document>(pipeline: PipelineStage[], options: object): mongo.AggregationCursor<T>;
  };
}

/** Counts entries, starting with those that have been due longest. */
async function readQueue(queue: string, { collection }: Asked, member: string, where = {}): Promise<QueueBacklog> {
  const dueAt = `$${member}`;
  const [found] = await collection
    .aggregate<Omit<QueueBacklog, 'queue'>>(
      [
        // The planner uses the partial index only if the type is named.
        { $match: { ...where, [member]: { $type: 'date' } } },
        { $sort: { [member]: 1 } },
        { $limit: countedAtMost },
        {
          $group: {
            _id: null,
            pending: { $sum: 1 },
            due: { $sum: { $cond: [{ $lte: [dueAt, '$$NOW'] }, 1, 0] } },
            oldest: { $min: dueAt },
          },
        },
        {
          $project: {
            _id: 0,
            pending: 1,
            due: 1,
            oldestDueSeconds: { $max: [0, { $divide: [{ $subtract: ['$$NOW', '$oldest'] }, 1000] }] },
          },
        },
      ],
      limits,
    )
    .toArray();
  return { queue, ...(found ?? { pending: 0, due: 0, oldestDueSeconds: 0 }) };
}

async function countBy<G extends Readonly<Record<string, string>>>(
  { collection }: Asked,
  $match: object,
  group: G,
): Promise<(Count & { readonly [Name in keyof G]: string })[]> {
  const found = collection.aggregate<{ _id: { readonly [Name in keyof G]: string }; count: number }>(
    [{ $match }, { $limit: countedAtMost }, { $group: { _id: group, count: { $sum: 1 } } }] as PipelineStage[],
    limits,
  );
  return (await found.toArray()).map(({ _id, count }) => ({ ..._id, count }));
}
