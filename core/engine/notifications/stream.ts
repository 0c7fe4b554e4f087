/**
 * Test events of an owner as they happen, for who develops without a public address: notifications, and events that have no
 * address, which are kept for a day from the first listening on. Read from the database, so that any process serves it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection, mongo } from 'mongoose';
import { notificationModel } from '../../database/collections/notification.ts';
import { streamedEventModel, type StreamedEvent } from '../../database/collections/streamed-event.ts';
import { DAY, SECOND } from '../../base/async/time.ts';
import type { NewNotification } from './new-notification.ts';

/** In the place of an address: only the stream shows it. */
export const streamOnly = 'stream:';
/** So long events without an address are kept, and made after the last listening. */
export const streamKeepMs = DAY;

export interface ListenedEvent extends Pick<StreamedEvent, 'type' | 'body' | 'createdAt'> {
  readonly id: string;
  /** Where to go on after it: sent back as `Last-Event-ID`. */
  readonly position: string;
}

export interface Listening {
  readonly ownerId: number;
  /** A position; absent, or none of ours: from now on. */
  readonly after?: string | undefined;
  readonly signal: AbortSignal;
  readonly pollMs?: number;
}

/** Processes differ in their clocks, and what is written late was made earlier: so far it is looked back. */
const lookBackMs = 10 * SECOND;
const atOnce = 200;

/** In the order in which they were made, as far as they are there; undefined where there was nothing for a while. */
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
    // There may be more at once than a look shows.
    if (found.length >= atOnce) continue;
    if (found.length === 0) yield undefined;
    await sleep(pollMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Without those that were shown: however many happen at once, each look shows others. */
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
      .limit(atOnce)
      .lean(),
    streamedEventModel(connection)
      .find({ ownerId, ...since }, members)
      .sort(sort)
      .limit(atOnce)
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

/** Behind a page that is full there may be more, which must not be passed by for what is newer; of its last moment, too. */
function endOf(page: readonly { readonly createdAt: Date }[]): number {
  return page.length < atOnce ? Infinity : page.at(-1)!.createdAt.getTime();
}

function readPosition(position: string): number {
  const time = Number(/^(\d{1,15})\./.exec(position)?.[1]);
  return Number.isNaN(time) ? Date.now() : time;
}

export interface StreamStore {
  /** Keeps what has no address; gives the others. What is kept already stays. */
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
