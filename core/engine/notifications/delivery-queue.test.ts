import { expect } from 'chai';
import { describe, it } from 'mocha';
import { notificationModel } from '../../database/collections/notification.ts';
import { withWrongClock } from '../../base/testing/wrong-clock.ts';
import { HOUR } from '../../base/async/time.ts';
import { createDeliveryQueue } from './delivery-queue.ts';
import { useTestDatabase, notification, passTime, readRow, setUp } from './testing/setup.ts';

const leaseMs = 20_000;
const url = 'http://127.0.0.1:9/';

const attempt = { at: new Date(), ms: 1, status: 500, error: 'answered 500' };
const none = { receivers: [], owners: [] };

describe('createDeliveryQueue', () => {
  const db = useTestDatabase();

  async function rows(count: number) {
    const entries = Array.from({ length: count }, (_, at) => notification(url, { sequence: at + 1 }));
    await setUp(db.connection).notifications.insert(entries);
    return { queue: createDeliveryQueue(notificationModel(db.connection), leaseMs), ids: entries.map(({ id }) => id) };
  }

  it('lets one of several workers claim a row that all have found', async () => {
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

  it('lets only the holder of the lease write a result', async () => {
    const { queue, ids } = await rows(1);
    const [first] = await queue.claim(ids, 'w1');
    await passTime(db.connection, leaseMs + 1000);
    const [second] = await queue.claim(ids, 'w2');
    if (!first || !second) throw new Error('both workers must have claimed the row');
    expect(await queue.settle(first, { state: 'exhausted', tries: 10 })).to.equal(false);
    expect(await readRow(db.connection, first.id)).to.deep.include({ state: 'waiting', tries: 0 });
    expect(await queue.settle(second, { state: 'delivered', tries: 1 })).to.equal(true);
    expect(await queue.settle(second, { state: 'exhausted', tries: 2 })).to.equal(false);
    expect(await readRow(db.connection, first.id)).to.deep.include({ state: 'delivered', tries: 1 });
  });

  it('writes many results together, and says for each whether the lease was lost', async () => {
    const { queue, ids } = await rows(6);
    const held = await queue.claim(ids.slice(0, 5), 'w1');
    const lost = { ...held[2]!, token: 'of another' };
    const gone = { ...held[2]!, id: 'purged' };
    const settled = [held[0]!, held[1]!, lost, gone, held[3]!, held[4]!].map(async (row, at) =>
      queue.settle(row, { state: 'waiting', tries: 1, delayMs: at * 1000 }, { ...attempt, ms: at }),
    );
    expect(await Promise.all(settled)).to.deep.equal([true, true, false, false, true, true]);
    expect(await readRow(db.connection, lost.id)).to.deep.include({ tries: 0, attempts: [] });
    expect(await notificationModel(db.connection).countDocuments()).to.equal(6);
    const last = await readRow(db.connection, held[4]!.id);
    expect(last.attempts).to.deep.equal([{ ...attempt, ms: 5 }]);
    expect(last.lease.token).to.equal(null);
    expect(last.dueAt!.getTime()).to.be.within(Date.now() - 20_000, Date.now() + 5000);
  });

  it('frees the rows of one worker only', async () => {
    const { queue, ids } = await rows(4);
    await queue.claim(ids.slice(0, 2), 'dead');
    await queue.claim(ids.slice(2, 3), 'alive');
    expect(await queue.releaseWorker('dead')).to.equal(2);
    const due = await queue.findDue(true, none, 10);
    expect(due.map((row) => row._id)).to.have.members([...ids.slice(0, 2), ...ids.slice(3)]);
  });

  it('finds neither settled rows nor rows to an excluded receiver', async () => {
    const { queue, ids } = await rows(2);
    const [row] = await queue.claim(ids.slice(0, 1), 'w1');
    if (row) await queue.settle(row, { state: 'delivered', tries: 1 });
    expect(await queue.findDue(true, { ...none, receivers: ['7 127.0.0.1:9'] }, 10)).to.have.length(0);
    expect(await queue.findDue(false, none, 10)).to.have.length(0);
    expect(await queue.findDue(true, none, 10)).to.have.length(1);
  });

  it('knows by the clock of the database whether the next row is due', async () => {
    const { queue, ids } = await rows(1);
    const due = async (aheadMs: number) => withWrongClock(aheadMs, async () => (await queue.nextDue())?.isDue);
    expect([await due(-HOUR), await due(HOUR)]).to.deep.equal([true, true]);
    await queue.claim(ids, 'w1');
    expect([await due(-HOUR), await due(HOUR)]).to.deep.equal([false, false]);
  });

  it('knows when the next row is due, with and without those to some receivers', async () => {
    const { queue } = await rows(3);
    expect((await queue.nextDueAt())?.getTime()).to.be.at.most(Date.now());
    expect(await queue.nextDueAt(['7 127.0.0.1:9'])).to.equal(undefined);
  });
});
