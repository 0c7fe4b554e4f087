/**
 * Wake-ups between hosts. A host without workers writes them into a capped collection, and every host with workers
 * follows that collection with a tailable cursor. This is cheaper than change streams, which read every write of the
 * database.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection, mongo } from 'mongoose';
import type { Logger } from 'pino';
import { wakeUpModel, type WakeUp } from '../../../core/database/collections/wake-up.ts';
import type { Work } from '../../../core/engine/jobs/index.ts';
import { SECOND } from '../../../core/base/async/time.ts';
import { createWorkNotifier } from '../processes/work-notifier.ts';

/** Work that is reported within this time is sent in one write. */
const togetherMs = 5;
/** The same under constant load. Each write costs the database, and a woken host works until nothing is left. */
const longestTogetherMs = 80;
const retryMs = 500;

function collectionOf(connection: Connection): mongo.Collection<WakeUp> {
  const { collectionName } = wakeUpModel(connection).collection;
  // Not durable, unlike payments: the next sweep finds work whose wake-up was lost.
  return connection
    .getClient()
    .db(connection.name, { writeConcern: { w: 1, journal: false } })
    .collection<WakeUp>(collectionName);
}

/** Wakes another host for work that this host noticed. `nextHost` returns a host with workers. */
export function createWakeUpSender(
  connection: Connection,
  nextHost: () => string | undefined,
  log: Pick<Logger, 'warn'>,
): (work: Work) => void {
  const collection = collectionOf(connection);
  return createWorkNotifier(
    (work) => {
      const to = nextHost();
      if (to === undefined) return;
      collection.insertOne({ to, work }).catch((error: unknown) => {
        log.warn({ err: error }, 'another host could not be woken');
      });
    },
    togetherMs,
    longestTogetherMs,
  );
}

/** Follows the wake-ups for this host. Returns a function that stops following. */
export function followWakeUps(
  connection: Connection,
  host: string,
  onWork: (work: readonly Work[]) => void,
  log: Pick<Logger, 'warn'>,
): () => void {
  const collection = collectionOf(connection);
  let cursor: mongo.FindCursor<mongo.WithId<WakeUp>> | undefined;
  const stopping = new AbortController();
  const { signal } = stopping;

  async function follow(): Promise<void> {
    // A tailable cursor ends immediately if it finds no document.
    await collection.insertOne({ to: host, work: [] });
    cursor = collection.find({ to: host }, { tailable: true, awaitData: true, maxAwaitTimeMS: 5 * SECOND });
    for await (const { work } of cursor) onWork(work as Work[]);
  }

  async function keepFollowing(): Promise<void> {
    while (!signal.aborted) {
      await follow().catch((error: unknown) => {
        if (!signal.aborted) log.warn({ err: error }, 'wake-ups of other hosts are not received for a moment');
      });
      await sleep(retryMs, undefined, { signal }).catch(() => undefined); // Rejects if the host stops.
    }
  }
  void keepFollowing();

  return () => {
    stopping.abort();
    void cursor?.close().catch(() => undefined); // Its connection is closed next.
  };
}
