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
  const reported = { ...amountOf(event, attempt), order };
  const kept = same ? merge(same, reported) : reported;
  if (kept === same) return { kind: 'nothing', reason: 'nothing new' };
  const disputeStages = [
    ...record.disputeStages.filter((other) => other !== same),
    { attempt: attempt.n, subReference, stage, ...kept },
  ];
  return addedFacts({ disputeStages }, attempt, withReported(event, attempt), eventId);
}

/** The reported amount. Its currency is absent if it is the currency of the attempt, or not named. */
function amountOf({ amount, currency }: MappedEvent, attempt: Attempt): StageAmount {
  if (amount === null || !isDecimal(amount)) return { amount: null };
  return currency === null || currency === attempt.currency ? { amount } : { amount, currency };
}

type Reported = StageAmount & Pick<ReportedStage, 'order' | 'amountOrder'>;

/**
 * Two reports of one stage, the same in every order: the later order, and the amount of the latest report that names
 * one. Among equals, the larger amount. Returns `same` itself if the report says nothing new.
 */
function merge(same: ReportedStage, reported: Reported): Reported {
  const order = isLater(reported.order, same.order) ? reported.order : same.order;
  const { amountOrder: known = same.order } = same;
  const named = isLater(reported.order, known) ? reported : isLater(known, reported.order) ? same : undefined;
  const kept =
    same.amount === null ? reported : reported.amount === null ? same : (named ?? largerAmount(same, reported));
  const amountOrder = kept === same ? known : reported.order;
  if (kept === same && order === same.order) return same;
  const { amount, currency } = kept;
  return {
    amount,
    ...(currency !== undefined && { currency }),
    order,
    ...(amount !== null && amountOrder !== order && { amountOrder }),
  };
}

/** A report without order is earlier than any other. */
function isLater(one: number | null, other: number | null): boolean {
  return (one ?? -Infinity) > (other ?? -Infinity);
}

/** For the log: the details also name the amount and currency that the provider reports. */
function withReported(event: MappedEvent, attempt: Attempt): MappedEvent {
  const { amount, currency, details } = event;
  return amount === null
    ? event
    : { ...event, details: { ...details, amount, currency: currency ?? attempt.currency } };
}
