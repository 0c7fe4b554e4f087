/**
 * The service opens databases that earlier versions left, and moves them to the present schema version while it runs.
 * `make-fixture.ts` wrote them. The schema version of `before-1.0.0` is 6.
 */
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import type { mongo } from 'mongoose';
import mongoose from 'mongoose';
import { until } from '../../core/base/testing/until.ts';
import { testDatabaseUri } from '../../core/database/testing/test-database-uri.ts';
import { startBenchGateway, type BenchGateway } from '../bench/bench-gateway.ts';
import { deliverCallback, paidCallback, startFaultsProvider, type FaultsProvider } from '../faults/provider.ts';
import { payer } from '../support/bodies.ts';
import { createJsonCalls } from '../support/json-calls.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { paymentNames, restoreFixture, type PaymentName, type StoredDatabase } from './fixture.ts';

/** Copies of a payment, so that the migration takes many batches. They belong to another merchant. */
const copies = 3000;
const otherOwner = 99;

interface Opened {
  readonly stored: StoredDatabase;
  readonly gateway: BenchGateway;
  readonly receiver: Receiver;
  close(): Promise<void>;
}

async function openFixture(
  name: string,
  prepare?: (connection: mongoose.Connection, stored: StoredDatabase) => Promise<void>,
): Promise<Opened> {
  const [provider, receiver]: [FaultsProvider, Receiver] = [await startFaultsProvider(), await startReceiver()];
  const mongodbUri = testDatabaseUri(`upgrade-${name.replaceAll('.', '_')}-${process.pid}`);
  const stored = await restoreFixture(name, mongodbUri, receiver.url);
  const connection = await mongoose.createConnection(mongodbUri).asPromise();
  await prepare?.(connection, stored);
  await connection.close();
  const gateway = await startBenchGateway({ mongodbUri, providerUrl: provider.url, workers: 1 });
  return {
    stored,
    gateway,
    receiver,
    async close() {
      await gateway.close();
      await Promise.all([provider.close(), receiver.close()]);
    },
  };
}

function createCalls({ stored, gateway, receiver }: Opened) {
  const call = createJsonCalls({ url: gateway.url, key: stored.key });
  const one = async (name: PaymentName) => call('GET', `/payment-requests/${stored.ids[name]}`);

  return {
    /** Everything that the API says about the payments of the fixture. */
    async readAll() {
      const { items } = await call('GET', '/payment-requests?limit=50');
      const known = new Set(Object.values(stored.ids));
      return {
        list: (items as readonly { readonly id: number }[]).filter(({ id }) => known.has(id)),
        payments: await Promise.all(paymentNames.map(one)),
      };
    },
    /** A new payment, until its merchant is notified. */
    async pay(): Promise<void> {
      const body = { amount: 10, unit: 'EUR', notifyUrl: receiver.url };
      const { paymentRequest } = await call('POST', '/payment-requests', body);
      const id = paymentRequest.id as number;
      const card = { number: '4111111111111111', expiration: '12/40', cvv: '737' };
      await call('POST', `/payments/creditCard/${id}`, { ...payer, ...card });
      expect((await deliverCallback(gateway.url, paidCallback(`GW-${id}-1`, 10))).status).to.equal(200);
      await until('the merchant is notified', () =>
        receiver.ofPayment(id).some(({ json }) => json.type === 'payment.succeeded'),
      );
    },
    async run(...words: readonly string[]): Promise<string> {
      const { code, out, problems } = await gateway.run('database', 'migrate', ...words).ended;
      expect(code, problems.join('\n')).to.equal(0);
      return out.trim();
    },
  };
}

describe('an upgrade', () => {
  describe('of a database of the version before 1.0.0', () => {
    let opened: Opened;
    let calls: ReturnType<typeof createCalls>;
    let content: Awaited<ReturnType<typeof calls.readAll>>;
    let documents: readonly mongo.Document[];
    before(async function () {
      this.timeout(120_000);
      opened = await openFixture('before-1.0.0', async (connection, { ids }) => {
        const payments = connection.collection('paymentRequests');
        documents = await payments
          .find({ _id: { $in: Object.values(ids) as never[] } })
          .sort({ _id: 1 })
          .toArray();
        const { _id, ...paid } = documents[0]!;
        const others = Array.from({ length: copies }, (_, index) => Number(_id) - copies + index);
        await payments.insertMany(others.map((id) => ({ ...paid, _id: id as never, ownerId: otherOwner })));
      });
      calls = createCalls(opened);
      content = await calls.readAll();
    });
    after(async function () {
      this.timeout(60_000);
      await opened.close();
    });

    const meta = async (_id: string): Promise<mongo.Document | null> =>
      opened.gateway.connection.collection('meta').findOne({ _id: _id as never });

    it('says at the start and in a plan what is to do', async () => {
      expect(opened.gateway.out()).to.contain('warning: Schema version 6 of 7: not started. Next: paywright database');
      const plan = await calls.run('--plan');
      expect(plan).to.match(/^The database has schema version 6; this version uses 7\./);
      expect(plan).to.match(/paymentRequests: stores how operators find the payment.*\(about 3,007 documents\)/);
      expect(plan).to.contain('indexes of paymentRequests: depositsDue').and.to.contain('Workers of this version: 1.');
      expect(plan).to.match(/Next: paywright database migrate --apply$/);
      expect(await meta('migration')).to.equal(null);
    });

    it('moves the documents while the service answers, also if a worker is killed in the middle', async () => {
      const { gateway } = opened;
      const applying = gateway.run('database', 'migrate', '--apply');
      await until('documents are moved', async () => ((await meta('migration'))?.['read'] as number) > 0);
      await gateway.holdWorkers(true);
      const { phase, read } = (await meta('migration'))!;
      expect(phase).to.equal('moving');
      expect(read).to.be.lessThan(copies);
      await gateway.killWorkers();
      expect(await calls.readAll()).to.deep.equal(content);
      await calls.pay();
      const { code, out, problems } = await applying.ended;
      expect([code, out.trim()], problems.join('\n')).to.deep.equal([
        0,
        'Schema version 6 of 7: all documents were moved. Next, once this version has proven itself: paywright database migrate --finish',
      ]);
      expect(await calls.readAll()).to.deep.equal(content);
    });

    it('leaves what the previous version needs, until the last step', async () => {
      const ids = documents.map(({ _id }) => _id as never);
      const moved = await opened.gateway.connection
        .collection('paymentRequests')
        .find({ _id: { $in: ids } })
        .sort({ _id: 1 })
        .toArray();
      // The service counts deposits whether it is migrated or not.
      const shared = ({ version: _v, depositDue: _d, countedDeposit: _c, ...rest }: mongo.Document): mongo.Document =>
        rest;
      const asBefore = moved.map(({ searchKeys, problems, ...rest }) => {
        expect([searchKeys, problems ?? []]).to.satisfy((lists: unknown[]) => lists.every(Array.isArray));
        return shared(rest);
      });
      expect(asBefore).to.deep.equal(documents.map(shared));
      expect((await meta('schema'))!['version']).to.equal(6);
    });

    it('removes the old shape at the end, and the service continues', async () => {
      expect(await calls.run('--finish', '--yes')).to.equal('The database has schema version 7.');
      expect((await meta('schema'))!['version']).to.equal(7);
      expect(await calls.readAll()).to.deep.equal(content);
      await calls.pay();
    });
  });

  describe('of a database of version 1.0.0', () => {
    let opened: Opened;
    before(async function () {
      this.timeout(120_000);
      opened = await openFixture('1.0.0');
    });
    after(async function () {
      this.timeout(60_000);
      await opened.close();
    });

    it('has nothing to do, and the service answers', async () => {
      const calls = createCalls(opened);
      const content = await calls.readAll();
      const nothing = 'The database has schema version 7: there is nothing to migrate.';
      expect(await calls.run('--apply')).to.equal(nothing);
      expect(content.payments.map(({ paymentRequestStatusId }) => paymentRequestStatusId as number)).to.deep.equal([
        2, 4, 2, 3, 0, 1,
      ]);
      await calls.pay();
      expect(await calls.readAll()).to.deep.equal(content);
    });
  });
});
