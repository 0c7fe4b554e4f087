/** Implements `Idempotency-Key`: a repeated request gets the same answer and is never executed again. */
import { randomUUID } from 'node:crypto';
import type { Connection, mongo } from 'mongoose';
import * as v from 'valibot';
import { bulkWrite, toError } from '../../database/bulk-write.ts';
import { idempotencyRecordModel } from '../../database/collections/idempotency-record.ts';
import type { IdempotencyRecordDocument } from '../../database/collections/idempotency-record.ts';
import { createInsertBatcher } from '../../database/insert-batcher.ts';
import { createBatcher } from '../../database/batcher.ts';
import { createLeases, endLease, noLease } from '../../database/lease.ts';
import { driverCodecOf } from '../../database/driver-codec.ts';
import { answerContext } from '../../database/encryption-context.ts';
import { GatewayError, invalidField, takenOver } from '../../base/errors.ts';
import type { Environment } from '../../base/environment.ts';
import type { Encrypter } from '../../base/crypto/encryption.ts';

/** The right to finish the request of a key. It is lost when another process takes over the request. */
export interface IdempotencyRecord {
  readonly id: string;
  readonly token: string;
  /**
   * Identifies the operation. It is the same for every repetition of the request, and different if the key is reused.
   */
  readonly operationId: string;
}

/** An answer to replay. `body` is plain JSON data; it is read back as JSON stores it. */
export interface StoredResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

export interface KeyedRequest {
  readonly ownerId: number;
  /** Test and live have separate keys, because they never mix. */
  readonly environment: Environment;
  /** The header as received. */
  readonly key: string;
  /** From `requestFingerprint`. */
  readonly fingerprint: string;
  readonly requestId: string;
  /** The payment request that the request is about, or the id that is reserved for the one that it creates. */
  readonly paymentRequestId?: number;
}

export type Beginning =
  | { readonly state: 'new'; readonly record: IdempotencyRecord }
  | { readonly state: 'replay'; readonly response: StoredResponse }
  /**
   * The process of the first request died after it had named the payment request. The caller must answer from the
   * current state of that payment request, and then call `complete`.
   */
  | { readonly state: 'resolve'; readonly record: IdempotencyRecord; readonly paymentRequestId: number };

export interface Idempotency {
  /**
   * Exactly one of all requests with a key gets `new`. Throws VAL002 for an invalid key, and IDEM001 if the key
   * belongs to another request or the first request is still running.
   */
  begin(request: KeyedRequest): Promise<Beginning>;
  /**
   * Stores which payment request the request is about (it may differ from the one at `begin`), before it is created or
   * its provider is called. After that, a repetition never starts from the beginning. Throws IDEM001 if the record was
   * taken over: the caller must stop.
   */
  bindPayment(record: IdempotencyRecord, paymentRequestId: number): Promise<void>;
  /**
   * Stores the ids of all payment requests that a batch will create, before it creates the first one. If an earlier run
   * stored ids, returns those. Throws IDEM001 like `bindPayment`.
   */
  reservePayments(record: IdempotencyRecord, ids: readonly number[]): Promise<readonly number[]>;
  /**
   * Renews the lease of the record until the returned function is called, however long the request runs. A repetition
   * then finds that the request is running, and both get the same answer. A process that dies or hangs loses the
   * record when its lease expires.
   */
  hold(record: IdempotencyRecord): () => void;
  /** Stores the answer. Does nothing if the record was taken over: the new holder answers from the payment. */
  complete(record: IdempotencyRecord, response: StoredResponse): Promise<void>;
  /**
   * Ends the lease, because the result of the request is unknown. A repetition takes it over immediately, under the
   * same `operationId`, and does what is missing.
   */
  release(record: IdempotencyRecord): Promise<void>;
  /** Forgets the key, after an error before the provider was called, and after PAY005. */
  abandon(record: IdempotencyRecord): Promise<void>;
}

const defaultLeaseMs = 60_000;
/** How long a key is kept, and its maximum length in characters. */
export const idempotencyKeyLimits = { keepHours: 24, maxLength: 255 } as const;
const keepMs = idempotencyKeyLimits.keepHours * 3_600_000;
const tries = 10;
const plainRead = { lean: true, promoteBuffers: true } as const;
const Stored = v.object({ status: v.number(), headers: v.record(v.string(), v.string()), body: v.unknown() });

/** Throws VAL002 if the header is empty or too long. */
export function readIdempotencyKey(given: string): string {
  const { maxLength } = idempotencyKeyLimits;
  if (given.length < 1 || given.length > maxLength) {
    throw invalidField('Idempotency-Key', given, `must be 1 to ${maxLength} characters`);
  }
  return given;
}

export function createIdempotency({
  connection,
  encrypter,
  now,
  leaseMs = defaultLeaseMs,
}: {
  readonly connection: Connection;
  readonly encrypter: Encrypter;
  readonly now: () => Date;
  /** How long a dead process keeps a key, in milliseconds. Default 60,000. */
  readonly leaseMs?: number;
}): Idempotency {
  const records = idempotencyRecordModel(connection);
  const leases = createLeases(records, 'leaseUntil', leaseMs);

  const { collection } = driverCodecOf(records);
  const inserts = createInsertBatcher(records);
  const writes = createBatcher<mongo.AnyBulkWriteOperation<{ _id: string }>, void>({
    async run(operations) {
      const results = await bulkWrite(collection, operations);
      return results.map(({ error }) => (error ? { error: toError(error) } : { value: undefined }));
    },
  });

  function newRecord(id: string, request: KeyedRequest, at: Date): IdempotencyRecordDocument {
    const { fingerprint, requestId, paymentRequestId } = request;
    return {
      _id: id,
      fingerprint,
      requestId,
      state: 'running',
      lease: { ...noLease, token: randomUUID(), claimedAt: at },
      leaseUntil: new Date(at.getTime() + leaseMs),
      createdAt: at,
      expireAt: new Date(at.getTime() + keepMs),
      ...(paymentRequestId !== undefined && { paymentRequestId }),
    };
  }

  /** Creates the record if there is none. */
  async function start(id: string, request: KeyedRequest): Promise<IdempotencyRecord | undefined> {
    const fresh = newRecord(id, request, now());
    return (await inserts(fresh)) === 'stored' ? toRecord(fresh) : undefined;
  }

  /** Replaces an expired record, because the database deletes expired records only once a minute. */
  async function restart(found: IdempotencyRecordDocument, request: KeyedRequest): Promise<Beginning | undefined> {
    const fresh = newRecord(found._id, request, now());
    const { modifiedCount } = await records.replaceOne({ _id: found._id, expireAt: found.expireAt }, fresh);
    return modifiedCount === 1 ? { state: 'new', record: toRecord(fresh) } : undefined;
  }

  /** Decides how a request with the same key continues. Undefined: the record has changed, so read it again. */
  async function judge(found: IdempotencyRecordDocument, request: KeyedRequest): Promise<Beginning | undefined> {
    const { _id: id, fingerprint, lease } = found;
    if (found.expireAt <= now()) return restart(found, request);
    if (fingerprint !== request.fingerprint) {
      throw conflict('the Idempotency-Key was used for another request: send this one under a new key');
    }
    if (found.state === 'done') return { state: 'replay', response: readResponse(found) };
    const [taken] = await leases.claim([id], null, {
      where: { fingerprint, state: 'running' },
      set: { requestId: { $literal: request.requestId } },
    });
    if (taken) {
      const record = toRecord(taken);
      const { paymentRequestId } = taken;
      return paymentRequestId === undefined ? { state: 'new', record } : { state: 'resolve', record, paymentRequestId };
    }
    if (!(await records.exists({ _id: id, state: 'running', 'lease.token': lease.token }))) return undefined;
    throw conflict('the first request with this Idempotency-Key is still running: repeat it in a moment');
  }

  function readResponse({ _id: id, response }: IdempotencyRecordDocument): StoredResponse {
    if (!response) throw new Error('an idempotency record says that it is done but holds no answer');
    return v.parse(Stored, JSON.parse(encrypter.decrypt(response, answerContext(id)).toString()));
  }

  return {
    async begin(request) {
      const { ownerId, environment } = request;
      const key = readIdempotencyKey(request.key);
      const id = encrypter.fingerprint(`idempotency ${JSON.stringify([ownerId, environment, key])}`);
      for (let attempt = 0; attempt < tries; attempt += 1) {
        const record = await start(id, request);
        if (record) return { state: 'new', record };
        const found: IdempotencyRecordDocument | null = await records.findById(id, null, plainRead);
        const beginning = found && (await judge(found, request));
        if (beginning) return beginning;
      }
      throw conflict('other requests with this Idempotency-Key are being made now: repeat this one in a moment');
    },

    async bindPayment({ id, token }, paymentRequestId) {
      if (!(await leases.renew(id, token, { paymentRequestId }))) {
        throw takenOver();
      }
    },

    async reservePayments({ id, token }, ids) {
      const reservedIds = { $ifNull: ['$reservedIds', ids] };
      const found = await records
        .findOneAndUpdate({ _id: id, 'lease.token': token }, [{ $set: { reservedIds } }], {
          returnDocument: 'after',
          updatePipeline: true,
        })
        .lean();
      if (!found) throw takenOver();
      return found.reservedIds ?? ids;
    },

    hold({ id, token }) {
      const renewal = setInterval(() => {
        // If the database does not answer, the next renewal may succeed. A record that was lost stays lost.
        leases.renew(id, token).catch(() => undefined);
      }, leaseMs / 4);
      return () => clearInterval(renewal);
    },

    async complete({ id, token }, response) {
      const encrypted = encrypter.encrypt(JSON.stringify(response), answerContext(id));
      const update = { $set: { state: 'done', response: encrypted, ...endLease } };
      await writes({ updateOne: { filter: { _id: id, 'lease.token': token }, update } });
    },

    async release({ id, token }) {
      await leases.release(id, token);
    },

    async abandon({ id, token }) {
      await records.deleteOne({ _id: id, 'lease.token': token });
    },
  };
}

function toRecord({ _id: id, lease, createdAt }: IdempotencyRecordDocument): IdempotencyRecord {
  return { id, token: lease.token!, operationId: `${id}-${createdAt.getTime()}` };
}

function conflict(message: string): GatewayError {
  return new GatewayError('IDEMPOTENCY_CONFLICT', message);
}
