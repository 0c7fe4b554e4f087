/** Reads the accounts that operators created at run time, for commands that load the adapters. */
import { readStoredAccounts } from '../engine/providers/index.ts';
import { createAdapterStateStore } from '../engine/providers/states/adapter-states.ts';
import type { LoadedConfig } from '../../config/load-config.ts';
import { hasDatabase, withDatabase, type Caller } from './with-database.ts';

type Stored = Awaited<ReturnType<typeof readStoredAccounts>>;

/** Returns none if there is no database yet. Rejects if the database cannot be opened. */
export async function readAccountsOfDatabase(caller: Caller, loaded: LoadedConfig): Promise<Stored> {
  if (!(await hasDatabase(loaded))) return new Map();
  return withDatabase(caller, async ({ connection, encrypter }) => {
    const { states } = await createAdapterStateStore(connection, () => new Date()).read();
    return readStoredAccounts(connection, encrypter, states);
  });
}
