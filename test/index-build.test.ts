/** A new version starts on a filled collection while one of three members of the replica set is down. */
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import type { mongo } from 'mongoose';
import { pino } from 'pino';
import { ensureCollections } from '../core/database/collections.ts';
import { inboxModel } from '../core/database/collections/inbox-row.ts';
import { startReplicaSet, type ReplicaSet } from './faults/replica-set.ts';
import { cardBody } from './support/bodies.ts';
import { batchOf, sendBatch } from './support/provider-a-batch.ts';
import { startGateway, type TestGateway } from './support/start-gateway.ts';

const log = pino({ level: 'silent' });
const rows = 60_000;
const added = ['events.paymentRequestId_1_receivedAt_1', 'expireAt_1'];

describe('a new index', function () {
  this.timeout(300_000);
  let set: ReplicaSet;
  let gateway: TestGateway;
  before(async () => {
    set = await startReplicaSet(10_000);
    gateway = await startGateway({
      adapters: ['provider-a'],
      config: (config) => (config.database.uri = set.uri),
    });
  });
  after(async () => {
    await gateway?.close();
    await set?.close();
  });

  it('is built on a filled collection while a member is down, and callbacks are still acknowledged', async () => {
    const { connection } = gateway.gateway;
    const { json } = await gateway.post('/payments/h2h/11', cardBody('4111111111111111', 25.9));
    const ref = `GW-${json.paymentRequest.id}-1`;
    let sent = 0;
    const send = async (): Promise<number> => {
      sent += 1;
      return (await sendBatch(gateway.url, batchOf([{ txn: `x-${sent}`, ref, what: 'CAPTURE' }]))).status;
    };
    expect(await send()).to.equal(200);
    const inbox = connection.collection<{ _id: string }>(inboxModel(connection).collection.collectionName);
    const row = (await inbox.findOne())!;
    for (let from = 0; from < rows; from += 5000) {
      const copies = Array.from({ length: 5000 }, (_, at) => ({ ...row, _id: `copy-${from + at}`, state: 'done' }));
      await inbox.insertMany(copies, { bypassDocumentValidation: true, writeConcern: { w: 1 } });
    }
    // The collection as an older version leaves it, without the new indexes.
    for (const name of added) await inbox.dropIndex(name);
    await set.killSecondary();

    const building = ensureCollections(connection, log, [inboxModel]);
    const acknowledged: number[] = [];
    const state = { isOver: false };
    const built = building.finally(() => (state.isOver = true));
    do acknowledged.push(await send());
    while (!state.isOver);
    await built;
    expect(new Set(acknowledged)).to.deep.equal(new Set([200]));
    const names = (await inbox.indexes()).map(({ name }: mongo.IndexDescriptionInfo) => name);
    expect(names).to.include.members(added);
  });
});
