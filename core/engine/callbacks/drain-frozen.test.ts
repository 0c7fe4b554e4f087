import { expect } from 'chai';
import { after, afterEach, before, describe, it } from 'mocha';
import { pino } from 'pino';
import { connectDatabase, type Database } from '../../database/connect.ts';
import { startDatabaseProxy, type DatabaseProxy } from '../../database/testing/database-proxy.ts';
import { paidEvent, useCallbacks } from './testing/setup.ts';

const many = 5;

describe('drain while the database freezes', () => {
  const inbox = useCallbacks();
  let proxy: DatabaseProxy;
  let frozen: Database;
  before(async () => {
    proxy = await startDatabaseProxy();
    frozen = await connectDatabase(proxy.uri(inbox.connection().name), { log: pino({ level: 'silent' }) });
  });
  afterEach(async () => {
    proxy.resume();
    await inbox.clear();
  });
  after(async () => {
    await frozen.close();
    await proxy.close();
  });

  for (const [what, text, when] of [
    ['before the change of the payments', 'GW-', 'before'],
    ['after the change of the payments', 'GW-', 'after'],
    ['before the commit', 'commitTransaction', 'before'],
    ['after the commit', 'commitTransaction', 'after'],
  ] as const) {
    it(`applies each row once and counts no expiry if the database freezes ${what}`, async () => {
      const { connection } = frozen;
      const applyEvents = inbox.applyEvents({ connection });
      const { receive } = inbox.create();
      const { callbacks } = inbox.create({
        connection,
        async applyEvents(batch) {
          const applied = await applyEvents(batch);
          return {
            ...applied,
            async write(session, at) {
              if (freezes) proxy.freezeAt(text, when);
              freezes = false;
              await applied.write(session, at);
            },
          };
        },
      });
      let freezes = true;
      const ids: number[] = [];
      while (ids.length < many) ids.push(await inbox.createPending());
      for (const id of ids) await receive({ events: [paidEvent(id)] });

      const failure: unknown = await callbacks.drain(100).catch((error: unknown) => error);
      expect(failure).to.be.instanceOf(Error);
      expect(proxy.isFrozen).to.equal(true);
      proxy.resume();

      // Repeats the drain, as the job does, until the database answers.
      let isDone = false;
      while (!isDone) isDone = (await callbacks.drain(100).catch(() => 1)) === 0;
      const rows = await inbox.rows();
      expect(rows.map(({ state }) => state)).to.deep.equal(ids.map(() => 'done'));
      expect(rows.map(({ lease }) => lease.expiries)).to.deep.equal(ids.map(() => 0));
      for (const id of ids) {
        const { statusId, logs } = await inbox.payment(id);
        expect([statusId, logs.length], `payment ${id}`).to.deep.equal([2, 1]);
      }
    });
  }
});
