/** Turns adapters on, draining or off. One versioned document holds the states, and every process follows it. */
import type { Connection, mongo } from 'mongoose';
import {
  adapterChangeModel,
  adapterRunModel,
  adapterStatesModel,
} from '../../../database/collections/adapter-state.ts';
import type {
  AdapterChange,
  AdapterRun,
  AdapterStates as StoredStates,
  AdapterStateName,
} from '../../../database/collections/adapter-state.ts';
import { accountRefOf } from '../account-ref.ts';
import { CHARGEBACK_WINDOW_MS, countedOpen, withAttempt } from './account-money.ts';
import { countedAtMost } from '../../../database/backlog.ts';
import { fromDocument } from '../../../database/decimals.ts';
import { paymentRequestModel } from '../../../database/collections/payment-request.ts';

export { openCountText } from './account-money.ts';

export type States = Readonly<Record<string, AdapterStateName>>;

/** Money that an adapter is still responsible for. A count above `countedOpen` only means "more than that". */
export interface OpenMoney {
  /** Attempts whose outcome is not yet known. */
  readonly pending: number;
  /** Payments so recent that a refund or a chargeback is still possible. */
  readonly recentlyPaid: number;
}

/** The open attempts of an adapter, in one currency. */
export interface OpenAmount {
  readonly currency: string;
  readonly attempts: number;
  /** Decimal text. */
  readonly amount: string;
}

export interface AdapterStateStore {
  read(): Promise<{ readonly version: number; readonly states: States }>;
  /** Stores the states of the config files in a new database. Does nothing if states are stored already. */
  storeInitial(fileStates: States): Promise<void>;
  /**
   * Applies the edits of the config files: the states that differ from the file states that were applied last. Returns
   * the resulting version. Only the process that watches the files may call it, because a process with older files
   * would undo an edit.
   */
  applyFile(fileStates: States): Promise<number>;
  /** Sets the state of one adapter. Returns the new version, or the current one if nothing changes. */
  set(adapter: string, to: AdapterStateName, reason: string): Promise<number>;
  /**
   * Makes a new version without a change of states, in the transaction of another change that every process must load.
   * Returns false, and changes nothing, if `from` is no longer the current version.
   */
  announce(from: number, session: mongo.ClientSession): Promise<boolean>;
  /** Counts the open money of an adapter with all its accounts, or of one account. */
  openMoney(ref: string): Promise<OpenMoney>;
  /** Sums the adapter's open attempts by currency, over the first `countedAtMost` payments. Rejects after 2 s. */
  openAmounts(adapter: string): Promise<readonly OpenAmount[]>;
  /** Returns the latest changes, newest first. */
  changes(limit: number): Promise<readonly AdapterChange[]>;
  /** Records which version a process runs, and which newer version it could not load, and why. */
  report(process: string, version: number, problem: string, refused: number | null): Promise<void>;
  /** Removes a process that has ended. */
  forget(process: string): Promise<void>;
  /** The processes that reported within the last seconds. */
  running(): Promise<readonly AdapterRun[]>;
}

/** Processes report every few seconds. A process without a report for this long has ended. */
const SILENT_MS = 15_000;
const MAX_TRIES = 50;
const id = 'adapters';

/** The state of each adapter, and of its further accounts, in the config files. Keyed by the account's reference. */
export function fileStates({
  adapters,
}: {
  readonly adapters: Readonly<
    Record<
      string,
      { readonly state: AdapterStateName; readonly accounts?: Readonly<Record<string, { state: AdapterStateName }>> }
    >
  >;
}): States {
  const all = Object.entries(adapters).flatMap(([adapter, { state, accounts = {} }]) => [
    [adapter, state] as const,
    ...Object.entries(accounts).map(([account, own]) => [accountRefOf({ adapter, account }), own.state] as const),
  ]);
  return Object.fromEntries(all);
}

export function createAdapterStateStore(connection: Connection, now: () => Date): AdapterStateStore {
  const model = adapterStatesModel(connection);
  const changes = adapterChangeModel(connection);
  const runs = adapterRunModel(connection);
  const payments = paymentRequestModel(connection);

  async function load(): Promise<StoredStates> {
    const known = await model.findById(id).lean();
    if (known) return known;
    await model.updateOne({ _id: id }, { $setOnInsert: { version: 0, states: {}, fileStates: {} } }, { upsert: true });
    return load();
  }

  /** Compares and sets the version, and stores an entry per changed adapter. Retries if another process was faster. */
  async function change(
    step: (stored: StoredStates) => Pick<StoredStates, 'states' | 'fileStates'>,
    by: AdapterChange['by'],
    reason: string,
  ): Promise<number> {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const stored = await load();
      const next = step(stored);
      const changed = Object.entries(next.states).filter(([name, state]) => stored.states[name] !== state);
      const sameFile = JSON.stringify(next.fileStates) === JSON.stringify(stored.fileStates);
      if (!changed.length && sameFile) return stored.version;
      const version = changed.length ? stored.version + 1 : stored.version;
      const at = now();
      const entries = changed.map(([adapter, to]) => {
        return { at, version, adapter, from: stored.states[adapter] ?? null, to, by, reason };
      });
      const isChanged = await connection.transaction(async (session) => {
        const { matchedCount } = await model.updateOne(
          { _id: id, version: stored.version, fileStates: stored.fileStates },
          { $set: { ...next, version } },
          { session },
        );
        if (matchedCount && entries.length) await changes.insertMany(entries, { session });
        return matchedCount === 1;
      });
      if (isChanged) return version;
    }
    throw new Error('the states of the adapters kept changing');
  }

  const applyFile = async (fileStates: States): Promise<number> =>
    change(
      (stored) => {
        const edited = Object.entries(fileStates).filter(([name, state]) => stored.fileStates[name] !== state);
        return { states: { ...stored.states, ...Object.fromEntries(edited) }, fileStates };
      },
      'file',
      'config file',
    );

  return {
    async read() {
      const { version, states } = await load();
      return { version, states };
    },
    async storeInitial(fileStates) {
      if (!(await model.exists({ _id: id }))) await applyFile(fileStates);
    },
    applyFile,
    set: async (adapter, to, reason) =>
      change(({ states, fileStates }) => ({ states: { ...states, [adapter]: to }, fileStates }), 'command', reason),
    async announce(from, session) {
      const change = { $inc: { version: 1 } };
      const { matchedCount } = await model.updateOne({ _id: id, version: from }, change, { session });
      return matchedCount === 1;
    },
    async openMoney(ref) {
      const since = new Date(now().getTime() - CHARGEBACK_WINDOW_MS);
      const count = async (attempt: object): Promise<number> =>
        payments.countDocuments(withAttempt(ref, attempt), { limit: countedOpen + 1 });
      const [pending, recentlyPaid] = await Promise.all([
        count({ outcome: 'open' }),
        count({ outcome: 'succeeded', settledAt: { $gt: since } }),
      ]);
      return { pending, recentlyPaid };
    },
    async openAmounts(adapter) {
      const isOpen = { adapter, outcome: 'open' };
      const found = payments.collection.aggregate<{ _id: string; attempts: number; amount: unknown }>(
        [
          { $match: { attempts: { $elemMatch: isOpen } } },
          { $limit: countedAtMost },
          { $project: { attempts: { adapter: 1, outcome: 1, amount: 1, currency: 1 } } },
          { $unwind: '$attempts' },
          { $match: { 'attempts.adapter': adapter, 'attempts.outcome': 'open' } },
          { $group: { _id: '$attempts.currency', attempts: { $sum: 1 }, amount: { $sum: '$attempts.amount' } } },
          { $sort: { _id: 1 } },
        ],
        { maxTimeMS: 2000 },
      );
      return (await found.toArray()).map(({ _id: currency, attempts, amount }) => {
        return { currency, attempts, amount: String(fromDocument(amount)) };
      });
    },
    changes: async (limit) => changes.find().sort({ at: -1 }).limit(limit).lean(),
    async report(process, version, problem, refused) {
      await runs.updateOne({ _id: process }, { $set: { version, problem, refused, at: now() } }, { upsert: true });
    },
    async forget(process) {
      await runs.deleteOne({ _id: process });
    },
    running: async () => runs.find({ at: { $gt: new Date(now().getTime() - SILENT_MS) } }).lean(),
  };
}
