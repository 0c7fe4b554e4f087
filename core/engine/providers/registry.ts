/** The adapters of this process with their accounts, and the states of both. */
import type { CallbackRoute, ProviderAdapter } from '@paywright/contract';
import { createAccountAccess, type AccountAccess } from './account-access.ts';
import { keysOf } from './account-keys.ts';
import { accountRefOf, mainAccount } from './account-ref.ts';
import { groupBy } from '../../base/group-by.ts';
import type { ActiveAdapter, AdapterOptions, AdapterState, LoadedAdapter } from './load/load-adapters.ts';

export interface FoundRoute {
  /** At an account's own address: that account. At the bare address: `main`. */
  readonly active: ActiveAdapter;
  readonly route: CallbackRoute<AdapterOptions, never>;
  /**
   * The callback came to the address of this account. Absent: it came to the bare address, which serves all accounts.
   */
  readonly isOwnAddress?: true;
  /** The adapter has several accounts. */
  readonly hasAccounts?: true;
}

export interface MissedRoute {
  readonly adapter: string;
  readonly lack: string;
}

/** One entry of the list of adapters. */
export interface ListedAdapter {
  readonly name: string;
  readonly package: string;
  readonly state: AdapterState;
  /** Null while the adapter is off and was never imported. */
  readonly adapter: ProviderAdapter<AdapterOptions> | null;
}

export interface Registry extends AccountAccess {
  /**
   * Returns every adapter that config lists, in the order of config. Accounts other than `main` are not in the list.
   */
  all(): readonly ListedAdapter[];
  /** Returns the account with this reference for payments in progress, if it and its adapter are on or draining. */
  byName(ref: string): ActiveAdapter | undefined;
  /**
   * Returns the accounts of an adapter, `main` first, then in the order of config. Accounts that are off are included.
   */
  accountsOf(adapter: string): readonly LoadedAdapter[];
  /**
   * Returns the accounts whose secrets are tried for a callback at the bare address: with `keys`, those that the
   * provider knows under one of them, otherwise `main` and then the others, at most `maxTriedAccounts` in each case.
   * Only accounts that are on or draining.
   */
  accountsToTry(adapter: string, keys?: readonly string[]): readonly ActiveAdapter[];
  /** Returns the adapter for new submissions under this provider code, if it is on. */
  byCode(code: number): ActiveAdapter | undefined;
  /** Returns the state of the adapter with this provider code, which may be off. Undefined: no adapter has the code. */
  stateOfCode(code: number): Promise<AdapterState | undefined>;
  /**
   * Returns the names of the providers, by adapter. Imports the packages of adapters that are off, once; a package that
   * cannot be imported has no name.
   */
  titles(): Promise<ReadonlyMap<string, string>>;
  /**
   * Returns the route of a callback, if its account is on or draining. `path` starts after `/callbacks/`:
   * `<route>/<account>` is the address of one account, `<route>` that of all accounts of the adapter.
   */
  route(method: string, path: string): FoundRoute | undefined;
  /**
   * Returns the adapter that a callback without a route is meant for, and what its address lacks. Undefined if the
   * address resembles none.
   */
  missed(method: string, path: string): MissedRoute | undefined;
  /** The state of an account. An adapter that is off or draining limits its accounts. */
  stateOf(ref: string): AdapterState | undefined;
  /** Throws an Error for an account that is not listed, and for one that must be loaded first. */
  setState(ref: string, state: AdapterState): void;
  /** Replaces all adapters by the result of a new `loadAdapters`. */
  replace(loaded: readonly LoadedAdapter[]): void;
}

/** The largest number of accounts whose secrets are tried for one callback: `main` and 32 others. */
export const maxTriedAccounts = 33;

export function createRegistry(loaded: readonly LoadedAdapter[]): Registry {
  let listed = toMap(loaded);
  let accounts = groupBy(loaded, ({ name }) => name);
  let access = createAccountAccess(accounts);
  let byKey = indexByKey(loaded);
  const mains = (): LoadedAdapter[] => [...accounts.keys()].flatMap((name) => listed.get(name) ?? []);

  function stateOf(ref: string): AdapterState | undefined {
    const found = listed.get(ref);
    return found && stricter(found.state, listed.get(found.name)?.state ?? 'off');
  }
  const byName = (ref: string): ActiveAdapter | undefined => {
    const found = listed.get(ref);
    const state = stateOf(ref);
    if (!found?.adapter || state === undefined || state === 'off') return undefined;
    return found.state === state ? found : { ...found, state };
  };
  const working = (): ActiveAdapter[] => [...accounts.keys()].flatMap((name) => byName(name) ?? []);
  const routeAt = (method: string, path: string): FoundRoute | undefined => {
    for (const active of working()) {
      const route = active.adapter.callbacks.find((one) => one.method === method && one.path === path);
      const hasAccounts = (accounts.get(active.name)?.length ?? 0) > 1;
      if (route) return { active, route, ...(hasAccounts && { hasAccounts }) };
    }
    return undefined;
  };

  /** Reads no more accounts than it returns, except for those that are off. */
  function firstOf(all: Iterable<Pick<LoadedAdapter, 'ref'>>): ActiveAdapter[] {
    const found = new Map<string, ActiveAdapter>();
    for (const { ref } of all) {
      const active = byName(ref);
      if (active) found.set(ref, active);
      if (found.size === maxTriedAccounts) break;
    }
    return [...found.values()];
  }

  return {
    all: mains,
    byName,
    accountsFor: (adapter, user) => access.accountsFor(adapter, user),
    isOpenTo: (ref, user) => access.isOpenTo(ref, user),
    accountsOf: (adapter) => (accounts.get(adapter) ?? []).flatMap(({ ref }) => listed.get(ref) ?? []),
    accountsToTry(adapter, keys) {
      if (!keys) return firstOf(accounts.get(adapter) ?? []);
      const distinct = [...new Set(keys)].slice(0, maxTriedAccounts);
      return firstOf(distinct.flatMap((key) => byKey.get(keyId(adapter, key)) ?? []));
    },
    byCode: (code) => working().find(({ adapter, state }) => state === 'on' && adapter.manifest.code === code),
    async stateOfCode(code) {
      const all = mains();
      const known = all.find(({ adapter }) => adapter?.manifest.code === code);
      if (known) return known.state;
      const absent = await Promise.all(all.map(async (one) => (one.adapter ? undefined : one.readManifest())));
      return absent.some((manifest) => manifest?.code === code) ? 'off' : undefined;
    },
    async titles() {
      const all = mains().map(async (one) => {
        const manifest = one.adapter ? one.adapter.manifest : await one.readManifest();
        return manifest ? [[one.name, manifest.title] as const] : [];
      });
      return new Map((await Promise.all(all)).flat());
    },
    route(method, path) {
      const found = routeAt(method, path);
      if (found) return found;
      const at = path.lastIndexOf('/');
      const account = path.slice(at + 1);
      const shared = at > 0 && account !== mainAccount ? routeAt(method, path.slice(0, at)) : undefined;
      const active = shared && byName(accountRefOf({ adapter: shared.active.name, account }));
      return active && { active, route: shared.route, isOwnAddress: true, hasAccounts: true };
    },
    missed(method, path) {
      for (const { name, state, adapter } of mains()) {
        const isMeant = adapter
          ? adapter.callbacks.some((one) => one.method === method && plainPath(one.path) === plainPath(path))
          : isNamedIn(path, name);
        if (!isMeant) continue;
        return { adapter: name, lack: state === 'off' ? 'an adapter that is on' : 'the exact address (case, slash)' };
      }
      return undefined;
    },
    stateOf,
    setState(ref, state) {
      const found = listed.get(ref);
      if (!found) throw new Error(`config lists no adapter ${ref}`);
      if (!found.adapter && state !== 'off') throw new Error(`${ref} was off: load it with its options first`);
      listed.set(ref, { ...found, state });
    },
    replace(next) {
      listed = toMap(next);
      accounts = groupBy(next, ({ name }) => name);
      access = createAccountAccess(accounts);
      byKey = indexByKey(next);
    },
  };
}

const strictness: readonly AdapterState[] = ['on', 'draining', 'off'];

function stricter(one: AdapterState, other: AdapterState): AdapterState {
  return strictness[Math.max(strictness.indexOf(one), strictness.indexOf(other))]!;
}

/** A path in lower case, without a slash at its end. */
function plainPath(path: string): string {
  return (path.endsWith('/') ? path.slice(0, -1) : path).toLowerCase();
}

/** An adapter that was never on is not imported, so that its routes are not known: they begin with its name. */
function isNamedIn(path: string, name: string): boolean {
  const plain = name.replaceAll('-', '').toLowerCase();
  return plainPath(path).replaceAll('-', '').startsWith(plain);
}

/** The accounts by adapter and by the keys of both modes, so that finding one costs the same for any number of them. */
function indexByKey(loaded: readonly LoadedAdapter[]): ReadonlyMap<string, readonly Pick<LoadedAdapter, 'ref'>[]> {
  const named = loaded.flatMap(({ name, ref, ...one }) => {
    const { live, test } = one.adapter === null ? {} : one.keys;
    const keys = new Set([...keysOf(live), ...keysOf(test)]);
    return [...keys].map((key) => ({ id: keyId(name, key), ref }));
  });
  return groupBy(named, ({ id }) => id);
}

function keyId(adapter: string, key: string): string {
  return JSON.stringify([adapter, key]);
}

function toMap(loaded: readonly LoadedAdapter[]): Map<string, LoadedAdapter> {
  return new Map(loaded.map((one) => [one.ref, one]));
}
