import { status, type PaymentRecord } from '../../../database/collections/payment-request.ts';

export const statusWords = ['created', 'pending', 'paid', 'failed', 'refunded', 'expired'] as const;
export type StateWord = (typeof statusWords)[number] | 'cancelled';

/** The status of a payment request as a word. */
export function stateOf({ statusId, cancelledAt }: Pick<PaymentRecord, 'statusId' | 'cancelledAt'>): StateWord {
  return statusId === status.expired && cancelledAt ? 'cancelled' : statusWords[statusId];
}

/** The `statusId` of a word; a cancelled payment request has that of an expired one. Undefined: no such word. */
export function statusIdOf(word: string): PaymentRecord['statusId'] | undefined {
  return Object.entries(status).find(([name]) => name === word)?.[1];
}
