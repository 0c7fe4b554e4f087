/**
 * `npm run explore`: two or three actors work on one payment, their messages run in one order, and the books are
 * compared.
 */
import { parseArgs } from 'node:util';
import { findMongod, startMongod } from '../../workers/supervisor/dev/mongod/index.ts';
import { startReceiver } from '../support/receiver.ts';
import { installClock } from './clock.ts';
import { installTimers } from './install-timers.ts';
import { realNow } from './timers.ts';
import { holdDatabaseMessages } from './database-messages.ts';
import { countDeliveries } from './deliveries.ts';
import { knownFaults, type KnownFault } from './known-fault.ts';
import { pairCount, pairSeed, planOf, randomFrom } from './plan.ts';
import { prepareProcesses } from './processes.ts';
import { startProvider } from './provider.ts';
import { runOrder, type OrderDeps, type Played } from './run-order.ts';

const help = `npm run explore [-- options]

Two or three actors work on one payment. Their messages to the database and the provider run one at a time, in a different
order each time, with kills, lost answers, expired leases and skewed clocks between them. Then the books of provider, gateway
and merchant are compared. A failing order prints its seed. A transaction is one message. The last line is "N passed, N
failed".

Exhaustive with --pairs 2: every two actors that can meet on a payment, with everything that the provider may do, in all
orders with up to two changes of turn. Random: orders with more changes of turn (two actors of a dozen messages each have
millions), orders of three actors, and the position of a kill, a lost answer or a wrong clock. The default draws from all of
these.

  --orders N   number of orders (default 300). Half are pairs of actors, every second one of these with a kill or a lost
               answer and wrong clocks. The other half is random.
  --from N     seed of the first random order; with --pairs the number of the first pair (default 1)
  --long       runs for an hour: --pairs 1 for half an hour, then random orders
  --pairs N    plays every order of every two actors. 1: the turn changes after each message of the first actor. 2: it also
               changes back after each message of the second. Each order with one change is repeated with a kill or a lost
               answer at one message, and wrong clocks. Takes hours, and reports the pairs that were completed.
  --minutes N  with --pairs: starts no further order after this time
  --seed N     repeats one order and prints every message, and at the end the data of provider and gateway
  --times N    with --seed: plays the order this often, and fails if the messages differ
  --first      stops after the first order that fails
  --fault NAME plays with a fault in the product, which must be found: ${Object.keys(knownFaults).join(', ')}
  --help       prints this help
`;

const LONG_MINUTES = 60;

interface Options {
  readonly orders: number;
  readonly from: number;
  readonly long: boolean;
  readonly pairs: number | undefined;
  readonly minutes: number;
  readonly seed: number | undefined;
  readonly times: number;
  readonly first: boolean;
  readonly fault: KnownFault | undefined;
}

function readOptions(args: readonly string[]): Options | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      orders: { type: 'string', default: '300' },
      from: { type: 'string', default: '1' },
      long: { type: 'boolean', default: false },
      pairs: { type: 'string' },
      minutes: { type: 'string', default: 'Infinity' },
      seed: { type: 'string' },
      times: { type: 'string', default: '1' },
      first: { type: 'boolean', default: false },
      fault: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  const seed = values.seed === undefined ? undefined : Number(values.seed);
  const pairs = values.pairs === undefined ? undefined : Number(values.pairs);
  const [orders, from, minutes, times] = [values.orders, values.from, values.minutes, values.times].map(Number) as [
    number,
    number,
    number,
    number,
  ];
  const { fault, first } = values;
  if (fault !== undefined && !isKnownFault(fault))
    throw new Error(`Unknown --fault "${fault}". Known faults: ${Object.keys(knownFaults).join(', ')}.`);
  return { orders, from, long: values.long, pairs, minutes, seed, times, first, fault };
}

function isKnownFault(name: string): name is KnownFault {
  return Object.hasOwn(knownFaults, name);
}

type Result = Pick<Played, 'violations' | 'trace'> & Partial<Played>;

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  if (!options) {
    console.log(help);
    return 0;
  }
  installClock();
  installTimers();
  countDeliveries();
  holdDatabaseMessages(options.fault && knownFaults[options.fault]);
  const report = (line: string): void => console.error(line);
  const { path } = await findMongod({ env: process.env, report });
  const mongod = await startMongod({ binary: path, ephemeral: true, report });
  const [provider, receiver] = [await startProvider(), await startReceiver()];
  const processes = await prepareProcesses(mongod.uri, provider.adapters);
  const parts: OrderDeps = { processes, provider, receiver, steady: await processes.start() };
  const totals = { orders: 0, messages: 0, kills: 0, losses: 0, failed: [] as number[] };

  async function play(seed: number): Promise<Result> {
    const plan = planOf(seed);
    const result: Result = await runOrder(plan, parts).catch((error: unknown) => {
      return { violations: [`the order could not be played: ${String((error as Error).stack)}`], trace: [] };
    });
    totals.orders += 1;
    totals.messages += result.messages ?? 0;
    totals.kills += result.kills ?? 0;
    totals.losses += result.losses ?? 0;
    if (result.violations.length) {
      totals.failed.push(seed);
      const { base, charges, refunds, roles } = plan;
      console.log(`\nseed ${seed}: ${base}; ${roles.join(' | ')}; charges: ${charges}, refunds: ${refunds}`);
      for (const violation of result.violations) console.log(`  ${violation}`);
    }
    return result;
  }

  const began = realNow();
  /** True for this many minutes, and with `--first` only until an order fails. */
  const canContinue =
    (minutes = Infinity) =>
    (): boolean =>
      realNow() - began < minutes * 60_000 && !(options.first && totals.failed.length > 0);
  const reportPairs = (from: number, upTo: number): void =>
    console.log(upTo < from ? '\nno pair was completed' : `\npairs ${from} to ${upTo} of ${pairCount} were completed`);
  if (options.seed !== undefined) {
    const { trace, books } = await play(options.seed);
    for (const line of trace) console.log(line);
    console.log(JSON.stringify(books, null, 1));
    for (let times = 1; times < options.times; times += 1) {
      const again = await play(options.seed);
      if (again.trace.join() === trace.join()) continue;
      totals.failed.push(options.seed);
      console.log(`the repetition differs:\n${firstDifference(trace, again.trace)}`);
    }
  } else if (options.pairs !== undefined) {
    const { pairs, from, minutes } = options;
    reportPairs(from, await playEveryPair(play, pairs, from, canContinue(minutes)));
  } else if (options.long) {
    reportPairs(1, await playEveryPair(play, 1, 1, canContinue(LONG_MINUTES / 2)));
    for (let seed = options.from; canContinue(LONG_MINUTES)(); seed += 1) await play(seed);
  } else {
    await playSome(play, options, canContinue());
  }
  const seconds = Math.round((realNow() - began) / 1000);
  const withFault = options.fault ? ` --fault ${options.fault}` : '';
  const { orders, messages, kills, losses, failed } = totals;
  console.log(`\n${orders} orders in ${seconds} s: ${messages} messages, ${kills} kills, ${losses} lost answers`);
  if (failed.length)
    console.log(`failed: ${failed.map((seed) => `npm run explore -- --seed ${seed}${withFault}`).join('\n        ')}`);
  console.log(`${orders - failed.length} passed, ${failed.length} failed`);

  await parts.steady.end();
  await Promise.all([provider.close(), receiver.close(), mongod.stop()]);
  return failed.length ? 1 : 0;
}

function firstDifference(trace: readonly string[], other: readonly string[]): string {
  const at = trace.findIndex((line, index) => line !== other[index]);
  return `message ${at + 1}: ${trace[at] ?? 'none'}, then ${other[at] ?? 'none'}`;
}

type Play = (seed: number) => Promise<Result>;

/**
 * Half of the orders: pairs in turn, every second one with a fault, each with a change of turn at some message. Then
 * random orders.
 */
async function playSome(play: Play, { orders, from }: Options, canContinue: () => boolean): Promise<void> {
  const pairOrders = Math.floor(orders / 2);
  const random = randomFrom(from);
  for (let n = 0; n < pairOrders && canContinue(); n += 1) {
    const pair = Math.floor((n * pairCount) / pairOrders);
    const harm = n % 4 < 2 ? 0 : 1 + Math.floor(random() * 100_000);
    await play(pairSeed(pair, n % 2 === 0 ? 0 : 1, 1 + Math.floor(random() * 14), 0, harm));
  }
  for (let n = 0; n < orders - pairOrders && canContinue(); n += 1) await play(from + n);
}

/**
 * Plays every pair, with either actor first: the turn changes after each of its messages, and back after each message
 * of the other. Returns the number of the last completed pair.
 */
async function playEveryPair(play: Play, changes: number, from: number, canContinue: () => boolean): Promise<number> {
  for (let pair = from - 1; pair < pairCount; pair += 1) {
    for (const first of [0, 1] as const) {
      for (let turn = 1, sent = turn; turn <= sent; turn += 1) {
        if (!canContinue()) return pair;
        const counts = (await play(pairSeed(pair, first, turn))).sent ?? [];
        sent = counts[first] ?? 0;
        await play(pairSeed(pair, first, turn, 0, 1 + ((pair * 2 + first) * 37 + turn)));
        // If the other actor sent all its messages, the order would be the same as above.
        const others = changes > 1 ? (counts[1 - first] ?? 0) : 0;
        for (let back = 1; back < others && canContinue(); back += 1) await play(pairSeed(pair, first, turn, back));
      }
    }
  }
  return pairCount;
}

process.exitCode = await main();
process.exit();
