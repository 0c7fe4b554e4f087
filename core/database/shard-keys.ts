/**
 * The shard key of each collection that grows with payments, for deployments where one replica set is too small.
 *
 * Every key is hashed: ids rise, so ranges of ids would send all new documents to one shard. Collections that are not
 * listed here stay on one shard: settings, keys and counters are few.
 */
export interface ShardKey {
  readonly key: string;
  /** The reason for this key. */
  readonly reason: string;
}

export const shardKeys: Readonly<Record<string, ShardKey>> = {
  paymentRequests: {
    key: '_id',
    reason: 'every step of a payment is a compare-and-set by its id; one large owner would not fit into one shard',
  },
  clients: { key: '_id', reason: 'the id is derived from the e-mail address, and payments refer to the id' },
  inbox: { key: '_id', reason: 'callbacks are deduplicated by the id, and rows are settled by it' },
  notifications: { key: '_id', reason: 'the id makes the notification unique, and rows are settled by it' },
  exchanges: { key: 'paymentRequestId', reason: 'exchanges are only read with their payment' },
  apiCalls: { key: 'ownerId', reason: 'calls are limited per owner and listed per owner' },
  idempotencyRecords: { key: '_id', reason: 'the id is the fingerprint of the idempotency key of a request' },
  velocities: { key: '_id', reason: 'the id is the fingerprint of the counted value' },
  rateWindows: { key: '_id', reason: 'the id is the API key and the minute' },
};
