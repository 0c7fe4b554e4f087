/** `npm run test:faults`: harms the running service in many ways, and compares the books after each. */
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

Starts the service with a supervisor, an API, two workers and a mongod of its own, a provider and merchants beside it, and
does to it what each row says. After each row the acknowledged callbacks, the payments and the notifications are compared.
Then come the orders of npm run explore. Ends in "N passed, N failed".

  --only TEXT   rows whose name contains the text
  --long        more of it: 10,000 callbacks under kills, mongod frozen and its disk full for 5 minutes each, 10 minutes
                of callbacks with figures of memory, the primary of three mongod lost, an hour of orders
  --help        prints this
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
  const counts = { passed: 0, failed: 0 };
  if (chosen.length) await runRows(chosen, values.long, counts);
  if (!values.only || 'explore'.includes(values.only)) await runExplorer(values.long, counts);
  console.log(`${counts.passed} passed, ${counts.failed} failed`);
  return counts.failed ? 1 : 0;
}

async function runRows(
  chosen: typeof rows,
  isLong: boolean,
  counts: { passed: number; failed: number },
): Promise<void> {
  const [provider, receiver] = [await startFaultsProvider(), await startReceiver()];
  const answers = await startAnswersProvider();
  const service = await startFaultsService({ faults: provider.url, ...answers.urls });
  const world: World = { service, provider, answers, receiver, isLong };
  for (const { name, run } of chosen) {
    const began = performance.now();
    const { figures, problems } = await run(world).catch((error: unknown): RowResult => {
      return { figures: '', problems: [`it could not be run: ${String((error as Error).stack)}`] };
    });
    counts[problems.length ? 'failed' : 'passed'] += 1;
    const seconds = Math.round((performance.now() - began) / 1000);
    console.log(
      `${problems.length ? 'FAILED' : 'ok    '} ${String(seconds).padStart(4)} s  ${name}\n               ${figures}`,
    );
    for (const problem of problems) console.log(`               ${problem}`);
  }
  await service.close();
  await Promise.all([provider.close(), answers.close(), receiver.close()]);
}

/** In a process of its own, because it replaces the clock. Its last line has its counts. */
async function runExplorer(isLong: boolean, counts: { passed: number; failed: number }): Promise<void> {
  const script = fileURLToPath(new URL('../explore/index.js', import.meta.url));
  const child = spawn(process.execPath, [script, ...(isLong ? ['--long'] : [])], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let [passed, failed] = [0, 1];
  for await (const line of createInterface({ input: child.stdout })) {
    const counted = /^(\d+) passed, (\d+) failed$/.exec(line);
    if (counted) [passed, failed] = [Number(counted[1]), Number(counted[2])];
    else console.log(line);
  }
  counts.passed += passed;
  counts.failed += failed;
}

process.exitCode = await main();
process.exit();
