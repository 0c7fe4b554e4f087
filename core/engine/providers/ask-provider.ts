/** Asks a provider about one account, whatever the state of the account and of its adapter is. */
import { pino } from 'pino';
import { mainAccount } from './account-ref.ts';
import { createProviderCalls, type ProviderCallsDeps } from './calls.ts';
import { checkAccount, type CheckAccountDeps } from './check-account.ts';
import type { Finding } from './check-reach.ts';
import type { ActiveAdapter } from './load/load-adapters.ts';
import { createRegistry } from './registry.ts';

export type AskDeps = Omit<CheckAccountDeps, 'calls'> &
  Pick<ProviderCallsDeps, 'config' | 'publicUrl' | 'callbackSandbox'>;

/** `sides`: true is the test side, false the live side. */
export async function askProvider(
  { onSilence, evidence, ...deps }: AskDeps,
  active: ActiveAdapter,
  sides: readonly boolean[],
): Promise<readonly Finding[]> {
  const calls = createProviderCalls({
    ...deps,
    // An account needs its adapter in the registry: the state of the adapter limits it.
    registry: createRegistry([{ ...active, account: mainAccount, ref: active.name }, active]),
    transcript: () => undefined,
    now: () => new Date(),
    log: pino({ level: 'silent' }),
  });
  try {
    return await checkAccount({ calls, onSilence, evidence }, active, sides);
  } finally {
    calls.stop();
  }
}
