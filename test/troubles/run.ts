/**
 * `npm run test:troubles`: plants the troubles of an operator's day in a running service, and fixes each with at most
 * four clicks in the console, and then, in another service, with at most two commands.
 */
import { parseArgs } from 'node:util';
import type { Browser } from 'playwright-core';
import { launchBrowser } from '../browser/browser.ts';
import { openDesk } from './desk.ts';
import {
  endpointDisabled,
  forgedCallbacks,
  leakedKey,
  receiverFails,
  unknownCharge,
  unknownStatus,
} from './messages.ts';
import { chargeback, chargedTwice, missedCallback, refundAnswerLost, refundFailed, underpaid } from './money.ts';
import { drainedByMistake, refusedCredentials, settlementDiffers, unreachable, workerKilled } from './providers.ts';
import { countCommands, type Planted, type Trouble } from './trouble.ts';
import { startWorld, type World } from './world.ts';

/** The settlement is planted first, because its file has all payments of a span of time. */
const all: readonly Trouble[] = [
  settlementDiffers,
  refusedCredentials,
  unreachable,
  receiverFails,
  forgedCallbacks,
  unknownCharge,
  unknownStatus,
  underpaid,
  chargedTwice,
  refundAnswerLost,
  refundFailed,
  chargeback,
  missedCallback,
  drainedByMistake,
  leakedKey,
  workerKilled,
  endpointDisabled,
];

interface Outcome {
  readonly count: number;
  /** Absent: found and fixed. */
  readonly problem?: string;
}

type Outcomes = Map<Trouble, Outcome>;
type Way = (world: World, troubles: ReadonlyMap<Trouble, Planted | Error>) => Promise<Outcomes>;

async function inOwnWorld(name: string, way: Way): Promise<Outcomes> {
  const world = await startWorld();
  try {
    const results = new Map<Trouble, Planted | Error>();
    for (const trouble of planted) {
      const done = await trouble.plant(world).catch((error: unknown) => error as Error);
      results.set(trouble, done);
      if (done instanceof Error) report(`${name}: could not plant: ${trouble.name}: ${done.message}`);
    }
    return await way(world, results);
  } finally {
    await world.close();
  }
}

/** Plays one way for each trouble. */
async function playEach(
  troubles: ReadonlyMap<Trouble, Planted | Error>,
  {
    way,
    play,
    count,
  }: { readonly way: string; readonly play: (planted: Planted) => Promise<void>; readonly count: () => number },
): Promise<Outcomes> {
  const outcomes = new Map<Trouble, Outcome>();
  // The overview shows the most urgent ones. The others appear when those are fixed.
  for (const [trouble, done] of [...troubles].toReversed()) {
    if (done instanceof Error) {
      outcomes.set(trouble, { count: 0, problem: `not planted: ${done.message}` });
      continue;
    }
    const failed = await play(done).then(
      () => undefined,
      (error: unknown) => error as Error,
    );
    outcomes.set(trouble, { count: count(), ...(failed && { problem: failed.message }) });
    report(`${way}: ${failed ? 'FAILED' : 'fixed'}: ${trouble.name}${failed ? `\n${failed.message}` : ''}`);
  }
  return outcomes;
}

const byCommands: Way = async (world, troubles) => {
  let count = (): number => 0;
  const play = async (one: Planted): Promise<void> => {
    const counted = countCommands(world);
    count = counted.count;
    await one.byCommands(counted.command);
  };
  return playEach(troubles, { way: 'commands', play, count: () => count() });
};

function byConsole(browser: Browser): Way {
  return async (world, troubles) => {
    const operator = JSON.parse(
      await world.prepare('operators', 'create', 'Ada Lovelace', '--role', 'admin', '--json'),
    ) as { readonly key: string };
    const desk = await openDesk(browser, world, operator.key);
    try {
      const play = async (one: Planted): Promise<void> => {
        await desk.startAtOverview();
        await one.byConsole(desk);
      };
      return await playEach(troubles, { way: 'console', play, count: () => desk.count() });
    } finally {
      await desk.close();
    }
  };
}

function report(line: string): void {
  process.stdout.write(`${line}\n`);
}

function printTable(clicks: Outcomes, commands: Outcomes): number {
  const width = Math.max(...planted.map(({ name }) => name.length));
  report(`\n${'trouble'.padEnd(width)}  clicks  commands  result`);
  let failed = 0;
  for (const trouble of planted) {
    const [clicked, typed] = [clicks.get(trouble), commands.get(trouble)];
    const problems = [
      ...(clicked && !clicked.problem ? [] : ['console']),
      ...(typed && !typed.problem ? [] : ['commands']),
    ];
    if (problems.length > 0) failed += 1;
    const counts = `${String(clicked?.count ?? '–').padEnd(6)}  ${String(typed?.count ?? '–').padEnd(8)}`;
    report(
      `${trouble.name.padEnd(width)}  ${counts}  ${problems.length > 0 ? `FAILED: ${problems.join(', ')}` : 'ok'}`,
    );
  }
  report(`\n${planted.length - failed} passed, ${failed} failed`);
  return failed;
}

/** With --only TEXT, only troubles whose name contains the text. */
const { values } = parseArgs({ options: { only: { type: 'string', default: '' } } });
const planted = all.filter(({ name }) => name.includes(values.only));
const browser = await launchBrowser();
try {
  const [commands, clicks] = await Promise.all([
    inOwnWorld('commands', byCommands),
    inOwnWorld('console', byConsole(browser)),
  ]);
  process.exitCode = printTable(clicks, commands) > 0 ? 1 : 0;
} finally {
  await browser.close();
}
