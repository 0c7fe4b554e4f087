/**
 * Memory per kind of process: with idle connections, under load, its growth with the payments, and afterwards. Also the
 * size of the payments in the database.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { startReceiver } from '../../support/receiver.ts';
import { roles, type BenchGateway, type Role } from '../bench-gateway.ts';
import { deliver, makePayments, settle, withGateway, type Bench } from '../measure.ts';
import { openIdleConnections } from '../processes.ts';
import { submitNotified } from './submits.ts';

const idleConnections = 1000;
const sampleEveryMs = 250;
const quietMs = 60_000;
/** Quarters of the load, in two parts each. In the first quarter the heaps grow to their size. */
const parts = 8;

export const memoryNames = {
  idle: (role: Role) => `memory, ${role}, idle`,
  connections: (role: Role) => `memory, ${role}, 1,000 idle connections`,
  loaded: (role: Role) => `memory, ${role}, under load`,
  after: (role: Role) => `memory, ${role}, a minute after the load`,
  growth: (role: Role) => `memory, ${role}, last to second quarter of the load`,
} as const;

export const storageNames = {
  documents: 'stored per payment, documents before compression',
  disk: 'stored per payment, documents and indexes on disk',
} as const;

/** Half of the payments are submitted and charged immediately, half are paid by a callback. Each is notified. */
export async function measureMemory(bench: Bench): Promise<void> {
  const config = { http: { maxConnectionsPerAddress: 5000 } };
  await withGateway(bench, { workers: 2, config }, async (gateway) => {
    const record = async (name: 'idle' | 'connections' | 'after'): Promise<void> => {
      for (const role of roles) bench.record(memoryNames[name](role), 'ours', await gateway.residentMb(role));
    };
    await record('idle');
    const empty = await storageOf(gateway);
    const idle = await openIdleConnections({ port: gateway.port, connections: idleConnections });
    await record('connections');

    const peaks: Peaks[] = [];
    for (let part = 0; part < parts; part += 1) peaks.push(await loadPayments(bench, gateway, bench.payments / parts));
    for (const role of roles) {
      const highest = (some: readonly Peaks[]): number => Math.max(...some.map((peak) => peak[role]));
      bench.record(memoryNames.loaded(role), 'ours', highest(peaks));
      bench.record(memoryNames.growth(role), 'theirs', highest(peaks.slice(2, 4)));
      bench.record(memoryNames.growth(role), 'ours', highest(peaks.slice(6)));
    }
    await sleep(quietMs);
    await record('after');
    const full = await storageOf(gateway);
    for (const name of ['documents', 'disk'] as const)
      bench.record(storageNames[name], 'ours', (full[name] - empty[name]) / bench.payments);
    const lost = await idle.lost();
    if (lost) bench.problem(`${lost} of ${idleConnections} idle connections were closed`);
    idle.close();
  });
}

/** Sizes in kilobytes. Mongod writes to the disk at least once a minute. */
async function storageOf({ connection }: BenchGateway): Promise<Record<keyof typeof storageNames, number>> {
  const { dataSize, storageSize, indexSize } = await connection.getClient().db(connection.name).stats();
  return { documents: Number(dataSize) / 1000, disk: (Number(storageSize) + Number(indexSize)) / 1000 };
}

/** The largest size of a process of each role. */
type Peaks = Record<Role, number>;

async function loadPayments(bench: Bench, gateway: BenchGateway, payments: number): Promise<Peaks> {
  const peaks: Peaks = { supervisor: 0, api: 0, worker: 0, ops: 0 };
  const sample = async (): Promise<void> => {
    for (const role of roles) peaks[role] = Math.max(peaks[role], await gateway.residentMb(role));
  };
  let sampling = sample();
  const timer = setInterval(() => {
    sampling = sampling.then(sample);
  }, sampleEveryMs);
  try {
    await submitNotified(bench, gateway, Math.ceil(payments / 2));
    const receiver = await startReceiver();
    const ids = await makePayments(gateway, receiver.url, Math.ceil(payments / 2));
    const { acknowledged } = await deliver(bench, gateway.port, ids);
    await settle(bench, gateway, receiver, acknowledged);
    await receiver.close();
  } finally {
    clearInterval(timer);
    await sampling;
  }
  return peaks;
}
