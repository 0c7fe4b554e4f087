import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { until } from '../base/testing/until.ts';
import { createLane, type ItemResult } from './lane.ts';

describe('a lane', () => {
  let batches: { readonly items: readonly number[]; readonly began: number; readonly end: () => void }[];
  beforeEach(() => {
    batches = [];
  });

  const run = async (items: readonly number[]): Promise<ItemResult<string>[]> => {
    await new Promise<void>((resolve) => {
      batches.push({ items, began: performance.now(), end: resolve });
    });
    if (items.includes(13)) throw new Error('nobody knows');
    return items.map((item) => (item < 0 ? { error: new Error(`${item} is refused`) } : { value: `did ${item}` }));
  };

  const began = (): (readonly number[])[] => batches.map(({ items }) => items);

  it('takes together what one turn of the event loop brings, and what comes while it must wait', async () => {
    const lane = createLane({ run, batchesAtOnce: 1 });
    const all = [lane(1), lane(2)];
    await until('a batch began', () => batches.length === 1);
    all.push(lane(3), lane(4));
    batches[0]!.end();
    await until('2 batches began', () => batches.length === 2);
    expect(began()).to.deep.equal([
      [1, 2],
      [3, 4],
    ]);
    batches[1]!.end();
    expect(await Promise.all(all)).to.deep.equal(['did 1', 'did 2', 'did 3', 'did 4']);
  });

  it('begins no batch sooner than a while after the one before', async () => {
    const everyMs = 50;
    const lane = createLane({ run, everyMs });
    const all = [lane(1)];
    await until('a batch began', () => batches.length === 1);
    all.push(lane(2));
    await until('2 batches began', () => batches.length === 2);
    expect(batches[1]!.began - batches[0]!.began).to.be.at.least(everyMs - 1);
    for (const { end } of batches) end();
    await Promise.all(all);
  });

  it('has two batches under way at most, and waits for no more than a full one', async () => {
    const lane = createLane({ run, maxItems: 3, everyMs: 60_000 });
    const all = Array.from({ length: 7 }, async (_, index) => lane(index));
    await until('2 batches began', () => batches.length === 2);
    expect(began()).to.deep.equal([
      [0, 1, 2],
      [3, 4, 5],
    ]);
    all.push(lane(7), lane(8));
    batches[1]!.end();
    await until('3 batches began', () => batches.length === 3);
    expect(batches[2]!.items).to.deep.equal([6, 7, 8]);
    for (const { end } of batches) end();
    expect(await Promise.all(all)).to.deep.equal(Array.from({ length: 9 }, (_, index) => `did ${index}`));
  });

  it('gives each its own result, and goes on after a batch of which nothing is known', async () => {
    const lane = createLane({ run, maxItems: 2, everyMs: 60_000 });
    const messageOf = (error: Error): string => error.message;
    const lost = lane(13).catch(messageOf);
    await until('a batch began', () => batches.length === 1);
    batches[0]!.end();
    expect(await lost).to.equal('nobody knows');
    const rest = [lane(-1).catch(messageOf), lane(2)];
    await until('2 batches began', () => batches.length === 2);
    batches[1]!.end();
    expect(await Promise.all(rest)).to.deep.equal(['-1 is refused', 'did 2']);
  });
});
