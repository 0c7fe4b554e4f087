/** Asks a provider about our account, in each mode that this environment uses. */
import type { AccountFinding } from '@paywright/contract';
import { adapterSubject, alarmId, type Alarms } from '../alarms/index.ts';
import type { Environment } from '../../base/environment.ts';
import type { ProviderCalls } from './calls.ts';
import type { Finding } from './check-reach.ts';
import { secretPlaces } from './secret-places.ts';
import type { ActiveAdapter } from './load/load-adapters.ts';

/** What calls of payments showed about the account. */
export interface AccountEvidence {
  /** The reason and the time of the latest refusal of our credentials. Undefined: none since the latest success. */
  readonly refusal: (ref: string, mode: Environment) => Promise<AccountRefusal | undefined>;
}

export interface AccountRefusal {
  readonly reason: string;
  readonly at: Date;
}

/** The open alarm about refused credentials. A successful call resolves it. */
export function createAccountEvidence(alarms: Pick<Alarms, 'get'>): AccountEvidence {
  return {
    async refusal(ref, mode) {
      const alarm = await alarms.get(alarmId('provider_misconfigured', adapterSubject(ref, mode)));
      return alarm && alarm.state !== 'resolved' ? { reason: alarm.reason, at: alarm.lastSeenAt } : undefined;
    },
  };
}

/**
 * Compares the id of a check with the known one, and keeps it. Returns the problem if another id is known and money
 * depends on the account. The known id stays then.
 */
export type KeepReportedId = (ref: string, sandbox: boolean, id: string) => Promise<string | undefined>;

export interface CheckAccountDeps {
  readonly calls: Pick<ProviderCalls, 'checkAccount'>;
  /** Called if the provider's endpoint for our callbacks is missing, disabled or incomplete. */
  readonly onSilence: (adapter: string) => Promise<void>;
  readonly evidence: AccountEvidence;
  /** Compares the id that the provider names with the known one, and keeps it. */
  readonly keepReportedId: KeepReportedId;
}

/**
 * Returns what the provider says. If the adapter cannot ask, the refusals of payments count: a provider that can be
 * reached is never mistaken for one that accepts our credentials. A finding about wrong credentials says which options
 * hold them.
 */
export async function checkAccount(
  { calls, onSilence, evidence, keepReportedId }: CheckAccountDeps,
  active: Pick<ActiveAdapter, 'name' | 'account' | 'ref' | 'adapter' | 'isStored'>,
  sides: readonly boolean[],
): Promise<readonly Finding[]> {
  const { name, ref } = active;
  const findings: Finding[] = [];
  let isSilent = false;
  for (const sandbox of sides) {
    const about = `${ref} (${sandbox ? 'test' : 'live'})`;
    const places = secretPlaces(active, sandbox);
    const found = await calls.checkAccount(ref, sandbox);
    for (const { ok, finding, cure } of found) {
      const part = isAboutCallbacks(finding) ? 'callbacks' : 'credentials';
      const where = !ok && part === 'credentials' ? places : '';
      findings.push({
        state: ok ? 'ok' : 'wrong',
        part,
        text: `${about}: ${finding}${cure ? `: ${cure}` : ''}${where && `. ${where}`}`,
      });
    }
    const id = reportedIdOf(found);
    const problem = id === undefined ? undefined : await keepReportedId(ref, sandbox, id);
    if (problem !== undefined) findings.push({ state: 'wrong', part: 'credentials', text: `${about}: ${problem}` });
    isSilent ||= found.some(({ ok, finding }) => !ok && isAboutCallbacks(finding));
    if (found.length === 0) findings.push(byEvidence(about, places, await evidence.refusal(ref, modeOf(sandbox))));
  }
  if (isSilent) {
    await onSilence(name);
    findings.push({
      state: 'warn',
      part: 'callbacks',
      text: `${name}: callbacks may be missing: once one is accepted again, payments are checked automatically; to check them immediately, run paywright payments reconcile --since <time> --adapter ${name}`,
    });
  }
  return findings;
}

/** The id by which the provider names the account. Undefined: the check did not succeed, or shows none. */
export function reportedIdOf(findings: readonly AccountFinding[]): string | undefined {
  return findings.find(({ ok, accountId }) => ok && accountId !== undefined)?.accountId;
}

function byEvidence(about: string, places: string, refusal: AccountRefusal | undefined): Finding {
  const part = 'credentials';
  if (!refusal)
    return { state: 'unchecked', part, text: `${about}: credentials not checked: the adapter cannot ask about them` };
  const { reason, at } = refusal;
  const text = `${about}: credentials refused, last at ${at.toISOString()}${reason && `: ${reason}`}. ${places}`;
  return { state: 'wrong', part, text: text.trim() };
}

/** A finding that names an address of our callbacks is about the provider's endpoint. */
function isAboutCallbacks(finding: string): boolean {
  return finding.includes('/callbacks/');
}

function modeOf(sandbox: boolean): Environment {
  return sandbox ? 'test' : 'live';
}
