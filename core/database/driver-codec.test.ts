import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { after, before, describe, it } from 'mocha';
import { mongo, Schema, type Connection, type Model, type SchemaType } from 'mongoose';
import { pino } from 'pino';
import { clientModel } from './collections/client.ts';
import { ensureCollections } from './collections.ts';
import { connectDatabase, type Database } from './connect.ts';
import { exchangeModel } from './collections/exchange.ts';
import { idempotencyRecordModel } from './collections/idempotency-record.ts';
import { inboxModel } from './collections/inbox-row.ts';
import { driverCodecOf } from './driver-codec.ts';
import { notificationModel } from './collections/notification.ts';
import { paymentRequestModel } from './collections/payment-request.ts';
import { testDatabaseUri } from './testing/test-database-uri.ts';

type AnyModel = Model<Record<string, unknown>>;

const models: Readonly<Record<string, (connection: Connection) => AnyModel>> = Object.fromEntries(
  [paymentRequestModel, clientModel, exchangeModel, idempotencyRecordModel, notificationModel, inboxModel].map(
    (modelOf) => [modelOf.name, modelOf as unknown as (connection: Connection) => AnyModel],
  ),
);

describe('driverCodecOf', () => {
  let database: Database;
  before(async () => {
    const log = pino({ level: 'silent' });
    database = await connectDatabase(testDatabaseUri(`native_${randomUUID().slice(0, 13)}`), { log });
    await ensureCollections(database.connection, log);
  });
  after(async () => {
    await database.connection.dropDatabase();
    await database.close();
  });

  for (const [name, modelOf] of Object.entries(models)) {
    it(`stores a document as mongoose does: ${name}`, async () => {
      const model = modelOf(database.connection);
      const codec = driverCodecOf(model);
      await fc.assert(
        fc.asyncProperty(documentOf(model.schema), async (document) => {
          await codec.collection.deleteMany({});
          await model.create([document]);
          const byMongoose = await stored(model);
          await codec.collection.deleteMany({});
          await codec.collection.insertOne(codec.toDocument(document) as never);
          expect(await stored(model)).to.equal(byMongoose);
        }),
        { numRuns: 25 },
      );
    });

    it(`sets members as mongoose does: ${name}`, async () => {
      const model = modelOf(database.connection);
      const codec = driverCodecOf(model);
      await fc.assert(
        fc.asyncProperty(documentOf(model.schema), documentOf(model.schema), async (document, { _id, ...changes }) => {
          const set = async (write: () => Promise<unknown>): Promise<string> => {
            await codec.collection.deleteMany({});
            await codec.collection.insertOne(codec.toDocument(document) as never);
            await write();
            return stored(model);
          };
          const byMongoose = await set(async () => model.updateOne({}, { $set: changes }));
          const members = codec.toMembers(changes);
          if (!Object.keys(members).length) return;
          expect(await set(async () => codec.collection.updateOne({}, { $set: members }))).to.equal(byMongoose);
        }),
        { numRuns: 15 },
      );
    });
  }

  it('refuses a member that the schema does not have', () => {
    const { toDocument, toMembers } = driverCodecOf(clientModel(database.connection));
    expect(() => toDocument({ nickname: 'Joe' } as never)).to.throw('nickname');
    expect(() => toMembers({ nickname: 'Joe' } as never)).to.throw('nickname');
  });

  it('keeps members of another version in an embedded document, and refuses members that no version knows', async () => {
    const model = paymentRequestModel(database.connection);
    const { collection, toDocument, toMembers } = driverCodecOf(model);
    const of = (member: object) => toMembers({ attempts: [{ n: 1, ...member }] } as never);
    const at = new Date();
    const [attempt] = of({ ofTheNext: at })['attempts'] as Record<string, unknown>[];
    expect(attempt).to.include({ n: 1, ofTheNext: at });
    await collection.deleteMany({});
    await collection.insertOne(toDocument({ _id: 1 } as never) as never);
    await collection.updateOne({ _id: 1 }, { $set: of({ checks: 2 }) });
    const refused = await collection
      .updateOne({ _id: 1 }, { $set: of({ ofTheNext: at }) })
      .catch((error: unknown) => error);
    expect(String(refused)).to.include('Document failed validation');
  });
});

/** The stored document as text, with the types of its values. The order of members does not matter. */
async function stored(model: AnyModel): Promise<string> {
  const found = await model.collection.findOne({}, { promoteValues: false, promoteBuffers: false });
  return JSON.stringify(
    withoutNewId(JSON.parse(mongo.BSON.EJSON.stringify(found, { relaxed: false })) as Record<string, unknown>),
    (_, value: unknown) =>
      value !== null && typeof value === 'object' && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
        : value,
    2,
  );
}

/** Documents that we give no id get a random one. */
function withoutNewId(document: Record<string, unknown>): Record<string, unknown> {
  const { _id, ...members } = document;
  return _id !== null && typeof _id === 'object' && '$oid' in _id ? members : document;
}

/** Random documents that match the schema. Optional members are sometimes absent. */
function documentOf(schema: Schema): fc.Arbitrary<Record<string, unknown>> {
  const members = Object.entries(schema.paths).filter(([, type]) => !(type instanceof Schema.Types.ObjectId));
  const isRequired = (name: string, type: SchemaType): boolean => name === '_id' || type.options['required'] === true;
  const required = members.filter(([name, type]) => isRequired(name, type)).map(([name]) => name);
  return fc.record(Object.fromEntries(members.map(([name, type]) => [name, valueOf(type)])), {
    requiredKeys: required,
  });
}

function valueOf(type: SchemaType): fc.Arbitrary<unknown> {
  const { Types } = Schema;
  if (type instanceof Types.DocumentArray) return fc.array(documentOf(type.schema), { maxLength: 2 });
  // Mongoose omits an empty subdocument, which none of our types allows.
  if (type instanceof Types.Subdocument) return documentOf(type.schema).filter((one) => Object.keys(one).length > 0);
  if (type instanceof Types.Array) return fc.array(valueOf(type.embeddedSchemaType), { maxLength: 2 });
  const options = type.options as { readonly enum?: readonly unknown[]; readonly default?: unknown };
  const value = options.enum ? fc.constantFrom(...options.enum) : plainValueOf(type);
  return options.default === null ? fc.option(value) : value;
}

function plainValueOf(type: SchemaType): fc.Arbitrary<unknown> {
  const { Types } = Schema;
  const text = fc.string({ minLength: 1 });
  if (type instanceof Types.Decimal128) return decimal;
  if (type instanceof Types.String) return text;
  if (type instanceof Types.Number) return fc.oneof(fc.maxSafeNat(), fc.integer(), fc.double({ noNaN: true }));
  if (type instanceof Types.Boolean) return fc.boolean();
  if (type instanceof Types.Date) return fc.date({ noInvalidDate: true });
  if (type instanceof Types.Buffer) return fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes));
  if (type instanceof Types.Mixed) return mixed(text);
  throw new Error(`no values of type ${type.instance}`);
}

/** Never empty: mongoose omits an empty object, and the driver keeps it. */
const mixed = (text: fc.Arbitrary<string>) =>
  fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), fc.option(text), { minKeys: 1 });

const decimal = fc
  .tuple(fc.maxSafeNat(), fc.nat({ max: 8 }))
  .map(([units, decimals]) => `${units}.${'0'.repeat(decimals)}${decimals}`);
