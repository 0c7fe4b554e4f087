/** A database whose user may not set collection validators, as when an administrator granted only `readWrite`. */
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import mongoose, { type Connection } from 'mongoose';
import { ensureCollections, type ModelOf } from '../core/database/collections.ts';
import { clientModel } from '../core/database/collections/client.ts';
import { counterModel } from '../core/database/collections/counter.ts';
import { findMongod, startMongod, type RunningMongod } from '../workers/supervisor/dev/mongod/index.ts';
import { makeFolder, removeFolders } from '../workers/supervisor/dev/mongod/testing/folders.ts';

describe('a database user who may not set validators', function () {
  this.timeout(300_000);
  let mongod: RunningMongod;
  let administrator: Connection;
  let user: Connection;
  const warnings: object[] = [];
  const log = { warn: (fields: object) => void warnings.push(fields) };
  before(async () => {
    const report = (): void => undefined;
    const { path } = await findMongod({ env: process.env, report });
    mongod = await startMongod({ binary: path, dbPath: await makeFolder(), report });
    // Mongoose creates the collections of its models automatically, and without validators.
    const options = { autoCreate: false, autoIndex: false };
    administrator = await mongoose.createConnection(mongod.uri, { ...options, dbName: 'shop' }).asPromise();
    await administrator.db!.command({ createUser: 'gateway', pwd: 'x', roles: ['readWrite'] });
    const uri = mongod.uri.replace(/\/\/[^@]*@/, '//gateway:x@').replace(/\/\?/, '/shop?');
    user = await mongoose.createConnection(uri, options).asPromise();
  });
  after(async () => {
    await user?.close();
    await administrator?.close();
    await mongod?.stop();
    await removeFolders();
  });

  const prepareCollections = async (connection: Connection, modelOf: ModelOf): Promise<string | undefined> =>
    ensureCollections(connection, log, [modelOf]).then(
      () => undefined,
      ({ message }: Error) => message,
    );

  it('gets validators on the collections that it creates', async () => {
    expect(await prepareCollections(user, counterModel)).to.equal(undefined);
    const refused = user.collection('counters').insertOne({ _id: 'x', next: 'many' } as object);
    expect(await refused.catch(({ message }: Error) => message)).to.equal('Document failed validation');
    expect(await prepareCollections(user, counterModel)).to.equal(undefined);
    expect(warnings).to.deep.equal([]);
  });

  it('gets a warning about a collection without a validator', async () => {
    await administrator.createCollection('clients');
    expect(await prepareCollections(user, clientModel)).to.equal(undefined);
    expect(warnings).to.deep.equal([{ collection: 'clients' }]);
  });

  it('stops the start when the validator of another version would refuse what this version stores', async () => {
    const $jsonSchema = { bsonType: ['object'], properties: { _id: {} }, additionalProperties: false };
    await administrator.db!.command({ collMod: 'clients', validator: { $jsonSchema } });
    expect(await prepareCollections(user, clientModel)).to.match(
      /^clients refuses documents of this version, .* dbAdmin/,
    );
    expect(await prepareCollections(administrator, clientModel)).to.equal(undefined);
    expect(await prepareCollections(user, clientModel)).to.equal(undefined);
  });
});
