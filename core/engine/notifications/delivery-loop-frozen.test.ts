import { once } from 'node:events';
import { expect } from 'chai';
import { after, afterEach, before, describe, it } from 'mocha';
import { connectDatabase, type Database } from '../../database/connect.ts';
import { startDatabaseProxy, type DatabaseProxy } from '../../database/testing/database-proxy.ts';
import { useReceivers } from './testing/receiver.ts';
import { notification, readRow, setUp, silent, useTestDatabase } from './testing/setup.ts';

describe('deliverDue, whose database freezes', () => {
  const db = useTestDatabase();
  const receiver = useReceivers();
  let proxy: DatabaseProxy;
  let frozen: Database;
  before(async () => {
    proxy = await startDatabaseProxy();
    frozen = await connectDatabase(proxy.uri(db.connection.name), { log: silent });
  });
  afterEach(() => proxy.resume());
  after(async () => {
    await frozen.close();
    await proxy.close();
  });

  for (const [what, when] of [
    ['before the server has the result', 'before'],
    ['after the server has the result', 'after'],
  ] as const) {
    it(`delivers once, and writes the result once the database answers, if it freezes ${what}`, async () => {
      const { url, received } = await receiver((answer) => {
        proxy.freezeAt('delivered', when);
        answer.end();
      });
      const { notifications } = setUp(frozen.connection);
      const entry = notification(url);
      await notifications.insert([entry]);
      const isGivenUp = once(frozen.connection.getClient(), 'connectionPoolCleared');
      const running = notifications.deliverDue({ worker: 'w1' }).catch((error: unknown) => error);
      await isGivenUp;
      proxy.resume();
      await running;

      const row = await readRow(db.connection, entry.id);
      expect(row).to.deep.include({ state: 'delivered', tries: 1 }).and.have.nested.property('lease.token', null);
      expect((await notifications.deliverDue({ worker: 'w1' })).nextDueAt).to.equal(null);
      expect(received).to.have.length(1);
    });
  }
});
