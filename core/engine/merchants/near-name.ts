/** Finds the merchant that a new name was probably meant for. */
import { nearestOf } from '../../base/text/nearest.ts';

/**
 * The name of the merchant that was probably meant, if the name is new and close to it. Names that differ in their
 * digits are numbered, and not misspelled.
 */
export async function nearNameOf(
  owners: {
    find(name: string): Promise<unknown>;
    list(): Promise<readonly { readonly name: string }[]>;
  },
  name: string,
): Promise<string | undefined> {
  if (await owners.find(name)) return undefined;
  const digitsOf = (text: string): string => text.replaceAll(/\D/g, '');
  const known = (await owners.list()).map((one) => one.name).filter((one) => digitsOf(one) === digitsOf(name));
  return nearestOf(name, known);
}
