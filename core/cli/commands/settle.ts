import type { WriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { finished } from 'node:stream/promises';
import { pino } from 'pino';
import { loadConfig } from '../../../config/load-config.ts';
import { toEnvironment } from '../../engine/access/index.ts';
import { createAlarms } from '../../engine/alarms/index.ts';
import { accountNameOf, hasKnownFee, parseAccountRef } from '../../engine/providers/index.ts';
import { moneyText } from '../../base/text/money-text.ts';
import {
  createSettlement,
  countsText,
  differenceCountText,
  differenceTexts,
  feesText,
  fileAt,
  readMappingFile,
  SettlementProblem,
  type SettlementDifference,
  type SettlementRun,
  type Settling,
} from '../../settlement/index.ts';
import { toProblems } from '../../../workers/supervisor/start-error.ts';
import { withDatabase, type Access } from '../with-database.ts';
import { checkAdapterName } from '../adapter-name.ts';
import { toCsvLine } from '../../base/text/csv.ts';
import { defineCommand, readKeyEnvironment, readTime, required, UsageError, type Shell } from '../command.ts';
import { json, printProblems } from '../json.ts';
import { operatorOf } from '../operator.ts';
import { findService } from '../running-service.ts';

/** Maximum number of printed differences; the file of `--csv` has all. */
const printed = 500;
const progressEvery = 10_000;

export const settle = defineCommand({
  options: {
    mapping: { type: 'string', value: '<file.yaml>', help: 'the mapping of the columns; required' },
    adapter: {
      type: 'string',
      value: '<name>',
      help: 'the adapter of the file, or one of its accounts (<adapter>/<account>), if the mapping does not name it',
    },
    env: {
      type: 'string',
      value: 'sandbox|production',
      help: 'test payments (sandbox) or live payments (production); required if the service accepts live keys',
    },
    from: { type: 'string', value: '<time>', help: 'the file contains all movements from this time on, ISO 8601' },
    to: { type: 'string', value: '<time>', help: 'and before this time' },
    csv: { type: 'string', value: '<file>', help: 'write all differences to this file, as CSV' },
    json,
  },
  notes: [
    'Exit codes: 0 no differences; 1 differences; 2 nothing was compared, because the file, its mapping or the call is wrong,',
    'or --csv cannot be written; 3 another failure, for example an unavailable database.',
    'Not in gateway: only the file has it. Not in file: only the gateway has it; this is only checked if the time span of the',
    'file is known (--from and --to, or span: dates in the mapping). config/examples/settlement has mappings.',
    'A file whose payments all belong to the other mode or to another provider is refused: nothing is stored.',
    'The result is kept for the console (Settlement). Differences open the alarm settlement_difference of the adapter; a run of',
    'the same span without differences resolves it. A run without a span is replaced by the next run of the same file.',
  ],
  async run({ values, operands: [file = ''], shell }) {
    const environment = toEnvironment(readKeyEnvironment(values.env ?? (await onlyEnvironment(shell))));
    const [from, to] = [readTime(values.from, '--from'), readTime(values.to, '--to')];
    if ((from === undefined) !== (to === undefined)) throw new UsageError('--from and --to must be used together.');
    if (from && to && from >= to) throw new UsageError('--from must be before --to.');
    if (values.csv !== undefined && resolve(values.csv) === resolve(file))
      throw new UsageError('--csv must not name the compared file, because it is overwritten.');
    try {
      const mapping = await readMappingFile(required(values.mapping, 'mapping'));
      const named = values.adapter ?? mapping.adapter;
      if (named === undefined)
        throw new UsageError('The adapter of the file is unknown: use --adapter, or adapter in the mapping.');
      const run = await withDatabase(shell, async (access) => {
        const { adapter, account: one } = parseAccountRef(named);
        checkAdapterName(adapter, access.loaded.config);
        // The name of an adapter alone means all of its accounts.
        const account = named === adapter ? undefined : one;
        const settling = { file: await fileAt(file), mapping, adapter, account, environment, from, to };
        return compare(shell, access, settling, values.csv);
      });
      if (values.json) shell.print(JSON.stringify(run));
      else for (const line of describe(run)) shell.print(line);
      return run.differenceCount > 0 ? 1 : 0;
    } catch (error) {
      if (error instanceof UsageError) throw error;
      const problems = error instanceof SettlementProblem ? error.problems : toProblems(error);
      printProblems(shell, values, problems);
      return error instanceof SettlementProblem ? 2 : 3;
    }
  },
});

/** A service without live keys has only test payments. Otherwise a guess could compare the file with the wrong ones. */
async function onlyEnvironment({ env, root }: Shell): Promise<'sandbox'> {
  const { liveKeys } = await findService(await loadConfig({ env, root }));
  if (!liveKeys) return 'sandbox';
  throw new UsageError(
    'Option --env is required, because the service has test and live payments: --env production compares live payments.',
  );
}

async function compare(
  shell: Shell,
  { connection, audit, loaded: { config } }: Access,
  settling: Settling,
  csv: string | undefined,
): Promise<SettlementRun> {
  const alarms = createAlarms({ connection, config: config.alarms, log: pino({ level: 'silent' }) });
  const settlement = createSettlement({
    connection,
    audit,
    alarms,
    now: () => new Date(),
    keepDays: config.settlement.keepDays,
    hasFee: async (adapter, account) => hasKnownFee(connection, config, adapter, account),
  });
  const out = csv === undefined ? undefined : await openCsv(csv);
  out?.write(toCsvLine(csvColumns));
  try {
    return await settlement.compare(operatorOf(shell), {
      ...settling,
      onDifference: (difference) => out?.write(toCsvLine(csvColumns.map((name) => String(difference[name] ?? '')))),
      onProgress: (rows) => {
        if (rows % progressEvery === 0) shell.stderr(`${rows} rows`);
      },
    });
  } finally {
    await alarms.close();
    if (out) await finished(out.end());
  }
}

/** Opens the file before the comparison, because a result without its file would require a second run. */
async function openCsv(csv: string): Promise<WriteStream> {
  try {
    const out = (await open(csv, 'w', 0o600)).createWriteStream();
    // The error is reported at the end, by `finished`. Without a listener it would end the process.
    return out.on('error', () => undefined);
  } catch (error) {
    const { message } = error as Error;
    throw new SettlementProblem([`--csv ${csv} cannot be written: ${message}. Nothing was compared.`]);
  }
}

const csvColumns = [
  'kind',
  'row',
  'line',
  'paymentId',
  'reference',
  'providerReference',
  'hereAmount',
  'hereCurrency',
  'thereAmount',
  'thereCurrency',
  'note',
] as const satisfies readonly (keyof SettlementDifference)[];

function* describe(run: SettlementRun): Generator<string> {
  const {
    adapter,
    account,
    environment,
    file,
    rows,
    ignoredRows,
    agreeing,
    counts,
    differenceCount,
    differences,
    from,
    to,
  } = run;
  const about = differences.map((one) => [
    differenceTexts[one.kind].name,
    one.row.replace('_', ' '),
    one.line === null ? '–' : String(one.line),
    one.paymentId === null ? '–' : String(one.paymentId),
    one.reference ?? one.providerReference ?? '–',
    moneyOf(one.hereAmount, one.hereCurrency),
    moneyOf(one.thereAmount, one.thereCurrency),
    one.note ?? '',
  ]);
  if (about.length > 0) {
    yield* toTable([['difference', 'type', 'line', 'payment', 'reference', 'gateway', 'file', ''], ...about]);
    if (differenceCount > printed) yield `… and ${differenceCount - printed} more: use --csv <file> to get all.`;
    yield '';
  }
  const whose = account === undefined ? adapter : accountNameOf({ adapter, account });
  yield `${file} of ${whose}, ${environment} payments: ${rows} rows, ${ignoredRows} of them ignored; ${agreeing} match.`;
  yield differenceCount === 0 ? 'No differences.' : `${differenceCountText(differenceCount)}: ${countsText(counts)}.`;
  yield from && to
    ? `Movements missing in the file were checked from ${from.toISOString()} to ${to.toISOString()}.`
    : 'Movements missing in the file were not checked: use --from and --to, or span: dates in the mapping.';
  if (!run.comparesFees) yield `Fees were not compared: ${feesText(run)}.`;
}

function moneyOf(amount: string | null, currency: string | null): string {
  return amount === null ? '–' : moneyText(amount, currency ?? '');
}

function toTable(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]!.map((_, at) => Math.max(...rows.map((row) => row[at]!.length)));
  return rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at]!))
      .join('  ')
      .trimEnd(),
  );
}
