/**
 * Splits an operator's query over all owners, so that it can use the indexes of a merchant's lists. These indexes start
 * with owner and environment. MongoDB merges the sorted results of up to 200 index ranges (one per owner and
 * environment). With more ranges it would sort in memory. So each filter covers at most 200 ranges.
 */
import type { Connection } from 'mongoose';
import { ownerModel } from '../../database/collections/owner.ts';
import type { Environment } from '../../base/environment.ts';

export interface OwnerScope {
  readonly ownerId?: number;
  readonly environment?: Environment;
}

/** A filter on the first two members of these indexes. */
export interface OwnerRange {
  readonly ownerId: { readonly $in: readonly number[] };
  readonly environment: { readonly $in: readonly Environment[] };
}

const maxMergedRanges = 200;
const environments: readonly Environment[] = ['test', 'live'];

export function environmentsOf({ environment }: OwnerScope): readonly Environment[] {
  return environment ? [environment] : environments;
}

export async function ownerIdsOf(connection: Connection, { ownerId }: OwnerScope): Promise<readonly number[]> {
  if (ownerId !== undefined) return [ownerId];
  const found = await ownerModel(connection).find({}, { _id: 1 }).sort({ _id: 1 }).lean();
  return found.map(({ _id }) => _id);
}

/** Returns filters that together cover every owner of the query. The list is empty if there is no owner. */
export async function ownerRangesOf(connection: Connection, scope: OwnerScope): Promise<readonly OwnerRange[]> {
  const selected = environmentsOf(scope);
  const ids = await ownerIdsOf(connection, scope);
  const size = maxMergedRanges / selected.length;
  const groups = Array.from({ length: Math.ceil(ids.length / size) }, (_, at) => ids.slice(at * size, (at + 1) * size));
  return groups.map((group) => ({ ownerId: { $in: group }, environment: { $in: selected } }));
}
