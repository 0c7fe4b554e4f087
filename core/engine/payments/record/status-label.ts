import { status, type PaymentRecord } from '../../../database/collections/payment-request.ts';

export const statusLabels = ['created', 'pending', 'paid', 'failed', 'refunded', 'expired'] as const;
/** All labels. A cancelled payment request has the status of an expired one. */
export const allStatusLabels = [...statusLabels, 'cancelled'] as const;
export type StatusLabel = (typeof allStatusLabels)[number];

/** The status of a payment request as a word. */
export function statusLabelOf({ statusId, cancelledAt }: Pick<PaymentRecord, 'statusId' | 'cancelledAt'>): StatusLabel {
  return statusId === status.expired && cancelledAt ? 'cancelled' : statusLabels[statusId];
}

/** A filter for the payment requests with this label. */
export function withStatus(label: StatusLabel): Readonly<Record<string, unknown>> {
  if (label === 'cancelled') return { statusId: status.expired, cancelledAt: { $ne: null } };
  return { statusId: status[label], ...(label === 'expired' && { cancelledAt: null }) };
}
