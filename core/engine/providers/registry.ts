/** The adapters of this process and their states. */
import type { CallbackRoute, ProviderAdapter } from '@paywright/contract';
import type { ActiveAdapter, AdapterOptions, AdapterState, LoadedAdapter } from './load/load-adapters.ts';

export interface FoundRoute {
  readonly active: ActiveAdapter;
  readonly route: CallbackRoute<AdapterOptions, never>;
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

export interface Registry {
  /** Returns every adapter that config lists, in the order of config. */
  all(): readonly ListedAdapter[];
  /** Returns the adapter for payments in progress, if it is on or draining. */
  byName(name: string): ActiveAdapter | undefined;
  /** Returns the adapter for new submissions under this provider code, if it is on. */
  byCode(code: number): ActiveAdapter | undefined;
  /** Returns the state of the adapter with this provider code, which may be off. Undefined: no adapter has the code. */
  stateOfCode(code: number): Promise<AdapterState | undefined>;
  /**
   * Returns the names of the providers, by adapter. Imports the packages of adapters that are off, once; a package that
   * cannot be imported has no name.
   */
  titles(): Promise<ReadonlyMap<string, string>>;
  /** Returns the route of a callback, if its adapter is on or draining. `path` starts after `/callbacks/`. */
  route(method: string, path: string): FoundRoute | undefined;
  /**
   * Returns the adapter that a callback without a route is meant for, and what its address lacks. Undefined if the
   * address resembles none.
   */
  missed(method: string, path: string): MissedRoute | undefined;
  stateOf(name: string): AdapterState | undefined;
  /** Throws an Error for a name that is not listed, and for an adapter that must be loaded first. */
  setState(name: string, state: AdapterState): void;
  /** Replaces all adapters by the result of a new `loadAdapters`. */
  replace(loaded: readonly LoadedAdapter[]): void;
}

export function createRegistry(loaded: readonly LoadedAdapter[]): Registry {
  let listed = toMap(loaded);
  const byName = (name: string): ActiveAdapter | undefined => {
    const found = listed.get(name);
    return found?.adapter && found.state !== 'off' ? found : undefined;
  };
  const working = (): ActiveAdapter[] => [...listed.keys()].flatMap((name) => byName(name) ?? []);

  return {
    all: () => [...listed.values()],
    byName,
    byCode: (code) => working().find(({ adapter, state }) => state === 'on' && adapter.manifest.code === code),
    async stateOfCode(code) {
      const all = [...listed.values()];
      const known = all.find(({ adapter }) => adapter?.manifest.code === code);
      if (known) return known.state;
      const absent = await Promise.all(all.map(async (one) => (one.adapter ? undefined : one.readManifest())));
      return absent.some((manifest) => manifest?.code === code) ? 'off' : undefined;
    },
    async titles() {
      const all = [...listed.values()].map(async (one) => {
        const manifest = one.adapter ? one.adapter.manifest : await one.readManifest();
        return manifest ? [[one.name, manifest.title] as const] : [];
      });
      return new Map((await Promise.all(all)).flat());
    },
    route(method, path) {
      for (const active of working()) {
        const route = active.adapter.callbacks.find((one) => one.method === method && one.path === path);
        if (route) return { active, route };
      }
      return undefined;
    },
    missed(method, path) {
      for (const { name, state, adapter } of listed.values()) {
        const isMeant = adapter
          ? adapter.callbacks.some((one) => one.method === method && plainPath(one.path) === plainPath(path))
          : isNamedIn(path, name);
        if (!isMeant) continue;
        return { adapter: name, lack: state === 'off' ? 'an adapter that is on' : 'the exact address (case, slash)' };
      }
      return undefined;
    },
    stateOf: (name) => listed.get(name)?.state,
    setState(name, state) {
      const found = listed.get(name);
      if (!found) throw new Error(`config lists no adapter ${name}`);
      if (!found.adapter && state !== 'off') throw new Error(`${name} was off: load it with its options first`);
      listed.set(name, { ...found, state });
    },
    replace(next) {
      listed = toMap(next);
    },
  };
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

function toMap(loaded: readonly LoadedAdapter[]): Map<string, LoadedAdapter> {
  return new Map(loaded.map((one) => [one.name, one]));
}
