import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { until } from '../base/testing/until.ts';
import { createBatcher, type ItemResult } from './batcher.ts';

describe('createBatcher', () => {
  let batches: { readonly items: readonly number[]; readonly began: number; readonly end: () => void }[];
  beforeEach(() => {
    batches = [];
  });

  const run = async (items: readonly number[]): Promise<ItemResult<string>[]> => {
    await new Promise<void>((resolve) => {
      batches.push({ items, began: performance.now(), end: resolve });
    });
    if (items.includes(13)) throw new Error('no result is known');
    return items.map((item) => (item < 0 ? { error: new Error(`${item} is refused`) } : { value: `did ${item}` }));
  };

  const began = (): (readonly number[])[] => batches.map(({ items }) => items);

  it('batches the items of one turn of the event loop, and the items that arrive while it must wait', async () => {
    const add = createBatcher({ run, maxConcurrentBatches: 1 });
    const all = [add(1), add(2)];
    await until('a batch started', () => batches.length === 1);
    all.push(add(3), add(4));
    batches[0]!.end();
    await until('2 batches started', () => batches.length === 2);
    expect(began()).to.deep.equal([
      [1, 2],
      [3, 4],
    ]);
    batches[1]!.end();
    expect(await Promise.all(all)).to.deep.equal(['did 1', 'did 2', 'did 3', 'did 4']);
  });

  it('starts batches at least everyMs apart', async () => {
    const everyMs = 50;
    const add = createBatcher({ run, everyMs });
    const all = [add(1)];
    await until('a batch started', () => batches.length === 1);
    all.push(add(2));
    await until('2 batches started', () => batches.length === 2);
    expect(batches[1]!.began - batches[0]!.began).to.be.at.least(everyMs - 1);
    for (const { end } of batches) end();
    await Promise.all(all);
  });

  it('runs at most two batches at the same time, and starts a full batch without waiting', async () => {
    const add = createBatcher({ run, maxItems: 3, everyMs: 60_000 });
    const all = Array.from({ length: 7 }, async (_, index) => add(index));
    await until('2 batches started', () => batches.length === 2);
    expect(began()).to.deep.equal([
      [0, 1, 2],
      [3, 4, 5],
    ]);
    all.push(add(7), add(8));
    batches[1]!.end();
    await until('3 batches started', () => batches.length === 3);
    expect(batches[2]!.items).to.deep.equal([6, 7, 8]);
    for (const { end } of batches) end();
    expect(await Promise.all(all)).to.deep.equal(Array.from({ length: 9 }, (_, index) => `did ${index}`));
  });

  it('gives each item its own result, and continues after a batch whose results are unknown', async () => {
    const add = createBatcher({ run, maxItems: 2, everyMs: 60_000 });
    const messageOf = (error: Error): string => error.message;
    const lost = add(13).catch(messageOf);
    await until('a batch started', () => batches.length === 1);
    batches[0]!.end();
    expect(await lost).to.equal('no result is known');
    const rest = [add(-1).catch(messageOf), add(2)];
    await until('2 batches started', () => batches.length === 2);
    batches[1]!.end();
    expect(await Promise.all(rest)).to.deep.equal(['-1 is refused', 'did 2']);
  });
});
