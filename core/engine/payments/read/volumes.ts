/**
 * Volume and success by mode, adapter and currency. A job counts each slot of ten minutes: once when it is over, and
 * until then whenever an attempt was settled. A reader adds up the slots and reads no payment. So a week costs about a
 * thousand small documents, however many payments there are.
 */
import { addDecimals } from '@paywright/contract';
import type { mongo, Connection } from 'mongoose';
import { DAY, MINUTE } from '../../../base/async/time.ts';
import { groupBy } from '../../../base/group-by.ts';
import { paymentRequestModel } from '../../../database/collections/payment-request.ts';
import { countedToId, volumeModel, type VolumeRow, type VolumeSlot } from '../../../database/collections/volume.ts';
import { fromDocument, toDecimal } from '../../../database/decimals.ts';

export const slotMs = 10 * MINUTE;
/** A week, the week before it, and a day to spare. */
const keptMs = 15 * DAY;
/** A slot is counted this long after its end: by then, everything that was settled in it is stored. */
const settledAfterMs = 2 * MINUTE;
/** Slots of one run. A new gateway counts the past in several runs. */
const slotsPerRun = 60;
const countLimitMs = 20_000;
const readLimitMs = 1500;
const settledOutcomes = ['succeeded', 'failed'];

interface Deps {
  readonly connection: Connection;
  /** The adapters whose payments are counted. */
  readonly adapters: readonly string[];
  readonly now: () => Date;
}

export interface Volumes {
  /** The rows of the slots in a time span, each with the start of its slot. */
  readonly slots: readonly { readonly at: Date; readonly rows: readonly VolumeRow[] }[];
  /** Everything before this time is counted. */
  readonly countedTo: Date;
}

/** Counts the slots that are over. Returns their number, and whether more are left. */
export async function countVolumes({ connection, adapters, now }: Deps): Promise<{ done: number; more: boolean }> {
  const collection = volumeModel(connection).collection as unknown as mongo.Collection<VolumeSlot>;
  const countSlot = async (start: number): Promise<void> => {
    const [from, to] = [new Date(start), new Date(start + slotMs)];
    const rows = await countPayments({ connection, adapters }, from, to, countLimitMs);
    const _id = from.toISOString();
    const slot = { at: from, rows: rows.map(toStored), expireAt: new Date(start + keptMs) };
    // An attempt that failed may still succeed, and then belongs to a later slot.
    if (rows.length === 0) await collection.deleteOne({ _id });
    else await collection.replaceOne({ _id }, slot as never, { upsert: true });
  };
  /** While nothing is settled, this costs one read of an index. */
  async function countOpenSlots(start: number, countedAt: Date | undefined): Promise<void> {
    const at = now();
    if (countedAt && !(await hasSettled({ connection, adapters }, settledLately(countedAt)))) return;
    for (let open = start; open <= at.getTime(); open += slotMs) await countSlot(open);
    await collection.updateOne({ _id: countedToId }, { $set: { openCountedAt: at } });
  }
  const end = startOfSlot(now().getTime() - settledAfterMs);
  const known = await collection.findOne({ _id: countedToId });
  const first = Math.max(known?.to?.getTime() ?? 0, startOfSlot(now().getTime() - keptMs));
  const keepProgress = async (to: number): Promise<unknown> =>
    collection.updateOne({ _id: countedToId }, { $max: { to: new Date(to) } }, { upsert: true });
  if (!known) await keepProgress(first);
  let at = first;
  // Progress is kept after each slot: a run that fails or is killed does not count the same slots again.
  for (; at < end && at < first + slotsPerRun * slotMs; at += slotMs) {
    await countSlot(at);
    await keepProgress(at + slotMs);
  }
  if (at >= end) await countOpenSlots(end, known?.openCountedAt);
  return { done: (at - first) / slotMs, more: at < end };
}

/** From when on an attempt may have been settled that the count at this time did not see. */
function settledLately(countedAt: Date): Date {
  return new Date(countedAt.getTime() - settledAfterMs);
}

/** Whether an attempt was settled since then. */
async function hasSettled({ connection, adapters }: Omit<Deps, 'now'>, since: Date): Promise<boolean> {
  const attempts = { adapter: { $in: [...adapters] }, outcome: { $in: settledOutcomes }, settledAt: { $gte: since } };
  const found = await paymentRequestModel(connection).collection.findOne(
    { attempts: { $elemMatch: attempts } },
    { projection: { _id: 1 }, maxTimeMS: readLimitMs },
  );
  return found !== null;
}

/** Rejects if the database does not answer in time. */
export async function readVolumes({ connection, now }: Pick<Deps, 'connection' | 'now'>, from: Date): Promise<Volumes> {
  const model = volumeModel(connection);
  const [known, stored] = await Promise.all([
    model.findById(countedToId).maxTimeMS(readLimitMs).lean<VolumeSlot | null>(),
    model
      .find({ at: { $gte: from } }, { expireAt: 0 })
      .sort({ at: 1 })
      .maxTimeMS(readLimitMs)
      .lean<VolumeSlot[]>(),
  ]);
  const slots = stored.map(({ at, rows = [] }) => ({ at: at!, rows: fromDocument(rows) as readonly VolumeRow[] }));
  const end = now().getTime();
  const countedTo = known?.to?.getTime() ?? end;
  // The slots since then are counted again and again until they are over.
  return { slots, countedTo: new Date(end - countedTo < 3 * slotMs ? end : countedTo) };
}

interface Group {
  readonly _id: Pick<VolumeRow, 'environment' | 'adapter' | 'currency'> & { readonly outcome: string };
  readonly count: number;
  readonly declined: number;
  readonly amount: mongo.Decimal128;
}

/** `chargedAmount` of an unwound attempt, as the database computes it. */
const chargedExpression = {
  $cond: [
    {
      $or: [
        { $gt: [{ $size: { $ifNull: ['$attempts.captures', []] } }, 0] },
        { $eq: [{ $type: '$attempts.capturedTotal' }, 'string'] },
      ],
    },
    {
      $min: [
        '$attempts.amount',
        {
          $max: [
            { $sum: '$attempts.captures.amount' },
            { $toDecimal: '$attempts.capturedTotal' },
            { $cond: [{ $eq: ['$attempts.capture.state', 'succeeded'] }, '$attempts.capture.amount', null] },
          ],
        },
      ],
    },
    { $ifNull: ['$attempts.capture.amount', '$attempts.amount'] },
  ],
};

/** Counts the attempts that succeeded or failed in a time span. The index finds exactly these attempts. */
async function countPayments(
  { connection, adapters }: Omit<Deps, 'now'>,
  from: Date,
  to: Date,
  maxTimeMS: number,
): Promise<readonly VolumeRow[]> {
  const settledAt = { $gte: from, $lt: to };
  const attempts = { adapter: { $in: [...adapters] }, outcome: { $in: settledOutcomes }, settledAt };
  const found = await paymentRequestModel(connection)
    .collection.aggregate(
      [
        { $match: { attempts: { $elemMatch: attempts } } },
        { $project: { environment: 1, attempts: 1 } },
        { $unwind: '$attempts' },
        {
          $match: {
            'attempts.settledAt': settledAt,
            'attempts.outcome': attempts.outcome,
            'attempts.cancelled': { $ne: true },
          },
        },
        {
          $group: {
            _id: {
              environment: '$environment',
              adapter: '$attempts.adapter',
              currency: '$attempts.currency',
              outcome: '$attempts.outcome',
            },
            count: { $sum: 1 },
            declined: { $sum: { $cond: [{ $eq: [{ $type: '$attempts.decline' }, 'string'] }, 1, 0] } },
            amount: { $sum: chargedExpression },
          },
        },
      ],
      { maxTimeMS },
    )
    .toArray();
  const groups = groupBy(
    found.map(fromDocument) as (Omit<Group, 'amount'> & { readonly amount: string })[],
    ({ _id }) => [_id.environment, _id.adapter, _id.currency].join('|'),
  );
  return [...groups.values()].map((all) => {
    const { environment, adapter, currency } = all[0]!._id;
    const of = (outcome: string) => all.find(({ _id }) => _id.outcome === outcome);
    const succeeded = of('succeeded');
    return {
      environment,
      adapter,
      currency,
      succeeded: succeeded?.count ?? 0,
      failed: of('failed')?.count ?? 0,
      declined: of('failed')?.declined ?? 0,
      amount: succeeded?.amount ?? '0',
    };
  });
}

function toStored(row: VolumeRow) {
  return { ...row, amount: toDecimal(row.amount) };
}

export type VolumeSum = Pick<VolumeRow, 'succeeded' | 'failed' | 'amount'> & { readonly declined: number };

/** Adds rows of the same key. */
export function sumVolumes(
  rows: readonly VolumeRow[],
  keyOf: (row: VolumeRow) => string,
): ReadonlyMap<string, VolumeSum> {
  return new Map(
    [...groupBy(rows, keyOf)].map(([key, all]) => [
      key,
      {
        succeeded: all.reduce((sum, { succeeded }) => sum + succeeded, 0),
        failed: all.reduce((sum, { failed }) => sum + failed, 0),
        // An earlier version counted declines and other failures together. Most of them are declines.
        declined: all.reduce((sum, { failed, declined = failed }) => sum + declined, 0),
        amount: addDecimals('0', ...all.map(({ amount }) => amount)),
      },
    ]),
  );
}

function startOfSlot(ms: number): number {
  return Math.floor(ms / slotMs) * slotMs;
}
