/**
 * Submits of a card payment that the provider charges immediately: plain, with an `Idempotency-Key`, and with a
 * `notifyUrl`.
 */
import { randomUUID } from 'node:crypto';
import { providerCode } from '../../faults/provider.ts';
import { cardBody } from '../../support/bodies.ts';
import { startReceiver } from '../../support/receiver.ts';
import { startBare } from '../bare.ts';
import type { BenchGateway } from '../bench-gateway.ts';
import {
  allDelivered,
  cpuPerItem,
  measure,
  receiveAll,
  warmingRounds,
  withGateway,
  type Bench,
  type Measured,
} from '../measure.ts';
import { request } from '../wire.ts';

const json = { 'Content-Type': 'application/json' };
const bareNames = ['submit', 'submit with Idempotency-Key', 'submit with notifyUrl'] as const;

/** Node compiles code that runs often. Fewer submits leave the processes twice as slow for the rest of the run. */
const warmingSubmits = 6000;

export async function measureSubmits(bench: Bench): Promise<void> {
  const count = Math.ceil(bench.count / 2);
  const bare = await startBare(bench);
  const bareMessages = (length: number): string[] =>
    Array.from({ length }, () => request('POST', '/payments', json, cardBody('4111111111111111', 7)));
  await measure(bench, bare.port, bareMessages(warmingSubmits / warmingRounds)); // warm-up, for one process where the gateway has two
  const messages = bareMessages(count);
  const before = await bare.cpuMs();
  const { perSecond } = await measure(bench, bare.port, messages);
  for (const name of bareNames) bench.record(name, 'theirs', perSecond);
  bench.record('CPU per submit', 'theirs', ((await bare.cpuMs()) - before) / count);
  bare.close();

  await withGateway(bench, { workers: 1 }, async (gateway) => {
    const { cpuMs, ...rates } = await submitAll(bench, gateway, count);
    bench.record('submit', 'ours', rates.plain);
    bench.record('submit with Idempotency-Key', 'ours', rates.keyed);
    bench.record('submit with notifyUrl', 'ours', rates.notified);
    bench.record('CPU per submit', 'ours', cpuMs);
    bench.record('CPU per charge, merchant notified', 'ours', await cpuPerCharge(bench, gateway));
  });
}

/** CPU time of the whole service and mongod per payment, from the request to the delivered notification. */
async function cpuPerCharge(bench: Bench, gateway: BenchGateway): Promise<number> {
  return cpuPerItem(bench, gateway, async () => {
    const { refused } = await submitNotified(bench, gateway, bench.count);
    await allDelivered(gateway);
    return bench.count - refused.length;
  });
}

export interface Submits {
  /** Submits per second of each kind. */
  readonly plain: number;
  readonly keyed: number;
  readonly notified: number;
  /** CPU time of the API per plain submit. */
  readonly cpuMs: number;
}

export async function submitAll(bench: Bench, gateway: BenchGateway, count: number): Promise<Submits> {
  await measure(bench, gateway.port, submitMessages(gateway, warmingSubmits)); // warm-up
  const messages = submitMessages(gateway, count);
  const before = await gateway.cpuMs('api');
  const { perSecond } = await measure(bench, gateway.port, messages);
  const cpuMs = ((await gateway.cpuMs('api')) - before) / count;
  const keyed = await measure(bench, gateway.port, submitMessages(gateway, count, true));
  const notified = await submitNotified(bench, gateway, count);
  return { plain: perSecond, keyed: keyed.perSecond, notified: notified.perSecond, cpuMs };
}

/**
 * Each payment must be charged once, and its merchant notified. The rate counts submits that are answered and notified.
 */
export async function submitNotified(bench: Bench, gateway: BenchGateway, count: number): Promise<Measured> {
  const receiver = await startReceiver();
  const began = performance.now();
  const measured = await measure(bench, gateway.port, submitMessages(gateway, count, false, receiver.url));
  const made = count - measured.refused.length;
  await receiveAll(receiver, made);
  const perSecond = (made * 1000) / (performance.now() - began);
  await receiver.close();
  const notified = new Set(receiver.received.map(({ json: one }) => one.data.paymentRequest.id as number)).size;
  if (notified !== made) bench.problem(`${notified} of ${made} submitted payments were notified`);
  const twice = [...bench.provider.charges.values()].filter(({ requests }) => requests > 1).length;
  if (twice) bench.problem(`${twice} payments were charged twice`);
  return { ...measured, perSecond };
}

/** Submits of a hundred payers. */
export function submitMessages(gateway: BenchGateway, count: number, isKeyed = false, notifyUrl?: string): string[] {
  const path = `/payments/h2h/${providerCode}`;
  const headers = { ...json, 'X-API-Key': gateway.key };
  return Array.from({ length: count }, (_, at) => {
    const given = { email: `payer-${at % 100}@shop.example`, ...(notifyUrl !== undefined && { notifyUrl }) };
    const body = cardBody('4111111111111111', 7, given);
    return request('POST', path, isKeyed ? { ...headers, 'Idempotency-Key': randomUUID() } : headers, body);
  });
}
