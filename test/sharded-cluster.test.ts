/**
 * Runs the service on a sharded cluster if a mongos is installed, and the same journey on a replica set in any case.
 */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import mongoose from 'mongoose';
import pino from 'pino';
import { ensureCollections } from '../core/database/collections.ts';
import { NoClusterError, shardCollections, toShardScript } from '../core/database/shard.ts';
import { shardKeys } from '../core/database/shard-keys.ts';
import { testDatabaseUri } from '../core/database/testing/test-database-uri.ts';
import { until } from '../core/base/testing/until.ts';
import { cardBody } from './support/bodies.ts';
import { startReceiver, type Receiver } from './support/receiver.ts';
import { toTestPayment } from './support/scenarios.ts';
import { findMongos, startClusterServers, type ClusterServer, type ClusterServers } from './support/sharded-cluster.ts';
import { startGateway } from './support/start-gateway.ts';

const log = pino({ level: 'silent' });
const mongos = await findMongos(process.env);

/** Enough payments that each shard has some documents of each kind. */
const payments = 24;

/** Payments by card, their callbacks and notifications, a refund, a list, and a repetition under each key. */
async function playJourney(uri: string, receiver: Receiver, look: () => Promise<void>): Promise<void> {
  const gateway = await startGateway({
    adapters: ['provider-a'],
    config: (config) => void (config.database.uri = uri),
  });
  try {
    const bodyOf = (number: number): string =>
      cardBody('4111111111111111', 25.9, { notifyUrl: receiver.url, email: `payer-${number}@shop.example` });
    const pay = async (number: number): Promise<number> => {
      const headers = { 'Idempotency-Key': `journey ${number}` };
      const payment = toTestPayment(gateway, await gateway.post('/payments/h2h/11', bodyOf(number), headers));
      await payment.waitForStatus(2);
      return payment.id;
    };
    const payAll = async (): Promise<readonly number[]> => {
      const paid: number[] = [];
      for (let number = 0; number < payments; number += 1) paid.push(await pay(number));
      return paid;
    };
    const ids = await payAll();
    const isNotified = (id: number, type: string): boolean =>
      receiver.ofPayment(id).some(({ json }) => json.type === type);
    await until('the merchant is notified of all', async () => {
      await gateway.work();
      return ids.every((id) => isNotified(id, 'payment.succeeded'));
    });
    expect(await payAll()).to.deep.equal(ids);
    for (const id of ids.slice(0, 4)) {
      const { status, text } = await gateway.post(`/payment-requests/${id}/refund`, { amount: 5 });
      expect(status, text).to.equal(200);
    }
    const { json } = await gateway.get(`/payment-requests?limit=${payments}`);
    const listed = json.items.map(({ id }: { readonly id: number }) => id);
    expect(listed).to.have.members(ids);
    await look();
  } finally {
    await gateway.close();
  }
}

describe('a sharded cluster', function () {
  this.timeout(300_000);
  let receiver: Receiver;
  before(async () => {
    receiver = await startReceiver();
  });
  after(async () => receiver.close());

  it('is created by a script that names every key, and only through a mongos', async () => {
    const script = toShardScript();
    expect(script).to.have.lengthOf(2 * Object.keys(shardKeys).length);
    expect(script).to.include("sh.shardCollection(db.getName() + '.exchanges', { paymentRequestId: 'hashed' });");
    const connection = await mongoose.createConnection(testDatabaseUri(`shard_${randomUUID()}`)).asPromise();
    const error = await shardCollections(connection, log).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(NoClusterError);
    await connection.close();
  });

  it('is optional: the journey succeeds on a replica set', async () => {
    await playJourney(testDatabaseUri(`journey_${randomUUID()}`), receiver, async () => undefined);
  });

  describe('with a config server and two shards', () => {
    let servers: ClusterServers;
    before(async () => {
      servers = await startClusterServers();
    });
    after(async () => servers?.close());

    it('accepts every hashed index next to our validators and indexes on its shards', async () => {
      const [shard] = servers.shards as readonly [ClusterServer];
      // A mongos does this when it adds a shard.
      await shard.query(async (client) => {
        const admin = client.db('admin');
        const [major = 0, minor = 0] = (await admin.command({ buildInfo: 1 }))['versionArray'] as readonly number[];
        const version = { setFeatureCompatibilityVersion: `${major}.${minor}` };
        await admin.command(major < 7 ? version : { ...version, confirm: true });
      });
      const uri = `mongodb://${shard.address}/rules?directConnection=true`;
      const connection = await mongoose.createConnection(uri).asPromise();
      try {
        await ensureCollections(connection, log);
        for (const [name, { key }] of Object.entries(shardKeys))
          await connection.collection(name).createIndex({ [key]: 'hashed' });
      } finally {
        await connection.close();
      }
    });

    const title = 'runs the journey, with documents on both shards';
    if (mongos.path === undefined) {
      it.skip(`${title}: skipped, ${mongos.reason}`);
      return;
    }
    const { path } = mongos;
    it(title, async () => {
      const uri = `${await servers.startMongos(path)}/journey`;
      const connection = await mongoose.createConnection(uri).asPromise();
      try {
        const states = (await shardCollections(connection, log)).map(({ state }) => state);
        expect(new Set(states)).to.deep.equal(new Set(['done']));
        const again = (await shardCollections(connection, log)).map(({ state }) => state);
        expect(new Set(again)).to.deep.equal(new Set(['before']));
      } finally {
        await connection.close();
      }
      await playJourney(uri, receiver, async () => {
        for (const shard of servers.shards)
          for (const name of ['paymentRequests', 'clients', 'inbox', 'notifications', 'idempotencyRecords']) {
            const count = await shard.query(async (client) => client.db('journey').collection(name).countDocuments());
            expect(count, `${name} on ${shard.name}`).to.be.above(0);
          }
      });
    });
  });
});
