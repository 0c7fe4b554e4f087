/** An `Idempotency` in memory, for tests of its calls and of how its answers are used. */
import type { Beginning, Idempotency, StoredResponse } from '../../engine/access/index.ts';
import { GatewayError } from '../../base/errors.ts';

interface Kept {
  readonly fingerprint: string;
  response?: StoredResponse;
  paymentRequestId?: number;
  /** True if the process of the request died. */
  isLost?: boolean;
}

export type IdempotencyDouble = Idempotency & {
  readonly records: ReadonlyMap<string, Kept>;
  /** Simulates the death of the process that runs the request. */
  lose(key: string): void;
};

export function createIdempotencyDouble(): IdempotencyDouble {
  const records = new Map<string, Kept>();
  const conflict = (message: string): GatewayError => new GatewayError('IDEMPOTENCY_CONFLICT', message);

  return {
    records,
    lose(key) {
      records.get(key)!.isLost = true;
    },
    async begin({ key, fingerprint }): Promise<Beginning> {
      const kept = records.get(key);
      const record = { id: key, token: 'token', operationId: `${key}-1` };
      if (!kept) {
        records.set(key, { fingerprint });
        return { state: 'new', record };
      }
      if (kept.fingerprint !== fingerprint) throw conflict('another request');
      // The real implementation stores the answer as JSON.
      if (kept.response)
        return { state: 'replay', response: JSON.parse(JSON.stringify(kept.response)) as StoredResponse };
      if (kept.isLost) {
        const { paymentRequestId } = kept;
        return paymentRequestId === undefined
          ? { state: 'new', record }
          : { state: 'resolve', record, paymentRequestId };
      }
      throw conflict('still running');
    },
    async bindPayment({ id }, paymentRequestId) {
      records.get(id)!.paymentRequestId = paymentRequestId;
    },
    reservePayments: async (_record, ids) => ids,
    hold: () => () => undefined,
    async complete({ id }, response) {
      records.get(id)!.response = response;
    },
    async release({ id }) {
      records.get(id)!.isLost = true;
    },
    async abandon({ id }) {
      records.delete(id);
    },
  };
}
