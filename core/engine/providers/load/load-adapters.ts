/** Loads the adapters that config lists from their packages, and reports all problems together. */
import { defined, type ProviderAdapter } from '@paywright/contract';
import { contractVersion, sandboxAddresses as sandboxAddressesOf } from '@paywright/contract/core';
import * as v from 'valibot';
import { keysOf } from '../account-keys.ts';
import { accountRefOf, mainAccount } from '../account-ref.ts';
import { adapterShape } from './adapter-shape.ts';
import { describeIssue, issuePath } from './describe-issue.ts';
import { importPackage } from './import-package.ts';
import { readAccounts, type KnownSides } from './load-accounts.ts';
import type { AbsentAdapter, AdapterEntry, AdapterOptions, KnownAs, LoadedAdapter, Report } from './loaded-adapter.ts';
import { readSides, type ReadSides } from './read-options.ts';
import { withTimeLimit } from '../../../base/async/time-limit.ts';
import { inRange } from './version-range.ts';

export type * from './loaded-adapter.ts';
export type { KnownSides } from './load-accounts.ts';

/** One problem of an adapter. The message contains no value of an option. */
export interface AdapterFinding {
  readonly adapter: string;
  /** A path below `options`, `sandboxOptions` or `accounts` of the config, otherwise in the export of the package. */
  readonly path: readonly string[];
  readonly message: string;
}

/** Thrown if the adapters cannot be used: one line per problem, without any value of an option. */
export class AdapterLoadError extends Error {
  readonly findings: readonly AdapterFinding[];
  readonly problems: readonly string[];

  constructor(environment: string, findings: readonly AdapterFinding[]) {
    const problems = findings.map(({ adapter, path, message }) =>
      [adapter, path.join('.'), message].filter(Boolean).join(': '),
    );
    super([`the adapters of environment ${environment} cannot be loaded:`, ...problems].join('\n  - '));
    this.name = 'AdapterLoadError';
    this.findings = findings;
    this.problems = problems;
  }
}

const IMPORT_LIMIT_MS = 10_000;

/**
 * Returns all accounts of all adapters: of each adapter `main`, followed by its further accounts. Throws an
 * AdapterLoadError. May be called again with changed entries; an imported package stays unchanged.
 */
export async function loadAdapters(
  entries: readonly AdapterEntry[],
  where: LoadContext & { readonly environment: string },
): Promise<LoadedAdapter[]> {
  const { loaded, findings } = await readAdapters(entries, where);
  if (findings.length > 0)
    throw new AdapterLoadError(
      where.environment,
      findings.map((one) => withCure(one, entries)),
    );
  return loaded;
}

/** Says how to correct an account that no config file has. */
function withCure(finding: AdapterFinding, entries: readonly AdapterEntry[]): AdapterFinding {
  const ref = storedRefOf(finding, entries);
  if (ref === undefined) return finding;
  return { ...finding, message: `${finding.message}: an account of the database: use paywright accounts set ${ref}` };
}

/** The account of the database that a finding is about. Undefined: it is about something else. */
export function storedRefOf(
  { adapter, path: [member, account] }: AdapterFinding,
  entries: readonly Pick<AdapterEntry, 'name' | 'stored'>[],
): string | undefined {
  const stored = entries.find(({ name }) => name === adapter)?.stored;
  const isStored = member === 'accounts' && account !== undefined && Object.hasOwn(stored?.accounts ?? {}, account);
  return isStored ? accountRefOf({ adapter, account }) : undefined;
}

interface LoadContext {
  readonly gatewayRoot: string;
  readonly isProduction: boolean;
  /** The options that earlier loads read. Absent: all are read. */
  readonly known?: KnownSides | undefined;
}

/** Returns the accounts without problems, and the problems of all others. */
export async function readAdapters(
  entries: readonly AdapterEntry[],
  context: LoadContext,
): Promise<{ readonly loaded: LoadedAdapter[]; readonly findings: readonly AdapterFinding[] }> {
  const results = await Promise.all(
    entries.map(async (entry) => {
      const found: AdapterFinding[] = [];
      const report: Report = (path, message) => found.push({ adapter: entry.name, path, message });
      const whole = withStoredAccounts(entry, report);
      return { loaded: await loadAdapter(whole, context, report), found };
    }),
  );
  const loaded = results.flatMap((result) => result.loaded);
  const findings = [...results.flatMap(({ found }) => found), ...clashes(loaded), ...sharedKeys(loaded)];
  return { loaded, findings };
}

/** Adds the accounts of the database. Reports each name that config must not use. */
function withStoredAccounts({ stored, ...entry }: AdapterEntry, report: Report): AdapterEntry {
  if (!stored) return entry;
  const { accounts = {} } = entry;
  for (const account of Object.keys(accounts)) {
    const ref = accountRefOf({ adapter: entry.name, account });
    if (Object.hasOwn(stored.accounts, account))
      report(
        ['accounts', account],
        `is also an account of the database: rename it, or run paywright accounts remove ${ref}`,
      );
    if (stored.removed.includes(account))
      report(['accounts', account], 'is the name of a removed account: choose another name');
  }
  const own = Object.entries(stored.accounts).map(
    ([name, one]) => [name, { ...one, isStored: true as const }] as const,
  );
  return { ...entry, accounts: { ...accounts, ...Object.fromEntries(own) } };
}

/** Loads one adapter with its accounts. Returns nothing after a reported problem that prevents further checks. */
async function loadAdapter(
  entry: AdapterEntry,
  { gatewayRoot: root, isProduction, known }: LoadContext,
  report: Report,
): Promise<LoadedAdapter[]> {
  const { name, package: packageName, state } = entry;
  const listed = { name, account: mainAccount, ref: accountRefOf({ adapter: name }), package: packageName, state };
  const { load: find = async (subpath) => importPackage(`${packageName}${subpath}`, [entry.from, root]) } = entry;
  const load = async (): Promise<unknown> => withTimeLimit(IMPORT_LIMIT_MS, async () => find(''));
  if (state === 'off') {
    const absent = { ...listed, adapter: null, readManifest: createReadManifest(load) };
    return [absent, ...Object.keys(entry.accounts ?? {}).map((account) => toAbsentAccount(entry, account, absent))];
  }
  let module: unknown;
  try {
    module = await load();
  } catch (error) {
    report([], `cannot be imported: ${firstLine(error)}`);
    return [];
  }
  const adapter = readAdapter(module, report);
  if (!adapter) return [];
  checkManifest(adapter, name, report);
  const sandboxAddresses = await readSandboxAddresses(entry, find, report);
  const named = Object.keys(sandboxAddresses).length > 0;
  const overrides = named ? { ...sandboxAddresses, ...entry.sandboxOptions } : entry.sandboxOptions;
  const main = readSides({ adapter, options: entry.options, sandboxOptions: overrides, base: [], report });
  const { title, brands, fee } = entry;
  const shown = defined({ title, brands, fee });
  const terms = { ...listed, ...shown, adapter, sandboxAddresses };
  return [
    ...(main ? [toActive(main, !isProduction || main.sharesNoSecret)] : []),
    ...readAccounts({ entry, adapter, overrides, isMainReadable: main !== undefined, known, report }).map((one) => {
      const { account, terms: own, sides } = one;
      if (!sides) return toAbsentAccount(entry, account, { ...listed, readManifest: async () => adapter.manifest });
      // In production, the test payments of an account need test options of its own.
      const takesTestPayments = !isProduction || (own.sandboxOptions !== undefined && sides.sharesNoSecret);
      const { fee: ownFee = fee, currencies } = own;
      return {
        ...toActive(sides, takesTestPayments),
        ...ownMembers(entry, account),
        ...defined({ fee: ownFee, currencies }),
      };
    }),
  ];

  function toActive({ options, sandboxOptions, hasSandboxProofs, keys }: ReadSides, takesTestPayments: boolean) {
    return { ...terms, options, sandboxOptions, hasSandboxProofs, takesTestPayments, keys };
  }
}

/** The members in which an account differs from its adapter, whether it is off or not. */
function ownMembers({ name, accounts = {} }: AdapterEntry, account: string) {
  const { state, merchants, isStored } = accounts[account]!;
  return { account, ref: accountRefOf({ adapter: name, account }), state, ...defined({ merchants, isStored }) };
}

function toAbsentAccount(entry: AdapterEntry, account: string, main: Omit<AbsentAdapter, 'adapter'>): AbsentAdapter {
  return { ...main, ...ownMembers(entry, account), adapter: null, state: 'off' };
}

const Addresses = v.optional(v.record(v.string(), v.string()), {});

/**
 * Returns the second addresses that the sandbox plays, if it runs here. A setting takes precedence. The process of the
 * sandboxes reports a sandbox that cannot be imported.
 */
async function readSandboxAddresses(
  { sandboxUrl, sandboxOptions = {} }: AdapterEntry,
  find: NonNullable<AdapterEntry['load']>,
  report: Report,
): Promise<Readonly<Record<string, string>>> {
  if (sandboxUrl === undefined) return {};
  const module = await find('/sandbox').catch(() => undefined);
  const createSandbox: unknown = Object(module).default;
  const read = v.safeParse(Addresses, Object(createSandbox).addresses);
  if (!read.success) report([], 'the `addresses` of its sandbox are not a table of option names and paths');
  const all = Object.entries(sandboxAddressesOf({ addresses: read.success ? read.output : {} }, sandboxUrl));
  return Object.fromEntries(all.filter(([name]) => !Object.hasOwn(sandboxOptions, name)));
}

function createReadManifest(load: () => Promise<unknown>): AbsentAdapter['readManifest'] {
  let manifest: Promise<KnownAs | undefined> | undefined;
  return async () => {
    manifest ??= load().then(
      (module) => readAdapter(module, () => undefined)?.manifest,
      () => undefined,
    );
    return manifest;
  };
}

function readAdapter(module: unknown, report: Report): ProviderAdapter<AdapterOptions> | undefined {
  const exported = (module as { readonly default?: unknown }).default;
  const { success, issues } = v.safeParse(adapterShape, exported);
  for (const issue of issues ?? []) report(issuePath(issue), describeIssue(issue));
  return success ? (exported as ProviderAdapter<AdapterOptions>) : undefined;
}

function checkManifest({ manifest }: ProviderAdapter<AdapterOptions>, name: string, report: Report): void {
  if (manifest.name !== name) {
    report(['manifest', 'name'], `its package calls it ${manifest.name}; list it under that name`);
  }
  for (const [what, sentence] of Object.entries(manifest.undecided ?? {})) {
    report(['manifest', 'undecided', what], sentence);
  }
  try {
    if (inRange(contractVersion, manifest.contract)) return;
    report(['manifest', 'contract'], `written for ${manifest.contract}, this gateway has ${contractVersion}`);
  } catch (error) {
    report(['manifest', 'contract'], firstLine(error));
  }
}

/** Reports names, codes and callback addresses that two adapters use. */
function clashes(loaded: readonly LoadedAdapter[]): AdapterFinding[] {
  const owners = new Map<string, string>();
  const findings: AdapterFinding[] = [];
  const claim = (what: string, name: string): void => {
    const owner = owners.get(what);
    if (owner !== undefined) findings.push({ adapter: name, path: [], message: `${what} belongs to ${owner} already` });
    else owners.set(what, name);
  };
  for (const { name, account, adapter } of loaded) {
    if (account !== mainAccount) {
      for (const { method, path } of adapter?.callbacks ?? []) claim(`${method} /callbacks/${path}/${account}`, name);
      continue;
    }
    claim(`the name ${name}`, name);
    if (adapter) claim(`manifest.code ${adapter.manifest.code}`, name);
    for (const { method, path } of adapter?.callbacks ?? []) claim(`${method} /callbacks/${path}`, name);
  }
  return findings;
}

/** Reports accounts of one adapter that the provider knows as the same account. */
function sharedKeys(loaded: readonly LoadedAdapter[]): AdapterFinding[] {
  const owners = new Map<string, string>();
  return loaded.flatMap(({ name, account, ref, ...one }) => {
    const ids = keysOf(one.adapter === null ? undefined : one.keys.live).map((key) => JSON.stringify([name, key]));
    const owner = ids.map((id) => owners.get(id)).find((found) => found !== undefined);
    if (owner === undefined) for (const id of ids) owners.set(id, ref);
    if (owner === undefined) return [];
    const path = ['accounts', account, 'options'];
    return [{ adapter: name, path, message: `name the same account of the provider as ${owner}: remove one of them` }];
  });
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0]!;
}
