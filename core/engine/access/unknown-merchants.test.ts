import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { createIdBlocks } from '../../database/collections/counter.ts';
import { testEncrypter } from '../../base/testing/test-encrypter.ts';
import { createOwners } from './owners.ts';
import { openTestDatabase, type TestDatabase } from './testing/test-database.ts';
import { findUnknownMerchants } from './unknown-merchants.ts';

describe('findUnknownMerchants', () => {
  let database: TestDatabase;
  before(async () => {
    database = await openTestDatabase();
    const ids = createIdBlocks(database.here, 'owner', 1, () => 1);
    const deps = { encrypter: testEncrypter(), now: () => new Date(), nextOwnerId: async () => ids.next() };
    await createOwners({ connection: database.here, ...deps }).findOrCreate('Ribeira Books');
  });
  after(() => database.drop());

  it('names each setting whose merchant does not exist, and suggests the nearest name', async () => {
    const found = await findUnknownMerchants(database.here, {
      adapters: {
        acme: {
          accounts: { eu: { merchants: ['Ribeira Books', 'Ribeira Book'] }, closed: { merchants: [] }, all: {} },
        },
        other: {},
      },
      routes: [{ when: {} }, { when: { merchant: ['ribeira books'] } }],
      risk: [{ when: { merchant: ['Ribeira Books', 'Zzz'] } }],
    });
    expect(found).to.have.length(3);
    expect(found[0]).to.match(
      /^adapters\.acme\.accounts\.eu\.merchants: there is no merchant "Ribeira Book".*Ribeira Books/,
    );
    expect(found[1]).to.match(/^routes\.1\.when\.merchant: there is no merchant "ribeira books"/);
    expect(found[2]).to.equal('risk.0.when.merchant: there is no merchant "Zzz".');
  });
});
