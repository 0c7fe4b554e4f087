import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { pino } from 'pino';
import { ensureCollections } from './collections.ts';
import { paymentRequestModel } from './collections/payment-request.ts';
import { connectDatabase, type Database } from './connect.ts';
import { testDatabaseUri } from './testing/test-database-uri.ts';

const log = pino({ level: 'silent' });

describe('ensureCollections', () => {
  let database: Database;
  before(async () => {
    database = await connectDatabase(testDatabaseUri(`collections_${randomUUID().slice(0, 13)}`), { log });
  });
  after(async () => {
    await database.connection.dropDatabase();
    await database.close();
  });

  it('keeps indexes of the previous version, because its hosts may still use them', async () => {
    const { connection } = database;
    const { collection } = paymentRequestModel(connection);
    const ensure = async (): Promise<void> => ensureCollections(connection, log, [paymentRequestModel]);
    const names = async (): Promise<string[]> => (await collection.indexes()).map(({ name }) => name!);
    await ensure();
    const present = await names();
    expect(present).to.include('deposits').and.to.not.include('depositsDue');
    const due = { partialFilterExpression: { depositDue: { $type: 'number' } } };
    await collection.createIndex({ clientId: 1 }, { name: 'depositsDue', ...due });
    await Promise.all([ensure(), ensure()]);
    expect(await names()).to.have.members([...present, 'depositsDue']);
  });
});
