/** Finds merchants by a part of their name, for operators. */
import type { Owner } from './owners.ts';

/**
 * The merchant of this name in any case, or else every merchant whose name contains the text; empty if there is none.
 */
export function matchOwners<T extends Pick<Owner, 'name'>>(owners: readonly T[], text: string): readonly T[] {
  const plain = plainName(text);
  const exact = owners.filter(({ name }) => name === text);
  if (exact.length > 0) return exact;
  const same = owners.filter(({ name }) => plainName(name) === plain);
  return same.length > 0 ? same : owners.filter(({ name }) => plain !== '' && plainName(name).includes(plain));
}

function plainName(name: string): string {
  return name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().trim();
}
