/** Which accounts of an adapter a merchant may use, in the order in which one is chosen. */
import { mainAccount, parseAccountRef, toAccountRef } from './account-ref.ts';
import type { LoadedAdapter } from './load/load-adapters.ts';

/** What decides which accounts a merchant may use. */
export interface AccountUser {
  /** The exact name of the merchant. */
  readonly name: string;
  /** The merchant uses only accounts that are assigned to it. */
  readonly ownAccountsOnly: boolean;
}

export interface AccountAccess {
  /**
   * Returns the references of the accounts that the merchant may use: its assigned accounts in the order of config, or,
   * without any, those that serve everybody, `main` first, then by name. Accounts that are off are included. Without a
   * merchant: the accounts that serve everybody.
   */
  accountsFor(adapter: string, user: AccountUser | undefined): readonly string[];
  /** True if the merchant may use the account. False for an account that does not exist. */
  isOpenTo(ref: string, user: AccountUser | undefined): boolean;
}

interface Lists {
  readonly everybody: readonly string[];
  readonly assigned: ReadonlyMap<string, readonly string[]>;
}

/** Sorts the accounts once, so that a choice among thousands of accounts costs two look-ups. */
export function createAccountAccess(accounts: ReadonlyMap<string, readonly LoadedAdapter[]>): AccountAccess {
  const lists = new Map<string, Lists>();
  const listsOf = (adapter: string): Lists => {
    const known = lists.get(adapter) ?? sortAccounts(accounts.get(adapter) ?? []);
    if (accounts.has(adapter)) lists.set(adapter, known);
    return known;
  };

  const accountsFor: AccountAccess['accountsFor'] = (adapter, user) => {
    const { everybody, assigned } = listsOf(adapter);
    const own = user && assigned.get(user.name);
    return own ?? (user?.ownAccountsOnly ? [] : everybody);
  };

  return {
    accountsFor,
    isOpenTo(ref, user) {
      return accountsFor(parseAccountRef(ref).adapter, user).includes(toAccountRef(ref));
    },
  };
}

function sortAccounts(accounts: readonly LoadedAdapter[]): Lists {
  const assigned = new Map<string, string[]>();
  for (const { ref, merchants = [] } of accounts) {
    for (const name of new Set(merchants)) {
      const own = assigned.get(name);
      if (own) own.push(ref);
      else assigned.set(name, [ref]);
    }
  }
  const open = accounts.filter(({ merchants }) => merchants === undefined);
  const rank = ({ account }: LoadedAdapter): string => (account === mainAccount ? '' : account);
  const everybody = open.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1)).map(({ ref }) => ref);
  return { everybody, assigned };
}
