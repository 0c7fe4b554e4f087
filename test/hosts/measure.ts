/**
 * The cost of a callback on these hosts: the time until its merchant is notified, and how many are acknowledged per
 * second.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../core/base/testing/until.ts';
import { callbacks } from '../bench/measure.ts';
import { cpuMsOf } from '../bench/process-figures.ts';
import { startLoadGenerator } from '../bench/processes.ts';
import { compareBooks } from '../faults/books.ts';
import { deliverAll, makePending } from '../faults/load.ts';
import { deliverCallback, paidCallback } from '../faults/provider.ts';
import { percentile } from '../support/percentile.ts';
import { processesOf, type Cluster, type Host, type World } from './world.ts';

/** Number and rate of callbacks. */
const slowLoad = { count: 100, perSecond: 10 };
/** The supervisor replaces workers that are frozen for 15 s. */
const acks = { count: 3000, atOnce: 500, connections: 64, limitMs: 5000 };
/** A load generator above this CPU share is itself the limit. */
const maxCpuShare = 0.8;

export interface Figures {
  readonly notifiedP50: number;
  readonly notifiedP99: number;
  readonly ackP50: number;
  readonly acksPerSecond: number;
  /**
   * CPU time of mongod and of the host with the API per acknowledgement. A busy machine changes it less than the rate.
   * Other hosts have their own machines in production.
   */
  readonly ackCpuMs: number;
}

/** Throws if a callback was lost or doubled. */
export async function measure(world: World, cluster: Cluster): Promise<Figures> {
  const { connection, receiver, key } = world;
  const target = { url: cluster.url, key, connection };
  await deliverAll(cluster.url, await makePending(target, receiver.url, 100));
  const ids = await makePending(target, receiver.url, slowLoad.count);
  const { waits, answers } = await deliverSlowly(world, cluster, ids);
  const burst = await makePending(target, receiver.url, acks.count);
  const withApi = cluster.hosts.filter(({ role }) => role !== 'worker');
  const pids = [await pidOfMongod(world), ...(await Promise.all(withApi.map(pidsOf))).flat()];
  const { sent, seconds, cpuMs } = await holdWorkers(cluster, async () => {
    const before = await cpuMsOf(pids);
    return { ...(await deliverFast(cluster, burst)), cpuMs: (await cpuMsOf(pids)) - before };
  });
  const { problems } = await compareBooks(connection, receiver, [...ids, ...burst.slice(0, sent)]);
  if (problems.length) throw new Error(problems.join('; '));
  return {
    notifiedP50: percentile(waits, 0.5),
    notifiedP99: percentile(waits, 0.99),
    ackP50: percentile(answers, 0.5),
    acksPerSecond: sent / seconds,
    ackCpuMs: cpuMs / sent,
  };
}

export function medians(all: readonly Figures[]): Figures {
  const of = (member: keyof Figures): number =>
    percentile(
      all.map((figures) => figures[member]),
      0.5,
    );
  return {
    notifiedP50: of('notifiedP50'),
    notifiedP99: of('notifiedP99'),
    ackP50: of('ackP50'),
    acksPerSecond: of('acksPerSecond'),
    ackCpuMs: of('ackCpuMs'),
  };
}

async function pidOfMongod({ connection }: World): Promise<number> {
  const { pid } = await connection.db!.admin().serverStatus();
  return Number(pid);
}

async function pidsOf(host: Host): Promise<number[]> {
  return [host.gateway.child.pid!, ...(await processesOf(host)).map(({ pid }) => pid)];
}

/** One at a time: from the acknowledgement, which comes after the write, until the merchant is notified. */
async function deliverSlowly({ notifiedAt }: World, { url }: Cluster, ids: readonly number[]) {
  const [waits, answers]: [number[], number[]] = [[], []];
  for (const id of ids) {
    const { ms } = await deliverCallback(url, paidCallback(`GW-${id}-1`, 10));
    const storedAt = performance.now();
    answers.push(ms);
    await until('the merchant is notified', () => notifiedAt.has(id));
    waits.push(Math.max(notifiedAt.get(id)! - storedAt, 0));
    await sleep(Math.max(1000 / slowLoad.perSecond - (performance.now() - storedAt), 0));
  }
  return { waits, answers };
}

/** Sends as many as possible in the time. */
async function deliverFast({ url }: Cluster, ids: readonly number[]) {
  const generator = startLoadGenerator();
  const began = performance.now();
  let [sent, seconds] = [0, 0];
  try {
    for (; sent < ids.length && performance.now() - began < acks.limitMs; sent += acks.atOnce) {
      const messages = callbacks(ids.slice(sent, sent + acks.atOnce));
      const result = await generator.drive({
        port: Number(new URL(url).port),
        messages,
        connections: acks.connections,
      });
      if (result.refused.length) throw new Error(`callbacks were refused: ${result.firstRefusal}`);
      if (result.cpuShare > maxCpuShare)
        console.log(`the load generator may be the limit: it used ${result.cpuShare.toFixed(2)} of a core`);
      seconds += result.seconds;
    }
  } finally {
    generator.close();
  }
  return { sent, seconds };
}

/** Measures acknowledgements without the workers, which would share the cores. */
async function holdWorkers<T>({ hosts }: Cluster, use: () => Promise<T>): Promise<T> {
  const processes = (await Promise.all(hosts.map(processesOf))).flat();
  const pids = processes.filter(({ name }) => name.startsWith('worker')).map(({ pid }) => pid);
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
  try {
    return await use();
  } finally {
    for (const pid of pids) process.kill(pid, 'SIGCONT');
  }
}
