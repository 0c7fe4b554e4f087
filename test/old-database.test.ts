/**
 * The service opens a database of an earlier build: `fixtures/database-schema-6.json` was written by the service of
 * commit 77bb416c. Its documents lack what later builds store, and have what later builds no longer need.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import mongoose from 'mongoose';
import { testDatabaseUri } from '../core/database/testing/test-database-uri.ts';
import { until } from '../core/base/testing/until.ts';
import { startBenchGateway, type BenchGateway } from './bench/bench-gateway.ts';
import { deliverCallback, paidCallback, startFaultsProvider, type FaultsProvider } from './faults/provider.ts';
import { payer } from './support/bodies.ts';
import { createJsonCalls, type JsonCall } from './support/json-calls.ts';
import { startReceiver, type Receiver } from './support/receiver.ts';
import { root } from './support/start-gateway.ts';
import { moveTimes } from './upgrade/fixture.ts';

const { EJSON } = mongoose.mongo.BSON;

interface Stored {
  readonly writtenAt: Date;
  readonly key: string;
  readonly receiver: string;
  readonly ids: Readonly<Record<Name, unknown>>;
  readonly collections: Readonly<Record<string, mongoose.mongo.Document[]>>;
}
type Name =
  | 'paid'
  | 'paidAgain'
  | 'partlyRefunded'
  | 'refunded'
  | 'failed'
  | 'waitsForCallback'
  | 'created'
  | 'callbackStored'
  | 'uncounted';

describe('a database of an earlier build', () => {
  let provider: FaultsProvider;
  let receiver: Receiver;
  let gateway: BenchGateway;
  let stored: Stored;
  let call: JsonCall;
  before(async function () {
    this.timeout(120_000);
    provider = await startFaultsProvider();
    receiver = await startReceiver();
    const text = await readFile(join(root, 'test/fixtures/database-schema-6.json'), 'utf8');
    // Not relaxed: numbers keep the types in which they were stored.
    stored = EJSON.parse(text, { relaxed: false }) as Stored;
    stored = EJSON.parse(text.replaceAll(stored.receiver, receiver.url), { relaxed: false }) as Stored;
    const mongodbUri = testDatabaseUri(`old-database-${process.pid}`);
    const connection = await mongoose.createConnection(mongodbUri).asPromise();
    for (const [name, documents] of Object.entries(stored.collections)) {
      const moved = moveTimes(documents, Date.now() - stored.writtenAt.getTime());
      await connection.collection(name).insertMany(moved);
    }
    await connection.close();
    gateway = await startBenchGateway({ mongodbUri, providerUrl: provider.url, workers: 1 });
    call = createJsonCalls({ url: gateway.url, key: stored.key });
  });
  after(async function () {
    this.timeout(60_000);
    await gateway.close();
    await Promise.all([provider.close(), receiver.close()]);
  });

  const idOf = (name: Name): number => Number(stored.ids[name]);
  const read = async (name: Name) => call('GET', `/payment-requests/${idOf(name)}`);
  const statusOf = async (name: Name): Promise<number> => (await read(name)).paymentRequestStatusId as number;
  /** Waits until the payment is paid and the merchant is notified. */
  async function paidAndNotified(name: Name): Promise<void> {
    await until(`${name} is paid`, async () => (await statusOf(name)) === 2);
    const isSuccess = ({ json }: { readonly json: { type: string } }): boolean => json.type === 'payment.succeeded';
    await until(`the merchant is notified of ${name}`, () => receiver.ofPayment(idOf(name)).some(isSuccess));
  }
  async function payByCard(name: Name): Promise<void> {
    const card = { number: '4111111111111111', expiration: '12/40', cvv: '737' };
    await call('POST', `/payments/creditCard/${idOf(name)}`, { ...payer, ...card });
  }
  const callbackOf = async (name: Name, amount: number, attempt = 1): Promise<void> => {
    const { status } = await deliverCallback(gateway.url, paidCallback(`GW-${idOf(name)}-${attempt}`, amount));
    expect(status).to.equal(200);
  };

  it('is read with the key of that time: a list of all payments, and one with its refund and log', async () => {
    const { items } = await call('GET', '/payment-requests?limit=50');
    const ids = (items as readonly { id: number }[]).map(({ id }) => id);
    expect(ids).to.have.members(Object.values(stored.ids).map(Number));
    expect(await statusOf('paid')).to.equal(2);
    expect(await statusOf('refunded')).to.equal(4);
    expect(await statusOf('created')).to.equal(0);
    const payment = await read('partlyRefunded');
    expect(payment).to.include({ paymentRequestStatusId: 2, amount: 7, refundedAmount: 3, refundableAmount: 4 });
    expect(payment.refunds).to.have.length(1);
    expect(payment.refunds[0]).to.include({ id: `GW-${idOf('partlyRefunded')}-1-R1`, amount: 3, status: 'succeeded' });
    expect(payment.logs).to.have.length(2);
    expect(payment.client).to.include({ totalDeposits: 18 });
  });

  it('has a callback in its inbox that is applied, and counted with a payment that was not counted', async () => {
    await paidAndNotified('callbackStored');
    expect(await statusOf('uncounted')).to.equal(2);
    expect((await read('uncounted')).client).to.include({ totalDeposits: 17 });
  });

  it('has a pending payment to which a callback is applied', async () => {
    expect(await statusOf('waitsForCallback')).to.equal(1);
    await callbackOf('waitsForCallback', 10);
    await paidAndNotified('waitsForCallback');
    expect(await read('waitsForCallback')).to.include({ ftdTypeId: 1 });
  });

  it('has payments that are paid: one without an attempt, and one whose first attempt failed', async () => {
    await payByCard('created');
    await callbackOf('created', 12.5);
    await paidAndNotified('created');
    expect(await statusOf('failed')).to.equal(3);
    await payByCard('failed');
    await callbackOf('failed', 10, 2);
    await paidAndNotified('failed');
    expect((await read('failed')).client).to.include({ totalDeposits: 32.5 });
  });

  it('has payments that are refunded: in full, and the rest of one that was refunded in part', async () => {
    for (const name of ['paid', 'partlyRefunded'] as const) {
      await call('POST', `/payment-requests/${idOf(name)}/refund`, {});
      await until(`${name} is refunded`, async () => (await statusOf(name)) === 4);
    }
    expect((await read('paidAgain')).client).to.include({ totalDeposits: 7 });
    expect([...provider.refunds.values()].map(({ amount }) => amount)).to.deep.equal([7, 4]);
  });
});
