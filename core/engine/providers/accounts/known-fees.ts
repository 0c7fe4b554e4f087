/** Whether the fee of an adapter or of an account is known, so that a settlement file can be compared with it. */
import type { Connection } from 'mongoose';
import { accountModel } from '../../../database/collections/account.ts';
import { accountRefOf } from '../account-ref.ts';
import type { Fee } from '../load/load-adapters.ts';

interface ConfiguredFees {
  readonly fee?: Fee | undefined;
  readonly accounts?: Readonly<Record<string, Pick<ConfiguredFees, 'fee'>>> | undefined;
}

/** `account` is undefined for all accounts of the adapter. */
export async function hasKnownFee(
  connection: Connection,
  { adapters }: { readonly adapters: Readonly<Record<string, ConfiguredFees>> },
  adapter: string,
  account: string | undefined,
): Promise<boolean> {
  const { fee, accounts = {} } = adapters[adapter] ?? {};
  if (fee ?? accounts[account ?? '']?.fee) return true;
  if (account === undefined) return false;
  const stored = await accountModel(connection).findById(accountRefOf({ adapter, account }), { fee: 1 }).lean();
  return stored?.fee !== undefined;
}
