/** Requests that payments are asked about again, and remembers since when callbacks of an adapter are missing. */
import type { Connection, mongo } from 'mongoose';
import { catchUpModel, type CatchUp } from '../../../database/collections/catch-up.ts';

const fresh = {
  endedAt: null,
  step: 0,
  before: null,
  waiting: [],
  batchAt: null,
  asked: 0,
  changedCount: 0,
  changed: [],
  unanswered: 0,
  notAsked: 0,
  obstacle: '',
} as const satisfies Partial<CatchUp>;

function collectionOf(connection: Connection): mongo.Collection<CatchUp> {
  // Mongoose would cast the values that the pipelines compute.
  return catchUpModel(connection).collection as unknown as mongo.Collection<CatchUp>;
}

/**
 * Requests a run for the adapter. A run in progress from the same time or earlier on continues, if `joins`. Otherwise
 * the run starts again, from the earlier of both times.
 */
export async function requestCatchUp(
  connection: Connection,
  adapter: string,
  since: Date,
  { joins }: { readonly joins: boolean },
): Promise<void> {
  const isRunning = { $and: [{ $eq: [{ $type: '$since' }, 'date'] }, { $eq: ['$endedAt', null] }] };
  const isSame = joins ? { $and: [isRunning, { $lte: ['$since', since] }] } : false;
  const restarted = Object.fromEntries(
    Object.entries({ ...fresh, requestedAt: '$$NOW' }).map(([name, value]) => [
      name,
      { $cond: [isSame, `$${name}`, value] },
    ]),
  );
  const from = { $cond: [isRunning, { $min: ['$since', since] }, since] };
  await collectionOf(connection).updateOne({ _id: adapter }, [{ $set: { ...restarted, since: from } }], {
    upsert: true,
  });
}

/** Remembers that callbacks of the adapter are missing since then. A silence that is known already stays. */
export async function noteSilence(connection: Connection, adapter: string, since: Date): Promise<void> {
  const isKnown = { $eq: [{ $type: '$silentSince' }, 'date'] };
  await collectionOf(connection).updateOne(
    { _id: adapter },
    [
      {
        $set: {
          silentSince: { $cond: [isKnown, '$silentSince', since] },
          silenceFoundAt: { $cond: [isKnown, '$silenceFoundAt', '$$NOW'] },
        },
      },
    ],
    { upsert: true },
  );
}

/**
 * If the adapter accepted a callback after its silence was found, requests a run from the start of the silence. Returns
 * that time; undefined if there was no silence, or it lasts.
 */
export async function endSilence(connection: Connection, adapter: string, acceptedAt: Date): Promise<Date | undefined> {
  const collection = collectionOf(connection);
  const found = await collection.findOne({ _id: adapter });
  const { silentSince, silenceFoundAt } = found ?? {};
  if (!silentSince || !silenceFoundAt || acceptedAt <= silenceFoundAt) return undefined;
  // First the request: a process that is killed in between requests it once more.
  await requestCatchUp(connection, adapter, silentSince, { joins: false });
  await collection.updateOne({ _id: adapter, silenceFoundAt }, { $set: { silentSince: null, silenceFoundAt: null } });
  return silentSince;
}
