/** A dispute, as webhooks and the list of disputes show it. Its status decides, never the name of the event. */
import {
  defined,
  filled,
  jsonInteger,
  lenient,
  moneyFromMinor,
  v,
  withDetails,
  writeRfc3339,
  type ReportedEvent,
} from '@paywright/contract';
import { Minor } from './payment.ts';

/** A time in Unix seconds, within the range of a date. */
export const Seconds = lenient(v.pipe(jsonInteger(), v.minValue(0), v.maxValue(253_402_300_799)));

export const Dispute = v.object({
  id: filled,
  payment_id: lenient(filled),
  amount: Minor,
  currency: v.string(),
  status: filled,
  /** Above 0 only if the money was taken. */
  amount_deducted: lenient(Minor),
  reason_code: lenient(filled),
  phase: lenient(filled),
  respond_by: Seconds,
});
export type Dispute = v.InferOutput<typeof Dispute>;

/** `closed` does not say for whom. The dispute was withdrawn only if Razorpay says that it deducted nothing. */
function statusOf({ status, amount_deducted }: Dispute): string {
  const isDeducted = status === 'closed' && amount_deducted !== '0';
  return isDeducted ? 'dispute.closed:deducted' : `dispute.${status}`;
}

/** `names` are core's references of the payment, `orderHint` is the time of the event. */
export function toDisputeEvent(
  dispute: Dispute,
  names: Pick<ReportedEvent, 'reference' | 'providerReference'>,
  orderHint?: number,
): ReportedEvent {
  const { id, amount, currency, amount_deducted: deducted, reason_code: reason, phase, respond_by } = dispute;
  const providerStatus = statusOf(dispute);
  return {
    kind: 'chargeback',
    providerStatus,
    ...names,
    subReference: id,
    ...moneyFromMinor(amount, currency),
    dedupeKey: `${id}:${providerStatus}`,
    ...withDetails({
      reason,
      phase,
      respondBy: respond_by === undefined ? undefined : writeRfc3339(new Date(respond_by * 1000)),
      amountDeducted: deducted === undefined ? undefined : moneyFromMinor(deducted, currency).amount,
    }),
    ...defined({ orderHint }),
  };
}
