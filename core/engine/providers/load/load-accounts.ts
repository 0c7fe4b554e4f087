/**
 * Composes the options of the further accounts of an adapter. The secrets of the adapter's own options stay its own.
 */
import { secretPaths, type ProviderAdapter } from '@paywright/contract';
import type { AccountEntry, AdapterEntry, AdapterOptions, Report } from './loaded-adapter.ts';
import { readSides, withoutSecrets, type ReadSides } from './read-options.ts';

/**
 * The options of accounts that were read without a problem, by the object of the account's own options. A platform with
 * thousands of accounts changes one of them: only that one is read again.
 */
export type KnownSides = WeakMap<object, { readonly from: readonly unknown[]; readonly sides: ReadSides }>;

export interface AccountSources {
  readonly entry: AdapterEntry;
  readonly adapter: ProviderAdapter<AdapterOptions>;
  /** The adapter's `sandboxOptions`, and the addresses of its sandbox that runs here. */
  readonly overrides: Readonly<Record<string, unknown>> | undefined;
  /** False: the problems of the adapter's own options are reported already. */
  readonly isMainReadable: boolean;
  readonly known: KnownSides | undefined;
  readonly report: Report;
}

export interface ReadAccount {
  readonly account: string;
  readonly terms: AccountEntry;
  /** Undefined for an account that is off: its options are not read. */
  readonly sides: ReadSides | undefined;
}

/**
 * Reads the options of each account. Leaves out an account after a reported problem.
 *
 * - Live options: the adapter's `options` without secrets, overridden by the account's `options`.
 * - Test options: the live options, overridden by the adapter's `sandboxOptions` without secrets, overridden by the
 *   account's `sandboxOptions`.
 */
export function readAccounts(sources: AccountSources): ReadAccount[] {
  const { entry, adapter, overrides, isMainReadable, known, report } = sources;
  const accounts = Object.entries(entry.accounts ?? {});
  if (accounts.length === 0) return [];
  const paths = secretPaths(adapter.manifest.options);
  const secrets = new Set(paths.map(([first]) => first));
  const shared = withoutSecrets(entry.options, paths);
  const sharedTest = overrides && withoutSecrets(overrides, paths);
  const basis = JSON.stringify([shared, sharedTest]);
  return accounts.flatMap(([account, terms]): ReadAccount[] => {
    if (terms.state === 'off') return [{ account, terms, sides: undefined }];
    const own = (terms.options ?? {}) as Readonly<Record<string, unknown>>;
    const ownTest = terms.sandboxOptions;
    const from = [adapter, basis, ownTest];
    const found = known?.get(own);
    if (found && from.every((one, at) => one === found.from[at])) return [{ account, terms, sides: found.sides }];
    const problems: string[] = [];
    const sides = readSides({
      adapter,
      options: { ...shared, ...own },
      sandboxOptions: sharedTest || ownTest ? { ...sharedTest, ...ownTest } : undefined,
      base: ['accounts', account],
      // An option that the account takes from the adapter is reported there.
      isOwn: (option) => isMainReadable || secrets.has(option) || Object.hasOwn(own, option),
      report(path, message) {
        problems.push(message);
        report(path, message);
      },
    });
    if (sides && problems.length === 0) known?.set(own, { from, sides });
    return sides ? [{ account, terms, sides }] : [];
  });
}
