/** Callbacks: acknowledged by the API, drained by the workers. */
import { startReceiver } from '../../support/receiver.ts';
import { freshIds, startBare } from '../bare.ts';
import type { BenchGateway } from '../bench-gateway.ts';
import {
  callbacks,
  deliver,
  measureDrain,
  makePayments,
  measure,
  settle,
  withGateway,
  type Bench,
  type Delivered,
} from '../measure.ts';
import { measureStockAgenda } from './stock-agenda.ts';

export async function measureCallbacks(bench: Bench): Promise<void> {
  await measureStockAgenda(bench);
  const bare = await startBare(bench);
  const bareRate = await measure(bench, bare.port, callbacks(freshIds(bench.count)));
  bench.record('ack, workers held', 'theirs', bareRate.perSecond);
  bench.record('ack, workers busy', 'theirs', bareRate.perSecond);
  bare.close();

  await withGateway(bench, { workers: 1 }, async (gateway) => {
    const { drainedPerSecond, cpuMs } = await measureDrain(bench, gateway);
    bench.record('drain, 1 worker', 'ours', drainedPerSecond);
    bench.record('CPU per drained callback, 1 worker', 'ours', cpuMs);
  });
  await withGateway(bench, { workers: 2 }, async (gateway) => {
    const { ackedPerSecond, drainedPerSecond, cpuMs } = await measureDrain(bench, gateway);
    bench.record('ack, workers held', 'ours', ackedPerSecond);
    bench.record('drain, 2 workers', 'ours', drainedPerSecond);
    bench.record('CPU per drained callback, 2 workers', 'ours', cpuMs);

    bench.record('ack, workers busy', 'ours', (await deliverWhileBusy(bench, gateway)).perSecond);
  });
}

/** Sends callbacks while the workers apply them, as fast as they are acknowledged, or at the given rate. */
export async function deliverWhileBusy(bench: Bench, gateway: BenchGateway, perSecond?: number): Promise<Delivered> {
  const receiver = await startReceiver();
  const ids = await makePayments(gateway, receiver.url, bench.count);
  const delivered = await deliver(bench, gateway.port, ids, perSecond);
  await settle(bench, gateway, receiver, delivered.acknowledged);
  await receiver.close();
  return delivered;
}
