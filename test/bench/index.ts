/**
 * `npm run bench`: measures the gateway and baselines that do the same job, in turn on one machine, and prints ratios.
 */
import { writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { findMongod, startMongod } from '../../workers/supervisor/dev/mongod/index.ts';
import { startFaultsProvider } from '../faults/provider.ts';
import { measureStored } from './cases/large.ts';
import { toLine, toTable, type Figure } from './figures.ts';
import { groups } from './groups.ts';
import { openDatabases } from './large/databases.ts';
import type { Bench } from './measure.ts';
import { cpuMsOf } from './process-figures.ts';
import { help, readOptions, type LargeOptions, type Options } from './options.ts';
import { startLoadGenerator } from './processes.ts';
import { createRecords } from './records.ts';

const report = (line: string): void => console.error(line);

interface Measured {
  readonly figures: readonly Figure[];
  readonly problems: readonly string[];
}

async function main(): Promise<number> {
  const options = readOptions();
  if (!options) {
    console.log(help);
    return 0;
  }
  const began = performance.now();
  const { figures, problems } = await measureAll(options);
  const minutes = Math.ceil((performance.now() - began) / 60_000);
  const machine = `${cpus()[0]?.model ?? 'unknown CPU'}, ${availableParallelism()} cores, Node ${process.version}`;
  console.log(`\n${machine}; ${describe(options)}; ${minutes} min\n`);
  console.log(toTable(figures));
  for (const problem of problems) console.log(`PROBLEM: ${problem}`);
  if (options.json) {
    // The values of each run, in addition to the table's figures.
    const lines = figures.map((figure) => {
      return { ...toLine(figure), unit: figure.unit, runs: { ours: figure.ours, theirs: figure.theirs } };
    });
    await writeFile(options.json, `${JSON.stringify({ machine, ...options, lines, problems }, undefined, 2)}\n`);
  }
  return problems.length ? 1 : 0;
}

function describe({ runs, count, only, payments, large }: Options): string {
  const all = [`${runs} runs`, `${count.toLocaleString('en')} callbacks each`];
  if (large) all.push(`${large.payments.toLocaleString('en')} payments stored`);
  else if (only.includes('memory')) all.push(`memory after ${payments.toLocaleString('en')} payments`);
  return all.join(', ');
}

async function measureAll(options: Options): Promise<Measured> {
  const { large, count, payments, overloadSeconds } = options;
  const { path, version, origin } = await findMongod({ env: process.env, report });
  report(`measured on MongoDB ${version}, ${origin}`);
  // The stored payments need the cache that mongod chooses on a machine of its own.
  const place = large
    ? { dbPath: join(large.folder, 'mongod'), cacheGb: Math.max(0.25, (totalmem() / 2 ** 30 - 1) / 2) }
    : { ephemeral: true as const };
  const mongod = await startMongod({ binary: path, report, ...place });
  const [provider, load] = [await startFaultsProvider(), startLoadGenerator()];
  const records = createRecords();
  const problems: string[] = [];
  const bench: Bench = {
    load,
    provider,
    count,
    payments,
    overloadSeconds,
    // A mongod that keeps its data has its user in `admin`.
    uri: (database) => `${mongod.uri.replace(/\/(?=\?|$)/, `/${database}`)}${large ? '&authSource=admin' : ''}`,
    mongodCpuMs: async () => cpuMsOf([mongod.pid]),
    record: (...noted) => records.note(...noted),
    problem: (text) => void problems.push(text),
  };
  const part = async (title: string, work: () => Promise<void>): Promise<void> => {
    report(title);
    const began = performance.now();
    try {
      await work();
      records.keep();
    } catch (error) {
      records.forget();
      bench.problem(`${title}: ${(error as Error).message}`);
    }
    report(`  took ${Math.round((performance.now() - began) / 1000)} s`);
  };
  try {
    await (large ? measureLarge(bench, options, large, part) : measureGroups(bench, options, part));
  } finally {
    load.close();
    await provider.close();
    await mongod.stop();
  }
  return { figures: records.figures(), problems };
}

/** Runs one measurement. Its records count only if all of it succeeds. If it fails, the others continue. */
type Part = (title: string, work: () => Promise<void>) => Promise<void>;

async function measureGroups(bench: Bench, { runs, only }: Options, part: Part): Promise<void> {
  for (let run = 1; run <= runs; run += 1) {
    for (const name of only) {
      const { measure, isOnce } = groups[name]!;
      if (isOnce && run > 1) continue;
      await part(`run ${run} of ${runs}: ${name}`, async () => measure(bench));
    }
  }
}

/** Alternates which database comes first in a run. */
async function measureLarge(bench: Bench, { runs }: Options, options: LargeOptions, part: Part): Promise<void> {
  const { uri, provider } = bench;
  const databases = await openDatabases({ ...options, uri, providerUrl: provider.url, report });
  for (let run = 1; run <= runs; run += 1) {
    await part(`run ${run} of ${runs}`, async () => measureStored(bench, databases, run % 2 === 0));
  }
}

// Resources that a failed case left open must not keep the process alive.
process.exit(
  await main().catch((error: unknown) => {
    console.error((error as Error).message);
    return 1;
  }),
);
