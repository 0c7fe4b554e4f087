/** Payments that no provider can take with the present routes and adapters. */
import { status, type PaymentRecord } from '../../../database/collections/payment-request.ts';
import type { WhyUnpayable } from '../submit/why-unpayable.ts';
import { isExpired } from '../record/is-expired.ts';

/** Why no provider can take the payment, as a part of a sentence. Null: one can, or it is not about to be paid. */
export type NoRouteOf = (record: Unpaid, now: Date) => Promise<string | null>;

type Unpaid = Pick<PaymentRecord, 'ownerId' | 'statusId' | 'environment' | 'unit' | 'amount' | 'providerAccount'> &
  Parameters<typeof isExpired>[0] & { readonly attempts: readonly unknown[] };

export function createNoRouteOf(whyUnpayable: WhyUnpayable): NoRouteOf {
  return async (record, now) => {
    const { ownerId, statusId, attempts, environment, unit, amount, providerAccount: account } = record;
    if (statusId !== status.created || attempts.length > 0 || isExpired(record, now)) return null;
    const why = await whyUnpayable({ ownerId, unit, amount, account, sandbox: environment === 'test' });
    return why ? `${why.field === 'unit' ? unit : 'its amount'} ${why.message}` : null;
  };
}

/** The filter of payments that may lack a route: no attempt was started. */
export const neverTried = { statusId: status.created, 'attempts.0': { $exists: false } } as const;
