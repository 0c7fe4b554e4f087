import { expect } from 'chai';
import { describe, it } from 'mocha';
import { notificationModel } from '../documents/notification.ts';
import { createLeases } from './delivery-queue.ts';
import { useTestDatabase, notification, passTime, readRow, setUp } from './testing/setup.ts';

const leaseMs = 20_000;
const url = 'http://127.0.0.1:9/';

const none = { receivers: [], owners: [] };

describe('leases', () => {
  const db = useTestDatabase();

  async function rows(count: number) {
    const entries = Array.from({ length: count }, (_, at) => notification(url, { sequence: at + 1 }));
    await setUp(db.connection).notifications.insert(entries);
    return { leases: createLeases(notificationModel(db.connection), leaseMs), ids: entries.map(({ id }) => id) };
  }

  it('give a row to one of those who found it', async () => {
    const { leases, ids } = await rows(10);
    const all = await Promise.all(['w1', 'w2', 'w3', 'w4'].map((worker) => leases.claim(ids, worker)));
    expect(all.flat().map(({ id }) => id))
      .to.have.length(10)
      .and.to.have.members(ids);
    expect(await leases.claim(ids, 'w5')).to.deep.equal([]);
    expect(await leases.findDue(true, none, 10)).to.deep.equal([]);
  });

  it('hold until they lapse, and no longer', async () => {
    const { leases, ids } = await rows(1);
    await leases.claim(ids, 'w1');
    await passTime(db.connection, leaseMs - 5000);
    expect(await leases.claim(ids, 'w2')).to.have.length(0);
    await passTime(db.connection, 6000);
    expect(await leases.claim(ids, 'w2')).to.have.length(1);
  });

  it('let only the holder write a result', async () => {
    const { leases, ids } = await rows(1);
    const [first] = await leases.claim(ids, 'w1');
    await passTime(db.connection, leaseMs + 1000);
    const [second] = await leases.claim(ids, 'w2');
    if (!first || !second) throw new Error('both have claimed it');
    expect(await leases.settle(first, { state: 'exhausted', tries: 10 })).to.equal(false);
    expect(await readRow(db.connection, first.id)).to.deep.include({ state: 'waiting', tries: 0 });
    expect(await leases.settle(second, { state: 'delivered', tries: 1 })).to.equal(true);
    expect(await leases.settle(second, { state: 'exhausted', tries: 2 })).to.equal(false);
    expect(await readRow(db.connection, first.id)).to.deep.include({ state: 'delivered', tries: 1 });
  });

  it('are freed for one worker alone', async () => {
    const { leases, ids } = await rows(4);
    await leases.claim(ids.slice(0, 2), 'dead');
    await leases.claim(ids.slice(2, 3), 'alive');
    expect(await leases.releaseWorker('dead')).to.equal(2);
    const due = await leases.findDue(true, none, 10);
    expect(due.map((row) => row._id)).to.have.members([...ids.slice(0, 2), ...ids.slice(3)]);
  });

  it('find neither what is done nor what belongs to a receiver that is passed by', async () => {
    const { leases, ids } = await rows(2);
    const [row] = await leases.claim(ids.slice(0, 1), 'w1');
    if (row) await leases.settle(row, { state: 'delivered', tries: 1 });
    expect(await leases.findDue(true, { ...none, receivers: ['127.0.0.1:9'] }, 10)).to.have.length(0);
    expect(await leases.findDue(false, none, 10)).to.have.length(0);
    expect(await leases.findDue(true, none, 10)).to.have.length(1);
  });

  it('know when the next row is due, also without those of some receivers', async () => {
    const { leases } = await rows(3);
    expect((await leases.nextDueAt())?.getTime()).to.be.at.most(Date.now());
    expect(await leases.nextDueAt(['127.0.0.1:9'])).to.equal(undefined);
  });
});
