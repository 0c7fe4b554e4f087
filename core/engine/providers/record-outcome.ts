/**
 * Records what an outcome says about the adapter itself: statuses that it does not know, and whether the provider
 * accepts our account.
 */
import type { Outcome } from '@paywright/contract';
import { adapterOfRef } from './account-ref.ts';
import { aboutStatus, adapterSubject, type Clear, type Raise } from '../alarms/index.ts';
import type { Environment } from '../../base/environment.ts';
import type { Metrics } from '../../base/metrics/index.ts';
import type { AlarmSubject } from '../../database/collections/alarm.ts';
import type { CallFacts } from './guarded-call.ts';

export interface OutcomeRecorder {
  /** Counts an unknown status, and raises or clears the alarms about the adapter. */
  readonly recordOutcome: (ref: string, call: string, facts: CallFacts, outcome: Outcome) => void;
  /**
   * Clears the "misconfigured" alarm. Also runs on the first successful call after a restart, because operators fix
   * settings in config and restart.
   */
  readonly clearMisconfiguration: (ref: string, facts: CallFacts) => void;
}

export interface OutcomeRecorderDeps {
  readonly raise: Raise;
  readonly clear: Clear | undefined;
  readonly metrics: Pick<Metrics, 'unknownStatuses'>;
}

export function createOutcomeRecorder({ raise, clear, metrics }: OutcomeRecorderDeps): OutcomeRecorder {
  /**
   * Accounts in one mode that the provider accepted in their latest conclusive call in this process. Their alarm
   * is cleared only once.
   */
  const acceptedAccounts = new Set<string>();

  function clearMisconfiguration(ref: string, facts: CallFacts): void {
    const account = accountOf(ref, facts);
    if (acceptedAccounts.has(account.id)) return;
    acceptedAccounts.add(account.id);
    clear?.('provider_misconfigured', account);
  }

  return {
    recordOutcome(ref, call, facts, outcome) {
      const { paymentRequestId, attempt } = facts;
      const logFields = { adapter: ref, call, paymentRequestId, attempt };
      if (outcome.unknownStatus !== undefined) {
        const kind = outcome.outcome === 'failed' ? 'decline' : call === 'refund' ? 'refund' : 'payment';
        metrics.unknownStatuses.inc({ provider: adapterOfRef(ref), kind });
        const about = aboutStatus(kind, outcome.unknownStatus);
        const reason = `${kind} ${outcome.unknownStatus}, payment ${paymentRequestId}`;
        raise('status_unknown', adapterSubject(adapterOfRef(ref), modeOf(facts), about), reason, logFields);
      }
      if (outcome.outcome === 'failed' && outcome.misconfigured) {
        const account = accountOf(ref, facts);
        acceptedAccounts.delete(account.id);
        raise('provider_misconfigured', account, outcome.reason ?? '', logFields);
      } else if (isConclusive(outcome)) clearMisconfiguration(ref, facts);
    },
    clearMisconfiguration,
  };
}

/** True if the provider evaluated the payment itself, and so has accepted our account and keys. */
function isConclusive(outcome: Outcome): boolean {
  if (outcome.outcome === 'failed')
    return (outcome.decline !== undefined || outcome.cancelled === true) && !outcome.notSent;
  return outcome.outcome === 'succeeded' || outcome.outcome === 'pending';
}

function accountOf(ref: string, facts: CallFacts): AlarmSubject {
  return adapterSubject(ref, modeOf(facts));
}

function modeOf({ sandbox }: Pick<CallFacts, 'sandbox'>): Environment {
  return sandbox ? 'test' : 'live';
}
