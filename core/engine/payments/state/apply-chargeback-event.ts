/** What a provider's report of a chargeback case adds to the facts. It counts whatever its amount and currency are. */
import { isDecimal } from '@paywright/contract';
import type { Attempt } from '../../../database/collections/attempt.ts';
import type { DisputeStage, ReportedStage } from '../../../database/collections/dispute.ts';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import type { MappedEvent } from '../../providers/mapped-event.ts';
import { largerAmount, type StageAmount } from './disputes.ts';
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
  const reported = amountOf(event, attempt);
  const kept = isLater
    ? reported.amount === null
      ? (same ?? reported)
      : reported
    : amountBeside(same, order, reported);
  if (same && !isLater && kept === same) return { kind: 'nothing', reason: 'nothing new' };
  const { amount, currency } = kept;
  const stageOrder = isLater ? order : same.order;
  const disputeStages = [
    ...record.disputeStages.filter((other) => other !== same),
    { attempt: attempt.n, subReference, stage, amount, ...(currency !== undefined && { currency }), order: stageOrder },
  ];
  return addedFacts({ disputeStages }, attempt, withReported(event, attempt), eventId);
}

/** The reported amount. Its currency is absent if it is the currency of the attempt, or not named. */
function amountOf({ amount, currency }: MappedEvent, attempt: Attempt): StageAmount {
  if (amount === null || !isDecimal(amount)) return { amount: null };
  return currency === null || currency === attempt.currency ? { amount } : { amount, currency };
}

/**
 * The amount of a stage that is known already: the later report's amount, else the one that names an amount, else the
 * larger.
 */
function amountBeside(same: ReportedStage, order: number | null, reported: StageAmount): StageAmount {
  return same.order === order || same.amount === null ? largerAmount(same, reported) : same;
}

/** For the log: the details also name the amount and currency that the provider reports. */
function withReported(event: MappedEvent, attempt: Attempt): MappedEvent {
  const { amount, currency, details } = event;
  return amount === null
    ? event
    : { ...event, details: { ...details, amount, currency: currency ?? attempt.currency } };
}
