/**
 * The list of refused callbacks, such as forged ones. A flood of them must cost no writes, so a process counts them in
 * memory and adds its counts to the database every few seconds. A killed process loses the counts of these seconds.
 */
import type { Connection } from 'mongoose';
import type { Logger } from 'pino';
import { isDuplicateKey } from '../../database/duplicate-key.ts';
import {
  refusedCallbacksModel,
  type RefusedCallbacks,
  type RefusedGroup,
} from '../../database/collections/refused-callbacks.ts';
import { paymentRequestModel } from '../../database/collections/payment-request.ts';
import { SECOND } from '../../base/async/time.ts';
import { addRefusal, mergeGroups, paymentsIn, type Refusal } from './refusal-groups.ts';

export interface RefusedCallback extends Omit<Refusal, 'payments'> {
  readonly adapter: string;
  /** The message, if it was read. */
  readonly raw?: { readonly query: string; readonly body: Uint8Array };
}

export interface RefusalRecorder {
  /** Never waits, never throws. */
  record(callback: RefusedCallback): void;
  /** Writes what was counted. */
  close(): Promise<void>;
}

/** A group of refused callbacks of one adapter. */
export interface ListedRefusals extends RefusedGroup {
  readonly adapter: string;
  /** Those of `payments` that do not exist. */
  readonly unknownPaymentIds: readonly number[];
}

const writeEveryMs = 5 * SECOND;
/** The most messages of an adapter that are searched for payments between two writes. */
const searchedPerSpan = 100;
/** How often a write is repeated if other processes are faster. */
const maxTries = 5;

interface Counted {
  readonly groups: Map<string, RefusedGroup>;
  searched: number;
}

export function createRefusalRecorder({
  connection,
  now,
  log,
  everyMs = writeEveryMs,
}: {
  readonly connection: Connection;
  readonly now: () => Date;
  readonly log: Pick<Logger, 'warn'>;
  readonly everyMs?: number;
}): RefusalRecorder {
  const model = refusedCallbacksModel(connection);
  let counted = new Map<string, Counted>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  async function write(): Promise<void> {
    timer = undefined;
    const all = counted;
    counted = new Map();
    for (const [adapter, { groups }] of all) {
      try {
        await add(adapter, [...groups.values()]);
      } catch (error) {
        log.warn({ err: error, adapter }, 'refused callbacks could not be added to their list');
      }
    }
  }

  async function add(adapter: string, groups: readonly RefusedGroup[]): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      const stored = await model.findById(adapter).lean<RefusedCallbacks | null>();
      const version = stored?.version ?? 0;
      const next = { version: version + 1, groups: mergeGroups(stored?.groups ?? [], groups, now()) };
      const isWritten = await model
        .updateOne({ _id: adapter, version }, { $set: next }, { upsert: stored === null })
        .then(({ matchedCount, upsertedCount }) => matchedCount + upsertedCount > 0)
        .catch((error: unknown) => {
          if (!isDuplicateKey(error)) throw error;
          return false;
        });
      if (isWritten) return;
      if (tries === maxTries) throw new Error('other processes wrote the list at the same time');
    }
  }

  return {
    record({ adapter, reason, route, remoteAddress, at, raw }) {
      const own = counted.get(adapter) ?? { groups: new Map<string, RefusedGroup>(), searched: 0 };
      counted.set(adapter, own);
      const isSearched = raw !== undefined && own.searched < searchedPerSpan;
      if (isSearched) own.searched += 1;
      const payments = isSearched ? paymentsIn(raw.query, raw.body) : [];
      addRefusal(own.groups, { reason, route, remoteAddress, at, payments });
      timer ??= setTimeout(() => void (writing = write()), everyMs).unref();
    },

    async close() {
      clearTimeout(timer);
      await writing;
      await write();
    },
  };
}

/** The groups of one adapter, or of all, those with the latest callbacks first. */
export async function listRefused(connection: Connection, adapter?: string): Promise<readonly ListedRefusals[]> {
  const found = await refusedCallbacksModel(connection)
    .find(adapter === undefined ? {} : { _id: adapter })
    .lean<RefusedCallbacks[]>();
  const named = found.flatMap(({ groups }) => groups.flatMap(({ payments }) => payments));
  const existing = await paymentRequestModel(connection)
    .find({ _id: { $in: [...new Set(named)] } }, { _id: 1 })
    .lean();
  const known = new Set(existing.map(({ _id }) => _id));
  return found
    .flatMap(({ _id, groups }) => groups.map((group) => ({ adapter: _id, ...group })))
    .map((one) => ({ ...one, unknownPaymentIds: one.payments.filter((id) => !known.has(id)) }))
    .toSorted((one, other) => other.lastAt.getTime() - one.lastAt.getTime());
}
