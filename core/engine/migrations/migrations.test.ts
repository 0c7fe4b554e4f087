import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import type { Connection } from 'mongoose';
import { pino } from 'pino';
import { readValidators } from '../../database/collection-validator.ts';
import { ensureCollections } from '../../database/collections.ts';
import { alarmModel } from '../../database/collections/alarm.ts';
import { hostModel } from '../../database/collections/host.ts';
import { inboxModel } from '../../database/collections/inbox-row.ts';
import { paymentRequestModel } from '../../database/collections/payment-request.ts';
import {
  currentVersion,
  previousVersion,
  readSchemaVersion,
  schemaVersionModel,
} from '../../database/collections/schema-version.ts';
import { connectDatabase, type Database } from '../../database/connect.ts';
import { startDatabaseProxy, type DatabaseProxy } from '../../database/testing/database-proxy.ts';
import { testDatabaseUri } from '../../database/testing/test-database-uri.ts';
import { until } from '../../base/testing/until.ts';
import { ana, auditDouble } from '../audit/testing/audit-double.ts';
import { jobDocuments } from '../jobs/index.ts';
import { caller, cardInput, order, usePayments } from '../payments/testing/setup.ts';
import type { Migration } from './migration.ts';
import { createMigrations, type Migrations } from './migrations.ts';
import { describePlan, describeProgress } from './describe-status.ts';

const log = pino({ level: 'silent' });
const models = [paymentRequestModel, alarmModel, inboxModel, hostModel, schemaVersionModel];
/** Sets a member by its path. */
function set(value: Record<string, unknown>, path: string, member: unknown): void {
  const names = path.split('.');
  const last = names.pop()!;
  names.reduce((one, name) => one[name] as Record<string, unknown>, value)[last] = member;
}

const firstSeenAt = new Date('2026-11-20T10:00:00Z');

describe('createMigrations', () => {
  const payments = usePayments();
  let database: Database;
  let name: string;
  let connection: Connection;
  let migrations: Migrations;
  /** The payments in the shape of this version. */
  let made: readonly Record<string, unknown>[];

  before(async () => {
    const { service } = payments.create();
    for (let count = 0; count < 5; count += 1) await service.payH2h(caller, 41, order, cardInput());
    made = await paymentRequestModel(payments.connection()).collection.find().sort({ _id: 1 }).toArray();
    name = `migrations_${randomUUID().slice(0, 13)}`;
    database = await connectDatabase(testDatabaseUri(name), { log, patience: 'endless' });
    ({ connection } = database);
    await ensureCollections(connection, log, models);
    migrations = createMigrations({ connection, now: () => new Date() });
  });
  beforeEach(async () => {
    for (const modelOf of models) await modelOf(connection).collection.deleteMany({});
    await jobDocuments(connection).deleteMany({});
    await storeAsPreviousVersion();
  });
  after(async () => {
    await connection.dropDatabase();
    await database.close();
  });

  const collection = (of: string) => connection.collection<Record<string, unknown>>(of);
  const audit = () => auditDouble();

  /** A database of the previous version: its documents, its indexes, and what its validators accept. */
  async function storeAsPreviousVersion(): Promise<void> {
    const validator = structuredClone((await readValidators(connection)).get('paymentRequests')!) as never;
    set(validator, 'properties.attempts.items.properties.captureFailedAt.bsonType', ['date', 'null']);
    await connection.db!.command({ collMod: 'paymentRequests', validator: { $jsonSchema: validator } });
    await schemaVersionModel(connection).create({ _id: 'schema', version: previousVersion });
    await collection('paymentRequests').insertMany(
      made.map(({ searchKeys: _keys, problems: _problems, attempts, ...rest }) => ({
        ...rest,
        attempts: (attempts as object[]).map((one) => ({ ...one, captureFailedAt: null })),
      })),
    );
    const alarm = { kind: 'job_failed', subject: { type: 'job', id: 'x' }, reason: 'r', state: 'open', count: 1 };
    await collection('alarms').insertOne({
      ...alarm,
      _id: 'job_failed job x' as never,
      firstSeenAt,
      lastSeenAt: firstSeenAt,
      failures: 0,
    });
    await collection('paymentRequests').createIndex({ clientId: 1 }, { name: 'depositsDue' });
    await collection('inbox').createIndex({ 'lease.worker': 1 }, { name: 'lease.worker_1' });
    for (const job of ['index-search', 'reconcile'])
      await jobDocuments(connection).insertOne({
        name: job,
        type: 'single',
        priority: 0,
        nextRunAt: null,
        lockedAt: null,
      } as never);
  }

  async function run(one: Migrations, limit = 2): Promise<void> {
    while ((await one.next(limit)).more);
  }
  async function migrate(one: Migrations = migrations): Promise<void> {
    await one.apply(ana, audit());
    await run(one);
    await one.finish(ana, audit());
    await run(one);
  }
  const withoutVersion = (documents: readonly Record<string, unknown>[]) =>
    documents.map(({ version: _version, ...rest }) => rest);
  const stored = async () => collection('paymentRequests').find().sort({ _id: 1 }).toArray();
  async function expectMoved(): Promise<void> {
    expect(withoutVersion(await stored())).to.deep.equal(withoutVersion(made));
    expect((await collection('alarms').findOne({}))!['history']).to.deep.equal([{ at: firstSeenAt, what: 'raised' }]);
  }
  async function expectFinished(): Promise<void> {
    await expectMoved();
    expect(await migrations.status()).to.equal(undefined);
    expect(await readSchemaVersion(connection)).to.equal(currentVersion);
    const names = async (of: string) => (await collection(of).indexes()).map((index) => index.name);
    expect(await names('paymentRequests'))
      .to.include('deposits')
      .and.to.not.include('depositsDue');
    expect(await names('inbox')).to.not.include('lease.worker_1');
    expect((await jobDocuments(connection).find().toArray()).map((job) => job.name)).to.deep.equal(['reconcile']);
  }
  const host = (more: object) => ({
    hostname: 'shop-1',
    startedAt: firstSeenAt,
    seenAt: new Date(),
    workers: 1,
    processes: [],
    tokenSecrets: [],
    adapters: [],
    ...more,
  });

  it('moves documents of the previous version in pages, and removes the old shape at the end', async () => {
    expect((await migrations.status())!.state).to.equal('waiting');
    await migrations.apply(ana, audit());
    expect(await migrations.next(2)).to.deep.equal({ done: 2, more: true });
    expect(await migrations.status()).to.deep.include({ version: 6, to: 7, state: 'moving', read: 2, moved: 2 });
    await run(migrations);
    expect(await migrations.status()).to.deep.include({ version: 6, state: 'moved', read: 6, moved: 6 });
    await expectMoved();
    // The previous version can still use the database: its indexes and its types are there.
    const changed = { $set: { 'attempts.0.captureFailedAt': null } };
    await collection('paymentRequests').updateOne({}, changed);
    await migrations.finish(ana, audit());
    await run(migrations);
    await expectFinished();
    const refused = await collection('paymentRequests')
      .updateOne({}, changed)
      .catch((error: unknown) => error);
    expect(refused).to.be.an('error').with.property('message', 'Document failed validation');
  });

  it('changes nothing in a database that was migrated, and in a new one', async () => {
    await migrate();
    const before = await stored();
    await migrate();
    expect(await stored()).to.deep.equal(before);
    for (const modelOf of models) await modelOf(connection).collection.deleteMany({});
    await schemaVersionModel(connection).create({ _id: 'schema', version: currentVersion });
    expect(await migrations.status()).to.equal(undefined);
    await migrate();
    expect(await schemaVersionModel(connection).collection.countDocuments()).to.equal(1);
  });

  it('starts once if two operators apply at the same time, and records who did', async () => {
    const recorded = audit();
    const other = createMigrations({ connection, now: () => new Date() });
    await Promise.all([migrations.apply(ana, recorded), other.apply(ana, recorded)]);
    await Promise.all([run(migrations), run(other)]);
    expect(await migrations.status()).to.deep.include({ state: 'moved', read: 6 });
    await Promise.all([migrations.finish(ana, recorded), other.finish(ana, recorded)]);
    await Promise.all([run(migrations), run(other)]);
    await expectFinished();
    const plans = recorded.actions.map(({ act, plan }) => [act, (plan as { step: string }).step]);
    expect(plans).to.deep.include(['database.migrate', 'apply']).and.to.deep.include(['database.migrate', 'finish']);
    expect(plans.filter(([, step]) => step === 'apply').length).to.be.at.most(2);
  });

  it('moves what hosts of the previous version stored since, if it is applied again', async () => {
    await migrations.apply(ana, audit());
    await run(migrations);
    await collection('paymentRequests').updateMany({}, { $unset: { searchKeys: '', problems: '' } });
    await migrations.apply(ana, audit());
    expect(await migrations.status()).to.deep.include({ state: 'moving', read: 0 });
    await run(migrations);
    await expectMoved();
    expect((await migrations.status())!.state).to.equal('moved');
  });

  it('does not finish before all documents are moved, or while a host of the previous version runs', async () => {
    const refusal = async (): Promise<string> =>
      migrations.finish(ana, audit()).then(
        () => expect.fail('it was not refused'),
        (error: unknown) => (error as Error).message,
      );
    expect(await refusal()).to.match(/^Nothing was moved yet: run paywright database migrate --apply/);
    await migrations.apply(ana, audit());
    expect(await refusal()).to.match(/^Documents are still being moved/);
    await run(migrations);
    await collection('hosts').insertMany([
      host({ _id: 'old', hostname: 'shop-2' }),
      host({ _id: 'new', schemaVersion: currentVersion }),
    ]);
    expect(await refusal()).to.match(/^Hosts of the previous version run: shop-2\. Upgrade or stop them first/);
    expect(describePlan((await migrations.status())!).join('\n')).to.match(
      /Workers of this version: 1.*These run: shop-2/s,
    );
    await collection('hosts').deleteOne({ _id: 'old' as never });
    await migrations.finish(ana, audit());
    await run(migrations);
    await expectFinished();
  });

  it('waits for a host of the previous version that starts during the last step', async () => {
    await migrations.apply(ana, audit());
    await run(migrations);
    await migrations.finish(ana, audit());
    await collection('hosts').insertOne(host({ _id: 'old' as never }));
    expect(await migrations.next(100)).to.deep.equal({ done: 0, more: false });
    expect(await readSchemaVersion(connection)).to.equal(previousVersion);
    expect(describeProgress((await migrations.status())!)).to.match(
      /^Schema version 6 of 7: The last step needs .*shop-1/,
    );
    await collection('hosts').deleteMany({});
    await run(migrations);
    await expectFinished();
  });

  it('corrects what hosts of the previous version stored behind the first pass, such as the erasure of a payer', async () => {
    await migrations.apply(ana, audit());
    await run(migrations);
    const erased = { payerName: null, payerEmail: null, payerPhone: '', 'client.name': null, 'client.email': null };
    const { _id } = (await stored())[0]!;
    await collection('paymentRequests').updateOne({ _id }, { $set: { ...erased, 'client.phone': null } });
    await migrations.finish(ana, audit());
    await run(migrations);
    expect(await collection('paymentRequests').findOne({ _id })).to.have.deep.property('searchKeys', []);
  });

  it('reads a document again that changed in the meantime', async () => {
    let reads = 0;
    const migration: Migration = {
      to: currentVersion,
      removes: { indexes: {}, members: [], documents: [] },
      moves: [
        {
          modelOf: inboxModel,
          what: 'is tested',
          updateOf({ _id, path }) {
            if (path === 'moved') return undefined;
            reads += 1;
            // The first update finds the document changed.
            return { filter: { path: reads === 1 ? 'before' : path, _id }, update: { $set: { path: 'moved' } } };
          },
        },
      ],
    };
    await collection('inbox').insertOne({ _id: 'a' as never, path: 'after' });
    const one = createMigrations({ connection, now: () => new Date(), migration });
    await one.apply(ana, audit());
    expect(await one.next(10)).to.deep.equal({ done: 1, more: false });
    expect([reads, (await collection('inbox').findOne({}))!['path']]).to.deep.equal([2, 'moved']);
  });

  describe('a process that dies', () => {
    let proxy: DatabaseProxy;
    beforeEach(async () => {
      proxy = await startDatabaseProxy();
    });
    afterEach(async () => proxy.close());

    for (const [step, text] of [
      ['moves a page', 'captureFailedAt'],
      ['stores the progress', 'collectionName'],
      ['shuts out the previous version', 'schema\0'],
      ['drops an index', 'depositsDue'],
      ['narrows a validator', 'collMod'],
      ['removes documents', 'count-deposits'],
    ] as const)
      for (const when of ['before', 'after'] as const)
        it(`while it ${step}, ${when} the server has done that, leaves the rest to another; nor harms it if it wakes up`, async () => {
          const dying = await connectDatabase(proxy.uri(name), { log, patience: 'endless' });
          try {
            const first = createMigrations({ connection: dying.connection, now: () => new Date() });
            await migrations.apply(ana, audit());
            if (step !== 'moves a page' && step !== 'stores the progress') {
              await run(first);
              await migrations.finish(ana, audit());
            }
            proxy.freezeAt(text, when);
            const dead = run(first);
            await until('it stands still', () => proxy.isFrozen);
            await run(migrations);
            await migrations.finish(ana, audit());
            await run(migrations);
            await expectFinished();
            proxy.resume();
            await dead;
            await expectFinished();
          } finally {
            await dying.close();
          }
        });
  });
});
