/**
 * What an operator asks of all owners, answered by the indexes of their own lists: these begin with owner and
 * environment, and the server merges so many ranges of an index in its order; more of them it would sort in memory.
 */
import type { Connection } from 'mongoose';
import { ownerModel } from '../../database/collections/owner.ts';
import type { Environment } from '../../base/environment.ts';

export interface Whose {
  readonly ownerId?: number;
  readonly environment?: Environment;
}

/** A filter that is a prefix of such an index. */
export interface OwnerRange {
  readonly ownerId: { readonly $in: readonly number[] };
  readonly environment: { readonly $in: readonly Environment[] };
}

const rangesAtOnce = 200;
const environments: readonly Environment[] = ['test', 'live'];

export function environmentsOf({ environment }: Whose): readonly Environment[] {
  return environment ? [environment] : environments;
}

export async function ownerIdsOf(connection: Connection, { ownerId }: Whose): Promise<readonly number[]> {
  if (ownerId !== undefined) return [ownerId];
  const found = await ownerModel(connection).find({}, { _id: 1 }).sort({ _id: 1 }).lean();
  return found.map(({ _id }) => _id);
}

/** Together they hold every owner that is meant; none: there is no owner. */
export async function ownerRangesOf(connection: Connection, whose: Whose): Promise<readonly OwnerRange[]> {
  const sides = environmentsOf(whose);
  const ids = await ownerIdsOf(connection, whose);
  const size = rangesAtOnce / sides.length;
  const groups = Array.from({ length: Math.ceil(ids.length / size) }, (_, at) => ids.slice(at * size, (at + 1) * size));
  return groups.map((group) => ({ ownerId: { $in: group }, environment: { $in: sides } }));
}
