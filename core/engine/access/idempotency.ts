/** `Idempotency-Key`: a request that is sent again is answered again, and never done again. */
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

/** What runs under a key: the right to finish it, lost when another process takes it over. */
export interface IdempotencyRecord {
  readonly id: string;
  readonly token: string;
  /** Names what the request sets out to do: the same for every repetition of it, another once the key is used anew. */
  readonly operationId: string;
}

/** An answer to be given again. `body` is plain JSON data: what is read back is what JSON makes of it. */
export interface StoredResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

export interface KeyedRequest {
  readonly ownerId: number;
  /** Test and live never meet, so each has its own keys. */
  readonly environment: Environment;
  /** The header as received. */
  readonly key: string;
  /** From `requestFingerprint`. */
  readonly fingerprint: string;
  readonly requestId: string;
  /** The payment request that it is about, or the id that was reserved for the one that it is to make. */
  readonly paymentRequestId?: number;
}

export type Beginning =
  | { readonly state: 'new'; readonly record: IdempotencyRecord }
  | { readonly state: 'replay'; readonly response: StoredResponse }
  /** The process that ran it died after it named the payment request: answer from it as it is now, then `complete`. */
  | { readonly state: 'resolve'; readonly record: IdempotencyRecord; readonly paymentRequestId: number };

export interface Idempotency {
  /**
   * Exactly one of all requests with a key gets `new`. Throws VAL002 on a key that is none, IDEM001 where the key
   * belongs to another request or the first is still running.
   */
  begin(request: KeyedRequest): Promise<Beginning>;
  /**
   * Names another payment request than `begin` was given, or the first, before it is made or its provider is called:
   * from then on a repetition never starts anew. Throws IDEM001 where the record was taken over meanwhile: the caller
   * must stop there.
   */
  bindPayment(record: IdempotencyRecord, paymentRequestId: number): Promise<void>;
  /**
   * Keeps the ids of all that a batch is to make, before any is made; gives those of an earlier run, where there was
   * one. Throws IDEM001 as `bindPayment` does.
   */
  reservePayments(record: IdempotencyRecord, ids: readonly number[]): Promise<readonly number[]>;
  /**
   * Holds the record while its request runs, however long that takes: a repetition finds it running, and both get the
   * same answer. The result ends it. A process that dies, or hangs, loses the record when its lease is over.
   */
  hold(record: IdempotencyRecord): () => void;
  /** Keeps the answer. Nothing happens where the record was taken over: the new holder answers from the payment. */
  complete(record: IdempotencyRecord, response: StoredResponse): Promise<void>;
  /**
   * Ends the lease: the result of the request is unknown, and a repetition takes it over at once, under the same
   * `operationId`, and does what is missing.
   */
  release(record: IdempotencyRecord): Promise<void>;
  /** Forgets the key: for errors from before the provider was called, and PAY005. */
  abandon(record: IdempotencyRecord): Promise<void>;
}

const usualLeaseMs = 60_000;
/** How long a key is kept, and how many characters it may have. */
export const idempotencyKeyLimits = { keepHours: 24, maxLength: 255 } as const;
const keepMs = idempotencyKeyLimits.keepHours * 3_600_000;
const tries = 10;
const plainRead = { lean: true, promoteBuffers: true } as const;
const Stored = v.object({ status: v.number(), headers: v.record(v.string(), v.string()), body: v.unknown() });

/** Throws VAL002 where the header is empty or too long. */
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
  leaseMs = usualLeaseMs,
}: {
  readonly connection: Connection;
  readonly encrypter: Encrypter;
  readonly now: () => Date;
  /** How long a dead process keeps a key. */
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

  /** Begins a record where there is none. */
  async function start(id: string, request: KeyedRequest): Promise<IdempotencyRecord | undefined> {
    const fresh = newRecord(id, request, now());
    return (await inserts(fresh)) === 'stored' ? toRecord(fresh) : undefined;
  }

  /** Begins it anew where its time is over: the database deletes those only once a minute. */
  async function startAnew(found: IdempotencyRecordDocument, request: KeyedRequest): Promise<Beginning | undefined> {
    const fresh = newRecord(found._id, request, now());
    const { modifiedCount } = await records.replaceOne({ _id: found._id, expireAt: found.expireAt }, fresh);
    return modifiedCount === 1 ? { state: 'new', record: toRecord(fresh) } : undefined;
  }

  /** What the record found means for a request with the same key; undefined: it changed meanwhile, look again. */
  async function judge(found: IdempotencyRecordDocument, request: KeyedRequest): Promise<Beginning | undefined> {
    const { _id: id, fingerprint, lease } = found;
    if (found.expireAt <= now()) return startAnew(found, request);
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
        // Where the database does not answer the next renewal may; a record that was lost stays lost.
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
