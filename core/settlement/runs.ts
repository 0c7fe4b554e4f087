/** Stores the results of runs, and keeps the alarm of their adapter up to date. */
import type { Connection } from 'mongoose';
import type { Environment } from '../base/environment.ts';
import type { Alarms } from '../engine/alarms/index.ts';
import { adapterSubject, alarmId } from '../engine/alarms/index.ts';
import { accountRefOf, mainAccount, parseAccountRef } from '../engine/providers/index.ts';
import { fromDocument } from '../database/decimals.ts';
import { readMapping, type Mapping } from './mapping.ts';
import { pageByTime, type TimePage } from '../database/page-by-time.ts';
import { settlementRunModel, type SettlementRun } from '../database/collections/settlement-run.ts';
import { countsText, differenceCountText } from './difference-text.ts';

/** A run as an entry of a list. */
export type SettlementSummary = Omit<SettlementRun, 'differences' | 'mapping'>;

export interface SettlementReads {
  /** Latest first. */
  list(page: { readonly limit: number; readonly cursor?: string }): Promise<TimePage<SettlementSummary>>;
  get(id: string): Promise<SettlementRun | undefined>;
  /**
   * The id of the latest run of the account with differences that no later run has settled. Undefined: there is none.
   */
  latestDiffering(ref: string, environment: Environment): Promise<string | undefined>;
  /** The mapping of the latest run of the adapter that kept one. */
  lastMapping(adapter: string): Promise<Mapping | undefined>;
}

export function createSettlementReads(connection: Connection): SettlementReads {
  const runs = settlementRunModel(connection);
  return {
    list: async (page) =>
      pageByTime(
        page,
        ({ startedAt }: SettlementSummary) => startedAt,
        async (newest, limit) =>
          runs
            .find(newest ? { startedAt: { $lte: newest } } : {}, { differences: 0, mapping: 0 })
            .sort({ startedAt: -1 })
            .limit(limit)
            .lean<SettlementSummary[]>(),
      ),
    async get(id) {
      const found = await runs.findById(id).lean();
      return found === null ? undefined : (fromDocument(found) as SettlementRun);
    },
    async latestDiffering(ref, environment) {
      const found = await runs
        .findOne({ ...ofAlarm(ref), environment, isLatest: true, differenceCount: { $gt: 0 } }, { _id: 1 })
        .sort({ startedAt: -1 })
        .lean<Pick<SettlementRun, '_id'> | null>();
      return found?._id;
    },
    async lastMapping(adapter) {
      const found = await runs
        .findOne({ adapter, mapping: { $type: 'string' } }, { mapping: 1 })
        .sort({ startedAt: -1 })
        .lean<Pick<SettlementRun, 'mapping'> | null>();
      return found?.mapping === undefined
        ? undefined
        : readMapping(JSON.parse(found.mapping), 'the mapping of the last run');
    },
  };
}

export interface RunStore {
  /**
   * Stores the run as the latest of its span, of every shorter span within it, and of its file if that was compared
   * before without a span. The alarm of the adapter stays open while the latest run of any span has differences.
   */
  keep(run: SettlementRun): Promise<void>;
}

export function createRunStore(connection: Connection, alarms: Pick<Alarms, 'raise' | 'resolve'>): RunStore {
  const runs = settlementRunModel(connection);
  return {
    async keep(run) {
      const { _id, adapter, account, environment, span, file, from, to } = run;
      await runs.create(run);
      const isSame = { span: { $in: [span, spanOfFile(file)] } };
      const isWithin = from && to ? [{ from: { $gte: from }, to: { $lte: to } }] : [];
      await runs.updateMany(
        {
          adapter,
          account: account ?? null,
          environment,
          isLatest: true,
          $or: [isSame, ...isWithin],
          _id: { $ne: _id },
        },
        { $set: { isLatest: false } },
      );
      const ref = accountRefOf({ adapter, account });
      const subject = adapterSubject(ref, environment);
      if (run.differenceCount > 0) return alarms.raise('settlement_difference', subject, reasonOf(run));
      const others = await runs.exists({ ...ofAlarm(ref), environment, isLatest: true, differenceCount: { $gt: 0 } });
      if (!others) await alarms.resolve(alarmId('settlement_difference', subject));
    },
  };
}

/** Runs of all accounts of an adapter and runs of its account `main` share the alarm of the adapter. */
function ofAlarm(ref: string): object {
  const { adapter, account } = parseAccountRef(ref);
  return { adapter, account: account === mainAccount ? { $in: [null, mainAccount] } : account };
}

/** The span of a run that was given no time span. */
export const spanOfFile = (file: string): string => `file ${file}`;

function reasonOf({ file, differenceCount, counts }: SettlementRun): string {
  return `${differenceCountText(differenceCount)} in ${file}: ${countsText(counts)}`;
}
