/** `npm run test:faults`: applies many faults to the running service, and compares the books after each. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startReceiver } from '../support/receiver.ts';
import { startAnswersProvider } from './answers-provider.ts';
import { failoverRows } from './failover.ts';
import { startFaultsProvider } from './provider.ts';
import { rows } from './rows.ts';
import type { RowResult, World } from './row.ts';
import { startFaultsService } from './service.ts';

const help = `npm run test:faults [-- options]

Starts the service with a supervisor, an API, two workers and a mongod of its own, next to a provider and merchants, and
applies the fault of each row to it. After each row the acknowledged callbacks, the payments and the notifications are
compared. Then a worker is killed between any two steps of its work, and an API between any two messages of requests under an
Idempotency-Key (one third of these per run). After that come the orders of npm run explore, and the proof that it finds
faults. The last line is "N passed, N failed, N skipped"; skipped rows cannot run on this machine.

  --only TEXT   rows whose name contains the text. "steps" selects the steps of a worker, "keyed" the requests under a key,
                "explore" the orders.
  --long        more of everything: 10,000 callbacks under kills; mongod frozen, stopped and with a full disk for 5 minutes
                each; 10 minutes of callbacks with memory figures; the primary of three mongod lost; a kill between every two
                messages of requests under a key; an hour of orders
  --help        prints this help
`;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', default: '' },
      long: { type: 'boolean', default: false },
      help: { type: 'boolean' },
    },
  });
  if (values.help) {
    console.log(help);
    return 0;
  }
  const chosen = [...rows, ...failoverRows].filter(
    ({ name, onlyLong }) => name.includes(values.only) && (values.long || !onlyLong),
  );
  const counts: Counts = { passed: 0, failed: 0, skipped: 0 };
  if (chosen.length) await runRows(chosen, values.long, counts);
  const long = values.long ? ['--long'] : [];
  const further = {
    steps: [mocha, fileOf('kill-between-steps.faults.js')],
    keyed: [fileOf('keyed-requests.js'), ...long],
    explore: [fileOf('../explore/index.js'), ...long],
    'explore itself': [mocha, fileOf('../explore/repeats.faults.js'), fileOf('../explore/known-fault.faults.js')],
  };
  for (const [name, script] of Object.entries(further)) if (name.includes(values.only)) await runScript(script, counts);
  console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  return counts.failed ? 1 : 0;
}

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

async function runRows(chosen: typeof rows, isLong: boolean, counts: Counts): Promise<void> {
  const [provider, receiver] = [await startFaultsProvider(), await startReceiver()];
  const answers = await startAnswersProvider();
  const service = await startFaultsService({ faults: provider.url, ...answers.urls });
  const world: World = { service, provider, answers, receiver, isLong };
  for (const { name, run } of chosen) {
    const began = performance.now();
    const { figures, problems, skipped } = await run(world).catch((error: unknown): RowResult => {
      return { figures: '', problems: [`the row could not be run: ${String((error as Error).stack)}`] };
    });
    const end = skipped === undefined ? (problems.length ? 'failed' : 'passed') : 'skipped';
    counts[end] += 1;
    const seconds = Math.round((performance.now() - began) / 1000);
    console.log(`${labels[end]} ${String(seconds).padStart(4)} s  ${name}\n               ${skipped ?? figures}`);
    for (const problem of problems) console.log(`               ${problem}`);
  }
  await service.close();
  await Promise.all([provider.close(), answers.close(), receiver.close()]);
}

const labels = { passed: 'ok    ', failed: 'FAILED', skipped: 'skip  ' } as const;

const fileOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const mocha = fileURLToPath(import.meta.resolve('mocha/bin/mocha.js'));

/** Runs a script in its own process, because some replace the clock. Its last line has its counts. */
async function runScript(script: readonly string[], counts: Counts): Promise<void> {
  const child = spawn(process.execPath, script, { stdio: ['ignore', 'pipe', 'inherit'] });
  let [passed, failed] = [0, 1];
  for await (const line of createInterface({ input: child.stdout })) {
    const counted = /^(\d+) passed, (\d+) failed(, \d+ skipped)?$/.exec(line);
    if (counted) [passed, failed] = [Number(counted[1]), Number(counted[2])];
    else console.log(line);
  }
  counts.passed += passed;
  counts.failed += failed;
}

process.exitCode = await main();
process.exit();
