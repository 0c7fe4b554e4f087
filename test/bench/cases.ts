/** The measurements of one run. Each measures baseline and gateway right after one another. */
import { randomUUID } from 'node:crypto';
import mongoose from 'mongoose';
import { until } from '../../workers/supervisor/testing/until.ts';
import { compareBooks } from '../faults/books.ts';
import { makePending } from '../faults/load.ts';
import { paidCallback, providerCode, type FaultsProvider } from '../faults/provider.ts';
import { cardBody } from '../support/bodies.ts';
import { percentile } from '../support/percentile.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import type { BaselineJob, BaselineSetup } from './baseline-process.ts';
import { startBaseline, startBenchGateway, type Baseline, type BenchGateway, type LoadGenerator } from './processes.ts';
import type { LoadResult } from './load-process.ts';
import { request } from './wire.ts';

export interface Bench {
  readonly load: LoadGenerator;
  readonly provider: FaultsProvider;
  /** A database of that name on the mongod of this benchmark. */
  readonly uri: (database: string) => string;
  /** Callbacks of one measurement of the inbox; submits are a fifth of it. */
  readonly count: number;
  record(name: string, side: 'ours' | 'theirs', value: number): void;
  problem(text: string): void;
}

const connections = 64;
/** A stored payment is about so large. */
const filling = { note: 'x'.repeat(1000) };

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

  await withGateway(bench, 1, async (gateway) => {
    await drained(bench, gateway, 'drain, 1 worker', 'CPU per drained callback, 1 worker');
  });
  await withGateway(bench, 2, async (gateway) => {
    const { perSecond } = await drained(bench, gateway, 'drain, 2 workers', 'CPU per drained callback, 2 workers');
    bench.record('ack, workers held', 'ours', perSecond);

    const receiver = await startReceiver();
    const ids = await makePending(gateway, receiver.url, bench.count);
    const busy = await measure(bench, gateway.port, callbacks(ids));
    bench.record('ack, workers busy', 'ours', busy.perSecond);
    await settle(bench, gateway, receiver, ids);

    const more = await makePending(gateway, receiver.url, bench.count);
    const atHalf = await measure(bench, gateway.port, callbacks(more), half);
    bench.record('ack p99 at half of the bare ceiling', 'ours', percentile(atHalf.latenciesMs, 0.99));
    await settle(bench, gateway, receiver, more);
    await receiver.close();
  });
}

/** At half of the rate at which two workers drain. */
export async function measureEndToEnd(bench: Bench): Promise<void> {
  await withGateway(bench, 2, async (gateway) => {
    const { drainedPerSecond } = await drained(bench, gateway);
    bench.record('held rate, stored to told', 'ours', drainedPerSecond);
    const receiver = await startReceiver();
    const told: number[] = [];
    receiver.answer = (response) => {
      told.push(Date.now());
      response.writeHead(200).end();
    };
    const ids = await makePending(gateway, receiver.url, bench.count / 2);
    const { answeredAt } = await measure(bench, gateway.port, callbacks(ids), drainedPerSecond / 2);
    await settle(bench, gateway, receiver, ids);
    const toldOf = new Map(
      receiver.received.map(({ json }, index) => [json.data.paymentRequest.id as number, told[index]!]),
    );
    const waits = ids.map((id, index) => Math.max(0, toldOf.get(id)! - answeredAt[index]!));
    bench.record('stored to told at half of it, p50', 'ours', percentile(waits, 0.5));
    bench.record('stored to told at half of it, p99', 'ours', percentile(waits, 0.99));
    await receiver.close();
  });
}

async function measureStockAgenda(bench: Bench): Promise<void> {
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
  const ids = freshIds(bench.count);
  await db.dropDatabase();
  const [callbacksOf, paymentsOf] = [db.collection('callbacks'), db.collection<{ _id: number }>('payments')];
  await callbacksOf.createIndex({ reference: 1 });
  await paymentsOf.createIndex({ reference: 1 });
  await callbacksOf.insertMany(ids.map((id) => ({ reference: referenceOf(id), body: 'x'.repeat(300) })));
  await paymentsOf.insertMany(ids.map((id) => ({ _id: id, reference: referenceOf(id), state: 'pending', ...filling })));
  const processes = await Promise.all(
    Array.from({ length: workers }, async () => startBaseline(baselineSetup(bench, 'agenda', receiver.url))),
  );
  const before = await cpuOf(processes);
  const began = performance.now();
  const due = { type: 'normal', priority: 0, nextRunAt: new Date(), lockedAt: null };
  const jobs = ids.map((id) => {
    return { ...due, name: 'callback', data: { callback: referenceOf(id) } satisfies BaselineJob };
  });
  await db.collection('baselineJobs').insertMany(jobs);
  await until('the stock Agenda has told all', () => receiver.received.length >= ids.length, 180_000);
  const perSecond = (ids.length * 1000) / (performance.now() - began);
  const cpuMs = ((await cpuOf(processes)) - before) / ids.length;
  for (const process of processes) process.close();
  await Promise.all([connection.close(), receiver.close()]);
  return { perSecond, cpuMs };
}

export async function measureSubmits(bench: Bench): Promise<void> {
  const count = Math.ceil(bench.count / 5);
  const receiver = await startReceiver();
  const bare = await startBare(bench, receiver.url);
  const plain = cardBody('4111111111111111', 7);
  const notified = cardBody('4111111111111111', 7, { notifyUrl: receiver.url });
  const json = { 'Content-Type': 'application/json' };
  const bareMessages = Array.from({ length: count }, () => request('POST', '/payments', json, plain));
  await measure(bench, bare.port, bareMessages); // warms it up
  const cpuBefore = await bare.cpuMs();
  const bareResult = await measure(bench, bare.port, bareMessages);
  const bareCpu = ((await bare.cpuMs()) - cpuBefore) / count;
  const names = ['submit', 'submit with Idempotency-Key', 'submit with notifyUrl'] as const;
  for (const name of names) bench.record(name, 'theirs', bareResult.perSecond);
  bench.record('CPU per submit', 'theirs', bareCpu);
  bare.close();

  await withGateway(bench, 1, async (gateway) => {
    const path = `/payments/h2h/${providerCode}`;
    const headers = { ...json, 'X-API-Key': gateway.key };
    const messages = (body: string, keyed = false): string[] =>
      Array.from({ length: count }, () =>
        request('POST', path, keyed ? { ...headers, 'Idempotency-Key': randomUUID() } : headers, body),
      );
    await measure(bench, gateway.port, messages(plain)); // warms it up
    const before = await gateway.cpuMs('api');
    bench.record('submit', 'ours', (await measure(bench, gateway.port, messages(plain))).perSecond);
    bench.record('CPU per submit', 'ours', ((await gateway.cpuMs('api')) - before) / count);
    const keyed = await measure(bench, gateway.port, messages(plain, true));
    bench.record('submit with Idempotency-Key', 'ours', keyed.perSecond);
    const delivered = await measure(bench, gateway.port, messages(notified));
    bench.record('submit with notifyUrl', 'ours', delivered.perSecond);
    await until('all are told', () => receiver.received.length >= count, 120_000).catch(() => undefined);
    const told = new Set(receiver.received.map(({ json: one }) => one.data.paymentRequest.id as number)).size;
    if (told !== count) bench.problem(`${told} of ${count} submitted payments were told`);
    const twice = [...bench.provider.charges.values()].filter(({ requests }) => requests > 1).length;
    if (twice) bench.problem(`${twice} payments were charged twice`);
  });
  await receiver.close();
}

export async function measureReads(bench: Bench): Promise<void> {
  const count = Math.ceil(bench.count / 5);
  await withGateway(bench, 1, async (gateway) => {
    const made = await makePending(gateway, 'http://127.0.0.1:9/', 1000);
    const bare = await startBare(bench, '', gateway.mongodbUri);
    const headers = { 'X-API-Key': gateway.key, Accept: 'application/json' };
    const byId = (base: string): string[] =>
      Array.from({ length: count }, (_, index) => request('GET', `${base}/${made[index % made.length]}`, headers));
    const lists = (base: string): string[] =>
      Array.from({ length: Math.ceil(count / 5) }, () => request('GET', `${base}?limit=50`, headers));
    for (const [name, messages] of [
      ['read by id', byId],
      ['list of 50', lists],
    ] as const) {
      bench.record(name, 'theirs', (await measure(bench, bare.port, messages('/payments'))).perSecond);
      bench.record(name, 'ours', (await measure(bench, gateway.port, messages('/payment-requests'))).perSecond);
    }
    bare.close();

    const alone = await measure(bench, gateway.port, byId('/payment-requests'));
    bench.record('read by id, client with 200,000 paid', 'theirs', alone.perSecond);
    await payMany(gateway, made[0]!, paidPayments);
    const among = await measure(bench, gateway.port, byId('/payment-requests'));
    bench.record('read by id, client with 200,000 paid', 'ours', among.perSecond);
  });
}

const paidPayments = 200_000;

/** Gives the client of a payment so many more that are paid and counted: no more of each than its sum could need. */
async function payMany({ connection }: BenchGateway, id: number, count: number): Promise<void> {
  const payments = connection.collection<{ _id: number }>('paymentRequests');
  const { clientId, ownerId, environment } = (await payments.findOne({ _id: id })) as unknown as Record<string, number>;
  const { Decimal128 } = mongoose.mongo.BSON;
  const one = { paid: Decimal128.fromString('10'), refunded: Decimal128.fromString('0') };
  const members = { paidAmount: one.paid, paidCurrency: 'EUR', refundedAmount: one.refunded, depositDue: null };
  const countedDeposit = { version: 2, currency: 'EUR', ...one };
  const pageSize = 10_000;
  for (let made = 0; made < count; made += pageSize) {
    const page = Array.from({ length: pageSize }, (_, at) => {
      const payment = { _id: made + at + 1, clientId, ownerId, environment, version: 2, statusId: 2 };
      return { ...payment, createdAt: new Date(0), ...members, countedDeposit };
    });
    await payments.insertMany(page, { ordered: false, writeConcern: { w: 1 } });
  }
  const deposits = { EUR: { paid: Decimal128.fromString(`${count * 10}`), refunded: one.refunded } };
  await connection.collection<{ _id: number }>('clients').updateOne({ _id: clientId! }, { $set: { deposits } });
}

interface Measured extends LoadResult {
  readonly perSecond: number;
}

/** Every answer must be 200, else what was measured is something else. */
async function measure(bench: Bench, port: number, messages: readonly string[], perSecond?: number): Promise<Measured> {
  const load = { port, messages, connections, ...(perSecond !== undefined && { perSecond }) };
  const result = await bench.load.drive(load);
  const others = Object.entries(result.statuses).filter(([status]) => status !== '200');
  if (others.length) bench.problem(`answers ${JSON.stringify(result.statuses)}: ${result.firstBody}`);
  return { ...result, perSecond: messages.length / result.seconds };
}

/** Callbacks stored while the workers are held; then how fast they take effect and are told, and for how much CPU. */
async function drained(
  bench: Bench,
  gateway: BenchGateway,
  rateName?: string,
  cpuName?: string,
): Promise<{ readonly perSecond: number; readonly drainedPerSecond: number }> {
  const receiver = await startReceiver();
  const warm = await makePending(gateway, receiver.url, 300);
  await measure(bench, gateway.port, callbacks(warm));
  await settle(bench, gateway, receiver, warm);
  const ids = await makePending(gateway, receiver.url, bench.count);
  await gateway.holdWorkers(true);
  const { perSecond } = await measure(bench, gateway.port, callbacks(ids));
  const before = await gateway.cpuMs('worker');
  const began = performance.now();
  await gateway.holdWorkers(false);
  const all = warm.length + ids.length;
  await until('all are told', () => receiver.received.length >= all, 180_000).catch(() => undefined);
  const drainedPerSecond = (ids.length * 1000) / (performance.now() - began);
  const cpu = ((await gateway.cpuMs('worker')) - before) / ids.length;
  await settle(bench, gateway, receiver, ids);
  await receiver.close();
  if (rateName) bench.record(rateName, 'ours', drainedPerSecond);
  if (cpuName) bench.record(cpuName, 'ours', cpu);
  return { perSecond, drainedPerSecond };
}

/** Waits until all took effect, and compares: each once, and told once. */
async function settle(
  bench: Bench,
  { connection }: BenchGateway,
  receiver: Receiver,
  ids: readonly number[],
): Promise<void> {
  const { problems, repeatedDeliveries } = await compareBooks(connection, receiver, ids);
  for (const problem of problems) bench.problem(problem);
  if (repeatedDeliveries) bench.problem(`${repeatedDeliveries} notifications were delivered again`);
}

async function withGateway(
  bench: Bench,
  workers: number,
  work: (gateway: BenchGateway) => Promise<void>,
): Promise<void> {
  // Its keys are made anew each time, so its database is, too.
  const database = `gateway_${randomUUID()}`;
  const gateway = await startBenchGateway(bench.uri(database), bench.provider.url, workers);
  try {
    await work(gateway);
    bench.record('memory of the API after load', 'ours', await gateway.residentMb('api'));
    bench.record('memory of a worker after load', 'ours', await gateway.residentMb('worker'));
  } finally {
    await gateway.close();
  }
}

async function startBare(bench: Bench, receiverUrl = '', readUri = bench.uri('baseline')): Promise<Baseline> {
  const bare = await startBaseline({ ...baselineSetup(bench, 'http', receiverUrl), readUri });
  await measure(bench, bare.port, callbacks(freshIds(300))); // warms it up
  return bare;
}

function baselineSetup(bench: Bench, role: BaselineSetup['role'], receiverUrl: string): BaselineSetup {
  const mongodbUri = bench.uri('baseline');
  return { role, mongodbUri, readUri: mongodbUri, providerUrl: bench.provider.url, receiverUrl };
}

async function cpuOf(processes: readonly Baseline[]): Promise<number> {
  const times = await Promise.all(processes.map(async (process) => process.cpuMs()));
  return times.reduce((sum, ms) => sum + ms, 0);
}

function callbacks(ids: readonly number[]): string[] {
  return ids.map((id) => {
    const { body, signature } = paidCallback(referenceOf(id), 10);
    const headers = { 'Content-Type': 'application/json', 'X-Signature': signature };
    return request('POST', '/callbacks/faults', headers, body);
  });
}

function referenceOf(id: number): string {
  return `GW-${id}-1`;
}

let nextId = 1_000_000;
/** Ids that only the baselines see. */
function freshIds(count: number): number[] {
  return Array.from({ length: count }, () => (nextId += 1));
}
