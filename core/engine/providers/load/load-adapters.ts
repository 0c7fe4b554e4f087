/** Loads the adapters that config lists from their packages, and reports all problems together. */
import { isDeepStrictEqual } from 'node:util';
import { baseUrl, defined, secretPaths, type ProviderAdapter } from '@paywright/contract';
import { contractVersion, sandboxAddresses as sandboxAddressesOf } from '@paywright/contract/core';
import * as v from 'valibot';
import { adapterShape, brandsShape } from './adapter-shape.ts';
import { describeIssue, describeOptionIssue, issuePath } from './describe-issue.ts';
import { importPackage } from './import-package.ts';
import { withTimeLimit } from '../../../base/async/time-limit.ts';
import { inRange } from './version-range.ts';

/** `draining`: no new submissions, everything else continues. `off`: nothing, and callbacks are answered 404. */
export type AdapterState = 'on' | 'draining' | 'off';

/** A name for payers: one text, or a text for each language. */
export type WayTitle = string | Readonly<Record<string, string>>;

/** One adapter in config. */
export interface AdapterEntry {
  readonly name: string;
  readonly package: string;
  readonly state: AdapterState;
  /** The options with the secrets filled in. */
  readonly options: unknown;
  /** Members that replace members of `options` for test payments. Absent: test payments use `options` unchanged. */
  readonly sandboxOptions?: Readonly<Record<string, unknown>> | undefined;
  /** The address of the adapter's sandbox if the gateway itself runs it. */
  readonly sandboxUrl?: string | undefined;
  /** The operator's name of the adapter for payers. */
  readonly title?: WayTitle | undefined;
  /** The names of the brands that the operator's contract with the provider covers. Absent: those of the manifest. */
  readonly brands?: readonly string[] | undefined;
  /** Folder of the config file that lists the adapter. Its package is looked up from this folder first. */
  readonly from: string;
  /** Replaces the lookup of the package, for a candidate version. `''` is the adapter, `/sandbox` its sandbox. */
  readonly load?: ((subpath: string) => Promise<unknown>) | undefined;
}

/** The options that core knows for every adapter. */
export interface AdapterOptions {
  readonly baseUrl: string;
  readonly sandboxBaseUrl: string;
}

interface Listed {
  readonly name: string;
  readonly package: string;
  readonly state: AdapterState;
}

export interface ActiveAdapter extends Listed {
  readonly adapter: ProviderAdapter<AdapterOptions>;
  readonly options: AdapterOptions;
  /** The options of test payments. */
  readonly sandboxOptions: AdapterOptions;
  /** Options of test payments that hold an address of the sandbox that runs here, in addition to `sandboxBaseUrl`. */
  readonly sandboxAddresses: Readonly<Record<string, string>>;
  /** No secret is used on both sides, so the secret of a signature shows which side it comes from. */
  readonly hasSandboxProofs: boolean;
  /**
   * False in production if a secret is used on both sides: a person with the sandbox's secret could pay live payments.
   */
  readonly takesTestPayments: boolean;
  /** The operator's name of the adapter for payers. Undefined: that of the manifest. */
  readonly title?: WayTitle | undefined;
  /** The names of the brands to show. Undefined: all of the manifest. */
  readonly brands?: readonly string[] | undefined;
}

/** What people know a provider by. */
export type KnownAs = Pick<ProviderAdapter<AdapterOptions>['manifest'], 'code' | 'title'>;

/** An adapter that is off: it is not imported, so its secrets need not exist. */
export interface AbsentAdapter extends Listed {
  readonly adapter: null;
  /**
   * Imports the package, once, to read what people know the provider by. Undefined if that fails. Only for the answer
   * to a merchant who names a code that no other adapter has, and for the pages of operators.
   */
  readonly readManifest: () => Promise<KnownAs | undefined>;
}

export type LoadedAdapter = ActiveAdapter | AbsentAdapter;

/** One problem of an adapter. The message contains no value of an option. */
export interface AdapterFinding {
  readonly adapter: string;
  /** A path below `options` or `sandboxOptions` of the config, otherwise in the export of the package. */
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

/** Throws an AdapterLoadError. May be called again with changed entries; an imported package stays unchanged. */
export async function loadAdapters(
  entries: readonly AdapterEntry[],
  {
    gatewayRoot,
    environment,
    isProduction,
  }: { readonly gatewayRoot: string; readonly environment: string; readonly isProduction: boolean },
): Promise<LoadedAdapter[]> {
  const results = await Promise.all(
    entries.map(async (entry) => {
      const found: AdapterFinding[] = [];
      const report: Report = (path, message) => found.push({ adapter: entry.name, path, message });
      return { loaded: await loadAdapter(entry, gatewayRoot, isProduction, report), found };
    }),
  );
  const loaded = results.flatMap((result) => result.loaded ?? []);
  const findings = [...results.flatMap(({ found }) => found), ...clashes(loaded)];
  if (findings.length > 0) throw new AdapterLoadError(environment, findings);
  return loaded;
}

type Report = (path: readonly string[], message: string) => void;

/** Loads one adapter. Returns undefined after a reported problem that prevents further checks. */
async function loadAdapter(
  entry: AdapterEntry,
  root: string,
  isProduction: boolean,
  report: Report,
): Promise<LoadedAdapter | undefined> {
  const listed = { name: entry.name, package: entry.package, state: entry.state };
  const shown = defined({ title: entry.title, brands: entry.brands });
  const { load: find = async (subpath) => importPackage(`${entry.package}${subpath}`, [entry.from, root]) } = entry;
  const load = async (): Promise<unknown> => withTimeLimit(IMPORT_LIMIT_MS, async () => find(''));
  if (entry.state === 'off') return { ...listed, adapter: null, readManifest: createReadManifest(load) };
  let module: unknown;
  try {
    module = await load();
  } catch (error) {
    report([], `cannot be imported: ${firstLine(error)}`);
    return undefined;
  }
  const adapter = readAdapter(module, report);
  if (!adapter) return undefined;
  checkManifest(adapter, entry.name, report);
  const sandboxAddresses = await readSandboxAddresses(entry, find, report);
  const named = Object.keys(sandboxAddresses).length > 0;
  const overrides = named ? { ...sandboxAddresses, ...entry.sandboxOptions } : entry.sandboxOptions;
  const given = withTestAddress(entry.options, overrides);
  const options = readOptions(adapter, 'options', given, report);
  const merged = overrides && { ...(given as object | undefined), ...overrides };
  // A problem of `options` is not reported again for `sandboxOptions`, unless they replace the option.
  const reportOverride: Report = (path, message) => {
    if (options || path[1] === undefined || Object.hasOwn(overrides ?? {}, path[1])) report(path, message);
  };
  const sandboxOptions = merged ? readOptions(adapter, 'sandboxOptions', merged, reportOverride) : options;
  if (!options || !sandboxOptions) return undefined;
  const [live, test] = secretsOf(adapter, options, sandboxOptions);
  const sharesNone = test.every((value) => !live.some((one) => isDeepStrictEqual(one, value)));
  const hasSandboxProofs = test.length > 0 && sharesNone;
  const takesTestPayments = !isProduction || sharesNone;
  return {
    ...listed,
    ...shown,
    adapter,
    options,
    sandboxOptions,
    sandboxAddresses,
    hasSandboxProofs,
    takesTestPayments,
  };
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

/** Copies `sandboxBaseUrl` from `sandboxOptions` to `options`, where it is required, if `options` do not have it. */
function withTestAddress(options: unknown, { sandboxBaseUrl }: AdapterEntry['sandboxOptions'] = {}): unknown {
  const isNamedThere = sandboxBaseUrl !== undefined && typeof options === 'object' && options !== null;
  return isNamedThere ? { sandboxBaseUrl, ...options } : options;
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

/** Freezes a value, because every call of the adapter gets the same object. */
function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)) {
    Object.values(value).forEach(deepFreeze);
    Object.freeze(value);
  }
  return value;
}

const baseUrls = v.looseObject({ baseUrl, sandboxBaseUrl: baseUrl });

/** Returns the values of the live secrets and of the test secrets. */
function secretsOf(
  { manifest }: ProviderAdapter<AdapterOptions>,
  live: AdapterOptions,
  test: AdapterOptions,
): readonly [unknown[], unknown[]] {
  const paths = secretPaths(manifest.options);
  const valuesOf = (options: AdapterOptions): unknown[] => paths.flatMap((path) => valuesAt(options, path));
  return [valuesOf(live), valuesOf(test)];
}

/** Returns the values at a path of `secretPaths`, where `*` means every item or member. */
function valuesAt(value: unknown, [key, ...rest]: readonly string[]): unknown[] {
  if (key === undefined) return value === undefined ? [] : [value];
  if (typeof value !== 'object' || value === null) return [];
  const members = key === '*' ? Object.values(value) : [(value as Readonly<Record<string, unknown>>)[key]];
  return members.flatMap((member) => valuesAt(member, rest));
}

function readOptions(
  { manifest }: ProviderAdapter<AdapterOptions>,
  member: 'options' | 'sandboxOptions',
  given: unknown,
  report: Report,
): AdapterOptions | undefined {
  try {
    const read = v.safeParse(v.pipe(v.unknown(), manifest.options), given ?? {});
    const checked = read.success ? v.safeParse(baseUrls, read.output) : read;
    const found = (checked.issues ?? []).flatMap((issue) => describeOptionIssue(manifest.options, issue));
    for (const { path, message } of found) report([member, ...path], message);
    if (!read.success || !checked.success) return undefined;
    const { currencies, coin, brands } = manifest;
    if (typeof currencies === 'function' && !v.is(v.array(v.string()), currencies(read.output))) {
      report(['manifest', 'currencies'], 'its function does not return a list of currency codes');
    }
    if (coin && !v.is(v.pipe(v.string(), v.nonEmpty()), coin(read.output)))
      report(['manifest', 'coin'], 'its function does not return the name of a coin');
    if (typeof brands === 'function' && !v.is(brandsShape, brands(read.output)))
      report(['manifest', 'brands'], 'its function does not return brands by payment method');
    return deepFreeze(read.output);
  } catch (error) {
    // The message of an adapter's error may contain the value of an option.
    report([member], `checking them failed with a ${error instanceof Error ? error.name : typeof error}`);
    return undefined;
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
  for (const { name, adapter } of loaded) {
    claim(`the name ${name}`, name);
    if (adapter) claim(`manifest.code ${adapter.manifest.code}`, name);
    for (const { method, path } of adapter?.callbacks ?? []) claim(`${method} /callbacks/${path}`, name);
  }
  return findings;
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0]!;
}
