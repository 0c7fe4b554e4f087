/** `needs_merchant`: the provider cannot send the money, so the merchant must. */
export const refundStatuses = ['pending', 'needs_merchant', 'succeeded', 'failed', 'reversed'] as const;
export type RefundStatus = (typeof refundStatuses)[number];
