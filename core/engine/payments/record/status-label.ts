import { status, type PaymentRecord } from '../../../database/collections/payment-request.ts';

export const statusLabels = ['created', 'pending', 'paid', 'failed', 'refunded', 'expired'] as const;
export type StatusLabel = (typeof statusLabels)[number] | 'cancelled';

/** The status of a payment request as a word. */
export function statusLabelOf({ statusId, cancelledAt }: Pick<PaymentRecord, 'statusId' | 'cancelledAt'>): StatusLabel {
  return statusId === status.expired && cancelledAt ? 'cancelled' : statusLabels[statusId];
}

/**
 * The `statusId` of a status label. A cancelled payment request has the id of an expired one. Undefined: there is no
 * such label.
 */
export function statusIdOf(word: string): PaymentRecord['statusId'] | undefined {
  return Object.entries(status).find(([name]) => name === word)?.[1];
}
