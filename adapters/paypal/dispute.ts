/** A dispute, as PayPal shows it in webhooks and answers. */
import {
  defined,
  filled,
  lenient,
  readReference,
  rfc3339,
  v,
  withDetails,
  type ReportedEvent,
} from '@paywright/contract';
import type { About } from './events.ts';
import { Id } from './order.ts';
import { Amount } from './wire.ts';

const Transaction = v.object({
  /** The id of the capture. */
  seller_transaction_id: lenient(Id),
  /** `custom_id` and `invoice_id` of the capture. Both are our reference. */
  custom: lenient(filled),
  invoice_number: lenient(filled),
});

/** The id of a dispute. It always has a hyphen, unlike PayPal's other ids. */
export const DisputeId = v.pipe(v.string(), v.regex(/^(?=.*-)[A-Za-z0-9-]{1,255}$/, 'the id of a dispute'));

export const Dispute = v.object({
  dispute_id: DisputeId,
  status: filled,
  reason: lenient(filled),
  dispute_amount: lenient(Amount),
  dispute_life_cycle_stage: lenient(filled),
  dispute_outcome: lenient(v.object({ outcome_code: lenient(filled) })),
  disputed_transactions: v.pipe(v.array(Transaction), v.minLength(1)),
  seller_response_due_date: lenient(rfc3339),
  update_time: lenient(rfc3339),
});
export type Dispute = v.InferOutput<typeof Dispute>;

/** True if the dispute is about one of these captures, or names this reference of ours. */
export function isAbout({ disputed_transactions }: Dispute, reference: string, captures: readonly string[]): boolean {
  return disputed_transactions.some(
    ({ seller_transaction_id: id, custom, invoice_number }) =>
      custom === reference || invoice_number === reference || (id !== undefined && captures.includes(id)),
  );
}

/**
 * Undefined for an inquiry, which withdraws no money: a refund or an agreement may still end it. `about` is set if the
 * caller knows the payment.
 */
export function toDisputeEvent(dispute: Dispute, about?: About): ReportedEvent | undefined {
  if (dispute.dispute_life_cycle_stage === 'INQUIRY') return undefined;
  const { dispute_id: id, status, dispute_amount, dispute_outcome, disputed_transactions, update_time } = dispute;
  const [transaction] = disputed_transactions;
  const providerStatus = status === 'RESOLVED' ? `RESOLVED:${dispute_outcome?.outcome_code ?? 'NONE'}` : status;
  const named = [transaction?.custom, transaction?.invoice_number].find((text) => text && readReference(text));
  return {
    kind: 'chargeback',
    providerStatus,
    reference: named ?? null,
    providerReference: transaction?.seller_transaction_id ?? null,
    ...about,
    subReference: id,
    ...(dispute_amount ?? { amount: null, currency: null }),
    dedupeKey: `${id}:${providerStatus}`,
    ...defined({ occurredAt: update_time, orderHint: update_time?.getTime() }),
    ...withDetails({
      reason: dispute.reason,
      stage: dispute.dispute_life_cycle_stage,
      respondBy: dispute.seller_response_due_date?.toISOString(),
    }),
  };
}
