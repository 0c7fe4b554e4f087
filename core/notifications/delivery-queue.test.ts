import { expect } from 'chai';
import { describe, it } from 'mocha';
import { notificationModel } from '../documents/notification.ts';
import { createDeliveryQueue } from './delivery-queue.ts';
import { useTestDatabase, notification, passTime, readRow, setUp } from './testing/setup.ts';

const leaseMs = 20_000;
const url = 'http://127.0.0.1:9/';

const none = { receivers: [], owners: [] };

describe('the delivery queue', () => {
  const db = useTestDatabase();

  async function rows(count: number) {
    const entries = Array.from({ length: count }, (_, at) => notification(url, { sequence: at + 1 }));
    await setUp(db.connection).notifications.insert(entries);
    return { queue: createDeliveryQueue(notificationModel(db.connection), leaseMs), ids: entries.map(({ id }) => id) };
  }

  it('gives a row to one of those who found it', async () => {
    const { queue, ids } = await rows(10);
    const all = await Promise.all(['w1', 'w2', 'w3', 'w4'].map((worker) => queue.claim(ids, worker)));
    expect(all.flat().map(({ id }) => id))
      .to.have.length(10)
      .and.to.have.members(ids);
    expect(await queue.claim(ids, 'w5')).to.deep.equal([]);
    expect(await queue.findDue(true, none, 10)).to.deep.equal([]);
  });

  it('holds a lease until it expires, and no longer', async () => {
    const { queue, ids } = await rows(1);
    await queue.claim(ids, 'w1');
    await passTime(db.connection, leaseMs - 5000);
    expect(await queue.claim(ids, 'w2')).to.have.length(0);
    await passTime(db.connection, 6000);
    expect(await queue.claim(ids, 'w2')).to.have.length(1);
  });

  it('lets only the holder write a result', async () => {
    const { queue, ids } = await rows(1);
    const [first] = await queue.claim(ids, 'w1');
    await passTime(db.connection, leaseMs + 1000);
    const [second] = await queue.claim(ids, 'w2');
    if (!first || !second) throw new Error('both have claimed it');
    expect(await queue.settle(first, { state: 'exhausted', tries: 10 })).to.equal(false);
    expect(await readRow(db.connection, first.id)).to.deep.include({ state: 'waiting', tries: 0 });
    expect(await queue.settle(second, { state: 'delivered', tries: 1 })).to.equal(true);
    expect(await queue.settle(second, { state: 'exhausted', tries: 2 })).to.equal(false);
    expect(await readRow(db.connection, first.id)).to.deep.include({ state: 'delivered', tries: 1 });
  });

  it('frees the rows of one worker alone', async () => {
    const { queue, ids } = await rows(4);
    await queue.claim(ids.slice(0, 2), 'dead');
    await queue.claim(ids.slice(2, 3), 'alive');
    expect(await queue.releaseWorker('dead')).to.equal(2);
    const due = await queue.findDue(true, none, 10);
    expect(due.map((row) => row._id)).to.have.members([...ids.slice(0, 2), ...ids.slice(3)]);
  });

  it('finds neither what is done nor what belongs to a receiver that is skipped', async () => {
    const { queue, ids } = await rows(2);
    const [row] = await queue.claim(ids.slice(0, 1), 'w1');
    if (row) await queue.settle(row, { state: 'delivered', tries: 1 });
    expect(await queue.findDue(true, { ...none, receivers: ['127.0.0.1:9'] }, 10)).to.have.length(0);
    expect(await queue.findDue(false, none, 10)).to.have.length(0);
    expect(await queue.findDue(true, none, 10)).to.have.length(1);
  });

  it('knows when the next row is due, also without those of some receivers', async () => {
    const { queue } = await rows(3);
    expect((await queue.nextDueAt())?.getTime()).to.be.at.most(Date.now());
    expect(await queue.nextDueAt(['127.0.0.1:9'])).to.equal(undefined);
  });
});
