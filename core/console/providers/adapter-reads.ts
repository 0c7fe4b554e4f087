/** Facts about an adapter from config and from its package, and the check of the account at its provider. */
import {
  checkReach,
  checkAccount,
  checkSettings,
  sidesOf,
  type AccountEvidence,
  type ActiveAdapter,
  type Finding,
  type ProviderCalls,
  type Registry,
} from '../../engine/providers/index.ts';
import type { Environment } from '../../base/environment.ts';

export interface AdapterFacts {
  readonly package: string;
  /** Networks (CIDR) from which callbacks are accepted. Empty: from all addresses. */
  readonly networks: readonly string[];
  /** Null if the adapter is off: then its package is not loaded. */
  readonly manifest: {
    /** The name of the provider. */
    readonly title: string;
    readonly code: number;
    readonly contract: string;
    readonly callbacks: readonly { readonly method: string; readonly url: string; readonly reports: string }[];
    /** Values that must be entered at the provider. */
    readonly toEnter: readonly string[];
    /** Problems in the settings, found without a call to the provider. Empty if there are none. */
    readonly findings: readonly Finding[];
  } | null;
}

export interface AdapterReads {
  /** Undefined if config lists no adapter of this name. */
  get(name: string): AdapterFacts | undefined;
  /** Connects to the provider, and asks it about our account. */
  check(name: string): Promise<AdapterCheck>;
}

export interface AdapterCheck {
  /** Empty if the adapter is off. */
  readonly findings: readonly Finding[];
  /**
   * True if the provider accepts our credentials in every mode that this host uses. Also false if it cannot be asked.
   */
  readonly isAccountRight: boolean;
  /** The modes whose address this host can connect to. */
  readonly reached: readonly Environment[];
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
  /** Called if callbacks of the adapter may be missing. */
  readonly onSilence: (adapter: string) => Promise<void>;
  /** Refusals of our credentials in calls of payments, for adapters that cannot ask about them. */
  readonly evidence: AccountEvidence;
}

export function createAdapterReads({
  config,
  isProduction,
  registry,
  calls,
  onSilence,
  evidence,
}: AdapterReadsDeps): AdapterReads {
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
      if (!active) return { findings: [], isAccountRight: false, reached: [] };
      const sides = sidesOf(active, keys);
      const reach: Finding[] = [];
      const reached: Environment[] = [];
      for (const side of sides) {
        const found = await checkReach(active, [side]);
        reach.push(...found);
        if (found.some(({ part, state }) => part === 'connection' && state === 'ok'))
          reached.push(side ? 'test' : 'live');
      }
      const account = await checkAccount({ calls, onSilence, evidence }, active, sides);
      const isAccountRight = account.length > 0 && account.every(({ state }) => state === 'ok');
      return { findings: [...checkSettings(active, isProduction), ...reach, ...account], isAccountRight, reached };
    },
  };
}

function toManifest({ adapter }: ActiveAdapter, publicUrl: string) {
  const { title, code, contract, console: toEnter = [] } = adapter.manifest;
  return {
    title,
    code,
    contract,
    callbacks: adapter.callbacks.map(({ method, path, reports }) => {
      return { method, url: `${publicUrl}/callbacks/${path}`, reports };
    }),
    toEnter: toEnter.map((line) => line.replaceAll('{publicUrl}', publicUrl)),
  };
}
