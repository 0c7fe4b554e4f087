import { sameText } from '@paywright/contract';
import type { PaymentStore } from '../store/payment-store.ts';
import type { Caller } from '../types/caller.ts';

/** The caller for whom the holder of a payment's link pays; undefined if the link belongs to no payment. */
export type PayerOf = (id: number, linkKey: string, requestId: string) => Promise<Caller | undefined>;

export function createPayerOf({ store }: { readonly store: Pick<PaymentStore, 'load'> }): PayerOf {
  return async function payerOf(id, linkKey, requestId) {
    const record = await store.load(id);
    if (!record || !sameText(linkKey, record.linkKey)) return undefined;
    return { ownerId: record.ownerId, environment: record.environment, requestId };
  };
}
