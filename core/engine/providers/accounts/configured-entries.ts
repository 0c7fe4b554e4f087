import type { RunConfig } from '../../../base/run-config.ts';
import { accountRefOf } from '../account-ref.ts';
import type { AdapterEntry } from '../load/load-adapters.ts';
import type { States } from '../states/adapter-states.ts';
import type { StoredByAdapter } from './stored-accounts.ts';

/** What the loader reads: the adapters of config in their current states, with their accounts in the database. */
export function configuredEntries(
  { config, root, adapterDirs }: Pick<RunConfig, 'config' | 'root' | 'adapterDirs'>,
  states: States,
  stored: StoredByAdapter,
): AdapterEntry[] {
  return Object.entries(config.adapters).map(([name, settings]) => ({
    ...settings,
    name,
    state: states[name] ?? settings.state,
    accounts: Object.fromEntries(
      Object.entries(settings.accounts ?? {}).map(([account, own]) => {
        return [account, { ...own, state: states[accountRefOf({ adapter: name, account })] ?? own.state }];
      }),
    ),
    stored: stored.get(name),
    from: adapterDirs[name] ?? root,
  }));
}
