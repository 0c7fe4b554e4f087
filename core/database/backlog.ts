/** What waits, as all hosts share it: asked of indexes alone, with a bound on what is counted and on how long it takes. */
import type { Connection, mongo } from 'mongoose';
import type { PipelineStage } from 'mongoose';
import { alarmModel } from './collections/alarm.ts';
import { endpointModel } from './collections/endpoint.ts';
import { hostModel } from './collections/host.ts';
import { inboxModel } from './collections/inbox-row.ts';
import { notificationModel } from './collections/notification.ts';
import { paymentRequestModel } from './collections/payment-request.ts';

export interface QueueBacklog {
  readonly queue: string;
  /** All that waits, due or not. */
  readonly pending: number;
  readonly due: number;
  /**
   * How long the longest due has been so; 0 where nothing is. By the database server's clock. Notifications whose receiver
   * fails are left out: they wait for it, and not for a worker.
   */
  readonly oldestDueSeconds: number;
}

interface Count {
  readonly count: number;
}

/** What an operator sees of it. */
export interface Waiting {
  readonly queues: readonly QueueBacklog[];
  /** Payment requests that nobody has paid or tried to pay. */
  readonly paymentsCreated: number;
  readonly deadLetters: readonly (Count & { readonly provider: string; readonly outcome: string })[];
}

export interface Backlog extends Waiting {
  /** Attempts whose outcome is not known yet. */
  readonly attemptsOpen: readonly (Count & { readonly provider: string })[];
  readonly alarmsOpen: readonly (Count & { readonly kind: string })[];
  readonly hostsUp: number;
}

/** Of each question; so many mean so many or more. */
export const countedAtMost = 10_000;
/** Far more receivers than fail at once. */
const failingAtMost = 10_000;
const limits = { maxTimeMS: 2000 } as const;
/** A host renews its document every second. */
const hostSilentMs = 6000;

/** `adapters`: those whose attempts are counted. Rejects where the database does not answer in time. */
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

/** Rejects where the database does not answer in time. */
export async function readWaiting(connection: Connection): Promise<Waiting> {
  const inbox = inboxModel(connection);
  const payments = paymentRequestModel(connection);
  // Side by side: somebody waits for them, and each is bounded.
  const [queues, paymentsCreated, deadLetters] = await Promise.all([
    readQueues(connection),
    payments.countDocuments({ statusId: 0 }, { ...limits, limit: countedAtMost }),
    countBy(inbox, { state: { $in: ['dead_letter', 'malformed'] } }, { provider: '$adapter', outcome: '$state' }),
  ]);
  return { queues, paymentsCreated, deadLetters };
}

/** The queues alone. Rejects where the database does not answer in time. */
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
  // Its index begins with whether it was attempted.
  const any = { fresh: { $in: [true, false] } };
  const all = await readQueue(queue, notifications, member, any);
  if (all.due === 0) return all;
  const failing = await endpointModel(connection)
    .find({}, { _id: 0, receiver: 1 })
    .limit(failingAtMost)
    .maxTimeMS(limits.maxTimeMS)
    .lean<{ readonly receiver: string }[]>();
  if (failing.length === 0) return all;
  const receiver = { $nin: [...new Set(failing.map((endpoint) => endpoint.receiver))] };
  const { oldestDueSeconds } = await readQueue(queue, notifications, member, { ...any, receiver });
  return { ...all, oldestDueSeconds };
}

/** By adapter. Rejects where the database does not answer in time. */
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

/** What is due longest is counted first. */
async function readQueue(queue: string, { collection }: Asked, member: string, where = {}): Promise<QueueBacklog> {
  const dueAt = `$${member}`;
  const [found] = await collection
    .aggregate<Omit<QueueBacklog, 'queue'>>(
      [
        // With the type, without which the planner does not see the partial index.
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
