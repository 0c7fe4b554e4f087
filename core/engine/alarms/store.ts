/** Stores alarms. Alarms of one kind and subject that are raised while a write is in progress become one write. */
import type { Connection, mongo } from 'mongoose';
import type { Logger } from 'pino';
import { alarmModel, type Alarm, type AlarmKind, type AlarmSubject } from '../../database/collections/alarm.ts';
import { endLease, noLease } from '../../database/lease.ts';
import { pageByTime, type TimePage } from '../../database/page-by-time.ts';
import { DAY, MINUTE } from '../../base/async/time.ts';
import { alarmKinds } from './kinds.ts';
import { createIsRecovered, endingKinds } from './recovered.ts';

export interface AlarmStore {
  raised(kind: AlarmKind, subject: AlarmSubject, reason: string): void;
  cleared(kind: AlarmKind, subject: AlarmSubject): void;
  resolvePassed(): Promise<number>;
  resolveRecovered(): Promise<number>;
  list(limit: number): Promise<readonly Alarm[]>;
  page(page: { readonly limit: number; readonly cursor?: string }): Promise<TimePage<Alarm>>;
  get(id: string): Promise<Alarm | undefined>;
  acknowledge(id: string): Promise<boolean>;
  resolve(id: string): Promise<boolean>;
  close(): Promise<void>;
}

interface Raised {
  readonly kind: AlarmKind;
  readonly subject: AlarmSubject;
  readonly reason: string;
  readonly count: number;
}

/** Maximum number of alarms that wait while the database does not answer. Further alarms are only logged. */
const maxWaiting = 1000;
const retryMs = 5000;
const isUnresolved = { state: { $in: ['open', 'acknowledged'] } } satisfies mongo.Filter<Alarm>;
const maxReasonLength = 500;
/** Maximum number of alarms that one check reads. The next check continues after them. */
const maxPerCheck = 500;

export function createAlarmStore(connection: Connection, log: Logger, keepResolvedDays: number): AlarmStore {
  const keepResolvedMs = keepResolvedDays * DAY;
  const model = alarmModel(connection);
  // Mongoose would cast the values that the pipeline computes.
  const collection = model.collection as unknown as mongo.Collection<Alarm>;
  const isRecovered = createIsRecovered(connection);
  let waiting = new Map<string, Raised>();
  let writing: Promise<void> | undefined;
  let retry: NodeJS.Timeout | undefined;
  /** The id after which the next check continues. */
  let checkedUpTo = '';

  function add(id: string, { kind, subject, reason, count }: Raised): void {
    const known = waiting.get(id);
    if (known) waiting.set(id, { ...known, reason, count: known.count + count });
    else if (waiting.size < maxWaiting) waiting.set(id, { kind, subject, reason, count });
  }

  /** Writes the waiting alarms until none waits or a write fails. */
  async function writeAll(): Promise<void> {
    while (waiting.size) {
      const batch = waiting;
      waiting = new Map();
      try {
        await collection.bulkWrite(
          [...batch].map(([id, raised]) => {
            return { updateOne: { filter: { _id: id }, update: [{ $set: raisedOnce(raised) }], upsert: true } };
          }),
          { ordered: false },
        );
      } catch (error) {
        log.warn({ err: error }, 'alarms could not be stored; they are retried');
        const newer = waiting;
        waiting = batch;
        for (const [id, raised] of newer) add(id, raised);
        return;
      }
    }
  }

  async function flush(): Promise<void> {
    clearTimeout(retry);
    retry = undefined;
    writing ??= writeAll().finally(() => {
      writing = undefined;
      if (waiting.size) retry = setTimeout(() => void flush(), retryMs).unref();
    });
    await writing;
  }

  /** Reads alarms that were last raised at this time or earlier, latest first. */
  async function read(newest: Date | undefined, limit: number): Promise<readonly Alarm[]> {
    const which = { ...isUnresolved, ...(newest && { lastSeenAt: { $lte: newest } }) };
    return model.find(which).sort({ lastSeenAt: -1 }).limit(limit).lean<Alarm[]>();
  }

  async function resolve(id: string): Promise<boolean> {
    return end({ _id: id, ...isUnresolved }, resolved());
  }

  function resolved(): Partial<Alarm> {
    return { state: 'resolved', expireAt: new Date(Date.now() + keepResolvedMs) };
  }

  /** Stops the reports of an alarm. Returns false if the alarm's state does not allow it. */
  async function end(which: mongo.Filter<Alarm>, members: Partial<Alarm>): Promise<boolean> {
    const change = { $set: { ...members, ...endLease }, $unset: { dueAt: '' as const } };
    return (await collection.updateOne(which, change)).matchedCount === 1;
  }

  return {
    raised(kind, subject, reason) {
      add(alarmId(kind, subject), { kind, subject, reason: reason.slice(0, maxReasonLength), count: 1 });
      if (!retry) void flush();
    },
    list: async (limit) => read(undefined, limit),
    page: async (page) => pageByTime(page, ({ lastSeenAt }: Alarm) => lastSeenAt, read),
    get: async (id) => (await model.findById(id).lean<Alarm | null>()) ?? undefined,
    acknowledge: async (id) => end({ _id: id, state: 'open' }, { state: 'acknowledged' }),
    resolve,
    cleared(kind, subject) {
      // Alarms that were raised earlier are stored first. Otherwise they would open the alarm again.
      flush()
        .then(async () => resolve(alarmId(kind, subject)))
        .catch((error: unknown) => log.warn({ err: error, alarmKind: kind }, 'an alarm could not be resolved'));
    },
    async resolvePassed() {
      const ended = {
        ...endLease,
        state: 'resolved',
        expireAt: { $add: ['$$NOW', keepResolvedMs] },
        dueAt: '$$REMOVE',
      };
      const conditions = Object.entries(alarmKinds).flatMap(([kind, { passesAfterMinutes }]) => {
        if (passesAfterMinutes === undefined) return [];
        const since = { $subtract: ['$$NOW', passesAfterMinutes * MINUTE] };
        return [{ kind: kind as AlarmKind, $expr: { $lt: ['$lastSeenAt', since] } }];
      });
      return (await collection.updateMany({ ...isUnresolved, $or: conditions }, [{ $set: ended }])).modifiedCount;
    },
    async resolveRecovered() {
      const which = { ...isUnresolved, kind: { $in: [...endingKinds] }, _id: { $gt: checkedUpTo } };
      const found = await model.find(which).sort({ _id: 1 }).limit(maxPerCheck).lean<Alarm[]>();
      checkedUpTo = found.length < maxPerCheck ? '' : found.at(-1)!._id;
      let count = 0;
      for (const alarm of found) {
        if (!(await isRecovered(alarm))) continue;
        const { _id, lastSeenAt } = alarm;
        // If it was raised again in the meantime, its cause is a new one.
        if (await end({ _id, lastSeenAt, ...isUnresolved }, resolved())) count += 1;
      }
      return count;
    },
    async close() {
      await flush();
      clearTimeout(retry);
    },
  };
}

/** The id of the document. */
export function alarmId(kind: AlarmKind, { type, id }: AlarmSubject): string {
  return `${kind}:${type}:${id}`;
}

/**
 * An update pipeline: a resolved alarm opens again, an acknowledged one stays acknowledged. Times are the server's.
 */
function raisedOnce({ kind, subject, reason, count }: Raised): Readonly<Record<string, unknown>> {
  const isKnown = { $in: ['$state', ['open', 'acknowledged']] };
  return {
    kind,
    subject: { type: subject.type, id: { $literal: subject.id } },
    reason: { $literal: reason },
    state: { $cond: [isKnown, '$state', 'open'] },
    count: { $add: [{ $cond: [isKnown, '$count', 0] }, count] },
    firstSeenAt: { $cond: [isKnown, '$firstSeenAt', '$$NOW'] },
    lastSeenAt: '$$NOW',
    dueAt: { $cond: [isKnown, '$dueAt', '$$NOW'] },
    lease: { $ifNull: ['$lease', noLease] },
    reports: { $cond: [isKnown, { $ifNull: ['$reports', 0] }, 0] },
    failures: { $cond: [isKnown, { $ifNull: ['$failures', 0] }, 0] },
    reportedTo: { $cond: [isKnown, '$reportedTo', '$$REMOVE'] },
    expireAt: '$$REMOVE',
  };
}
