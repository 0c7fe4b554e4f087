/** Callbacks: acknowledged by the API, drained by the workers, notified to the merchant. */
import { percentile } from '../../support/percentile.ts';
import { startReceiver } from '../../support/receiver.ts';
import { freshIds, startBare } from '../bare.ts';
import type { BenchGateway } from '../bench-gateway.ts';
import {
  callbacks,
  deliver,
  measureDrain,
  makePayments,
  measure,
  recordNotifiedTimes,
  settle,
  waitsOf,
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
  const half = bareRate.perSecond / 2;
  const paced = await measure(bench, bare.port, callbacks(freshIds(bench.count)), half);
  bench.record('ack p99 at half of the bare ceiling', 'theirs', percentile(paced.latenciesMs, 0.99));
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
    const atHalf = await deliverWhileBusy(bench, gateway, half);
    bench.record('ack p99 at half of the bare ceiling', 'ours', percentile(atHalf.latenciesMs, 0.99));
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

/**
 * Finds the highest rate that the API and two workers sustain together, by bisection, and the latency at half of it.
 */
export async function measureEndToEnd(bench: Bench): Promise<void> {
  await withGateway(bench, { workers: 2 }, async (gateway) => {
    const { drainedPerSecond } = await measureDrain(bench, gateway);
    let [held, tooMuch] = [0, 1.2 * drainedPerSecond];
    for (let steps = 0; steps < heldSteps; steps += 1) {
      const rate = (held + tooMuch) / 2;
      const waits = await measureWaits(bench, gateway, rate, heldSeconds);
      // In the order of arrival: a wait that has grown by then continues to grow.
      if (percentile(waits.slice(-waits.length / 4), 0.5) <= heldWaitMs) held = rate;
      else tooMuch = rate;
    }
    bench.record('held rate, stored to told', 'ours', held);
    const waits = await measureWaits(bench, gateway, held / 2, 2 * heldSeconds);
    bench.record('stored to told at half of it, p50', 'ours', percentile(waits, 0.5));
    bench.record('stored to told at half of it, p99', 'ours', percentile(waits, 0.99));
  });
}

const heldSteps = 4;
const heldSeconds = 4;
/** Maximum wait of the last quarter of the load at a sustained rate. */
const heldWaitMs = 500;

/** Waits from each acknowledgement until the merchant is notified, at this rate for this time. */
export async function measureWaits(
  bench: Bench,
  gateway: BenchGateway,
  perSecond: number,
  seconds: number,
): Promise<readonly number[]> {
  const receiver = await startReceiver();
  const toldAt = recordNotifiedTimes(receiver);
  const ids = await makePayments(gateway, receiver.url, Math.ceil(perSecond * seconds));
  const { answeredAt, acknowledged } = await deliver(bench, gateway.port, ids, perSecond);
  await settle(bench, gateway, receiver, acknowledged);
  await receiver.close();
  return waitsOf(ids, answeredAt, toldAt);
}
