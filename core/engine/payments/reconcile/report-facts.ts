/** The facts that a status report adds to an attempt. */
import { aboutStatus, adapterSubject, type Raise } from '../../alarms/index.ts';
import type { Attempt } from '../../../database/collections/attempt.ts';
import type { MappedReport } from '../../providers/mapped-event.ts';
import type { Encrypter } from '../../../base/crypto/encryption.ts';
import { outcomeFact } from '../state/apply-outcome.ts';
import type { Fact } from '../state/fact.ts';
import { encryptAction } from '../submit/stored-payment.ts';
import { newStep } from '../three-ds/step.ts';
import { takenStep } from './complete.ts';

export interface FactsOfDeps {
  readonly encrypter: Encrypter;
  readonly config: { readonly nothingChargedAfterSeconds: number };
  readonly now: () => Date;
  readonly raise: Raise;
}

export type FactsOf = (attempt: Attempt, report: MappedReport) => Fact[];

type Waiting = Extract<MappedReport, { readonly result: 'waiting' }>;

export function createFactsOf({ encrypter, config, now, raise }: FactsOfDeps): FactsOf {
  function factsOf(attempt: Attempt, report: MappedReport): Fact[] {
    switch (report.result) {
      case 'no_information':
        return [];
      case 'nothing_charged':
        return [{ type: 'not_found', attempt: attempt.n, at: now(), settleSeconds: config.nothingChargedAfterSeconds }];
      case 'waiting':
        return waitingFacts(attempt, report);
      case 'events': {
        // What one fetch shows has one time.
        const at = now();
        for (const { kind, providerStatus } of report.events.filter(({ status }) => status === 'unknown')) {
          const reason = `${kind} ${providerStatus}, attempt ${attempt.reference}`;
          const side = attempt.sandbox ? 'test' : 'live';
          raise('status_unknown', adapterSubject(attempt.adapter, side, aboutStatus(kind, providerStatus)), reason);
        }
        return report.events
          .filter(({ reference }) => reference === null || reference === attempt.reference)
          .flatMap((event): Fact[] => {
            const fact: Fact = { type: 'event', attempt: attempt.n, event, at, fetched: true };
            const { action } = event;
            if (!action || attempt.action || attempt.outcome !== 'open') return [fact];
            // The answer with the action never arrived: the fetch brings the action instead.
            const shown = outcomeFact(attempt.n, { outcome: 'pending', action }, now());
            return [fact, { ...shown, action: encryptAction(encrypter, attempt, action), step: newStep(action) }];
          });
      }
    }
  }

  /** Until a step that was taken is completed, nothing new is known, whatever the provider reports. */
  function waitingFacts(attempt: Attempt, { action, ...report }: Waiting): Fact[] {
    const awaitsPayer = report.awaitsPayer === true;
    const bringsAction = action !== undefined && attempt.action === null;
    const losesStep = awaitsPayer && attempt.action === null && !attempt.stepLost;
    const isNew = attempt.outcome === 'open' && !takenStep(attempt) && (attempt.unknown || bringsAction || losesStep);
    if (!isNew) return [];
    const encrypted = bringsAction ? encryptAction(encrypter, attempt, action) : attempt.action;
    const step = bringsAction ? newStep(action) : null;
    return [{ ...outcomeFact(attempt.n, { outcome: 'pending' }, now()), action: encrypted, step, awaitsPayer }];
  }

  return factsOf;
}
