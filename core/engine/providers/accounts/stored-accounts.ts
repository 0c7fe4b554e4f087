/** Reads the accounts that operators created at run time. Every process reads them whenever it loads its adapters. */
import { defined } from '@paywright/contract';
import type { Connection } from 'mongoose';
import type { Cipher } from '../../../base/crypto/encryption.ts';
import { groupBy } from '../../../base/group-by.ts';
import { accountModel, type AccountDocument } from '../../../database/collections/account.ts';
import { accountContext } from '../../../database/encryption-context.ts';
import type { AccountEntry, StoredAccounts } from '../load/load-adapters.ts';
import type { States } from '../states/adapter-states.ts';

/** Keyed by the name of the adapter. */
export type StoredByAdapter = ReadonlyMap<string, StoredAccounts>;

/** An adapter without accounts in the database. */
export const noStoredAccounts: StoredAccounts = { accounts: {}, removed: [] };

/**
 * The options of accounts by reference, with the version of the document that has them. A process that loads all
 * accounts again decrypts only the changed ones, and gives the loader the same objects for the others.
 */
export type KnownOptions = Map<string, { readonly version: number; readonly options: DecryptedOptions }>;

type DecryptedOptions = Pick<AccountEntry, 'options' | 'sandboxOptions'>;

/** Returns the accounts of all adapters, or of one adapter. Throws if none of the keys encrypted an option. */
export async function readStoredAccounts(
  connection: Connection,
  cipher: Pick<Cipher, 'decrypt'>,
  states: States,
  { adapter, known }: { readonly adapter?: string | undefined; readonly known?: KnownOptions } = {},
): Promise<StoredByAdapter> {
  const model = accountModel(connection);
  const which = adapter === undefined ? {} : { adapter };
  const found = await model
    .find(which, null, { lean: true, promoteBuffers: true })
    .sort({ _id: 1 })
    .lean<AccountDocument[]>();
  const groups = [...groupBy(found, (one) => one.adapter)].map(([name, documents]) => {
    const present = documents.filter(({ removedAt }) => removedAt === undefined);
    const removed = documents.filter(({ removedAt }) => removedAt !== undefined);
    const accounts = present.map((one) => [one.name, toEntry(one, cipher, states, known)] as const);
    for (const { _id } of removed) known?.delete(_id);
    return [name, { accounts: Object.fromEntries(accounts), removed: removed.map((one) => one.name) }] as const;
  });
  return new Map(groups);
}

/** Returns the accounts of one adapter. */
export async function readStoredAccountsOf(
  adapter: string,
  ...[connection, cipher, states]: Parameters<typeof readStoredAccounts>
): Promise<StoredAccounts> {
  const stored = await readStoredAccounts(connection, cipher, states, { adapter });
  return stored.get(adapter) ?? noStoredAccounts;
}

/** An account is on until its state is changed. */
export function toEntry(
  document: AccountDocument,
  cipher: Pick<Cipher, 'decrypt'>,
  states: States,
  known?: KnownOptions,
): AccountEntry {
  const { _id: ref, version, fee, currencies, merchants } = document;
  const found = known?.get(ref);
  const options = found?.version === version ? found.options : decryptAll(document, cipher);
  known?.set(ref, { version, options });
  return { state: states[ref] ?? 'on', ...options, ...defined({ fee, currencies, merchants }) };
}

function decryptAll(document: AccountDocument, cipher: Pick<Cipher, 'decrypt'>): DecryptedOptions {
  const { _id: ref, options, sandboxOptions } = document;
  return {
    options: options && decryptOptions(cipher, ref, 'options', options),
    ...defined({ sandboxOptions: sandboxOptions && decryptOptions(cipher, ref, 'sandboxOptions', sandboxOptions) }),
  };
}

function decryptOptions(
  cipher: Pick<Cipher, 'decrypt'>,
  ref: string,
  member: 'options' | 'sandboxOptions',
  encrypted: Uint8Array,
): Readonly<Record<string, unknown>> {
  return JSON.parse(cipher.decrypt(encrypted, accountContext(ref, member)).toString()) as Record<string, unknown>;
}
