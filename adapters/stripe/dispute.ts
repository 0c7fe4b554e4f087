/** A dispute, as Stripe shows it in events and lists. Its status decides, never the name of the event. */
import { filled, jsonInteger, lenient, v, withDetails, type ReportedEvent } from '@paywright/contract';
import { inquiries } from './statuses.ts';
import { Digits, fromStripeAmount } from './wire.ts';

const Text = v.string();
/** A time in Unix seconds, within the range of a date. */
const Seconds = v.pipe(jsonInteger(), v.minValue(0), v.maxValue(253_402_300_799));

export const Dispute = v.object({
  id: filled,
  object: v.literal('dispute'),
  amount: Digits,
  currency: Text,
  payment_intent: v.nullish(Text),
  status: filled,
  reason: lenient(Text),
  /** What the dispute took from our balance, and what came back. */
  balance_transactions: lenient(v.array(v.object({ amount: jsonInteger() }))),
  evidence_details: lenient(v.object({ due_by: lenient(v.nullable(Seconds)) })),
  payment_method_details: lenient(
    v.object({ card: v.object({ case_type: lenient(Text), network_reason_code: lenient(v.nullable(Text)) }) }),
  ),
});
export type Dispute = v.InferOutput<typeof Dispute>;

/** `prevented` says that the case is over, but not whether the payer has the money: a suffix says that it has. */
function statusOf({ status, balance_transactions = [], payment_method_details }: Dispute): string {
  if (status !== 'prevented') return status;
  const caseType = payment_method_details?.card.case_type;
  const sum = balance_transactions.reduce((total, { amount }) => total + BigInt(amount), 0n);
  const isGone = caseType === 'resolution' || (caseType !== 'block' && sum < 0n);
  return isGone ? `${status}:refunded` : status;
}

/** Returns undefined for an inquiry, which withdraws no money. `reference` is set where the caller knows it. */
export function toDisputeEvent(dispute: Dispute, reference: string | null = null): ReportedEvent | undefined {
  const { id, amount, currency, payment_intent = null, reason, evidence_details } = dispute;
  const providerStatus = statusOf(dispute);
  if (inquiries.has(providerStatus)) return undefined;
  const dueBy = evidence_details?.due_by;
  return {
    kind: 'chargeback',
    providerStatus,
    reference,
    providerReference: payment_intent,
    subReference: id,
    ...fromStripeAmount(amount, currency),
    dedupeKey: `${id}:${providerStatus}`,
    ...withDetails({
      reason,
      networkReasonCode: dispute.payment_method_details?.card.network_reason_code,
      evidenceDueBy: dueBy ? new Date(dueBy * 1000).toISOString() : undefined,
    }),
  };
}
