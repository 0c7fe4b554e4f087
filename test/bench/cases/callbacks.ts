/** Callbacks: acknowledged by the API, drained by the workers, told to the merchant. */
import { makePending } from '../../faults/load.ts';
import { percentile } from '../../support/percentile.ts';
import { startReceiver } from '../../support/receiver.ts';
import { freshIds, startBare } from '../bare.ts';
import {
  callbacks,
  deliver,
  drained,
  measure,
  noteTold,
  settle,
  waitsOf,
  withGateway,
  type Bench,
} from '../measure.ts';
import { measureStockAgenda } from './stock-agenda.ts';

export async function measureCallbacks(bench: Bench): Promise<void> {
  await measureStockAgenda(bench);
  const bare = await startBare(bench);
  const bareRate = await measure(bench, bare.port, callbacks(freshIds(bench.count)));
  bench.record('ack, workers held', 'theirs', bareRate.perSecond);
  bench.record('ack, workers busy', 'theirs', bareRate.perSecond);
  const half = bareRate.perSecond / 2;
  const paced = await measure(bench, bare.port, callbacks(freshIds(bench.count)), half);
  bench.record('ack p99 at half of the bare ceiling', 'theirs', percentile(paced.latenciesMs, 0.99));
  bare.close();

  await withGateway(bench, { workers: 1 }, async (gateway) => {
    const { drainedPerSecond, cpuMs } = await drained(bench, gateway);
    bench.record('drain, 1 worker', 'ours', drainedPerSecond);
    bench.record('CPU per drained callback, 1 worker', 'ours', cpuMs);
  });
  await withGateway(bench, { workers: 2 }, async (gateway) => {
    const { ackedPerSecond, drainedPerSecond, cpuMs } = await drained(bench, gateway);
    bench.record('ack, workers held', 'ours', ackedPerSecond);
    bench.record('drain, 2 workers', 'ours', drainedPerSecond);
    bench.record('CPU per drained callback, 2 workers', 'ours', cpuMs);

    const receiver = await startReceiver();
    const busy = await deliver(bench, gateway.port, await makePending(gateway, receiver.url, bench.count));
    bench.record('ack, workers busy', 'ours', busy.perSecond);
    await settle(bench, gateway, receiver, busy.acknowledged);

    const atHalf = await deliver(bench, gateway.port, await makePending(gateway, receiver.url, bench.count), half);
    bench.record('ack p99 at half of the bare ceiling', 'ours', percentile(atHalf.latenciesMs, 0.99));
    await settle(bench, gateway, receiver, atHalf.acknowledged);
    await receiver.close();
  });
}

/** At half of the rate at which two workers drain. */
export async function measureEndToEnd(bench: Bench): Promise<void> {
  await withGateway(bench, { workers: 2 }, async (gateway) => {
    const { drainedPerSecond } = await drained(bench, gateway);
    bench.record('held rate, stored to told', 'ours', drainedPerSecond);
    const receiver = await startReceiver();
    const toldAt = noteTold(receiver);
    const ids = await makePending(gateway, receiver.url, bench.count / 2);
    const { answeredAt, acknowledged } = await deliver(bench, gateway.port, ids, drainedPerSecond / 2);
    await settle(bench, gateway, receiver, acknowledged);
    const waits = waitsOf(ids, answeredAt, toldAt);
    bench.record('stored to told at half of it, p50', 'ours', percentile(waits, 0.5));
    bench.record('stored to told at half of it, p99', 'ours', percentile(waits, 0.99));
    await receiver.close();
  });
}
