/**
 * Lets an operator's query over all owners use the indexes of an owner's lists. These indexes start with owner and
 * environment. The server merges up to 200 ranges of an index in the order of the index; it would sort more in memory.
 */
import type { Connection } from 'mongoose';
import { ownerModel } from '../../database/collections/owner.ts';
import type { Environment } from '../../base/environment.ts';

export interface Whose {
  readonly ownerId?: number;
  readonly environment?: Environment;
}

/** A filter on the first members of such an index. */
export interface OwnerRange {
  readonly ownerId: { readonly $in: readonly number[] };
  readonly environment: { readonly $in: readonly Environment[] };
}

const maxMergedRanges = 200;
const environments: readonly Environment[] = ['test', 'live'];

export function environmentsOf({ environment }: Whose): readonly Environment[] {
  return environment ? [environment] : environments;
}

export async function ownerIdsOf(connection: Connection, { ownerId }: Whose): Promise<readonly number[]> {
  if (ownerId !== undefined) return [ownerId];
  const found = await ownerModel(connection).find({}, { _id: 1 }).sort({ _id: 1 }).lean();
  return found.map(({ _id }) => _id);
}

/** Filters that together cover every owner of the query. An empty list means that there is no owner. */
export async function ownerRangesOf(connection: Connection, whose: Whose): Promise<readonly OwnerRange[]> {
  const selected = environmentsOf(whose);
  const ids = await ownerIdsOf(connection, whose);
  const size = maxMergedRanges / selected.length;
  const groups = Array.from({ length: Math.ceil(ids.length / size) }, (_, at) => ids.slice(at * size, (at + 1) * size));
  return groups.map((group) => ({ ownerId: { $in: group }, environment: { $in: selected } }));
}
