/** Stores alarms. Alarms of one kind and subject that are raised while a write is in progress become one write. */
import type { Connection, mongo } from 'mongoose';
import type { Logger } from 'pino';
import {
  alarmModel,
  maxAlarmEvents,
  type Alarm,
  type AlarmAbout,
  type AlarmEvent,
  type AlarmKind,
  type AlarmState,
  type AlarmSubject,
} from '../../database/collections/alarm.ts';
import { endLease, noLease } from '../../database/lease.ts';
import { DAY, MINUTE } from '../../base/async/time.ts';
import { maskText } from '../../base/log/log-masks.ts';
import { alarmKinds, unknownSeverity, type Severity } from './kinds.ts';
import { byUrgency } from './order.ts';
import { createIsRecovered, endingKinds } from './recovered.ts';

export interface AlarmQuery {
  /** Default: open and acknowledged. */
  readonly states?: readonly AlarmState[] | undefined;
  readonly kinds?: readonly AlarmKind[] | undefined;
  readonly severity?: Severity | undefined;
  readonly limit: number;
}

/** The operator who acts on an alarm. */
export interface AlarmHandling {
  readonly by: string;
  readonly reason?: string | undefined;
}

export interface AlarmStore {
  raised(kind: AlarmKind, subject: AlarmSubject, reason: string, about?: AlarmAbout): void;
  cleared(kind: AlarmKind, subject: AlarmSubject): void;
  resolvePassed(): Promise<number>;
  resolveRecovered(): Promise<number>;
  list(limit: number): Promise<readonly Alarm[]>;
  find(query: AlarmQuery): Promise<readonly Alarm[]>;
  get(id: string): Promise<Alarm | undefined>;
  acknowledge(id: string, handling?: AlarmHandling): Promise<boolean>;
  resolve(id: string, handling?: AlarmHandling): Promise<boolean>;
  close(): Promise<void>;
}

interface Raised {
  readonly kind: AlarmKind;
  readonly subject: AlarmSubject;
  readonly reason: string;
  readonly count: number;
  readonly about: AlarmAbout;
}

/** Maximum number of alarms that wait while the database does not answer. Further alarms are only logged. */
const maxWaiting = 1000;
const retryMs = 5000;
const unresolvedStates = ['open', 'acknowledged'] as const satisfies readonly AlarmState[];
const isUnresolved = { state: { $in: [...unresolvedStates] } } satisfies mongo.Filter<Alarm>;
const maxReasonLength = 500;
/** The time limit of a list. */
const limitMs = 2000;
/** Maximum number of alarms that a list reads to put them in order: the ones that were raised last. */
export const orderedAtMost = 2000;
/**
 * An alarm that is raised again this soon after it was resolved automatically continues: a fix did not help, such as a
 * retry that failed. It is reported only if it is still open a while later, because the person who tried the fix is
 * looking at it.
 */
const returnsWithinMs = DAY;
const reportsReturnAfterMs = 15 * MINUTE;
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

  function add(id: string, raised: Raised): void {
    const known = waiting.get(id);
    if (known) waiting.set(id, { ...raised, count: known.count + raised.count });
    else if (waiting.size < maxWaiting) waiting.set(id, raised);
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

  async function find(query: AlarmQuery): Promise<readonly Alarm[]> {
    const { states = unresolvedStates, kinds, severity, limit } = query;
    const which = {
      state: { $in: [...states] },
      $and: [{}, ...(kinds ? [{ kind: { $in: [...kinds] } }] : []), ...(severity ? [ofSeverity(severity)] : [])],
    };
    const latest = model.find(which, { lease: 0 }).sort({ lastSeenAt: -1 }).limit(orderedAtMost);
    return (await latest.maxTimeMS(limitMs).lean<Alarm[]>()).toSorted(byUrgency).slice(0, limit);
  }

  async function resolve(id: string, handling?: AlarmHandling): Promise<boolean> {
    return end({ _id: id, ...isUnresolved }, resolvedBy(handling));
  }

  /** An update pipeline's `$set`. Without an operator, the alarm may return. */
  function resolvedBy(handling?: AlarmHandling): Members {
    return {
      state: 'resolved',
      expireAt: { $add: ['$$NOW', keepResolvedMs] },
      returnsUntil: handling ? '$$REMOVE' : { $add: ['$$NOW', returnsWithinMs] },
      history: withEvent('resolved', handling),
    };
  }

  /** Stops the reports of an alarm. Returns false if the alarm's state does not allow it. */
  async function end(which: mongo.Filter<Alarm>, members: Members): Promise<boolean> {
    const change = [{ $set: { ...members, ...endLease, dueAt: '$$REMOVE' } }];
    return (await collection.updateOne(which, change)).matchedCount === 1;
  }

  return {
    raised(kind, subject, reason, about = {}) {
      add(alarmId(kind, subject), { kind, subject, reason: reason.slice(0, maxReasonLength), count: 1, about });
      if (!retry) void flush();
    },
    list: async (limit) => find({ limit }),
    find,
    get: async (id) => (await model.findById(id).lean<Alarm | null>()) ?? undefined,
    acknowledge: async (id, handling) =>
      end({ _id: id, state: 'open' }, { state: 'acknowledged', history: withEvent('acknowledged', handling) }),
    resolve: async (id, handling = { by: '' }) => resolve(id, handling),
    cleared(kind, subject) {
      // Alarms that were raised earlier are stored first. Otherwise they would open the alarm again.
      flush()
        .then(async () => resolve(alarmId(kind, subject)))
        .catch((error: unknown) => log.warn({ err: error, alarmKind: kind }, 'an alarm could not be resolved'));
    },
    async resolvePassed() {
      const ended = { ...endLease, ...resolvedBy(), dueAt: '$$REMOVE' };
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
        if (await end({ _id, lastSeenAt, ...isUnresolved }, resolvedBy())) count += 1;
      }
      return count;
    },
    async close() {
      await flush();
      clearTimeout(retry);
    },
  };
}

/** The alarms of a severity, with those of kinds that this version does not know. */
function ofSeverity(severity: Severity): mongo.Filter<Alarm> {
  const known = Object.keys(alarmKinds) as AlarmKind[];
  const isMeant = (kind: AlarmKind): boolean => alarmKinds[kind].severity === severity;
  if (severity !== unknownSeverity) return { kind: { $in: known.filter(isMeant) } };
  return { kind: { $nin: known.filter((kind) => !isMeant(kind)) } };
}

/** The id of the document. */
export function alarmId(kind: AlarmKind, { type, id }: AlarmSubject): string {
  return `${kind}:${type}:${id}`;
}

type Members = Readonly<Record<string, unknown>>;

/** An expression: the history of the alarm, with one more event. */
export function withEvent(
  what: AlarmEvent['what'],
  event: Partial<AlarmHandling> & Pick<AlarmEvent, 'to'> = {},
): Members {
  const { by, reason, to } = event;
  // As in the audit log, a card, key or secret that an operator typed is masked.
  const words = reason && maskText(reason).slice(0, maxReasonLength);
  const given = Object.entries({ by, reason: words, to }).filter(([, value]) => value !== undefined && value !== '');
  const entry = { at: '$$NOW', what, ...Object.fromEntries(given.map(([name, value]) => [name, { $literal: value }])) };
  return { $slice: [{ $concatArrays: [{ $ifNull: ['$history', []] }, [entry]] }, -maxAlarmEvents] };
}

/**
 * An update pipeline: a resolved alarm opens again, an acknowledged one stays acknowledged. Times are the server's.
 */
function raisedOnce({ kind, subject, reason, count, about }: Raised): Members {
  const isKnown = { $in: ['$state', unresolvedStates] };
  const isReturning = { $and: [{ $eq: ['$state', 'resolved'] }, { $gt: ['$returnsUntil', '$$NOW'] }] };
  /** The first value for a known alarm, the second for one that returns, the third for a new one. */
  const either = (known: unknown, returning: unknown, fresh: unknown): Members => {
    return { $cond: [isKnown, known, { $cond: [isReturning, returning, fresh] }] };
  };
  const kept = (member: string): Members => either(`$${member}`, `$${member}`, '$$NOW');
  const counted = (member: string): Members => {
    const before = { $ifNull: [`$${member}`, 0] };
    return either(before, before, 0);
  };
  const knownAbout = Object.entries(about).filter(([, value]) => value !== undefined);
  return {
    kind,
    subject: { type: subject.type, id: { $literal: subject.id } },
    reason: { $literal: reason },
    ...Object.fromEntries(knownAbout.map(([name, value]) => [name, { $literal: value }])),
    state: { $cond: [isKnown, '$state', 'open'] },
    count: { $add: [counted('count'), count] },
    firstSeenAt: kept('firstSeenAt'),
    lastSeenAt: '$$NOW',
    dueAt: either('$dueAt', { $add: ['$$NOW', reportsReturnAfterMs] }, '$$NOW'),
    lease: { $ifNull: ['$lease', noLease] },
    reports: counted('reports'),
    failures: { $cond: [isKnown, { $ifNull: ['$failures', 0] }, 0] },
    reportedTo: { $cond: [isKnown, '$reportedTo', '$$REMOVE'] },
    history: either('$history', withEvent('raised_again'), withEvent('raised')),
    returnsUntil: '$$REMOVE',
    expireAt: '$$REMOVE',
  };
}
