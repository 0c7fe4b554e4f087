/** Reads accounts for operators: those of config and those of the database. */
import { DAY } from '../../../base/async/time.ts';
import { didYouMean } from '../../../base/text/nearest.ts';
import { GatewayError } from '../../../base/errors.ts';
import { accountModel, type AccountDocument } from '../../../database/collections/account.ts';
import { accountRefOf, mainAccount, parseAccountRef } from '../account-ref.ts';
import type { ActiveAdapter } from '../load/load-adapters.ts';
import { readEndedAttempts, readHeldMoney, type EndedAttempts, type HeldMoney } from '../states/account-money.ts';
import { accountProblem } from './account-problem.ts';
import type { AccountsDeps } from './accounts-deps.ts';
import { presentAccount, settingsOf, type AccountView, type ListedAccount } from './present-account.ts';
import { optionFieldsOf, type OptionField } from '../option-fields.ts';
import type { AccountReader } from './read-account.ts';
import { readStoredAccounts, readStoredAccountsOf, toEntry } from './stored-accounts.ts';

export interface AccountFigures extends HeldMoney, EndedAttempts {}

export interface AccountViews {
  /** Lists the accounts of one adapter, or of all: `main` first, then those of config, then the stored accounts. */
  list(adapter?: string): Promise<readonly ListedAccount[]>;
  /** Throws NF001 for an unknown account, and VAL002 for an unknown adapter. Secrets are hidden. */
  get(ref: string): Promise<AccountView>;
  /**
   * Returns the account with its options, for `checkAccount`. Throws NF001 if there is none, and VAL002 if it cannot be
   * loaded.
   */
  load(ref: string): Promise<ActiveAdapter>;
  /** Counts the money that depends on the account, and its attempts that ended in the last 24 hours. */
  figures(ref: string): Promise<AccountFigures>;
  /** Returns the options that an account of the adapter has. Throws VAL002 if its package cannot be loaded. */
  optionFields(adapter: string): Promise<readonly OptionField[]>;
}

type ViewDeps = Pick<AccountsDeps, 'connection' | 'run' | 'adapterStates' | 'now'> & {
  readonly encrypter: Pick<AccountsDeps['encrypter'], 'decrypt'>;
};

export function createAccountViews(
  { connection, encrypter, run, adapterStates, now }: ViewDeps,
  reader: AccountReader,
): AccountViews {
  return {
    async list(adapter) {
      if (adapter !== undefined) namesOf(adapter, run.config);
      const { states } = await adapterStates.read();
      const stored = await readStoredAccounts(connection, encrypter, states, { adapter });
      return Object.entries(run.config.adapters)
        .filter(([name]) => adapter === undefined || name === adapter)
        .flatMap(([name, { accounts = {}, ...main }]) => [
          ...[[mainAccount, main] as const, ...Object.entries(accounts)].map(([account, entry]) =>
            settingsOf(accountRefOf({ adapter: name, account }), 'config', entry, states),
          ),
          ...Object.entries(stored.get(name)?.accounts ?? {}).map(([account, entry]) =>
            settingsOf(accountRefOf({ adapter: name, account }), 'database', entry, states),
          ),
        ]);
    },

    async get(ref) {
      const { adapter, account } = namesOf(ref, run.config);
      const { states } = await adapterStates.read();
      const { accounts = {}, ...main } = run.config.adapters[adapter]!;
      const configured = account === mainAccount ? main : accounts[account];
      const loaded = await reader.adapterOf(adapter);
      if (configured) return presentAccount(accountRefOf({ adapter, account }), configured, states, loaded, undefined);
      const found = await findAccount(connection, ref);
      if (!found || found.removedAt) throw unknownAccount(ref);
      return presentAccount(ref, toEntry(found, encrypter, states), states, loaded, found);
    },

    async load(ref) {
      const { adapter, account } = namesOf(ref, run.config);
      const { states } = await adapterStates.read();
      const stored = await readStoredAccountsOf(adapter, connection, encrypter, states);
      const entry = stored.accounts[account];
      if (account !== mainAccount && !entry && !run.config.adapters[adapter]?.accounts?.[account])
        throw unknownAccount(ref);
      return reader.read({ adapter, account, entry, stored });
    },

    async figures(ref) {
      const at = now();
      const [held, ended] = await Promise.all([
        readHeldMoney(connection, ref, at, [false, true]),
        readEndedAttempts(connection, ref, new Date(at.getTime() - DAY)),
      ]);
      return { ...held, ...ended };
    },

    async optionFields(name) {
      const { adapter } = namesOf(name, run.config);
      const loaded = await reader.adapterOf(adapter);
      if (!loaded) throw accountProblem(`The package of ${adapter} cannot be loaded: "paywright doctor" says why`);
      return optionFieldsOf(loaded.manifest.options);
    },
  };
}

export async function findAccount(connection: ViewDeps['connection'], ref: string): Promise<AccountDocument | null> {
  return accountModel(connection).findById(ref, null, { promoteBuffers: true }).lean<AccountDocument>();
}

/** Throws VAL002 if config has no adapter of this name. */
export function namesOf(ref: string, { adapters }: AccountsDeps['run']['config']): ReturnType<typeof parseAccountRef> {
  const names = parseAccountRef(ref);
  const known = Object.keys(adapters);
  if (known.includes(names.adapter)) return names;
  const guess = didYouMean(names.adapter, known) || `: the config has ${known.join(', ')}.`;
  throw accountProblem(`Unknown adapter "${names.adapter}"${guess}`);
}

export function unknownAccount(ref: string): GatewayError {
  return new GatewayError('NOT_FOUND', `There is no account ${ref}`);
}
