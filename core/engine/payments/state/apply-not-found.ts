/** What a fetch that found no charge adds to the facts. */
import { attemptOf } from '../../../database/collections/attempt.ts';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import { SECOND } from '../../../base/async/time.ts';
import { withAttempt, type FactResult } from './fact-result.ts';

export interface NotFoundFact {
  readonly type: 'not_found';
  readonly attempt: number;
  readonly at: Date;
  /** How long after the submission our request may still wait in a queue. */
  readonly settleSeconds: number;
}

/** Believed after two such answers, the second one when our request has surely arrived. */
export function applyNotFound(record: PaymentRecord, { attempt: n, at, settleSeconds }: NotFoundFact): FactResult {
  const attempt = attemptOf(record, n);
  // A provider that has given its own reference once had the payment: that it does not find it now proves nothing.
  if (attempt?.outcome !== 'open' || attempt.endedAt === null || attempt.providerReference !== null)
    return { kind: 'nothing', reason: 'it says nothing of this attempt' };
  const log = { attempt: n, transactionId: '', transactionStatusId: 1, code: '' } as const;
  if (attempt.notFoundAt === null) {
    const message = 'the provider has no such payment yet';
    return added({ ...attempt, notFoundAt: at }, { ...log, message });
  }
  if (at.getTime() < attempt.endedAt.getTime() + settleSeconds * SECOND)
    return { kind: 'nothing', reason: 'our request may still arrive' };
  const failed = {
    ...attempt,
    outcome: 'failed',
    unknown: false,
    nothingCharged: true,
    lateChecks: 0,
    action: null,
    settledAt: at,
  } as const;
  return added(failed, {
    ...log,
    transactionStatusId: 3,
    message: 'nothing was charged: the provider never received it',
  });

  function added(
    changed: Parameters<typeof withAttempt>[1],
    entry: Extract<FactResult, { kind: 'added' }>['log'],
  ): FactResult {
    return { kind: 'added', facts: { attempts: withAttempt(record, changed) }, log: entry };
  }
}
