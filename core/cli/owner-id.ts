import type { Owners } from '../access/index.ts';
import { UsageError } from './command.ts';

/** Of the owner of exactly this name. Throws a UsageError where there is none. */
export async function idOfOwner(owners: Pick<Owners, 'find'>, name: string): Promise<number> {
  const owner = await owners.find(name);
  if (!owner) throw new UsageError(`There is no owner ${name}: gateway owners list shows them.`);
  return owner.id;
}
