/**
 * The key by which each collection that grows with payments is sharded, where one replica set is too small. Every key is
 * hashed: ids rise, and ranges of them would send all new documents to one shard. What is not here stays on one shard:
 * settings, keys and counters are few.
 */
export interface ShardKey {
  readonly key: string;
  /** Why this key. */
  readonly reason: string;
}

export const shardKeys: Readonly<Record<string, ShardKey>> = {
  paymentRequests: {
    key: '_id',
    reason: 'every step of a payment is a compare-and-set by its id; a large owner would not fit into one shard',
  },
  clients: { key: '_id', reason: 'the id follows from the e-mail, and payments name the id' },
  inbox: { key: '_id', reason: 'the id is what a callback is deduplicated by, and rows are settled by it' },
  notifications: { key: '_id', reason: 'the id makes it once, and rows are settled by it' },
  exchanges: { key: 'paymentRequestId', reason: 'they are read with their payment, and by nothing else' },
  apiCalls: { key: 'ownerId', reason: 'they are bounded per owner, and listed for one' },
  idempotencyRecords: { key: '_id', reason: 'the id is the fingerprint of the key that a request carries' },
  velocities: { key: '_id', reason: 'the id is the fingerprint of what is counted' },
  rateWindows: { key: '_id', reason: 'the id is the API key and the minute' },
};
