/** Expires payment requests that nobody submitted in time. */
import type { Connection } from 'mongoose';
import { paymentRequestModel, status } from '../../database/collections/payment-request.ts';
import type { PaymentsDeps } from './deps.ts';
import { HOUR } from '../../base/async/time.ts';
import { applyFacts } from './state/apply-facts.ts';

export interface Expiry {
  /** Ids of those that were never submitted and may no longer be; at most `limit`. */
  due(limit: number): Promise<readonly number[]>;
  /** False, and logged, where the payment cannot be changed: one such must not keep the others open. */
  expire(id: number): Promise<boolean>;
}

export function createExpiry({
  connection,
  store,
  feeOf,
  config,
  now,
  log,
}: Pick<PaymentsDeps, 'store' | 'feeOf' | 'config' | 'now' | 'log'> & { readonly connection: Connection }): Expiry {
  const model = paymentRequestModel(connection);
  return {
    async due(limit) {
      const at = now();
      const open = { statusId: status.created };
      const since = new Date(at.getTime() - config.expireCreatedAfterHours * HOUR);
      const either = [
        { ...open, expiresAt: { $lte: at } },
        // Of a version that knew no such time.
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
