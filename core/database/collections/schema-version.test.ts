import { expect } from 'chai';
import { after, beforeEach, describe, it } from 'mocha';
import { openTestDatabase, type TestDatabase } from '../../engine/access/testing/test-database.ts';
import { checkSchemaVersion, currentVersion, previousVersion } from './schema-version.ts';

describe('checkSchemaVersion', () => {
  let database: TestDatabase;
  const meta = () => database.here.collection<{ _id: string; version: number }>('meta');
  beforeEach(async () => {
    await database?.drop();
    database = await openTestDatabase();
    await meta().deleteMany({});
  });
  after(() => database.drop());

  async function refusal(): Promise<string> {
    try {
      await checkSchemaVersion(database.here);
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
    throw new Error('the database was not refused');
  }

  it('writes the version once into a new database when several processes start', async () => {
    await Promise.all(
      [database.here, database.there].flatMap((one) => [1, 2, 3].map(async () => checkSchemaVersion(one))),
    );
    expect(await meta().find().toArray()).to.deep.equal([{ _id: 'schema', version: currentVersion }]);
  });

  it('accepts a database of the version before, and does not change it', async () => {
    await meta().insertOne({ _id: 'schema', version: previousVersion });
    await checkSchemaVersion(database.here);
    expect(await meta().find().toArray()).to.deep.equal([{ _id: 'schema', version: previousVersion }]);
  });

  it('refuses a database of another version, and says what to do', async () => {
    for (const [version, cure] of [
      [1, 'cannot skip a version: install the version for schema version 2, run paywright database migrate there'],
      [5, 'cannot skip a version: install the version for schema version 6, run paywright database migrate there'],
      [8, 'start the later version again, restore a backup from before the migration to 8'],
    ] as const) {
      await meta().replaceOne({ _id: 'schema' }, { version }, { upsert: true });
      expect(await refusal()).to.match(
        new RegExp(`schema version ${version}, this version needs 7 or 6\\).*${cure}.*MONGODB_URI`),
      );
    }
  });

  it('refuses a database that has payment requests but no version', async () => {
    await database.here.collection<{ _id: number }>('paymentRequests').insertOne({ _id: 1 });
    expect(await refusal()).to.match(/no schema version, this version needs 7 or 6.*MONGODB_URI/);
    expect(await meta().countDocuments()).to.equal(0);
  });
});
