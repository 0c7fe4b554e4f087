/** Measures the gateway with very many payments stored, and the same with the payments of one day. */
import type { BenchGateway } from '../bench-gateway.ts';
import { removeAdded, type StoredDatabase, type StoredDatabases } from '../large/databases.ts';
import { readsOf } from '../large/reads.ts';
import { measureDrain, measure, withGateway, type Bench } from '../measure.ts';
import type { Side } from '../records.ts';
import { percentile } from '../../support/percentile.ts';
import { deliverWhileBusy } from './callbacks.ts';
import { pageTimes } from './console.ts';
import { measureWaits } from './held-rate.ts';
import { submitAll } from './submits.ts';

const prefix = 'large: ';
const consolePrefix = `${prefix}console, `;

export function isLarge(name: string): boolean {
  return name.startsWith(prefix);
}

const ackP99 = 'ack p99, workers busy';
const toldP99 = 'stored to told, p99';

/** True for cases that measure a duration instead of a rate. */
export function isLargeWait(name: string): boolean {
  return [ackP99, toldP99].some((wait) => name === `${prefix}${wait}`);
}

export function isConsole(name: string): boolean {
  return name.startsWith(consolePrefix);
}

/**
 * The large database is `ours`, the small one `theirs`. Both gateways run all the time, and each case is measured with
 * one right after the other, so that other load on the machine affects both.
 */
export async function measureStored(
  bench: Bench,
  { large, small }: StoredDatabases,
  isSmallFirst: boolean,
): Promise<void> {
  await withStored(bench, large, async (ours) =>
    withStored(bench, small, async (theirs) => {
      const both = [
        { side: 'ours', gateway: ours, database: large, reads: await readsOf(ours, large, bench.count) },
        { side: 'theirs', gateway: theirs, database: small, reads: await readsOf(theirs, small, bench.count) },
      ] as const;
      const sides = isSmallFirst ? both.toReversed() : both;
      const record = (name: string, side: Side, value: number): void => bench.record(`${prefix}${name}`, side, value);
      // Reads come first, so that they see only the stored data.
      for (const name of both[0].reads.keys()) {
        for (const { gateway, reads } of sides) await measure(bench, gateway.port, warmUpOf(reads.get(name)!));
        for (const { side, gateway, reads } of sides) {
          record(name, side, (await measure(bench, gateway.port, reads.get(name)!)).perSecond);
        }
      }
      for (const { side, gateway, database } of sides) {
        for await (const { name, slowestMs } of pageTimes(gateway, database.payments))
          bench.record(`${consolePrefix}${name}`, side, slowestMs);
      }
      let slowest = Infinity;
      for (const { side, gateway } of sides) {
        const { ackedPerSecond, drainedPerSecond } = await measureDrain(bench, gateway);
        record('ack, workers held', side, ackedPerSecond);
        record('drain, 2 workers', side, drainedPerSecond);
        slowest = Math.min(slowest, drainedPerSecond);
      }
      // A rate that both sustain.
      const rate = slowest / 4;
      for (const { side, gateway } of sides) {
        record('ack, workers busy', side, (await deliverWhileBusy(bench, gateway)).perSecond);
        record(ackP99, side, percentile((await deliverWhileBusy(bench, gateway, rate)).latenciesMs, 0.99));
        const { waits } = await measureWaits(bench, gateway, rate, bench.count / rate);
        record(toldP99, side, percentile(waits, 0.99));
      }
      for (const { side, gateway } of sides) {
        const { plain, keyed, notified } = await submitAll(bench, gateway, Math.ceil(bench.count / 5));
        record('submit', side, plain);
        record('submit with Idempotency-Key', side, keyed);
        record('submit with notifyUrl', side, notified);
      }
    }),
  );
}

async function withStored(
  bench: Bench,
  database: StoredDatabase,
  work: (gateway: BenchGateway) => Promise<void>,
): Promise<void> {
  await removeAdded(database);
  await withGateway(bench, { workers: 2, mongodbUri: database.mongodbUri, keepsDatabase: true }, work);
}

function warmUpOf(messages: readonly string[]): readonly string[] {
  return messages.slice(0, Math.ceil(messages.length / 4));
}
