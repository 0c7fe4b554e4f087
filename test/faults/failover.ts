/** What the loss of MongoDB's primary costs. Each row uses a replica set of three. */
import { setTimeout as sleep } from 'node:timers/promises';
import { compareBooks } from './books.ts';
import { startKeyedLoad } from './keyed-load.ts';
import { makePending, runConcurrently } from './load.ts';
import { deliverCallback, paidCallback } from './provider.ts';
import { startReplicaSet, type ReplicaSet } from './replica-set.ts';
import type { Row, RowResult, World } from './row.ts';
import { startFaultsService } from './service.ts';

const perSecond = 30;
const submitsPerSecond = 4;
const seconds = 40;
const harmAfterMs = 8000;

/** Acknowledgements stop and resume within the limit. Nothing is lost or doubled, and no key charges twice. */
async function failOver(
  { provider, receiver }: World,
  electionTimeoutMillis: number,
  limitMs: number,
  harm: (set: ReplicaSet) => Promise<void>,
): Promise<RowResult> {
  const set = await startReplicaSet(electionTimeoutMillis);
  const service = await startFaultsService({ faults: provider.url }, undefined, { MONGODB_URI: set.uri });
  try {
    const ids = await makePending(service, receiver.url, perSecond * seconds);
    const submits = startKeyedLoad({
      nextUrl: () => service.url,
      key: service.key,
      notifyUrl: receiver.url,
      provider,
      perSecond: submitsPerSecond,
    });
    const began = performance.now();
    const acknowledgedAt: number[] = [];
    let harmedAt = 0;
    const load = runConcurrently(64, ids, async (id, index) => {
      const dueMs = (index * 1000) / perSecond - (performance.now() - began);
      if (dueMs > 0) await sleep(dueMs);
      while ((await deliverCallback(service.url, paidCallback(`GW-${id}-1`, 10))).status !== 200) await sleep(100);
      acknowledgedAt.push(performance.now());
    });
    await sleep(harmAfterMs);
    harmedAt = performance.now();
    await harm(set);
    await load;
    await set.restartKilled();
    const keyed = await submits.end();
    const books = await compareBooks(service.connection, receiver, [...ids, ...keyed.ids]);
    const backMs = longestPause([harmedAt, ...acknowledgedAt.filter((at) => at > harmedAt)]);
    const { lost, doubled, repeatedDeliveries } = books;
    return {
      figures: `${ids.length} callbacks; none acknowledged for ${Math.round(backMs)} ms (at most ${limitMs}); ${lost} lost, ${doubled} doubled, ${repeatedDeliveries} notifications repeated; ${keyed.ids.length} submits (${keyed.uncharged} more never reached the provider) and ${keyed.refunds} refunds under a key`,
      problems: [
        ...books.problems,
        ...keyed.problems,
        ...(backMs > limitMs ? ['acknowledgements resumed too late'] : []),
      ],
    };
  } finally {
    await service.close();
    await set.close();
  }
}

function longestPause(times: readonly number[]): number {
  return Math.max(...times.slice(1).map((at, index) => at - times[index]!));
}

const usualTimeoutMs = 10_000;

export const failoverRows: readonly Row[] = [
  {
    name: 'failover: the primary steps down',
    onlyLong: true,
    run: async (world) => failOver(world, usualTimeoutMs, 5000, async (set) => set.stepDown()),
  },
  {
    name: 'failover: kill -9 of the primary',
    onlyLong: true,
    run: async (world) => failOver(world, usualTimeoutMs, 15_000, async (set) => set.killPrimary()),
  },
  {
    name: 'failover: kill -9 of the primary, electionTimeoutMillis 2000',
    onlyLong: true,
    run: async (world) => failOver(world, 2000, 15_000, async (set) => set.killPrimary()),
  },
];
