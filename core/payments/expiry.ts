/** Expires payment requests that nobody submitted in time. */
import type { Connection } from 'mongoose';
import { paymentRequestModel, status } from '../documents/payment-request.ts';
import type { PaymentsDeps } from './deps.ts';
import { applyFacts } from './state/apply-facts.ts';

export interface Expiry {
  /** Ids of those that were created longer than `afterMs` ago and never submitted; at most `limit`. */
  due(afterMs: number, limit: number): Promise<readonly number[]>;
  /** False, and logged, where the payment cannot be changed: one such must not keep the others open. */
  expire(id: number): Promise<boolean>;
}

export function createExpiry({
  connection,
  store,
  feeOf,
  now,
  log,
}: Pick<PaymentsDeps, 'store' | 'feeOf' | 'now' | 'log'> & { readonly connection: Connection }): Expiry {
  const model = paymentRequestModel(connection);
  return {
    async due(afterMs, limit) {
      const before = new Date(now().getTime() - afterMs);
      const open = { statusId: status.created, createdAt: { $lt: before } };
      const found = await model.find(open, { _id: 1 }).limit(limit).lean();
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
