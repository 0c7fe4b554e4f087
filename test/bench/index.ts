/** `npm run bench`: the gateway beside baselines that do the same job, in turn on one machine, as ratios. */
import { writeFile } from 'node:fs/promises';
import { availableParallelism, cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { findMongod, startMongod } from '../../workers/supervisor/dev/mongod/index.ts';
import { startFaultsProvider } from '../faults/provider.ts';
import { measureCallbacks, measureEndToEnd, measureReads, measureSubmits, type Bench } from './cases.ts';
import { toLine, toTable, type Figure, type Goal } from './figures.ts';
import { startLoadGenerator } from './processes.ts';

const help = `npm run bench [-- options]

Starts a mongod, and in turn the baselines (bare Koa with the driver, stock Agenda) and the gateway with its own API and
workers; the load comes from a process of its own. Prints medians of the runs, their ratios and what is aimed at. Afterwards
every acknowledged callback must have taken effect once and its merchant must have been told once, else it exits with 1; a
figure that misses its goal does not.

  --runs N      how often each is measured (3)
  --count N     callbacks a measurement (3000); submits and reads are a fifth of it
  --only NAME   one of: callbacks, told, submits, reads
  --json FILE   writes the figures there, too
  --help        prints this
`;

const goals: Readonly<Record<string, { readonly unit: string; readonly goal: Goal }>> = {
  'ack, workers held': { unit: '/s', goal: { atLeast: 2 } },
  'ack, workers busy': { unit: '/s', goal: { atLeast: 1.2 } },
  'ack p99 at half of the bare ceiling': { unit: 'ms', goal: { atMost: 1.5 } },
  'drain, 1 worker': { unit: '/s', goal: { atLeast: 3 } },
  'drain, 2 workers': { unit: '/s', goal: { atLeast: 3 } },
  'CPU per drained callback, 1 worker': { unit: 'ms', goal: { atMost: 2, of: 'ours' } },
  'CPU per drained callback, 2 workers': { unit: 'ms', goal: { atMost: 2, of: 'ours' } },
  'held rate, stored to told': { unit: '/s', goal: { atLeast: 400 } },
  'stored to told at half of it, p50': { unit: 'ms', goal: { atMost: 25 } },
  'stored to told at half of it, p99': { unit: 'ms', goal: { atMost: 100 } },
  submit: { unit: '/s', goal: { atLeast: 0.9 } },
  'submit with Idempotency-Key': { unit: '/s', goal: { atLeast: 0.7 } },
  'submit with notifyUrl': { unit: '/s', goal: { atLeast: 0.6 } },
  'CPU per submit': { unit: 'ms', goal: { atMost: 1.2 } },
  'read by id': { unit: '/s', goal: { atLeast: 0.6 } },
  'read by id, client with 200,000 paid': { unit: '/s', goal: { atLeast: 0.9 } },
  'list of 50': { unit: '/s', goal: { atLeast: 0.5 } },
  'memory of the API after load': { unit: 'MB', goal: { atMost: 150 } },
  'memory of a worker after load': { unit: 'MB', goal: { atMost: 150 } },
};

const groups: Readonly<Record<string, (bench: Bench) => Promise<void>>> = {
  callbacks: measureCallbacks,
  told: measureEndToEnd,
  submits: measureSubmits,
  reads: measureReads,
};

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      runs: { type: 'string', default: '3' },
      count: { type: 'string', default: '3000' },
      only: { type: 'string' },
      json: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) {
    console.log(help);
    return 0;
  }
  const [runs, count] = [Number(values.runs), Number(values.count)];
  if (!(Number.isInteger(runs) && runs > 0)) throw new Error('--runs must be a whole number above 0');
  if (!(Number.isInteger(count) && count >= 100)) throw new Error('--count must be a whole number of at least 100');
  if (values.only !== undefined && !groups[values.only]) {
    throw new Error(`--only must be one of: ${Object.keys(groups).join(', ')}`);
  }
  const { figures, problems } = await measureAll(runs, count, values.only);
  console.log(`\n${cpus()[0]?.model ?? 'unknown CPU'}, ${availableParallelism()} cores, Node ${process.version}\n`);
  console.log(toTable(figures));
  for (const problem of problems) console.log(`PROBLEM: ${problem}`);
  if (values.json) {
    const lines = figures.map((figure) => ({ ...figure, ...toLine(figure) }));
    await writeFile(values.json, `${JSON.stringify({ runs, count, lines, problems }, undefined, 2)}\n`);
  }
  return problems.length ? 1 : 0;
}

async function measureAll(
  runs: number,
  count: number,
  only: string | undefined,
): Promise<{ readonly figures: readonly Figure[]; readonly problems: readonly string[] }> {
  const report = (line: string): void => console.error(line);
  const { path, version, origin } = await findMongod({ env: process.env, report });
  report(`measured on MongoDB ${version}, ${origin}`);
  const mongod = await startMongod({ binary: path, ephemeral: true, report });
  const [provider, load] = [await startFaultsProvider(), startLoadGenerator()];
  const recorded = new Map<string, { ours: number[]; theirs: number[] }>();
  const problems: string[] = [];
  const bench: Bench = {
    load,
    provider,
    count,
    uri: (database) => mongod.uri.replace(/\/(?=\?|$)/, `/${database}`),
    record(name, side, value) {
      const values = recorded.get(name) ?? { ours: [], theirs: [] };
      values[side].push(value);
      recorded.set(name, values);
    },
    problem: (text) => void problems.push(text),
  };
  try {
    for (let run = 1; run <= runs; run += 1) {
      for (const [name, measureGroup] of Object.entries(groups)) {
        if (only !== undefined && only !== name) continue;
        report(`run ${run} of ${runs}: ${name}`);
        await measureGroup(bench);
      }
    }
  } finally {
    load.close();
    await provider.close();
    await mongod.stop();
  }
  const figures = [...recorded].map(([name, { ours, theirs }]): Figure => {
    const { unit, goal } = goals[name]!;
    return { name, unit, ours, ...(theirs.length && { theirs }), goal };
  });
  return { figures, problems };
}

process.exitCode = await main().catch((error: unknown) => {
  console.error((error as Error).message);
  return 1;
});
