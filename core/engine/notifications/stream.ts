/**
 * The stream of an owner's test events, for developers without a public address. It shows notifications, and events
 * without an address, which are kept for a day once the owner has listened. It reads the database, so that any
 * process can serve it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection, mongo } from 'mongoose';
import { notificationModel } from '../../database/collections/notification.ts';
import { streamedEventModel, type StreamedEvent } from '../../database/collections/streamed-event.ts';
import { DAY, SECOND } from '../../base/async/time.ts';
import type { NewNotification } from './new-notification.ts';

/** Replaces the address of an event that only the stream shows. */
export const streamOnly = 'stream:';
/** Events without an address are kept for this long, and are created for this long after the last listener. */
export const streamKeepMs = DAY;

export interface ListenedEvent extends Pick<StreamedEvent, 'type' | 'body' | 'createdAt'> {
  readonly id: string;
  /** The position to continue after this event: sent back as `Last-Event-ID`. */
  readonly position: string;
}

export interface Listening {
  readonly ownerId: number;
  /** A position; absent, or not one of ours: from now on. */
  readonly after?: string | undefined;
  readonly signal: AbortSignal;
  readonly pollMs?: number;
}

/** Clocks of processes differ, and an event may be written after a later one: each poll goes back by this much. */
const lookBackMs = 10 * SECOND;
const pageSize = 200;

/** Yields events in the order of their creation, as far as they are stored; undefined if there was none for a while. */
export async function* listen(
  connection: Connection,
  { ownerId, after, signal, pollMs = SECOND }: Listening,
): AsyncGenerator<ListenedEvent | undefined> {
  const start =
    after === undefined ? Date.now() : Math.max(readPosition(after) - lookBackMs, Date.now() - streamKeepMs);
  let newest = start;
  const shown = new Map<string, number>();
  while (!signal.aborted) {
    const from = Math.max(start, newest - lookBackMs);
    const found = await readSince(connection, ownerId, new Date(from), [...shown.keys()]);
    for (const event of found) {
      const at = event.createdAt.getTime();
      shown.set(event.id, at);
      newest = Math.max(newest, at);
      yield event;
    }
    for (const [id, at] of shown) if (at < newest - 2 * lookBackMs) shown.delete(id);
    // There may be more events than one poll returns.
    if (found.length >= pageSize) continue;
    if (found.length === 0) yield undefined;
    await sleep(pollMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Excludes the events that were shown: however many happen at the same time, each poll returns new ones. */
async function readSince(
  connection: Connection,
  ownerId: number,
  from: Date,
  shown: readonly string[],
): Promise<readonly ListenedEvent[]> {
  const since = { createdAt: { $gte: from }, _id: { $nin: [...shown] } };
  const members = { type: 1, body: 1, createdAt: 1 } as const;
  const sort = { createdAt: 1 } as const;
  const [sent, kept] = await Promise.all([
    notificationModel(connection)
      .find({ ownerId, environment: 'test', ...since }, members)
      .sort(sort)
      .limit(pageSize)
      .lean(),
    streamedEventModel(connection)
      .find({ ownerId, ...since }, members)
      .sort(sort)
      .limit(pageSize)
      .lean(),
  ]);
  const until = Math.min(endOf(sent), endOf(kept));
  return [...sent, ...kept]
    .filter(({ createdAt }) => createdAt.getTime() <= until)
    .map(({ _id: id, type, body, createdAt }) => ({
      id,
      type,
      body,
      createdAt,
      position: `${createdAt.getTime()}.${id}`,
    }))
    .toSorted((one, other) => one.createdAt.getTime() - other.createdAt.getTime() || (one.id < other.id ? -1 : 1));
}

/** More events may follow a full page, even with the time of its last one. Newer events of the other page must wait. */
function endOf(page: readonly { readonly createdAt: Date }[]): number {
  return page.length < pageSize ? Infinity : page.at(-1)!.createdAt.getTime();
}

function readPosition(position: string): number {
  const time = Number(/^(\d{1,15})\./.exec(position)?.[1]);
  return Number.isNaN(time) ? Date.now() : time;
}

export interface StreamStore {
  /** Stores the events without an address, once each. Returns the others. */
  keep(entries: readonly NewNotification[], session?: mongo.ClientSession): Promise<readonly NewNotification[]>;
}

export function createStreamStore(connection: Connection, now: () => Date): StreamStore {
  const collection = streamedEventModel(connection).collection as unknown as mongo.Collection<StreamedEvent>;
  return {
    async keep(entries, session) {
      const unaddressed = entries.filter(({ url }) => url === streamOnly);
      if (unaddressed.length === 0) return entries;
      const operations = unaddressed.map((entry) => {
        const { _id, ...members } = toStreamed(entry, now());
        return { updateOne: { filter: { _id }, update: { $setOnInsert: members }, upsert: true } };
      });
      await collection.bulkWrite(operations, { ordered: false, ...(session && { session }) });
      return entries.filter(({ url }) => url !== streamOnly);
    },
  };
}

function toStreamed({ id, ownerId, type, body, createdAt }: NewNotification, at: Date): StreamedEvent {
  return { _id: id, ownerId, type, body, createdAt, expireAt: new Date(at.getTime() + streamKeepMs) };
}
