/** Calls with one account outside the service, whatever the state of the account and of its adapter is. */
import { pino } from 'pino';
import { mainAccount } from './account-ref.ts';
import { createProviderCalls, type ProviderCalls, type ProviderCallsDeps } from './calls.ts';
import { checkAccount, type CheckAccountDeps } from './check-account.ts';
import type { Finding } from './check-reach.ts';
import type { ActiveAdapter } from './load/load-adapters.ts';
import { createRegistry } from './registry.ts';

type CallSettings = Pick<ProviderCallsDeps, 'config' | 'publicUrl' | 'callbackSandbox'>;

export type AskDeps = Omit<CheckAccountDeps, 'calls'> & CallSettings;

/** `sides`: true is the test side, false the live side. */
export async function askProvider(
  { onSilence, evidence, keepReportedId, ...settings }: AskDeps,
  active: ActiveAdapter,
  sides: readonly boolean[],
): Promise<readonly Finding[]> {
  return withCallsOf(active, settings, async (calls) =>
    checkAccount({ calls, onSilence, evidence, keepReportedId }, active, sides),
  );
}

/** Runs the work with calls that keep no transcript and raise no alarm, and closes their connections. */
export async function withCallsOf<T>(
  active: ActiveAdapter,
  settings: CallSettings,
  work: (calls: ProviderCalls) => Promise<T>,
): Promise<T> {
  const calls = createProviderCalls({
    ...settings,
    // An account needs its adapter in the registry: the state of the adapter limits it.
    registry: createRegistry([{ ...active, account: mainAccount, ref: active.name }, active]),
    transcript: () => undefined,
    now: () => new Date(),
    log: pino({ level: 'silent' }),
  });
  try {
    return await work(calls);
  } finally {
    calls.stop();
  }
}
