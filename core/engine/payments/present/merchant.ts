/** The merchant as payers see it. */
import { logoFile, type Owner } from '../../access/index.ts';
import type { Merchant } from '../types/pay-page.ts';

const plain = { logo: null, colour: null, support: null, terms: null } as const;

/** For an unknown owner nothing is shown. */
export function toMerchant(owner: Owner | undefined): Merchant {
  if (!owner) return { name: '', brand: plain };
  const { id, name, brand } = owner;
  const { displayName, logo, ...look } = brand;
  return { name: displayName ?? name, brand: { ...look, logo: logo && logoFile(id, logo) } };
}
