/**
 * Settlement: compares a provider's settlement file with our payments. The file is read row by row and payments in
 * batches, so that its size does not matter. Only one sum per movement of money is kept until the end.
 */
import { randomUUID } from 'node:crypto';
import type { Connection } from 'mongoose';
import type { Alarms } from '../engine/alarms/index.ts';
import type { Actor, Audit } from '../engine/audit/index.ts';
import type { DifferenceKind, SettlementDifference, SettlementRun } from '../database/collections/settlement-run.ts';
import type { Environment } from '../base/environment.ts';
import { maskText } from '../base/log/log-masks.ts';
import { DAY } from '../base/async/time.ts';
import { createComparison } from './compare.ts';
import { SettlementProblem } from './problem.ts';
import type { SettlementFile } from './settlement-file.ts';
import type { Mapping } from './mapping.ts';
import { createSettlementPayments } from './payments.ts';
import { readRows, type SettlementRow } from './read-rows.ts';
import { createRunStore, spanOfFile } from './runs.ts';

export { countsText, differenceCountText, differenceTexts, feesText } from './difference-text.ts';
export {
  columnNames,
  guessMapping,
  inspectFile,
  previewRows,
  type ColumnName,
  type GuessedMapping,
  type InspectedFile,
  type PreviewedRows,
} from './inspect.ts';
export { parseMapping, readExampleMapping, readMappingFile } from './mapping-file.ts';
export { readMapping, rowKinds, type Mapping, type RowKind } from './mapping.ts';
export { SettlementProblem } from './problem.ts';
export { fileAt, fileOf, type SettlementFile } from './settlement-file.ts';
export { createSettlementReads, type SettlementReads, type SettlementSummary } from './runs.ts';
export {
  differenceKinds,
  type DifferenceKind,
  type SettlementDifference,
  type SettlementRun,
} from '../database/collections/settlement-run.ts';

export interface Settling {
  /** Identifies the run. Absent: a new id. */
  readonly id?: string;
  readonly file: SettlementFile;
  readonly mapping: Mapping;
  readonly adapter: string;
  /** The name of the account of the file. Absent: the file is about all accounts of the adapter. */
  readonly account?: string | undefined;
  readonly environment: Environment;
  /** The time span that the file contains, if the mapping does not say that its dates show it. Both or none. */
  readonly from?: Date | undefined;
  /** Exclusive end. */
  readonly to?: Date | undefined;
  /** Receives each difference when it is found. */
  readonly onDifference?: (difference: SettlementDifference) => void;
  /** Receives the number of rows that were read, and the share of the file, from 0 to 1. */
  readonly onProgress?: (rows: number, share: number) => void;
}

export interface SettlementDeps {
  readonly connection: Connection;
  readonly audit: Pick<Audit, 'run'>;
  readonly alarms: Pick<Alarms, 'raise' | 'resolve'>;
  readonly now: () => Date;
  readonly keepDays: number;
  /** Whether the fee of this adapter or account is known. */
  readonly hasFee: (adapter: string, account: string | undefined) => Promise<boolean>;
}

export interface Settlement {
  /**
   * Compares, stores the result and raises or resolves the alarm, recorded in the audit log. Rejects with a
   * SettlementProblem, also if the file is about another provider or mode; then nothing is stored.
   */
  compare(by: Actor, settling: Settling): Promise<SettlementRun>;
}

/** Maximum number of stored differences per run. */
const keptDifferences = 500;
const batchSize = 500;
const progressEvery = 1000;

export function createSettlement({ connection, audit, alarms, now, keepDays, hasFee }: SettlementDeps): Settlement {
  const payments = createSettlementPayments(connection);
  const store = createRunStore(connection, alarms);

  async function run(id: string, by: Actor, settling: Settling): Promise<SettlementRun> {
    const { file, mapping, adapter, account, environment, onDifference, onProgress } = settling;
    const startedAt = now();
    const counts: Partial<Record<DifferenceKind, number>> = {};
    const differences: SettlementDifference[] = [];
    const comparesFees = mapping.columns.fee !== undefined && (await hasFee(adapter, account));
    const comparison = createComparison({
      adapter,
      account,
      sandbox: environment === 'test',
      comparesFees,
      onDifference(found) {
        const difference = withoutCards(found);
        counts[difference.kind] = (counts[difference.kind] ?? 0) + 1;
        if (differences.length < keptDifferences) differences.push(difference);
        onDifference?.(difference);
      },
    });

    let [rows, ignoredRows] = [0, 0];
    const dates = createSpan();
    let batch: SettlementRow[] = [];
    const flush = async (): Promise<void> => {
      comparison.take(batch, await payments.namedBy(batch));
      batch = [];
    };
    let bytes = 0;
    for await (const row of readRows(file, mapping, (read) => (bytes = read))) {
      rows += 1;
      if (rows % progressEvery === 0) onProgress?.(rows, Math.min(1, bytes / Math.max(1, file.bytes)));
      if (row === null) {
        ignoredRows += 1;
        continue;
      }
      if (row.kind !== 'fee') dates.add(row);
      batch.push(row);
      if (batch.length === batchSize) await flush();
    }
    await flush();
    const wrong = comparison.wrongChoice();
    if (wrong !== undefined) throw new SettlementProblem([`${file.name}: ${wrong}. Nothing was stored.`]);
    const agreeing = comparison.compareTaken();
    const { from, to } = spanOf(settling, dates);
    if (from !== null && to !== null) {
      for await (const payment of payments.movedBetween(adapter, from, to)) comparison.lookFor(payment, from, to);
    }

    const { name } = file;
    const endedAt = now();
    return {
      _id: id,
      adapter,
      ...(account !== undefined && { account }),
      environment,
      file: name,
      by: by.name,
      startedAt,
      endedAt,
      from,
      to,
      rows,
      ignoredRows,
      agreeing,
      comparesFees,
      counts,
      differenceCount: Object.values(counts).reduce((sum, count) => sum + count, 0),
      differences,
      mapping: JSON.stringify(mapping),
      span: from === null || to === null ? spanOfFile(name) : `${from.toISOString()} ${to.toISOString()}`,
      isLatest: true,
      expireAt: new Date(endedAt.getTime() + keepDays * DAY),
    };
  }

  return {
    async compare(by, settling) {
      const { adapter, account, environment, file } = settling;
      const { id = randomUUID() } = settling;
      const subject = { type: 'settlement', id };
      const plan = { adapter, ...(account !== undefined && { account }), environment, file: file.name };
      return audit.run(by, { act: 'settlement.compare', subject, plan }, async () => {
        const value = await run(id, by, settling);
        await store.keep(value);
        return { value, after: { ...plan, rows: value.rows, agreeing: value.agreeing, counts: value.counts } };
      });
    },
  };
}

/** A wrongly mapped column may contain card numbers. */
function withoutCards({ reference, providerReference, ...difference }: SettlementDifference): SettlementDifference {
  const shown = (text: string | null): string | null => text && maskText(text).slice(0, 200);
  return { ...difference, reference: shown(reference), providerReference: shown(providerReference) };
}

interface Span {
  add(row: Pick<SettlementRow, 'at' | 'until'>): void;
  readonly from: Date | null;
  readonly to: Date | null;
}

/** From the first date to the end of the last one: a date without a time is a whole day. */
function createSpan(): Span {
  let [from, to]: [number | null, number | null] = [null, null];
  const toDate = (time: number | null): Date | null => (time === null ? null : new Date(time));
  return {
    add({ at, until }) {
      if (at === null || until === null) return;
      from = Math.min(from ?? at.getTime(), at.getTime());
      to = Math.max(to ?? until.getTime(), until.getTime());
    },
    get from() {
      return toDate(from);
    },
    get to() {
      return toDate(to);
    },
  };
}

function spanOf({ from, to, mapping }: Settling, dates: Span): Pick<Span, 'from' | 'to'> {
  if (from && to) return { from, to };
  return mapping.span === 'dates' ? { from: dates.from, to: dates.to } : { from: null, to: null };
}
