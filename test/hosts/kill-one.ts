/** A host that dies under load: what it held is released soon, and nothing is lost or doubled. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from 'mongoose';
import { alarmModel } from '../../core/database/collections/alarm.ts';
import { hostModel } from '../../core/database/collections/host.ts';
import { inboxModel } from '../../core/database/collections/inbox-row.ts';
import { notificationModel } from '../../core/database/collections/notification.ts';
import { paymentRequestModel } from '../../core/database/collections/payment-request.ts';
import { jobDocuments } from '../../core/engine/jobs/index.ts';
import { until } from '../../core/base/testing/until.ts';
import { compareBooks } from '../faults/books.ts';
import { deliverAll, makePending } from '../faults/load.ts';
import { processesOf, type Cluster, type Host, type World } from './world.ts';

const load = { count: 600, perSecond: 40 };
const harmAfterMs = 3000;
/** Counted from the host's last heartbeat. */
const freedLimitMs = 10_000;

/** Returns false if something was lost or doubled, or was released too late. */
export async function killOneHost({ connection, receiver, key }: World, { url, hosts }: Cluster): Promise<boolean> {
  const ids = await makePending({ url, key, connection }, receiver.url, load.count);
  const delivering = deliverAll(url, ids, load.perSecond);
  await sleep(harmAfterMs);
  const doomed = hosts.findLast(({ role }) => role === 'worker')!;
  const names = (await processesOf(doomed)).map(({ name }) => name);
  const { diedAt, held } = await killWhileItHolds(connection, doomed, names);
  await until('its host is removed', async () => !(await hostModel(connection).exists({ processes: { $in: names } })));
  const noticedMs = performance.now() - diedAt;
  await until('its leases and locks are released', async () => total(await countHeld(connection, names)) === 0);
  const freedMs = performance.now() - diedAt;
  const { seconds, tries, slowestMs } = await delivering;
  const { lost, doubled, repeatedDeliveries, settledSeconds, problems } = await compareBooks(connection, receiver, ids);
  console.log(
    `one of three hosts killed while it held ${held.leases} leases and ${held.locks} locks: removed from the cluster after ${inSeconds(noticedMs)}, all released after ${inSeconds(freedMs)} (limit ${inSeconds(freedLimitMs)}); ${load.count} callbacks in ${seconds.toFixed(1)} s, ${tries} sent, slowest ${Math.round(slowestMs)} ms; all settled ${settledSeconds.toFixed(1)} s later; ${lost} lost, ${doubled} doubled, ${repeatedDeliveries} notifications repeated`,
  );
  for (const problem of problems) console.log(problem);
  if (freedMs > freedLimitMs) console.log('the leases and locks of the dead host were released too late');
  return problems.length === 0 && freedMs <= freedLimitMs;
}

const inSeconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

interface Held {
  readonly leases: number;
  readonly locks: number;
}

const total = ({ leases, locks }: Held): number => leases + locks;

/** Freezes and resumes the host until it is frozen while it holds something. Then kills it. */
async function killWhileItHolds(connection: Connection, { gateway }: Host, names: readonly string[]) {
  return until('it holds something', async () => {
    gateway.signalGroup('SIGSTOP');
    const diedAt = performance.now();
    const held = await countHeld(connection, names);
    if (total(held) === 0) {
      gateway.signalGroup('SIGCONT');
      return undefined;
    }
    gateway.signalGroup('SIGKILL');
    return { diedAt, held };
  });
}

/** Leases and Agenda locks of these processes. */
async function countHeld(connection: Connection, names: readonly string[]): Promise<Held> {
  const leases = [inboxModel, notificationModel, paymentRequestModel, alarmModel].map(async (modelOf) =>
    modelOf(connection).collection.countDocuments({ 'lease.worker': { $in: [...names] } }),
  );
  const locks = jobDocuments(connection).countDocuments({
    lastModifiedBy: { $in: [...names] },
    lockedAt: { $ne: null },
  });
  return { leases: (await Promise.all(leases)).reduce((sum, count) => sum + count, 0), locks: await locks };
}
