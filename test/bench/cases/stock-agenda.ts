/**
 * The stock Agenda, tuned: one job per callback reads it and its payment, changes the payment and notifies the
 * merchant.
 */
import mongoose from 'mongoose';
import { startReceiver } from '../../support/receiver.ts';
import { baselineOptions, freshIds } from '../bare.ts';
import type { BaselineJob } from '../baseline-process.ts';
import { receiveAll, referenceOf, type Bench } from '../measure.ts';
import { startBaseline, type Baseline } from '../processes.ts';

/** Makes a stored payment about as large as a real one. */
const filling = { note: 'x'.repeat(1000) };

export async function measureStockAgenda(bench: Bench): Promise<void> {
  for (const workers of [1, 2]) {
    const figures = await drainByStockAgenda(bench, workers);
    const title = workers === 1 ? '1 worker' : `${workers} workers`;
    bench.record(`drain, ${title}`, 'theirs', figures.perSecond);
    bench.record(`CPU per drained callback, ${title}`, 'theirs', figures.cpuMs);
  }
}

async function drainByStockAgenda(
  bench: Bench,
  workers: number,
): Promise<{ readonly perSecond: number; readonly cpuMs: number }> {
  const receiver = await startReceiver();
  const connection = await mongoose.createConnection(bench.uri('baseline')).asPromise();
  const db = connection.getClient().db();
  await db.dropDatabase();
  const [callbacksOf, paymentsOf] = [db.collection('callbacks'), db.collection<{ _id: number }>('payments')];
  await callbacksOf.createIndex({ reference: 1 });
  await paymentsOf.createIndex({ reference: 1 });
  const processes = await Promise.all(
    Array.from({ length: workers }, async () => startBaseline(baselineOptions(bench, 'agenda', receiver.url))),
  );
  const drain = async (): Promise<{ readonly perSecond: number; readonly cpuMs: number }> => {
    // Half as many as the gateway drains: it is slow, and not faster with more.
    const ids = freshIds(Math.ceil(bench.count / 2));
    const references = ids.map(referenceOf);
    await callbacksOf.insertMany(references.map((reference) => ({ reference, body: 'x'.repeat(300) })));
    await paymentsOf.insertMany(
      ids.map((id) => ({ _id: id, reference: referenceOf(id), state: 'pending', ...filling })),
    );
    const due = { type: 'normal', priority: 0, nextRunAt: new Date(), lockedAt: null };
    const jobs = references.map((callback) => {
      return { ...due, name: 'callback', data: { callback } satisfies BaselineJob };
    });
    const [before, receivedBefore] = [await cpuOf(processes), receiver.received.length];
    const began = performance.now();
    await db.collection('baselineJobs').insertMany(jobs);
    if (!(await receiveAll(receiver, receivedBefore + ids.length)))
      throw new Error('the stock Agenda did not send all notifications');
    const perSecond = (ids.length * 1000) / (performance.now() - began);
    return { perSecond, cpuMs: ((await cpuOf(processes)) - before) / ids.length };
  };
  await drain(); // warm-up
  const figures = await drain();
  for (const process of processes) process.close();
  await Promise.all([connection.close(), receiver.close()]);
  return figures;
}

async function cpuOf(processes: readonly Baseline[]): Promise<number> {
  const times = await Promise.all(processes.map(async (process) => process.cpuMs()));
  return times.reduce((sum, ms) => sum + ms, 0);
}
