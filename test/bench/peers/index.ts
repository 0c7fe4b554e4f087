/** `npm run bench:peers`: measures Paywright and the systems that do the same job, in turn on one machine. */
import { writeFile } from 'node:fs/promises';
import { availableParallelism, cpus } from 'node:os';
import { findMongod, startMongod } from '../../../workers/supervisor/dev/mongod/index.ts';
import { startFaultsProvider } from '../../faults/provider.ts';
import { percentile } from '../../support/percentile.ts';
import { median } from '../figures.ts';
import { cpuMsOf } from '../process-figures.ts';
import { startLoadGenerator, type LoadGenerator } from '../processes.ts';
import { startKillBill } from './kill-bill.ts';
import { help, readPeersOptions, type PeersOptions } from './options.ts';
import { ourName, startPaywright } from './paywright.ts';
import { startPostgres } from './postgres.ts';
import { workloads, type System, type Workload } from './system.ts';
import { startVendure } from './vendure.ts';

const connections = 32;
const warmingRounds = 2;
const report = (line: string): void => console.error(line);

/** One round of one workload. */
interface Round {
  readonly perSecond: number;
  readonly cpuMs: number;
  readonly databaseMs: number;
  readonly p50: number;
  readonly p99: number;
}

interface Result {
  readonly system: string;
  readonly workload: Workload;
  readonly rounds: readonly Round[];
}

async function main(): Promise<void> {
  const options = readPeersOptions();
  if (!options) {
    console.log(help);
    return;
  }
  const began = performance.now();
  const closers: (() => Promise<void>)[] = [];
  try {
    const load = startLoadGenerator();
    closers.push(async () => load.close());
    const systems = await startSystems(options, load, closers);
    const settings = systems.map(({ name, settings: lines }) => `${name}: ${lines.join('\n  ')}`);
    for (const line of settings) report(line);
    const problems: string[] = [];
    const results = await measureRounds(systems, load, options.runs, problems);
    const minutes = Math.ceil((performance.now() - began) / 60_000);
    const machine = `${cpus()[0]?.model ?? 'unknown CPU'}, ${availableParallelism()} cores, Node ${process.version}`;
    console.log(
      `\n${machine}; ${options.runs} rounds after ${warmingRounds}, ${connections} connections; ${minutes} min\n`,
    );
    console.log(settings.join('\n'));
    console.log(`\n${toPeersTable(results)}`);
    for (const problem of problems) console.log(`PROBLEM: ${problem}`);
    if (problems.length > 0) process.exitCode = 1;
    if (options.json)
      await writeFile(options.json, `${JSON.stringify({ machine, settings, results, problems }, undefined, 2)}\n`);
  } finally {
    for (const close of closers.toReversed()) await close();
  }
}

async function startSystems(
  options: PeersOptions,
  load: LoadGenerator,
  closers: (() => Promise<void>)[],
): Promise<System[]> {
  const provider = await startFaultsProvider();
  closers.push(async () => provider.close());
  const { path } = await findMongod({ env: process.env, report });
  const mongod = await startMongod({ binary: path, report, ephemeral: true });
  closers.push(async () => mongod.stop());
  const systems: System[] = [];
  const add = async (starting: Promise<System>): Promise<void> => {
    const system = await starting;
    closers.push(async () => system.close());
    systems.push(system);
  };
  const mongodbUri = mongod.uri.replace(/\/(?=\?|$)/, '/gateway');
  const mongodCpuMs = async (): Promise<number> => cpuMsOf([mongod.pid]);
  await add(startPaywright({ mongodbUri, mongodCpuMs, providerUrl: provider.url }));
  // Each peer has a server of its own, so that the CPU time of its database is known.
  for (const peer of options.peers) {
    const postgres = await startPostgres();
    closers.push(async () => postgres.close());
    report(`starting ${peer}`);
    if (peer === 'kill-bill') await add(startKillBill(postgres, load, options.folder, report));
    else await add(startVendure(postgres, provider.url, options.folder, report));
  }
  return systems;
}

/**
 * In each round another system is first, so that other load on the machine affects all of them. A measurement that
 * fails is a problem of the run, and the others continue.
 */
async function measureRounds(
  systems: readonly System[],
  load: LoadGenerator,
  runs: number,
  problems: string[],
): Promise<Result[]> {
  const results = workloads.flatMap((workload) =>
    systems.map((system) => ({ system: system.name, workload, rounds: [] as Round[] })),
  );
  for (let round = 0; round < warmingRounds + runs; round += 1) {
    report(round < warmingRounds ? `round ${round + 1}, to warm up` : `round ${round + 1}`);
    for (const workload of workloads) {
      for (let turn = 0; turn < systems.length; turn += 1) {
        const system = systems[(round + turn) % systems.length]!;
        try {
          const measured = await measureRound(system, workload, load);
          report(`  ${workload}, ${system.name}: ${measured.cpuMs.toFixed(2)} ms`);
          if (round < warmingRounds) continue;
          results.find((one) => one.system === system.name && one.workload === workload)!.rounds.push(measured);
        } catch (error) {
          problems.push(`round ${round + 1}, ${workload}, ${system.name}: ${(error as Error).message}`);
        }
      }
    }
  }
  return results.filter(({ rounds }) => rounds.length > 0);
}

async function measureRound(system: System, workload: Workload, load: LoadGenerator): Promise<Round> {
  const { messages, done } = await system.prepare(workload, system.counts[workload]);
  const before = await system.cpuMs();
  const began = performance.now();
  const { latenciesMs, statuses, firstRefusal } = await load.drive({ port: system.port, messages, connections });
  await done();
  const seconds = (performance.now() - began) / 1000;
  const after = await system.cpuMs();
  if (Object.keys(statuses).some((status) => !status.startsWith('2')))
    throw new Error(`${system.name}, ${workload}: answers ${JSON.stringify(statuses)}: ${firstRefusal.slice(0, 300)}`);
  return {
    perSecond: messages.length / seconds,
    cpuMs: (after.all - before.all) / messages.length,
    databaseMs: (after.database - before.database) / messages.length,
    p50: percentile(latenciesMs, 0.5),
    p99: percentile(latenciesMs, 0.99),
  };
}

/** The medians of the rounds. The last column compares the CPU time with Paywright's. */
function toPeersTable(results: readonly Result[]): string {
  const of = ({ rounds }: Result, member: keyof Round): number => median(rounds.map((round) => round[member]));
  const head = ['workload', 'system', 'per second', 'CPU ms (database)', 'spread', 'p50 / p99 ms', 'CPU ÷ ours'];
  const rows = results.map((result) => {
    const ours = results.find(({ system, workload }) => system === ourName && workload === result.workload);
    const cpu = result.rounds.map(({ cpuMs }) => cpuMs);
    return [
      result.workload,
      result.system,
      of(result, 'perSecond').toFixed(0),
      `${of(result, 'cpuMs').toFixed(2)} (${of(result, 'databaseMs').toFixed(2)})`,
      `${Math.min(...cpu).toFixed(2)}–${Math.max(...cpu).toFixed(2)}`,
      `${of(result, 'p50').toFixed(0)} / ${of(result, 'p99').toFixed(0)}`,
      ours ? (of(result, 'cpuMs') / of(ours, 'cpuMs')).toFixed(2) : '–',
    ];
  });
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]!.length)));
  return [head, ...rows]
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

// Resources that a failed start left open must not keep the process alive.
process.exit(
  await main().then(
    () => process.exitCode ?? 0,
    (error: unknown) => {
      console.error((error as Error).message);
      return 1;
    },
  ),
);
