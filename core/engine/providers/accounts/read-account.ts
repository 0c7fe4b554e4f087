/** Reads an account as a start would load it, whatever its state is: with the other accounts of its adapter. */
import type { ProviderAdapter } from '@paywright/contract';
import type { FieldError } from '../../../base/errors.ts';
import type { RunConfig } from '../../../base/run-config.ts';
import { accountRefOf, mainAccount } from '../account-ref.ts';
import {
  readAdapters,
  type AccountEntry,
  type ActiveAdapter,
  type AdapterEntry,
  type AdapterFinding,
  type AdapterOptions,
  type StoredAccounts,
} from '../load/load-adapters.ts';
import { accountProblem } from './account-problem.ts';
import { configuredEntries } from './configured-entries.ts';
import { noStoredAccounts } from './stored-accounts.ts';

export interface AccountToRead {
  readonly adapter: string;
  readonly account: string;
  /** The account with its changes. Undefined: an account of config. */
  readonly entry: AccountEntry | undefined;
  /** The stored accounts of the adapter, as they are now. */
  readonly stored: StoredAccounts;
}

export interface AccountReader {
  /** Throws VAL002 with every problem of the account. A problem of another account does not matter. */
  read(account: AccountToRead): Promise<ActiveAdapter>;
  /** Undefined: the package of the adapter cannot be loaded. */
  adapterOf(name: string): Promise<ProviderAdapter<AdapterOptions> | undefined>;
}

export function createAccountReader(
  run: Pick<RunConfig, 'config' | 'root' | 'adapterDirs' | 'isProduction'>,
): AccountReader {
  const { root: gatewayRoot, isProduction } = run;

  /** The adapter and its accounts as if all were on, because options of an account that is off are not read. */
  async function readAll(name: string, stored: StoredAccounts) {
    const adapters = { [name]: run.config.adapters[name]! };
    const entries = configuredEntries({ ...run, config: { ...run.config, adapters } }, {}, new Map([[name, stored]]));
    return readAdapters(entries.map(asOn), { gatewayRoot, isProduction });
  }

  return {
    async read({ adapter, account, entry, stored }) {
      const { [account]: _, ...others } = stored.accounts;
      // The account comes last: of two accounts with one key, the later one is reported.
      const accounts = entry ? { ...others, [account]: entry } : stored.accounts;
      const { loaded, findings } = await readAll(adapter, { accounts, removed: stored.removed });
      const isOwn = ({ path }: AdapterFinding): boolean =>
        account === mainAccount ? path[0] !== 'accounts' : path[0] === 'accounts' && path[1] === account;
      const own = findings.filter(isOwn);
      const found = loaded.find(({ ref }) => ref === accountRefOf({ adapter, account }));
      if (own.length === 0 && found?.adapter) return found;
      const shown = own.length > 0 ? own : findings;
      throw accountProblem(shown.map((one) => textOf(one, account)).join('; '), own.map(toFieldError));
    },

    async adapterOf(name) {
      const { loaded } = await readAll(name, noStoredAccounts);
      return loaded.find((one) => one.adapter !== null)?.adapter ?? undefined;
    },
  };
}

function asOn(entry: AdapterEntry): AdapterEntry {
  const on = (accounts: Readonly<Record<string, AccountEntry>> = {}): Record<string, AccountEntry> =>
    Object.fromEntries(Object.entries(accounts).map(([name, one]) => [name, { ...one, state: 'on' }]));
  const stored = entry.stored && { ...entry.stored, accounts: on(entry.stored.accounts) };
  return { ...entry, state: 'on', accounts: on(entry.accounts), stored };
}

/** The option that is wrong: `options.key`. What is wrong inside its value is part of the message. */
function toFieldError({ path, message }: AdapterFinding): FieldError {
  const [member = '', option, ...inside] = path[0] === 'accounts' ? path.slice(2) : path;
  const field = option === undefined ? member : `${member}.${option}`;
  return { field, value: null, message: [inside.join('.'), message].filter(Boolean).join(': ') };
}

/** A problem with its path, without the path of the account itself. */
function textOf({ adapter, path, message }: AdapterFinding, account: string): string {
  const isOwn = path[0] === 'accounts' && path[1] === account;
  return [...(isOwn ? [] : [adapter]), (isOwn ? path.slice(2) : path).join('.'), message].filter(Boolean).join(': ');
}
