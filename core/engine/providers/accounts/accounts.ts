/**
 * Everything that operators do to accounts, for the console and for the command. Config describes some accounts; the
 * others are stored here, and operators create, change and remove them while the service runs.
 */
import { isDeepStrictEqual } from 'node:util';
import { defined } from '@paywright/contract';
import type { AccountDocument } from '../../../database/collections/account.ts';
import { ownerModel } from '../../../database/collections/owner.ts';
import { accountContext } from '../../../database/encryption-context.ts';
import { GatewayError } from '../../../base/errors.ts';
import type { Actor } from '../../audit/index.ts';
import { keepsIdentity } from '../account-keys.ts';
import { mainAccount, parseAccountRef } from '../account-ref.ts';
import type { AccountEntry, ActiveAdapter } from '../load/load-adapters.ts';
import type { States } from '../states/adapter-states.ts';
import type { AccountsDeps } from './accounts-deps.ts';
import { accountProblem, nameProblem, settingProblem } from './account-problem.ts';
import {
  changeAccount,
  emptyAccount,
  settingsTowards,
  type AccountSettings,
  type WantedAccount,
} from './account-settings.ts';
import { createAccountStore, type Found } from './account-store.ts';
import { createAccountViews, namesOf, unknownAccount, type AccountViews } from './account-views.ts';
import { createAccountReader } from './read-account.ts';
import { askForIds, describeOtherIds, isOther, withIds, type AskedId } from './reported-ids.ts';
import { readStoredAccountsOf, toEntry } from './stored-accounts.ts';

export interface Accounts extends AccountViews {
  add(by: Actor, ref: string, settings: AccountSettings, reason?: string): Promise<void>;
  /** Creates the account, or gives an existing one exactly these settings. Throws like `add` and `set`. */
  put(by: Actor, ref: string, wanted: WantedAccount, reason?: string): Promise<{ readonly isNew: boolean }>;
  /**
   * Writes and records nothing if the account has these settings already. Throws a HeldMoneyError if the identity would
   * change while money depends on it.
   */
  set(by: Actor, ref: string, settings: AccountSettings, reason?: string): Promise<void>;
  /** Throws a HeldMoneyError while money depends on the account. */
  remove(by: Actor, ref: string, reason?: string): Promise<void>;
}

const namePattern = /^[a-z][a-z0-9-]{0,39}$/;

const useAnother = 'Create a new account instead.';
const turnOff = 'It cannot be removed, only drained or turned off.';

export function createAccounts(deps: AccountsDeps): Accounts {
  const { connection, encrypter, run, adapterStates, audit, now } = deps;
  const { find, change, withoutMoney } = createAccountStore({ connection, adapterStates, now });
  const reader = createAccountReader(run);

  async function findPresent(ref: string): Promise<Found> {
    const found = await find(ref);
    return found?.removedAt ? null : found;
  }

  /** Throws VAL002 if the account is in config, where operators cannot change it at run time. */
  function demandNotConfigured(ref: string): void {
    const { adapter, account } = namesOf(ref, run.config);
    if (account === mainAccount || run.config.adapters[adapter]?.accounts?.[account])
      throw accountProblem(`${ref} is an account of the config files: change it there`);
  }

  function demandStored(ref: string, found: Found): asserts found is AccountDocument {
    demandNotConfigured(ref);
    if (!found || found.removedAt) throw unknownAccount(ref);
  }

  /** Reads the account as it would be loaded with these settings. Throws VAL002 with all problems. */
  async function check(ref: string, entry: AccountEntry, states: States): Promise<ActiveAdapter> {
    const { adapter, account } = parseAccountRef(ref);
    const stored = await readStoredAccountsOf(adapter, connection, encrypter, states);
    return reader.read({ adapter, account, entry, stored });
  }

  /** Undefined: the account cannot be loaded with these settings. */
  const read = async (ref: string, entry: AccountEntry, states: States): Promise<ActiveAdapter | undefined> =>
    check(ref, entry, states).catch(() => undefined);

  /** Asks the provider about the account with the new options, if it named the account before. */
  async function askAgain(ref: string, settings: AccountSettings) {
    const found = await find(ref);
    demandStored(ref, found);
    const { version, reportedIds } = found;
    if (!reportedIds || (!settings.options && !settings.sandboxOptions)) return { version, ids: [] };
    const { states } = await adapterStates.read();
    const entry = toEntry(found, encrypter, states);
    const before = await read(ref, entry, states);
    const next = await check(ref, changeAccount(entry, settings), states);
    return { version, ids: await askForIds(run.config, reportedIds, before, next) };
  }

  const toDocument = (
    ref: string,
    entry: AccountEntry,
    made: Pick<AccountDocument, 'createdBy' | 'createdAt'>,
    before: Found,
  ): AccountDocument => ({
    ...encryptEntry(encrypter, ref, entry),
    ...defined({ reportedIds: before?.reportedIds }),
    version: (before?.version ?? 0) + 1,
    createdBy: made.createdBy,
    createdAt: made.createdAt,
    changedAt: now(),
  });

  const actions: Pick<Accounts, 'add' | 'set' | 'remove'> = {
    async add(by, ref, settings, reason) {
      const { adapter, account } = namesOf(ref, run.config);
      if (account === mainAccount || !namePattern.test(account))
        throw nameProblem(
          `The name of an account is 1 to 40 of a–z, 0–9 and -, starts with a letter, and is not main: ${adapter}/<account>`,
        );
      const subject = { type: 'account', id: ref };
      return audit.run(by, { act: 'account.add', subject, reason }, async () => {
        const { after } = await change(ref, async (found, states) => {
          if (run.config.adapters[adapter]?.accounts?.[account])
            throw nameProblem(`${ref} is an account of the config files already`);
          if (found?.removedAt || (!found && states[ref] !== undefined))
            throw nameProblem(`${ref} was the name of a removed account, and names are never reused: choose another`);
          if (found) throw nameProblem(`${ref} exists already: change it with "set"`);
          const entry = changeAccount(emptyAccount, settings);
          await checkMerchants(connection, settings);
          await check(ref, entry, states);
          return toDocument(ref, entry, { createdBy: by.name, createdAt: now() }, null);
        });
        return { value: undefined, after: auditOf(after, settings) };
      });
    },

    async set(by, ref, settings, reason) {
      if (hasSettings(await findPresent(ref), settings, encrypter)) return;
      const subject = { type: 'account', id: ref };
      return audit.run(by, { act: 'account.set', subject, reason }, async () => {
        const { version, ids } = await askAgain(ref, settings);
        const store = async (isIdentityOpen: boolean) =>
          change(ref, async (found, states) => {
            demandStored(ref, found);
            if (ids.length > 0 && version !== found.version)
              throw accountProblem(`${ref} was changed at the same time: try again`);
            const before = toEntry(found, encrypter, states);
            const entry = changeAccount(before, settings);
            await checkMerchants(connection, settings);
            const next = await check(ref, entry, states);
            const sides = isIdentityOpen ? [] : changedSides(await read(ref, before, states), next, ids);
            if (sides.length > 0) throw new IdentityChange(sides);
            return withIds(toDocument(ref, entry, found, found), ids);
          });
        const { before, after } = await store(false).catch(async (error: unknown) => {
          if (!(error instanceof IdentityChange)) throw error;
          return withoutMoney(ref, error.sides, describeOtherIds(ids) ?? useAnother, async () => store(true));
        });
        return { value: undefined, before: before && auditOf(before, settings), after: auditOf(after, settings) };
      });
    },

    async remove(by, ref, reason) {
      const subject = { type: 'account', id: ref };
      return audit.run(by, { act: 'account.remove', subject, reason }, async () => {
        demandStored(ref, await find(ref));
        await withoutMoney(ref, [false, true], turnOff, async () =>
          change(ref, async (found) => {
            demandStored(ref, found);
            const { options: _, sandboxOptions: __, ...kept } = found;
            return { ...kept, version: found.version + 1, changedAt: now(), removedAt: now() };
          }),
        );
        return { value: undefined };
      });
    },
  };

  return {
    ...createAccountViews(deps, reader),
    ...actions,

    async put(by, ref, wanted, reason) {
      demandNotConfigured(ref);
      const towards = async (): Promise<AccountSettings | undefined> => {
        const found = await findPresent(ref);
        return found ? settingsTowards(toEntry(found, encrypter, {}), wanted) : undefined;
      };
      return putAccount(actions, towards, { by, ref, wanted, reason });
    },
  };
}

/** The members of a document that the settings of an account make. */
function encryptEntry(encrypter: AccountsDeps['encrypter'], ref: string, entry: AccountEntry) {
  const { adapter, account: name } = parseAccountRef(ref);
  const { options, sandboxOptions, fee, currencies, merchants } = entry;
  const encrypt = (member: 'options' | 'sandboxOptions', value: unknown): Buffer =>
    encrypter.encrypt(JSON.stringify(value), accountContext(ref, member));
  return {
    _id: ref,
    adapter,
    name,
    options: encrypt('options', options),
    ...defined({
      sandboxOptions: sandboxOptions && encrypt('sandboxOptions', sandboxOptions),
      fee,
      currencies,
      merchants,
    }),
  };
}

/** The identity of an account would change, on these sides. */
class IdentityChange extends Error {
  readonly sides: readonly boolean[];

  constructor(sides: readonly boolean[]) {
    super('the identity of the account would change');
    this.sides = sides;
  }
}

/** Throws VAL002 with the names of merchants that do not exist. */
async function checkMerchants(
  connection: AccountsDeps['connection'],
  { assign = [], merchants }: AccountSettings,
): Promise<void> {
  const names = [...assign, ...(merchants ?? [])];
  const known = await ownerModel(connection).find({ name: { $in: names }, removedAt: { $exists: false } }, { name: 1 });
  const unknown = names.filter((name) => !known.some((one) => one.name === name));
  if (unknown.length > 0) throw settingProblem('merchants', `there is no merchant ${unknown.join(', ')}`);
}

interface Put {
  readonly by: Actor;
  readonly ref: string;
  readonly wanted: WantedAccount;
  readonly reason: string | undefined;
}

/** `towards`: the changes that make the present account the wanted one. Undefined: there is no such account. */
async function putAccount(
  accounts: Pick<Accounts, 'add' | 'set'>,
  towards: () => Promise<AccountSettings | undefined>,
  { by, ref, wanted, reason }: Put,
): Promise<{ readonly isNew: boolean }> {
  const changes = await towards();
  if (changes) {
    await accounts.set(by, ref, changes, reason);
    return { isNew: false };
  }
  try {
    await accounts.add(by, ref, settingsTowards(emptyAccount, wanted), reason);
    return { isNew: true };
  } catch (error) {
    // Another operator may have added the account in the meantime.
    const after = await towards();
    if (!after) throw error;
    await accounts.set(by, ref, after, reason);
    return { isNew: false };
  }
}

/** True if nothing would change. False for settings that are not valid. */
function hasSettings(found: Found, settings: AccountSettings, encrypter: AccountsDeps['encrypter']): boolean {
  if (!found) return false;
  const before = toEntry(found, encrypter, {});
  try {
    return isDeepStrictEqual(changeAccount(before, settings), before);
  } catch (error) {
    if (error instanceof GatewayError) return false;
    throw error;
  }
}

/** The settings that an action changes, for the audit log: of options only the names. */
function auditOf(document: AccountDocument, settings: AccountSettings): object {
  const { fee = null, currencies = null, merchants = 'everybody' } = document;
  const isAssigned = settings.assign ?? settings.unassign ?? settings.everybody ?? settings.merchants;
  return defined({
    options: settings.options && Object.keys(settings.options),
    sandboxOptions: settings.sandboxOptions && Object.keys(settings.sandboxOptions),
    fee: settings.fee === undefined ? undefined : fee,
    currencies: settings.currencies === undefined ? undefined : currencies,
    merchants: isAssigned === undefined ? undefined : merchants,
  });
}

/**
 * The sides whose identity differs: false is live, true is test. An account that could not be loaded may have had any.
 */
function changedSides(before: ActiveAdapter | undefined, after: ActiveAdapter, ids: readonly AskedId[]): boolean[] {
  return [false, true].filter((sandbox) => {
    if (ids.some((one) => one.sandbox === sandbox && isOther(one))) return true;
    const side = sandbox ? 'test' : 'live';
    const known = before?.keys[side];
    return known === undefined ? after.keys[side] !== undefined : !keepsIdentity(known, after.keys[side]);
  });
}
