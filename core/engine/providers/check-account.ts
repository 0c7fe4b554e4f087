/** Asks a provider about our account, in each mode that this environment uses. */
import type { ProviderCalls } from './calls.ts';
import type { Finding } from './check-reach.ts';
import type { ActiveAdapter } from './load/load-adapters.ts';

/**
 * Returns what the provider says. An adapter that cannot ask gives a finding of the state `unchecked`, so that a
 * provider that can be reached is not mistaken for one that accepts our credentials. `onSilence` is called if the
 * provider's endpoint is missing, disabled or incomplete.
 */
export async function checkAccount(
  calls: Pick<ProviderCalls, 'checkAccount'>,
  { name }: Pick<ActiveAdapter, 'name'>,
  sides: readonly boolean[],
  onSilence: (adapter: string) => Promise<void>,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  let isSilent = false;
  for (const sandbox of sides) {
    const about = `${name} (${sandbox ? 'test' : 'live'})`;
    const found = await calls.checkAccount(name, sandbox);
    for (const { ok, finding, cure } of found)
      findings.push({ state: ok ? 'ok' : 'wrong', text: `${about}: ${finding}${cure ? `: ${cure}` : ''}` });
    // A finding that names an address of our callbacks is about the provider's endpoint.
    isSilent ||= found.some(({ ok, finding }) => !ok && finding.includes('/callbacks/'));
    if (found.length === 0)
      findings.push({
        state: 'unchecked',
        text: `${about}: credentials not checked: the adapter cannot ask about them`,
      });
  }
  if (isSilent) {
    await onSilence(name);
    findings.push({
      state: 'warn',
      text: `${name}: callbacks may be missing: once one is accepted again, payments are checked automatically; to check them immediately, run paywright payments reconcile --since <time> --adapter ${name}`,
    });
  }
  return findings;
}
