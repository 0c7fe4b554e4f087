/**
 * The chain of audit entries. Each entry has a number, one more than the entry before, and a keyed hash of its own
 * members and of the previous hash. An entry that was changed, added or removed is therefore detected, even if the
 * database was edited directly, because the hash needs the secret of fingerprints. The counter and a keyed hash of the
 * last entry next to it show whether entries are missing at the end. Only a head that was noted outside the database
 * proves that the whole database was not set back: the log, `doctor` and mails of alarms name it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from 'mongoose';
import {
  auditEntryModel,
  readAuditHead,
  type AuditEntry,
  type AuditHead,
} from '../../database/collections/audit-entry.ts';
import { counterModel } from '../../database/collections/counter.ts';
import { isDuplicateKey } from '../../database/duplicate-key.ts';
import { driverCodecOf } from '../../database/driver-codec.ts';
import type { Encrypter } from '../../base/crypto/encryption.ts';
import { canonicalJson } from './canonical-json.ts';

/** An operator who noted the head can later prove that nothing up to it has changed. */
export type Head = AuditHead;

export interface Verified {
  /** The number of entries that are unchanged. */
  readonly entries: number;
  /** The last unchanged entry. */
  readonly head: Head | undefined;
  /** The first entry that was changed. Undefined if all are unchanged. */
  readonly broken: { readonly sequence: number; readonly why: string } | undefined;
}

export type NewEntry = Omit<AuditEntry, '_id' | 'previous' | 'hash'>;

export interface Chain {
  /**
   * Appends an entry, and resolves when it is durable. The entries of all processes are in the order in which they were
   * stored.
   */
  append(entry: NewEntry): Promise<AuditEntry>;
  /** Verifies the whole chain. `noted` is an earlier head that must still be in the chain. */
  verify(options?: { readonly noted?: Head; readonly onProgress?: (entries: number) => void }): Promise<Verified>;
}

/** Maximum number of tries. More are only needed if another process appends endlessly. */
const maxTries = 200;
const maxPauseMs = 50;
const progressEvery = 10_000;
const counterId = 'audit';

export function createChain(connection: Connection, encrypter: Pick<Encrypter, 'fingerprint'>): Chain {
  const model = auditEntryModel(connection);
  const { collection, toDocument } = driverCodecOf(model);
  const counters = counterModel(connection);
  let appended: Promise<unknown> = Promise.resolve();

  /** Returns the hash of all members except the hash itself. */
  function hashOf(entry: Omit<AuditEntry, 'hash'>): string {
    return encrypter.fingerprint(`audit ${canonicalJson({ ...entry, hash: undefined })}`);
  }

  /** The number of the next entry, which is never reused even if entries were removed, and the head before it. */
  async function readCounter(): Promise<{ readonly next: number; readonly head?: string }> {
    return (await counters.findById(counterId).lean()) ?? { next: 1 };
  }

  const headOf = ({ sequence, hash }: Head): string =>
    `${sequence}:${encrypter.fingerprint(`audit head ${sequence} ${hash}`)}`;

  /** Entries may be counted in another order than they were stored: the latest counts. */
  async function count(last: Head): Promise<void> {
    const next = last.sequence + 1;
    const isLater = { $gt: [next, { $ifNull: ['$next', 0] }] };
    const set = { next: { $max: ['$next', next] }, head: { $cond: [isLater, headOf(last), '$head'] } };
    await counters.updateOne({ _id: counterId }, [{ $set: set }], { upsert: true, updatePipeline: true });
  }

  async function tryAppend(entry: NewEntry): Promise<AuditEntry | undefined> {
    // An entry is stored before it is counted. So an entry that is counted but missing was removed.
    const counted = await readCounter();
    const last = await readAuditHead(connection);
    const sequence = Math.max((last?.sequence ?? 0) + 1, counted.next);
    const linked = { _id: sequence, ...entry, previous: last?.hash ?? '' };
    const whole = { ...linked, hash: hashOf(linked) };
    try {
      await collection.insertOne(toDocument(whole) as { _id: number });
    } catch (error) {
      if (isDuplicateKey(error)) return undefined; // Another process was faster.
      throw error;
    }
    await count({ sequence, hash: whole.hash });
    return whole;
  }

  async function append(entry: NewEntry): Promise<AuditEntry> {
    for (let tries = 1; tries <= maxTries; tries += 1) {
      const stored = await tryAppend(entry);
      if (stored) return stored;
      await sleep(Math.random() * Math.min(maxPauseMs, tries));
    }
    throw new Error('the audit kept growing: try again');
  }

  /** Explains why an entry does not follow the previous entry. Undefined if it does. */
  function faultOf(entry: AuditEntry, { sequence, hash }: Head): string | undefined {
    if (entry._id > sequence + 1) return missing(sequence + 1, entry._id - 1);
    if (entry._id <= sequence) return 'before it is one that was never written';
    if (hashOf(entry) !== entry.hash) return 'it is not as it was written';
    return entry.previous === hash ? undefined : 'it does not follow the entry before it';
  }

  return {
    async append(entry) {
      const stored = appended.then(async () => append(entry));
      appended = stored.catch(() => undefined);
      return stored;
    },

    async verify({ noted, onProgress = () => undefined } = {}) {
      let last: Head = { sequence: 0, hash: '' };
      // The expected end is determined first, because the query below may miss entries that are appended while it runs.
      const { next, head = '0' } = await readCounter();
      // An earlier version counts without a head, so the head may be behind the counter, but never ahead of it.
      const counted = Number.parseInt(head, 10);
      const end = Math.max(next - 1, counted, noted?.sequence ?? 0);
      const result = (broken?: Verified['broken']): Verified => {
        return { entries: last.sequence, head: last.sequence ? last : undefined, broken };
      };
      for await (const found of collection.find().sort({ _id: 1 })) {
        const entry = found as unknown as AuditEntry;
        const why = faultOf(entry, last);
        if (why !== undefined) return result({ sequence: last.sequence + 1, why });
        last = { sequence: entry._id, hash: entry.hash };
        if (noted?.sequence === last.sequence && noted.hash !== last.hash)
          return result({ sequence: last.sequence, why: 'it is another entry than the one that was noted' });
        if (last.sequence === counted && head !== headOf(last))
          return result({ sequence: last.sequence, why: 'it is another entry than the one that was counted' });
        if (last.sequence % progressEvery === 0) onProgress(last.sequence);
      }
      return result(
        end > last.sequence ? { sequence: last.sequence + 1, why: missing(last.sequence + 1, end) } : undefined,
      );
    },
  };
}

function missing(from: number, to: number): string {
  return from === to ? 'it is missing' : `it is missing, as are all up to ${to}`;
}
