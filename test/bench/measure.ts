/** Shared code of the cases: the load, the gateway under load, and the comparison of the books at the end. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../core/base/testing/until.ts';
import { callbackPath, mainAccount } from '../../core/engine/providers/index.ts';
import { compareBooks, type Books } from '../faults/books.ts';
import { makePending } from '../faults/load.ts';
import { paidCallback, type FaultsProvider } from '../faults/provider.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { roles, startBenchGateway, type BenchGateway, type BenchGatewayOptions } from './bench-gateway.ts';
import type { LoadResult } from './load-process.ts';
import type { LoadGenerator } from './processes.ts';
import type { Side } from './records.ts';
import { request } from './wire.ts';

export interface Bench {
  readonly load: LoadGenerator;
  readonly provider: FaultsProvider;
  /** Address of a database with this name on the benchmark's mongod. */
  readonly uri: (database: string) => string;
  /** CPU time that the benchmark's mongod has used. */
  readonly mongodCpuMs: () => Promise<number>;
  /** Callbacks per measurement of the inbox. Submits are half of it, reads a fifth. */
  readonly count: number;
  /** Payments for the measurement of memory. */
  readonly payments: number;
  /** Duration of the overload. */
  readonly overloadSeconds: number;
  record(name: string, side: Side, value: number): void;
  problem(text: string): void;
}

const connections = 64;
/** Above this CPU share the load generator itself may be the limit. */
const maxLoadShare = 0.8;

export interface Measured extends LoadResult {
  readonly perSecond: number;
}

/** Every response must be 200, otherwise the measurement is invalid. */
export async function measure(
  bench: Bench,
  port: number,
  messages: readonly string[],
  perSecond?: number,
): Promise<Measured> {
  const load = { port, messages, connections, ...(perSecond !== undefined && { perSecond }) };
  const result = await bench.load.drive(load);
  const { statuses, refused, firstRefusal, cpuShare } = result;
  if (cpuShare > maxLoadShare)
    bench.problem(`the load generator was the limit: ${Math.round(cpuShare * 100)} % of a core`);
  if (refused.length) bench.problem(`answers ${JSON.stringify(statuses)}: ${firstRefusal.slice(0, 300)}`);
  return { ...result, perSecond: messages.length / result.seconds };
}

export interface Delivered extends Measured {
  /** Payments whose callbacks were acknowledged. Callbacks of the others need not take effect. */
  readonly acknowledged: readonly number[];
}

/** Payments that wait for their callback, each with its own client, as in most shops. */
export async function makePayments(
  gateway: Pick<BenchGateway, 'url' | 'key' | 'connection'>,
  notifyUrl: string,
  count: number,
): Promise<number[]> {
  return makePending(gateway, notifyUrl, count, { isOfMany: true });
}

/** Sends the callback of each payment. */
export async function deliver(
  bench: Bench,
  port: number,
  ids: readonly number[],
  perSecond?: number,
): Promise<Delivered> {
  const measured = await measure(bench, port, callbacks(ids), perSecond);
  const refused = new Set(measured.refused);
  return { ...measured, acknowledged: ids.filter((_, index) => !refused.has(index)) };
}

export interface Drained {
  /** Callbacks acknowledged while the workers were frozen. */
  readonly ackedPerSecond: number;
  /** Callbacks that took effect and were notified per second, after the workers resumed. */
  readonly drainedPerSecond: number;
  /** CPU time of the workers per callback. */
  readonly cpuMs: number;
}

/**
 * The API has two processes. Each gets as many messages for warm-up as the single process of a baseline. A fresh
 * process uses three times the CPU time.
 */
export const warmingRounds = 2;

/**
 * Stores callbacks while the workers are frozen, and then measures the drain. The receiver answers after `answerMs`.
 */
export async function measureDrain(bench: Bench, gateway: BenchGateway, answerMs = 0): Promise<Drained> {
  const receiver = await startReceiver();
  if (answerMs) receiver.answer = (response) => void setTimeout(() => response.writeHead(200).end(), answerMs);
  for (let round = 0; round < warmingRounds; round += 1) {
    const warm = await deliver(bench, gateway.port, await makePayments(gateway, receiver.url, bench.count));
    await settle(bench, gateway, receiver, warm.acknowledged);
  }
  const known = receiver.received.length;
  const ids = await makePayments(gateway, receiver.url, bench.count);
  await gateway.holdWorkers(true);
  const { perSecond: ackedPerSecond, acknowledged } = await deliver(bench, gateway.port, ids);
  const before = await gateway.cpuMs('worker');
  const began = performance.now();
  await gateway.holdWorkers(false);
  await receiveAll(receiver, known + acknowledged.length);
  const drainedPerSecond = (acknowledged.length * 1000) / (performance.now() - began);
  const cpuMs = ((await gateway.cpuMs('worker')) - before) / acknowledged.length;
  await settle(bench, gateway, receiver, acknowledged);
  await receiver.close();
  return { ackedPerSecond, drainedPerSecond, cpuMs };
}

/** Without a notification for this long, missing ones count as lost. */
const quietMs = 60_000;

/** Waits for this many notifications, as long as some arrive. Returns false if some are missing. */
export async function receiveAll({ received }: Pick<Receiver, 'received'>, count: number): Promise<boolean> {
  let [known, since] = [received.length, performance.now()];
  while (received.length < count) {
    if (received.length !== known) [known, since] = [received.length, performance.now()];
    if (performance.now() - since > quietMs) return false;
    await sleep(20);
  }
  return true;
}

/** Waits until every callback took effect, and compares: each took effect once, and was notified once. */
export async function settle(
  bench: Bench,
  { connection }: BenchGateway,
  receiver: Pick<Receiver, 'received'>,
  ids: readonly number[],
): Promise<Books> {
  const books = await compareBooks(connection, receiver, ids);
  for (const problem of books.problems) bench.problem(problem);
  if (books.repeatedDeliveries) bench.problem(`${books.repeatedDeliveries} notifications were delivered again`);
  return books;
}

/** CPU time of all processes of the service and of mongod, per item of the work. The work returns how many it did. */
export async function cpuPerItem(bench: Bench, gateway: BenchGateway, work: () => Promise<number>): Promise<number> {
  const cpuMs = async (): Promise<number> => {
    const times = await Promise.all([...roles.map(async (role) => gateway.cpuMs(role)), bench.mongodCpuMs()]);
    return times.reduce((sum, ms) => sum + ms, 0);
  };
  const before = await cpuMs();
  const items = await work();
  return ((await cpuMs()) - before) / items;
}

/** Waits until the service has stored the result of every delivery. */
export async function allDelivered({ connection }: BenchGateway): Promise<void> {
  const notifications = connection.collection('notifications');
  await until(
    'every delivery is stored',
    async () => (await notifications.findOne({ state: 'waiting' })) === null,
    60_000,
  );
}

/** Runs a gateway on a database of its own, or on the given one, which is kept. */
export async function withGateway(
  bench: Bench,
  setup: Pick<BenchGatewayOptions, 'workers' | 'config' | 'keepsDatabase'> & { readonly mongodbUri?: string },
  work: (gateway: BenchGateway) => Promise<void>,
): Promise<void> {
  const fresh = { mongodbUri: bench.uri(`gateway_${randomUUID()}`), providerUrl: bench.provider.url };
  const gateway = await startBenchGateway({ ...fresh, ...setup });
  try {
    await work(gateway);
  } finally {
    await gateway.close();
  }
}

/** Records the time of each payment's success notification, in milliseconds of the system's clock. */
export function recordNotifiedTimes(receiver: Receiver): ReadonlyMap<number, number> {
  const toldAt = new Map<number, number>();
  const { answer } = receiver;
  receiver.answer = (response, count) => {
    const { type, data } = receiver.received[count - 1]!.json;
    const id = data.paymentRequest?.id as number;
    if (type === 'payment.succeeded' && !toldAt.has(id)) toldAt.set(id, Date.now());
    answer(response, count);
  };
  return toldAt;
}

/** Time from each acknowledgement until the merchant was notified. NaN without a notification. */
export function waitsOf(
  ids: readonly number[],
  answeredAt: readonly number[],
  toldAt: ReadonlyMap<number, number>,
): number[] {
  return ids.map((id, index) => Math.max(0, (toldAt.get(id) ?? Number.NaN) - answeredAt[index]!));
}

/** Callbacks of an account, at its own address, or with a hint at the address of all. Default: those of `main`. */
export function callbacks(
  ids: readonly number[],
  { account, isHinted = false }: { readonly account?: string; readonly isHinted?: boolean } = {},
): string[] {
  return ids.map((id) => {
    const { body, signature } = paidCallback(referenceOf(id), 10, account);
    const hint = isHinted && account !== undefined && { 'X-Account': account };
    const headers = { 'Content-Type': 'application/json', 'X-Signature': signature, ...hint };
    return request(
      'POST',
      `/callbacks/${callbackPath('faults', isHinted ? mainAccount : (account ?? mainAccount))}`,
      headers,
      body,
    );
  });
}

export function referenceOf(id: number): string {
  return `GW-${id}-1`;
}
