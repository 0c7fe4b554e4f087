/** Accounts as operators see them. Secrets are hidden. */
import type { ProviderAdapter } from '@paywright/contract';
import type { AccountDocument } from '../../../database/collections/account.ts';
import type { AdapterStateName } from '../../../database/collections/adapter-state.ts';
import { parseAccountRef } from '../account-ref.ts';
import type { AccountEntry, AdapterOptions, Fee } from '../load/load-adapters.ts';
import type { States } from '../states/adapter-states.ts';
import type { Options } from './account-settings.ts';
import { maskOptions } from './mask-options.ts';

export interface ListedAccount {
  /** `<adapter>` for `main`, otherwise `<adapter>/<account>`. */
  readonly ref: string;
  readonly adapter: string;
  readonly account: string;
  /** Accounts of the database can be changed at run time. */
  readonly source: 'config' | 'database';
  readonly state: AdapterStateName;
  /** Null: the fee of the adapter. */
  readonly fee: Fee | null;
  /** Null: the currencies that are open at the adapter. */
  readonly currencies: readonly string[] | null;
  /** Null: every merchant may use the account. */
  readonly merchants: readonly string[] | null;
}

export interface AccountView extends ListedAccount {
  /** Secrets are `[hidden]`. */
  readonly options: Options;
  /** Null: the account has no test options of its own. */
  readonly sandboxOptions: Options | null;
  /** Null: config has the account. */
  readonly created: { readonly by: string; readonly at: Date; readonly changedAt: Date } | null;
}

export function settingsOf(
  ref: string,
  source: ListedAccount['source'],
  { state, fee, currencies, merchants }: AccountEntry,
  states: States,
): ListedAccount {
  return {
    ref,
    ...parseAccountRef(ref),
    source,
    state: states[ref] ?? state,
    fee: fee ?? null,
    currencies: currencies ?? null,
    merchants: merchants ?? null,
  };
}

export function presentAccount(
  ref: string,
  entry: AccountEntry,
  states: States,
  adapter: ProviderAdapter<AdapterOptions> | undefined,
  stored: AccountDocument | undefined,
): AccountView {
  const { options, sandboxOptions } = entry;
  return {
    ...settingsOf(ref, stored ? 'database' : 'config', entry, states),
    options: maskOptions((options ?? {}) as Options, adapter),
    sandboxOptions: sandboxOptions ? maskOptions(sandboxOptions, adapter) : null,
    created: stored ? { by: stored.createdBy, at: stored.createdAt, changedAt: stored.changedAt } : null,
  };
}
