/**
 * The reference of an account: the text by which rules, logs, commands and the API name one account of an adapter. It
 * is `<adapter>` for `main` and `<adapter>/<account>` for every other account.
 */

/** The account that every adapter has: the adapter's own options. */
export const mainAccount = 'main';

export interface AccountNames {
  /** The name of the adapter. */
  readonly adapter: string;
  /** The name of the account; absent: `main`. Attempts of earlier versions have no such member. */
  readonly account?: string | undefined;
}

/** Returns the reference of an account, also of the account of an attempt. */
export function accountRefOf({ adapter, account = mainAccount }: AccountNames): string {
  return account === mainAccount ? adapter : `${adapter}/${account}`;
}

/** The account as the API writes it, also for `main`: `<adapter>/<account>`. */
export function accountNameOf({ adapter, account = mainAccount }: AccountNames): string {
  return `${adapter}/${account}`;
}

/** The path of a callback address below `/callbacks/`. The account `main` has the bare address of the route. */
export function callbackPath(route: string, account: string): string {
  return account === mainAccount ? route : `${route}/${account}`;
}

/** The name of the adapter, for what all of its accounts share: titles, codes, metrics. */
export function adapterOfRef(ref: string): string {
  return parseAccountRef(ref).adapter;
}

/** Returns the reference of an account that is written in either spelling: `<adapter>/main` becomes `<adapter>`. */
export function toAccountRef(text: string): string {
  return accountRefOf(parseAccountRef(text));
}

/** Reads a reference. `<adapter>/main` names the same account as `<adapter>`. */
export function parseAccountRef(ref: string): { readonly adapter: string; readonly account: string } {
  const at = ref.indexOf('/');
  return at < 0 ? { adapter: ref, account: mainAccount } : { adapter: ref.slice(0, at), account: ref.slice(at + 1) };
}
