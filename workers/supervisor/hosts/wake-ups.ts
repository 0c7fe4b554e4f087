/**
 * Wake-ups between hosts, for those that run no worker: written into a capped collection, which every host with workers
 * follows by a tailable cursor. Cheaper than change streams, which read every write of the database.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection, mongo } from 'mongoose';
import type { Logger } from 'pino';
import { wakeUpModel, type WakeUp } from '../../../core/database/collections/wake-up.ts';
import type { Work } from '../../../core/engine/jobs/index.ts';
import { SECOND } from '../../../core/base/async/time.ts';
import { createWorkNotifier } from '../work-notifier.ts';

/** Work of this span travels in one write. */
const togetherMs = 5;
/** Where there is always more: each write costs the database, and a host that is woken goes on until nothing is left. */
const longestTogetherMs = 80;
const retryMs = 500;

function collectionOf(connection: Connection): mongo.Collection<WakeUp> {
  const { collectionName } = wakeUpModel(connection).collection;
  // Without the durability of payments: what is lost is found by the next sweep.
  return connection
    .getClient()
    .db(connection.name, { writeConcern: { w: 1, journal: false } })
    .collection<WakeUp>(collectionName);
}

/** Wakes another host for work that was noticed here; `nextHost` says which one has workers. */
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

/** Hears the wake-ups for this host. Gives how to end it. */
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
    // A tailable cursor ends at once where there is nothing yet.
    await collection.insertOne({ to: host, work: [] });
    cursor = collection.find({ to: host }, { tailable: true, awaitData: true, maxAwaitTimeMS: 5 * SECOND });
    for await (const { work } of cursor) onWork(work as Work[]);
  }

  async function keepFollowing(): Promise<void> {
    while (!signal.aborted) {
      await follow().catch((error: unknown) => {
        if (!signal.aborted) log.warn({ err: error }, 'the wake-ups of other hosts are not heard for a moment');
      });
      await sleep(retryMs, undefined, { signal }).catch(() => undefined); // Stopped meanwhile.
    }
  }
  void keepFollowing();

  return () => {
    stopping.abort();
    void cursor?.close().catch(() => undefined); // Its connection is closed next.
  };
}
