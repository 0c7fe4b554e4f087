import type { Owner, Owners } from '../engine/access/index.ts';
import type { Merchants } from '../engine/merchants/index.ts';
import { didYouMean } from '../base/text/nearest.ts';
import { UsageError } from './command.ts';

/** Returns the merchant of exactly this name. Throws a UsageError if there is none. */
export async function findOwner(owners: Pick<Owners, 'find' | 'list'>, name: string): Promise<Owner> {
  const owner = await owners.find(name);
  if (owner) return owner;
  const known = (await owners.list()).map((one) => one.name);
  throw new UsageError(
    `Unknown merchant "${name}"${didYouMean(name, known) || ': "paywright owners list" lists the merchants.'}`,
  );
}

/**
 * Throws a UsageError if the name is unknown but close to a known name. An unknown name without a close match is
 * accepted here.
 */
export async function guessOwner(owners: Pick<Owners, 'find' | 'list'>, name: string): Promise<void> {
  if (await owners.find(name)) return;
  const guess = didYouMean(
    name,
    (await owners.list()).map((one) => one.name),
  );
  if (guess !== '') throw new UsageError(`Unknown merchant "${name}"${guess}`);
}

/** A question if the name is new and close to the name of another merchant. Undefined otherwise. */
export async function questionOfNewMerchant(
  merchants: Pick<Merchants, 'nearName'>,
  name: string,
): Promise<string | undefined> {
  const near = await merchants.nearName(name);
  return near && `There is no merchant "${name}": did you mean "${near}"? This creates a second merchant, "${name}".`;
}

export async function idOfOwner(owners: Pick<Owners, 'find' | 'list'>, name: string): Promise<number> {
  return (await findOwner(owners, name)).id;
}
