/** The ids under which a provider knows an account: what `manifest.accountKey` returns. */

/** One id, or those of all accounts of the provider that the options of one account hold. */
export type AccountKey = string | readonly string[];

export function keysOf(key: AccountKey | undefined): readonly string[] {
  return key === undefined ? [] : typeof key === 'string' ? [key] : key;
}

/** True if the provider still knows the account by each of its earlier ids. Another id may be added. */
export function keepsIdentity(before: AccountKey, after: AccountKey | undefined): boolean {
  return keysOf(before).every((key) => keysOf(after).includes(key));
}
