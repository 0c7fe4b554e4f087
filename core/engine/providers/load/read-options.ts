/** Reads the live and the test options of one account by the adapter's own schema, and compares their secrets. */
import { isDeepStrictEqual } from 'node:util';
import { baseUrl, secretPaths, type ProviderAdapter } from '@paywright/contract';
import * as v from 'valibot';
import type { AccountKey } from '../account-keys.ts';
import { brandsShape } from './adapter-shape.ts';
import { describeOptionIssue } from './describe-issue.ts';
import type { AdapterOptions, Report } from './loaded-adapter.ts';

type Adapter = ProviderAdapter<AdapterOptions>;

export interface ReadSides {
  readonly options: AdapterOptions;
  readonly sandboxOptions: AdapterOptions;
  /** No value of a secret of the test options is a value of a secret of the live options. */
  readonly sharesNoSecret: boolean;
  /** Like `sharesNoSecret`, and the test options have a secret. */
  readonly hasSandboxProofs: boolean;
  readonly keys: { readonly live?: AccountKey; readonly test?: AccountKey };
}

export interface OptionSources {
  readonly adapter: Adapter;
  readonly options: unknown;
  /** Members that replace members of `options` for test payments. Undefined: test payments use `options` unchanged. */
  readonly sandboxOptions: Readonly<Record<string, unknown>> | undefined;
  /** The path of the account in the settings of the adapter; empty for `main`. */
  readonly base: readonly string[];
  /** False for an option whose problem is reported elsewhere. Absent: every problem is reported. */
  readonly isOwn?: ((option: string) => boolean) | undefined;
  readonly report: Report;
}

/** Returns undefined after a reported problem. */
export function readSides(sources: OptionSources): ReadSides | undefined {
  const { adapter, sandboxOptions: overrides, base, isOwn = () => true, report } = sources;
  const given = withTestAddress(sources.options, overrides);
  const options = readOptions(adapter, given, toReport('options', isOwn));
  const merged = overrides && { ...(given as object | undefined), ...overrides };
  // A problem of `options` is not reported again for `sandboxOptions`, unless they replace the option.
  const isOfTest = (option: string): boolean =>
    Object.hasOwn(overrides ?? {}, option) || (options !== undefined && isOwn(option));
  const sandboxOptions = merged ? readOptions(adapter, merged, toReport('sandboxOptions', isOfTest)) : options;
  if (!options || !sandboxOptions) return undefined;
  const [live, test] = secretsOf(adapter, options, sandboxOptions);
  const sharesNoSecret = test.every((value) => !live.some((one) => isDeepStrictEqual(one, value)));
  const hasSandboxProofs = test.length > 0 && sharesNoSecret;
  const keys = { ...keyOf('live', options), ...keyOf('test', sandboxOptions) };
  return { options, sandboxOptions, sharesNoSecret, hasSandboxProofs, keys };

  function toReport(member: string, isReported: (option: string) => boolean): OptionReport {
    return {
      option(path, message) {
        if (path[0] === undefined || isReported(path[0])) report([...base, member, ...path], message);
      },
      manifest: (member, message) => report(['manifest', member], message),
    };
  }

  function keyOf(side: 'live' | 'test', read: AdapterOptions): ReadSides['keys'] {
    const { accountKey } = adapter.manifest;
    if (!accountKey) return {};
    try {
      const key = v.safeParse(keyShape, accountKey(read));
      if (key.success) return { [side]: key.output };
    } catch {
      // The message of an adapter's error may contain the value of an option.
    }
    report(['manifest', 'accountKey'], 'its function does not return a text that is not empty');
    return {};
  }
}

/**
 * Returns a copy of the options without the secrets among them, and without lists whose items have secrets. `paths` are
 * those of `secretPaths`.
 */
export function withoutSecrets(options: unknown, paths: readonly (readonly string[])[]): Record<string, unknown> {
  const copy = isObject(options) ? structuredClone(options) : {};
  for (const path of paths) removeAt(copy, path);
  return copy;
}

function removeAt(value: unknown, [key, ...rest]: readonly string[]): void {
  if (!isObject(value) || key === undefined) return;
  for (const name of key === '*' ? Object.keys(value) : [key]) {
    if (rest.length > 0 && !Array.isArray(value[name])) removeAt(value[name], rest);
    else Reflect.deleteProperty(value, name);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** Copies `sandboxBaseUrl` from `sandboxOptions` to `options`, where it is required, if `options` do not have it. */
function withTestAddress(options: unknown, { sandboxBaseUrl }: Readonly<Record<string, unknown>> = {}): unknown {
  const isNamedThere = sandboxBaseUrl !== undefined && typeof options === 'object' && options !== null;
  return isNamedThere ? { sandboxBaseUrl, ...options } : options;
}

/** Freezes a value, because every call of the adapter gets the same object. */
function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)) {
    Object.values(value).forEach(deepFreeze);
    Object.freeze(value);
  }
  return value;
}

const id = v.pipe(v.string(), v.nonEmpty());
const keyShape = v.union([id, v.pipe(v.array(id), v.minLength(1))]);

const baseUrls = v.looseObject({ baseUrl, sandboxBaseUrl: baseUrl });

/** Returns the values of the live secrets and of the test secrets. */
function secretsOf({ manifest }: Adapter, live: AdapterOptions, test: AdapterOptions): readonly [unknown[], unknown[]] {
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

interface OptionReport {
  readonly option: (path: readonly string[], message: string) => void;
  readonly manifest: (member: string, message: string) => void;
}

function readOptions({ manifest }: Adapter, given: unknown, report: OptionReport): AdapterOptions | undefined {
  try {
    const read = v.safeParse(v.pipe(v.unknown(), manifest.options), given ?? {});
    const checked = read.success ? v.safeParse(baseUrls, read.output) : read;
    const found = (checked.issues ?? []).flatMap((issue) => describeOptionIssue(manifest.options, issue));
    for (const { path, message } of found) report.option(path, message);
    if (!read.success || !checked.success) return undefined;
    const { currencies, coin, brands } = manifest;
    if (typeof currencies === 'function' && !v.is(v.array(v.string()), currencies(read.output))) {
      report.manifest('currencies', 'its function does not return a list of currency codes');
    }
    if (coin && !v.is(v.pipe(v.string(), v.nonEmpty()), coin(read.output)))
      report.manifest('coin', 'its function does not return the name of a coin');
    if (typeof brands === 'function' && !v.is(brandsShape, brands(read.output)))
      report.manifest('brands', 'its function does not return brands by payment method');
    return deepFreeze(read.output);
  } catch (error) {
    // The message of an adapter's error may contain the value of an option.
    report.option([], `checking them failed with a ${error instanceof Error ? error.name : typeof error}`);
    return undefined;
  }
}
