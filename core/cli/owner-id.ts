import { matchOwners, type Owners } from '../engine/access/index.ts';
import { nearNameOf } from '../engine/merchants/index.ts';
import { didYouMean } from '../base/text/nearest.ts';
import { UsageError } from './command.ts';

/**
 * Returns the id of the merchant with this name, or whose name is the only one that contains the text. Throws a
 * UsageError if there is none, or several.
 */
export async function idOfOwnerLike(owners: Pick<Owners, 'find' | 'list'>, text: string): Promise<number> {
  const [found, ...others] = matchOwners(await owners.list(), text);
  if (!found) return idOfOwner(owners, text);
  if (others.length === 0) return found.id;
  const names = [found, ...others].map(({ name }) => `"${name}"`);
  throw new UsageError(`Several merchants match "${text}": ${names.slice(0, 10).join(', ')}. Give the whole name.`);
}

/** Merchants, of the database or of a service. */
export interface KnownOwners<T> {
  find(name: string): Promise<T | undefined>;
  list(): Promise<readonly { readonly name: string }[]>;
}

/** Returns the merchant of exactly this name. Throws a UsageError if there is none. */
export async function findOwner<T>(owners: KnownOwners<T>, name: string): Promise<T> {
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
export async function guessOwner(owners: KnownOwners<unknown>, name: string): Promise<void> {
  if (await owners.find(name)) return;
  const guess = didYouMean(
    name,
    (await owners.list()).map((one) => one.name),
  );
  if (guess !== '') throw new UsageError(`Unknown merchant "${name}"${guess}`);
}

/** A question if the name is new and close to the name of another merchant. Undefined otherwise. */
export async function questionOfNewMerchant(owners: KnownOwners<unknown>, name: string): Promise<string | undefined> {
  const near = await nearNameOf(owners, name);
  return near && `There is no merchant "${name}": did you mean "${near}"? This creates a second merchant, "${name}".`;
}

export async function idOfOwner(owners: Pick<Owners, 'find' | 'list'>, name: string): Promise<number> {
  return (await findOwner(owners, name)).id;
}
