import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { expectRefusal } from './testing/expect-refusal.ts';
import { openTestDatabase, type TestDatabase } from './testing/test-database.ts';
import { createSavedFilters, maxSavedFilters, type SavedFilters } from './saved-filters.ts';

describe('createSavedFilters', () => {
  let database: TestDatabase;
  let filters: SavedFilters;
  before(async () => {
    database = await openTestDatabase();
    filters = createSavedFilters(database.here);
  });
  after(async () => database.drop());

  it('keeps the filters of each operator, and replaces one of the same name', async () => {
    await filters.save('Ada', { name: 'Late', query: 'problem=pending_long' });
    await filters.save('Ada', { name: 'Coins', query: 'problem=underpaid' });
    await filters.save('Ben', { name: 'Late', query: 'status=pending' });
    await filters.save('Ada', { name: 'Late', query: 'problem=needs_review' });
    expect(await filters.list('Ada')).to.deep.equal([
      { name: 'Coins', query: 'problem=underpaid' },
      { name: 'Late', query: 'problem=needs_review' },
    ]);
    await filters.remove('Ada', 'Coins');
    await filters.remove('Ada', 'Coins');
    expect((await filters.list('Ada')).map(({ name }) => name)).to.deep.equal(['Late']);
    expect(await filters.list('Dan')).to.deep.equal([]);
  });

  it('refuses a filter without a name or a value, and more filters than its limit', async () => {
    const query = 'status=paid';
    await expectRefusal('INVALID_FORMAT', async () => filters.save('Cy', { name: '', query }));
    await expectRefusal('INVALID_FORMAT', async () => filters.save('Cy', { name: 'x'.repeat(41), query }));
    await expectRefusal('INVALID_FORMAT', async () => filters.save('Cy', { name: 'All', query: '' }));
    for (let count = 0; count < maxSavedFilters; count += 1) await filters.save('Cy', { name: `f${count}`, query });
    await expectRefusal('INVALID_FORMAT', async () => filters.save('Cy', { name: 'one more', query }));
    await filters.save('Cy', { name: 'f3', query: 'status=failed' });
    expect(await filters.list('Cy')).to.have.lengthOf(maxSavedFilters);
  });
});
