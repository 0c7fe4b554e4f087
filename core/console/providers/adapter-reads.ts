/** What config and its package say of an adapter, and what its provider says when it is asked. */
import {
  checkReach,
  checkSettings,
  sidesOf,
  type ActiveAdapter,
  type Finding,
  type ProviderCalls,
  type Registry,
} from '../../engine/providers/index.ts';

export interface AdapterFacts {
  readonly package: string;
  /** Whence callbacks are taken (CIDR); none: from everywhere. */
  readonly networks: readonly string[];
  /** Null where it is off: then its package is not loaded. */
  readonly manifest: {
    readonly code: number;
    readonly contract: string;
    readonly callbacks: readonly { readonly method: string; readonly url: string; readonly reports: string }[];
    /** What is to be entered at the provider. */
    readonly toEnter: readonly string[];
    /** What the doctor finds without asking anybody; none where all is right. */
    readonly findings: readonly Finding[];
  } | null;
}

export interface AdapterReads {
  /** Undefined where config lists none of this name. */
  get(name: string): AdapterFacts | undefined;
  /** Connects to the provider, and asks it about our account. */
  check(name: string): Promise<AdapterCheck>;
}

export interface AdapterCheck {
  /** None where it is off. */
  readonly findings: readonly Finding[];
  /** The provider takes our account and keys, on every side that this host uses; false, too, where it cannot be asked. */
  readonly isAccountRight: boolean;
}

export interface AdapterReadsDeps {
  readonly config: {
    readonly adapters: Readonly<Record<string, Pick<AdapterFacts, 'package' | 'networks'>>>;
    readonly keys: { readonly liveKeys: boolean };
    readonly server: { readonly publicUrl: string };
  };
  readonly isProduction: boolean;
  readonly registry: Pick<Registry, 'byName'>;
  readonly calls: Pick<ProviderCalls, 'checkAccount'>;
}

export function createAdapterReads({ config, isProduction, registry, calls }: AdapterReadsDeps): AdapterReads {
  const { adapters, keys, server } = config;
  return {
    get(name) {
      const listed = Object.hasOwn(adapters, name) ? adapters[name] : undefined;
      if (!listed) return undefined;
      const active = registry.byName(name);
      const { publicUrl } = server;
      return {
        package: listed.package,
        networks: listed.networks,
        manifest: active ? { ...toManifest(active, publicUrl), findings: checkSettings(active, isProduction) } : null,
      };
    },

    async check(name) {
      const active = registry.byName(name);
      if (!active) return { findings: [], isAccountRight: false };
      const sides = sidesOf(active, keys);
      const findings: Finding[] = [...checkSettings(active, isProduction), ...(await checkReach(active, sides))];
      let isAccountRight = true;
      for (const sandbox of sides) {
        const found = await calls.checkAccount(name, sandbox);
        isAccountRight &&= found.length > 0 && found.every(({ ok }) => ok);
        for (const { ok, finding, cure } of found) {
          const text = `${name} (${sandbox ? 'test' : 'live'}): ${finding}${cure ? `: ${cure}` : ''}`;
          findings.push({ state: ok ? 'ok' : 'wrong', text });
        }
      }
      return { findings, isAccountRight };
    },
  };
}

function toManifest({ adapter }: ActiveAdapter, publicUrl: string) {
  const { code, contract, console: toEnter = [] } = adapter.manifest;
  return {
    code,
    contract,
    callbacks: adapter.callbacks.map(({ method, path, reports }) => {
      return { method, url: `${publicUrl}/callbacks/${path}`, reports };
    }),
    toEnter: toEnter.map((line) => line.replaceAll('{publicUrl}', publicUrl)),
  };
}
