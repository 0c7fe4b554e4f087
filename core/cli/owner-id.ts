import type { Owner, Owners } from '../engine/access/index.ts';
import { didYouMean, nearestOf } from '../base/text/nearest.ts';
import { UsageError } from './command.ts';

/** Returns the owner of exactly this name. Throws a UsageError if there is none. */
export async function findOwner(owners: Pick<Owners, 'find' | 'list'>, name: string): Promise<Owner> {
  const owner = await owners.find(name);
  if (owner) return owner;
  const known = (await owners.list()).map((one) => one.name);
  throw new UsageError(
    `Unknown owner "${name}"${didYouMean(name, known) || ': "paywright owners list" lists the owners.'}`,
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
  if (guess !== '') throw new UsageError(`Unknown owner "${name}"${guess}`);
}

/**
 * A question if the name is new and close to the name of another merchant. Undefined otherwise. Names that differ in
 * their digits are numbered, and not misspelled.
 */
export async function questionOfNewOwner(
  owners: Pick<Owners, 'find' | 'list'>,
  name: string,
): Promise<string | undefined> {
  if (await owners.find(name)) return undefined;
  const digitsOf = (text: string): string => text.replaceAll(/\D/g, '');
  const known = (await owners.list()).map((one) => one.name).filter((one) => digitsOf(one) === digitsOf(name));
  const near = nearestOf(name, known);
  return near && `There is no merchant "${name}": did you mean "${near}"? This creates a second merchant, "${name}".`;
}

export async function idOfOwner(owners: Pick<Owners, 'find' | 'list'>, name: string): Promise<number> {
  return (await findOwner(owners, name)).id;
}
