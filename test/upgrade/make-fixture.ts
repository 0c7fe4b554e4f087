/**
 * Writes a fixture: `npm run build && node .build/test/upgrade/make-fixture.js <name> [<folder>]`.
 *
 * The folder is a built checkout of the version that writes it; default: this one. Its own service handles the
 * payments, with the provider of its own fault tests and with the test keys of its benchmark. For an earlier commit:
 *
 *     git worktree add --detach /tmp/earlier <commit> && cd /tmp/earlier && npm ci
 */
import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import mongoose from 'mongoose';
import { until } from '../../core/base/testing/until.ts';
import { findMongod, startMongod } from '../../workers/supervisor/dev/mongod/index.ts';
import type { BenchGateway } from '../bench/bench-gateway.ts';
import { payer } from '../support/bodies.ts';
import { startReceiver } from '../support/receiver.ts';
import { root } from '../support/start-gateway.ts';
import { dumpCollections, storeFixture, type PaymentName } from './fixture.ts';

const card = { number: '4111111111111111', expiration: '12/40', cvv: '737' };
/** The provider of the fault tests charges this amount immediately. Any other amount is pending until the callback. */
const charged = 7;

const [name, folder = root] = process.argv.slice(2);
if (name === undefined) throw new Error('name the fixture, for example 1.0.0');
const load = async <T>(path: string): Promise<T> =>
  (await import(pathToFileURL(join(resolve(folder), '.build/test', path)).href)) as T;
const { startBenchGateway } = await load<typeof import('../bench/bench-gateway.ts')>('bench/bench-gateway.js');
const faults = await load<typeof import('../faults/provider.ts')>('faults/provider.js');

const report = (line: string): void => console.error(line);
const { path } = await findMongod({ env: process.env, report });
const mongod = await startMongod({ binary: path, ephemeral: true, report });
const mongodbUri = mongod.uri.replace(/\/(?=\?|$)/, '/fixture');
const [provider, receiver] = [await faults.startFaultsProvider(), await startReceiver()];
const setup = { mongodbUri, providerUrl: provider.url, workers: 1, keepsDatabase: true };
const gateway = await startBenchGateway(setup);
const connection = await mongoose.createConnection(mongodbUri).asPromise();
try {
  const { ids, key } = await makePayments(gateway).catch(async (error: unknown) => {
    await gateway.close();
    throw error;
  });
  await gateway.close();
  const { stdout } = await promisify(execFile)('git', ['rev-parse', '--short=8', 'HEAD'], { cwd: folder });
  const collections = await dumpCollections(connection);
  const written = { writtenBy: stdout.trim(), writtenAt: new Date(), key, receiver: receiver.url, ids, collections };
  await storeFixture(name, written);
  for (const [collection, { documents }] of Object.entries(collections)) report(`${collection}: ${documents.length}`);
} finally {
  await connection.close();
  await Promise.all([provider.close(), receiver.close()]);
  await mongod.stop();
}

async function makePayments({ url, key }: BenchGateway) {
  async function call(method: string, target: string, body: unknown): Promise<Record<string, unknown>> {
    const headers = { 'X-API-Key': key, Accept: 'application/json', 'Content-Type': 'application/json' };
    const response = await fetch(`${url}${target}`, { method, headers, body: JSON.stringify(body) });
    const json = (await response.json()) as Record<string, unknown>;
    if (response.status !== 200) throw new Error(`${target}: ${response.status} ${JSON.stringify(json)}`);
    return json;
  }
  async function create(amount: number): Promise<number> {
    const order = { amount, unit: 'EUR', notifyUrl: receiver.url, client: { email: payer.email } };
    const { paymentRequest } = await call('POST', '/payment-requests', order);
    return (paymentRequest as { readonly id: number }).id;
  }
  async function pay(amount: number): Promise<number> {
    const id = await create(amount);
    await call('POST', `/payments/creditCard/${id}`, { ...payer, ...card });
    return id;
  }
  const deliver = async (message: ReturnType<typeof faults.paidCallback>): Promise<void> => {
    const { status } = await faults.deliverCallback(url, message);
    if (status !== 200) throw new Error(`a callback was answered with ${status}`);
  };

  const ids: Record<PaymentName, number> = {
    paid: await pay(charged),
    refunded: await pay(charged),
    partlyRefunded: await pay(charged),
    failed: await pay(10),
    created: await create(12.5),
    pending: await pay(10),
  };
  await deliver(faults.declinedCallback(`GW-${ids.failed}-1`, 10));
  // Another amount has no effect and raises an alarm.
  await deliver(faults.paidCallback(`GW-${await pay(10)}-1`, 3));
  await call('POST', `/payment-requests/${ids.refunded}/refund`, {});
  await call('POST', `/payment-requests/${ids.partlyRefunded}/refund`, { amount: 3 });
  const types = new Set(['payment.refunded', 'payment.partially_refunded', 'payment.failed']);
  await until('the merchant is notified of everything', () => {
    for (const { json } of receiver.received) types.delete((json as { type: string }).type);
    return types.size === 0;
  });
  await until('the alarm is raised', async () => (await connection.collection('alarms').countDocuments()) > 0);
  const undelivered = { state: { $ne: 'delivered' } };
  await until(
    'all notifications are delivered',
    async () => (await connection.collection('notifications').countDocuments(undelivered)) === 0,
  );
  return { ids, key };
}
