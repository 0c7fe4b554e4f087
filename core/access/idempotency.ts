/** `Idempotency-Key`: a request that is sent again is answered again, and never done again. */
import { randomUUID } from 'node:crypto';
import type { Connection } from 'mongoose';
import * as v from 'valibot';
import { idempotencyRecordModel } from '../documents/idempotency-record.ts';
import type { IdempotencyRecordDocument } from '../documents/idempotency-record.ts';
import { GatewayError, invalidField } from '../errors.ts';
import type { Environment } from '../payments/service.ts';
import type { Sealer } from '../encryption.ts';
import { isDuplicateKey } from '../documents/duplicate-key.ts';

/** What runs under a key: the right to finish it. Lost when another takes it over. */
export interface IdempotencyRecord {
  readonly id: string;
  readonly claim: string;
  /** Names what the request sets out to do: the same for every repetition of it, another once the key is used anew. */
  readonly effect: string;
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
}

export type Beginning =
  | { readonly state: 'new'; readonly record: IdempotencyRecord }
  | { readonly state: 'replay'; readonly response: StoredResponse }
  /** Who ran it died after the payment request was there: answer from that as it stands now, then `complete`. */
  | { readonly state: 'resolve'; readonly record: IdempotencyRecord; readonly paymentRequestId: number };

export interface Idempotency {
  /**
   * Exactly one of all requests with a key is told `new`. Throws VAL002 on a key that is none, IDEM001 where the key
   * belongs to another request or the first is still running.
   */
  begin(request: KeyedRequest): Promise<Beginning>;
  /**
   * Names the payment request, before the provider is asked: from then on a repetition never starts anew. Throws
   * IDEM001 where the record was taken over meanwhile: the caller must stop there.
   */
  attach(record: IdempotencyRecord, paymentRequestId: number): Promise<void>;
  /** Keeps the answer. Nothing happens where the record was taken over: whoever did so answers from the payment. */
  complete(record: IdempotencyRecord, response: StoredResponse): Promise<void>;
  /**
   * Ends the lease: nobody knows what became of the request, and a repetition takes it over at once, under the same
   * `effect`, and does what is missing.
   */
  release(record: IdempotencyRecord): Promise<void>;
  /** Forgets the key: for errors from before the provider was asked, and PAY005. */
  abandon(record: IdempotencyRecord): Promise<void>;
}

const leaseMs = 60_000;
const keepMs = 24 * 3_600_000;
const tries = 10;
const plainRead = { lean: true, promoteBuffers: true } as const;
const Stored = v.object({ status: v.number(), headers: v.record(v.string(), v.string()), body: v.unknown() });

/** Throws VAL002 where the header is not 1 to 255 characters. */
export function readIdempotencyKey(given: string): string {
  if (given.length < 1 || given.length > 255) {
    throw invalidField('Idempotency-Key', given, 'must be 1 to 255 characters');
  }
  return given;
}

export function createIdempotency({
  connection,
  sealer,
  now,
}: {
  readonly connection: Connection;
  readonly sealer: Sealer;
  readonly now: () => Date;
}): Idempotency {
  const records = idempotencyRecordModel(connection);

  function freshRecord(id: string, { fingerprint, requestId }: KeyedRequest): IdempotencyRecordDocument {
    const at = now().getTime();
    return {
      _id: id,
      fingerprint,
      requestId,
      state: 'running',
      claim: randomUUID(),
      leaseUntil: new Date(at + leaseMs),
      createdAt: new Date(at),
      expireAt: new Date(at + keepMs),
    };
  }

  async function isInserted(record: IdempotencyRecordDocument): Promise<boolean> {
    try {
      await records.create(record);
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }

  /**
   * Puts `fresh` in the place of `found`, unless anything happened to it meanwhile. The lease is part of the comparison
   * because `attach` renews it: a record that has just got its payment must not be taken for one without.
   */
  async function isReplaced(found: IdempotencyRecordDocument, fresh: IdempotencyRecordDocument): Promise<boolean> {
    const { _id, state, claim, leaseUntil } = found;
    const { matchedCount } = await records.replaceOne({ _id, state, claim, leaseUntil }, fresh);
    return matchedCount === 1;
  }

  /** What the record found means for a request with the same key; undefined: it changed meanwhile, look again. */
  async function judge(found: IdempotencyRecordDocument, fresh: IdempotencyRecordDocument) {
    const record = toRecord(fresh);
    // The database deletes what is too old only once a minute.
    if (found.expireAt <= now()) {
      return (await isReplaced(found, fresh)) ? ({ state: 'new', record } as const) : undefined;
    }
    if (found.fingerprint !== fresh.fingerprint) {
      throw conflict('the Idempotency-Key was used for another request: send this one under a new key');
    }
    if (found.state === 'done') return { state: 'replay', response: readResponse(found) } as const;
    if (found.leaseUntil > now()) {
      throw conflict('the first request with this Idempotency-Key is still running: repeat it in a moment');
    }
    const { paymentRequestId, createdAt, expireAt } = found;
    const again = { ...fresh, createdAt, expireAt, ...(paymentRequestId !== undefined && { paymentRequestId }) };
    if (!(await isReplaced(found, again))) return undefined;
    const taken = toRecord(again);
    return paymentRequestId === undefined
      ? ({ state: 'new', record: taken } as const)
      : ({ state: 'resolve', record: taken, paymentRequestId } as const);
  }

  function readResponse({ response }: IdempotencyRecordDocument): StoredResponse {
    if (!response) throw new Error('an idempotency record says that it is done but holds no answer');
    return v.parse(Stored, JSON.parse(sealer.open(response).toString()));
  }

  return {
    async begin(request) {
      const { ownerId, environment } = request;
      const key = readIdempotencyKey(request.key);
      const id = sealer.fingerprint(`idempotency ${JSON.stringify([ownerId, environment, key])}`);
      for (let attempt = 0; attempt < tries; attempt += 1) {
        const fresh = freshRecord(id, request);
        if (await isInserted(fresh)) return { state: 'new', record: toRecord(fresh) };
        const found: IdempotencyRecordDocument | null = await records.findById(id, null, plainRead);
        const beginning = found && (await judge(found, fresh));
        if (beginning) return beginning;
      }
      throw conflict('other requests with this Idempotency-Key are being made now: repeat this one in a moment');
    },

    async attach({ id, claim }, paymentRequestId) {
      const leaseUntil = new Date(now().getTime() + leaseMs);
      const { matchedCount } = await records.updateOne(
        { _id: id, claim, state: 'running' },
        { $set: { paymentRequestId, leaseUntil } },
      );
      if (matchedCount === 0) {
        throw conflict('another request with this Idempotency-Key took over: repeat this one to see its answer');
      }
    },

    async complete({ id, claim }, response) {
      await records.updateOne(
        { _id: id, claim, state: 'running' },
        { $set: { state: 'done', response: sealer.seal(JSON.stringify(response)) } },
      );
    },

    async release({ id, claim }) {
      await records.updateOne({ _id: id, claim, state: 'running' }, { $set: { leaseUntil: now() } });
    },

    async abandon({ id, claim }) {
      await records.deleteOne({ _id: id, claim, state: 'running' });
    },
  };
}

function toRecord({ _id: id, claim, createdAt }: IdempotencyRecordDocument): IdempotencyRecord {
  return { id, claim, effect: `${id}-${createdAt.getTime()}` };
}

function conflict(message: string): GatewayError {
  return new GatewayError('IDEMPOTENCY_CONFLICT', message);
}
