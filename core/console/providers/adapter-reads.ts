/** Facts about an adapter from config and from its package, and the check of the account at its provider. */
import type { Environment } from '../../base/environment.ts';
import { moneyText } from '../../base/text/money-text.ts';
import {
  checkReach,
  checkAccount,
  type KeepReportedId,
  checkSettings,
  secretsOf,
  sidesOf,
  type AccountEvidence,
  type ActiveAdapter,
  type Finding,
  type ProviderCalls,
  type Registry,
  type SecretPlace,
} from '../../engine/providers/index.ts';
import { capitalise } from '../../base/text/capitalise.ts';

export interface AdapterFacts {
  readonly package: string;
  /** Networks (CIDR) from which callbacks are accepted. Empty: from all addresses. */
  readonly networks: readonly string[];
  /** The configured fee, for example `1.4 % + 0.20 EUR`. Null: none, so fees are 0. */
  readonly fee: string | null;
  /** The route rules that use the adapter, in their order. */
  readonly routes: readonly RouteFacts[];
  /** Null if the adapter is off: then its package is not loaded. */
  readonly manifest: {
    /** The name of the provider. */
    readonly title: string;
    readonly code: number;
    readonly contract: string;
    /** The modes whose payments it accepts. */
    readonly modes: readonly Environment[];
    readonly ways: readonly { readonly title: string; readonly method: string; readonly threeDs: string }[];
    /** ISO 4217 codes, or `any`. */
    readonly currencies: 'any' | readonly string[];
    /** Payer countries. Empty: any country. */
    readonly countries: readonly string[];
    /** What the adapter can do in addition to taking payments, in words. */
    readonly abilities: readonly string[];
    /** Secret options: their place in config, and where the value is found at the provider. Never a value. */
    readonly secrets: readonly SecretPlace[];
    readonly callbacks: readonly { readonly method: string; readonly url: string; readonly reports: string }[];
    /** Values that must be entered at the provider. */
    readonly toEnter: readonly string[];
    /** Problems in the settings, found without a call to the provider. Empty if there are none. */
    readonly findings: readonly Finding[];
  } | null;
}

export interface RouteFacts {
  readonly rule: number;
  /** The conditions of the rule. Empty: every payment. */
  readonly when: string;
  /** The adapters of the rule, the preferred one first. */
  readonly use: readonly string[];
}

export interface AdapterReads {
  /** The adapters in config, in its order. */
  names(): readonly string[];
  /** Undefined if config lists no adapter of this name. */
  get(name: string): AdapterFacts | undefined;
  /** The name of the provider, such as `Provider A`. If it is not known or not read yet: the adapter's in words. */
  title(name: string): string;
  /** Reads the names of the providers whose adapters are off. */
  readTitles(): Promise<void>;
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

interface AdapterConfig extends Pick<AdapterFacts, 'package' | 'networks'> {
  readonly fee?: { readonly percent: string; readonly fixed: Readonly<Record<string, string>> } | undefined;
  readonly currencies?: readonly string[] | undefined;
}

export interface AdapterReadsDeps {
  readonly config: {
    readonly adapters: Readonly<Record<string, AdapterConfig>>;
    readonly routes: readonly { readonly id: number; readonly when: object; readonly use: readonly string[] }[];
    readonly keys: { readonly liveKeys: boolean };
    readonly server: { readonly publicUrl: string };
  };
  readonly isProduction: boolean;
  readonly registry: Pick<Registry, 'byName' | 'titles'>;
  readonly calls: Pick<ProviderCalls, 'checkAccount'>;
  /** Called if callbacks of the adapter may be missing. */
  readonly onSilence: (adapter: string) => Promise<void>;
  /** Refusals of our credentials in calls of payments, for adapters that cannot ask about them. */
  readonly evidence: AccountEvidence;
  /** Compares the id that the provider names an account by with the known one. */
  readonly keepReportedId: KeepReportedId;
}

export function createAdapterReads({
  config,
  isProduction,
  registry,
  calls,
  onSilence,
  evidence,
  keepReportedId,
}: AdapterReadsDeps): AdapterReads {
  const { adapters, keys, server, routes } = config;
  let titles: ReadonlyMap<string, string> = new Map();
  return {
    names: () => Object.keys(adapters),
    title: (name) => registry.byName(name)?.adapter.manifest.title ?? titles.get(name) ?? inWords(name),
    async readTitles() {
      titles = await registry.titles();
    },

    get(name) {
      const listed = Object.hasOwn(adapters, name) ? adapters[name] : undefined;
      if (!listed) return undefined;
      const active = registry.byName(name);
      const { publicUrl } = server;
      return {
        package: listed.package,
        networks: listed.networks,
        fee: listed.fee ? feeText(listed.fee) : null,
        routes: routes
          .filter(({ use }) => use.includes(name))
          .map(({ id, when, use }) => ({ rule: id, when: conditionText(when), use })),
        manifest: active
          ? {
              ...toManifest(active, publicUrl, listed.currencies),
              modes: sidesOf(active, keys).map((sandbox) => (sandbox ? 'test' : 'live')),
              findings: checkSettings(active, isProduction),
            }
          : null,
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
      const account = await checkAccount({ calls, onSilence, evidence, keepReportedId }, active, sides);
      const isAccountRight = account.length > 0 && account.every(({ state }) => state === 'ok');
      return { findings: [...checkSettings(active, isProduction), ...reach, ...account], isAccountRight, reached };
    },
  };
}

/** Abilities that an operator knows by another word, or that only some providers have. */
const abilityWords = {
  refund: 'Refund',
  capture: 'Authorise, then capture',
  void: 'Release an authorisation',
  close: 'Close an unpaid order',
  fetchStatus: 'Status check',
  checkAccount: 'Check of the credentials',
} as const;

function toManifest({ adapter, options }: ActiveAdapter, publicUrl: string, configured?: readonly string[]) {
  const { title, code, contract, ways, currencies, countries = [], console: toEnter = [] } = adapter.manifest;
  const own = typeof currencies === 'function' ? currencies(options) : currencies;
  const abilities = Object.entries(abilityWords).flatMap(([ability, words]) =>
    adapter[ability as keyof typeof abilityWords] ? [words] : [],
  );
  return {
    title,
    code,
    contract,
    ways: ways.map((way) => ({ title: way.title, method: way.method, threeDs: way.threeDs })),
    currencies: configured ?? own,
    countries,
    abilities,
    secrets: secretsOf(adapter.manifest.options),
    callbacks: adapter.callbacks.map(({ method, path, reports }) => {
      return { method, url: `${publicUrl}/callbacks/${path}`, reports };
    }),
    toEnter: toEnter.map((line) => line.replaceAll('{publicUrl}', publicUrl)),
  };
}

/** `wechat-pay` is `Wechat Pay`. */
function inWords(name: string): string {
  return name.split('-').map(capitalise).join(' ');
}

export function feeText({ percent, fixed }: NonNullable<AdapterConfig['fee']>): string {
  const parts = [
    ...(Number(percent) === 0 ? [] : [`${percent} %`]),
    ...Object.entries(fixed).map(([currency, amount]) => moneyText(amount, currency)),
  ];
  return parts.join(' + ') || 'none';
}

const conditionWords: Readonly<Record<string, string>> = {
  amountFrom: 'amount from',
  amountTo: 'amount up to',
  isSandbox: 'test payments',
};

function conditionText(when: object): string {
  return Object.entries(when)
    .map(([name, value]) => `${conditionWords[name] ?? name} ${[value].flat().join(', ').replaceAll('_', ' ')}`)
    .join('; ');
}
