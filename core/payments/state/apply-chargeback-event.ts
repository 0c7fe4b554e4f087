/** What a provider's report of a chargeback case adds to the facts. */
import type { Attempt } from '../../documents/attempt.ts';
import type { DisputeStage } from '../../documents/dispute.ts';
import type { PaymentRecord } from '../../documents/payment-request.ts';
import type { MappedEvent } from '../../providers/mapped-event.ts';
import { addedFacts } from './event-result.ts';
import type { FactResult } from './fact-result.ts';

export function applyChargebackEvent(
  record: PaymentRecord,
  attempt: Attempt,
  event: MappedEvent,
  eventId?: string,
): FactResult {
  const subReference = event.subReference ?? null;
  const stage = event.status as DisputeStage;
  const order = event.orderHint ?? event.occurredAt?.getTime() ?? null;
  const same = record.disputeStages.find(
    (other) => other.attempt === attempt.n && other.subReference === subReference && other.stage === stage,
  );
  if (same && (order === null || (same.order !== null && same.order >= order)))
    return { kind: 'nothing', reason: 'nothing new' };
  const disputeStages = [
    ...record.disputeStages.filter((other) => other !== same),
    { attempt: attempt.n, subReference, stage, amount: event.amount, order },
  ];
  return addedFacts({ disputeStages }, attempt, event, eventId);
}
