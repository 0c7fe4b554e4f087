import { expect } from 'chai';
import { describe, it } from 'mocha';
import { pageByTime } from './page-by-time.ts';

interface Row {
  readonly id: string;
  readonly at: number;
}

describe('pageByTime', () => {
  const rows: readonly Row[] = [1, 2, 2, 2, 2, 3, 3, 4].map((at, index) => ({ id: `${at}-${index}`, at }));
  const pageOf = async (limit: number, cursor?: string) =>
    pageByTime(
      { limit, cursor },
      ({ at }: Row) => new Date(at),
      async (from, atMost) => rows.filter(({ at }) => !from || at >= from.getTime()).slice(0, atMost),
    );

  for (const limit of [1, 2, 3, 7, 8, 100])
    it(`shows every row once, ${limit} per page, even if many rows share one time`, async () => {
      const seen: string[] = [];
      let cursor: string | undefined;
      for (let pages = 0; pages <= rows.length; pages += 1) {
        const { items, nextCursor } = await pageOf(limit, cursor);
        expect(items.length).to.be.within(1, limit);
        seen.push(...items.map(({ id }) => id));
        if (nextCursor === null) break;
        cursor = nextCursor;
      }
      expect(seen).to.deep.equal(rows.map(({ id }) => id));
    });

  it('starts at the first row if the cursor is invalid', async () => {
    expect((await pageOf(1, 'x')).items).to.deep.equal([rows[0]]);
  });
});
