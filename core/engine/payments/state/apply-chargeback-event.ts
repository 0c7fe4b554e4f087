/** What a provider's report of a chargeback case adds to the facts. */
import type { Attempt } from '../../../database/collections/attempt.ts';
import type { DisputeStage, ReportedStage } from '../../../database/collections/dispute.ts';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import type { MappedEvent } from '../../providers/mapped-event.ts';
import { largerOf } from './disputes.ts';
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
  const isLater = !same || (order !== null && (same.order === null || order > same.order));
  const amount = isLater ? (event.amount ?? same?.amount ?? null) : amountBeside(same, order, event.amount);
  if (same && !isLater && amount === same.amount) return { kind: 'nothing', reason: 'nothing new' };
  const stageOrder = isLater ? order : same.order;
  const disputeStages = [
    ...record.disputeStages.filter((other) => other !== same),
    { attempt: attempt.n, subReference, stage, amount, order: stageOrder },
  ];
  return addedFacts({ disputeStages }, attempt, event, eventId);
}

/**
 * The amount of a stage that is known already: the later report's amount, else the one that names an amount, else the
 * larger.
 */
function amountBeside(same: ReportedStage, order: number | null, amount: string | null): string | null {
  return same.order === order ? largerOf(same.amount, amount) : (same.amount ?? amount);
}
