/**
 * Callbacks end to end, from the provider to the merchant: the CPU time of each, the highest rate that the service
 * sustains, the latencies at that rate, and an overload.
 */
import { percentile } from '../../support/percentile.ts';
import { startReceiver } from '../../support/receiver.ts';
import { freshIds, startBare } from '../bare.ts';
import type { BenchGateway } from '../bench-gateway.ts';
import {
  allDelivered,
  callbacks,
  cpuPerItem,
  deliver,
  makePayments,
  measure,
  measureDrain,
  receiveAll,
  recordNotifiedTimes,
  settle,
  waitsOf,
  withGateway,
  type Bench,
} from '../measure.ts';

const heldSteps = 4;
const heldSeconds = 4;
/** Maximum wait of the last quarter of the load at a sustained rate. */
const heldWaitMs = 500;

export async function measureEndToEnd(bench: Bench): Promise<void> {
  const ackP99 = 'ack p99 at the held rate';
  let held = 0;
  await withGateway(bench, { workers: 2 }, async (gateway) => {
    const { drainedPerSecond } = await measureDrain(bench, gateway);
    bench.record('CPU per callback, applied and notified', 'ours', await cpuPerCallback(bench, gateway));
    held = await findHeldRate(bench, gateway, drainedPerSecond);
    bench.record('held rate, stored to told', 'ours', held);
    const { waits } = await measureWaits(bench, gateway, held / 2, 2 * heldSeconds);
    bench.record('stored to told at half of it, p50', 'ours', percentile(waits, 0.5));
    bench.record('stored to told at half of it, p99', 'ours', percentile(waits, 0.99));
    const { latenciesMs } = await measureWaits(bench, gateway, held, 2 * heldSeconds);
    bench.record(ackP99, 'ours', percentile(latenciesMs, 0.99));
  });
  const bare = await startBare(bench);
  const paced = await measure(bench, bare.port, callbacks(freshIds(Math.ceil(held * 2 * heldSeconds))), held);
  bench.record(ackP99, 'theirs', percentile(paced.latenciesMs, 0.99));
  bare.close();
}

/** CPU time of the whole service and mongod per callback, from its arrival to the delivered notification. */
async function cpuPerCallback(bench: Bench, gateway: BenchGateway): Promise<number> {
  const receiver = await startReceiver();
  const ids = await makePayments(gateway, receiver.url, bench.count);
  const cpuMs = await cpuPerItem(bench, gateway, async () => {
    const { acknowledged } = await deliver(bench, gateway.port, ids);
    await receiveAll(receiver, acknowledged.length);
    await allDelivered(gateway);
    return acknowledged.length;
  });
  await settle(bench, gateway, receiver, ids);
  await receiver.close();
  return cpuMs;
}

/** The highest rate that the API and the workers sustain together, found by bisection below 1.2 times the drain. */
async function findHeldRate(bench: Bench, gateway: BenchGateway, drainedPerSecond: number): Promise<number> {
  let [held, tooMuch] = [0, 1.2 * drainedPerSecond];
  for (let steps = 0; steps < heldSteps; steps += 1) {
    const rate = (held + tooMuch) / 2;
    const { waits } = await measureWaits(bench, gateway, rate, heldSeconds);
    // In the order of arrival: a wait that has grown by then continues to grow.
    if (percentile(waits.slice(-waits.length / 4), 0.5) <= heldWaitMs) held = rate;
    else tooMuch = rate;
  }
  if (!held) throw new Error(`the service did not sustain ${tooMuch.toFixed(0)} callbacks per second`);
  return held;
}

interface Waits {
  /** From each acknowledgement until the merchant is notified. */
  readonly waits: readonly number[];
  /** Latency of each acknowledgement. */
  readonly latenciesMs: readonly number[];
}

/** Sends callbacks at this rate for this time. */
export async function measureWaits(
  bench: Bench,
  gateway: BenchGateway,
  perSecond: number,
  seconds: number,
): Promise<Waits> {
  const receiver = await startReceiver();
  const toldAt = recordNotifiedTimes(receiver);
  const ids = await makePayments(gateway, receiver.url, Math.ceil(perSecond * seconds));
  const { answeredAt, latenciesMs, acknowledged } = await deliver(bench, gateway.port, ids, perSecond);
  await settle(bench, gateway, receiver, acknowledged);
  await receiver.close();
  return { waits: waitsOf(ids, answeredAt, toldAt), latenciesMs };
}

/** Sends callbacks at twice the rate that is sustained, and waits until every merchant is notified. */
export async function measureOverload(bench: Bench): Promise<void> {
  await withGateway(bench, { workers: 2 }, async (gateway) => {
    const { drainedPerSecond } = await measureDrain(bench, gateway);
    const rate = 2 * (await findHeldRate(bench, gateway, drainedPerSecond));
    const receiver = await startReceiver();
    const ids = await makePayments(gateway, receiver.url, Math.ceil(rate * bench.overloadSeconds));
    const { latenciesMs, acknowledged } = await deliver(bench, gateway.port, ids, rate);
    const began = performance.now();
    await receiveAll(receiver, acknowledged.length);
    const seconds = (performance.now() - began) / 1000;
    const { lost } = await settle(bench, gateway, receiver, acknowledged);
    await receiver.close();
    bench.record('overload, ack p99', 'ours', percentile(latenciesMs, 0.99));
    bench.record('overload, until the backlog is gone', 'ours', seconds);
    bench.record('overload, callbacks lost', 'ours', lost);
  });
}
