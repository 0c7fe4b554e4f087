import { flatMapInSlices } from '@paywright/contract';
import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { work } from '../../test/event-loop.ts';

describe('work in slices', () => {
  it('returns what flatMap returns, in its order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(5)), async (items) => {
        const map = (item: number): number[] => Array.from({ length: item }, () => item);
        expect(await flatMapInSlices(items, map)).to.deep.equal(items.flatMap(map));
      }),
    );
  });

  it('lets other work run in between, and runs one slice of all such work per turn', async () => {
    const worked: number[] = [];
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const items = Array.from({ length: 5 }, (_, at) => at);
    const runs = [1, 2, 3].map(async () =>
      flatMapInSlices(items, (item) => {
        work(6);
        worked.push(turns);
        return [item];
      }),
    );
    expect(await Promise.all(runs)).to.deep.equal([items, items, items]);
    isOver = true;
    // The first slice of each runs immediately. After that, each item is a slice of its own, with a turn of its own.
    const later = worked.slice(runs.length);
    expect(new Set(later).size).to.equal(later.length);
  });

  it('stops if the work throws', async () => {
    const failing = flatMapInSlices([1], () => {
      throw new TypeError('no');
    });
    await failing.then(
      () => expect.fail('it threw'),
      (error: unknown) => expect(error).to.be.instanceOf(TypeError),
    );
  });
});
