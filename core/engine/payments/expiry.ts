/** Expires payment requests that were not submitted in time. */
import type { Connection } from 'mongoose';
import { paymentRequestModel, status } from '../../database/collections/payment-request.ts';
import type { Logger } from 'pino';
import { HOUR } from '../../base/async/time.ts';
import { applyFacts } from './state/apply-facts.ts';
import type { FeeOf } from './state/fee.ts';
import type { PaymentStore } from './store/payment-store.ts';

export interface Expiry {
  /** Ids of payment requests that were never submitted and have expired; at most `limit`. */
  due(limit: number): Promise<readonly number[]>;
  /** False, and logged, if the payment cannot be changed. One such payment must not keep the others open. */
  expire(id: number): Promise<boolean>;
}

export interface ExpiryDeps {
  readonly connection: Connection;
  readonly store: Pick<PaymentStore, 'change'>;
  readonly feeOf: FeeOf;
  readonly config: { readonly expireCreatedAfterHours: number };
  readonly now: () => Date;
  readonly log: Logger;
}

export function createExpiry({ connection, store, feeOf, config, now, log }: ExpiryDeps): Expiry {
  const model = paymentRequestModel(connection);
  return {
    async due(limit) {
      const at = now();
      const open = { statusId: status.created };
      const since = new Date(at.getTime() - config.expireCreatedAfterHours * HOUR);
      const either = [
        { ...open, expiresAt: { $lte: at } },
        // Payment requests of an older version have no such time.
        { ...open, expiresAt: null, createdAt: { $lte: since } },
      ];
      const found = await model.find({ $or: either }, { _id: 1 }).limit(limit).lean();
      return found.map(({ _id }) => _id);
    },
    async expire(id) {
      try {
        await store.change(id, `expire-${id}`, (record) => applyFacts(record, [{ type: 'expire', at: now() }], feeOf));
        return true;
      } catch (error) {
        log.error({ err: error, paymentRequestId: id }, 'a payment request could not be expired');
        return false;
      }
    },
  };
}
