import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { after, afterEach, before, describe, it } from 'mocha';
import type { Collection } from 'mongoose';
import { pino } from 'pino';
import { auditEntryModel, type AuditEntry } from '../../database/collections/audit-entry.ts';
import { ensureCollections } from '../../database/collections.ts';
import { connectDatabase, type Database } from '../../database/connect.ts';
import { counterModel } from '../../database/collections/counter.ts';
import { testDatabaseUri } from '../../database/testing/test-database-uri.ts';
import { notFound } from '../../base/errors.ts';
import { testEncrypter } from '../../base/testing/test-encrypter.ts';
import { changesOf, createAudit, type Actor, type Audit, type AuditedAction } from './index.ts';

const log = pino({ level: 'silent' });
const ana: Actor = { type: 'command', name: 'ana', from: 'host-1' };
const action: AuditedAction = { act: 'key.limit', subject: { type: 'key', id: 'key_1' } };

describe('createAudit', () => {
  const databases: Database[] = [];
  let audit: Audit;
  /** A second process. */
  let elsewhere: Audit;
  let entries: Collection<AuditEntry>;

  const open = async (uri: string, seed = 1): Promise<Audit> => {
    const database = await connectDatabase(uri, { log });
    databases.push(database);
    return createAudit({ connection: database.connection, encrypter: testEncrypter(seed), now: () => new Date(), log });
  };
  before(async () => {
    const uri = testDatabaseUri(`audit_${randomUUID().slice(0, 8)}`);
    audit = await open(uri);
    elsewhere = await open(uri);
    const { connection } = databases[0]!;
    await ensureCollections(connection, log, [auditEntryModel, counterModel]);
    entries = auditEntryModel(connection).collection as unknown as Collection<AuditEntry>;
  });
  afterEach(async () => {
    await entries.deleteMany({});
    await counterModel(databases[0]!.connection).deleteMany({});
  });
  after(async () => {
    await databases[0]?.connection.dropDatabase();
    await Promise.all(databases.map(async (database) => database.close()));
  });

  const act = async (id: string, by: Audit = audit): Promise<void> =>
    by.run(ana, { ...action, subject: { type: 'key', id } }, async () => ({ value: undefined, after: { limit: 7 } }));
  /** Runs several actions, each with two entries. */
  const acts = async (count: number): Promise<void> => {
    for (let n = 1; n <= count; n += 1) await act(`key_${n}`);
  };

  it('records who did what, from where and why, and the state before and after', async () => {
    const given = await audit.run(ana, { ...action, reason: 'a busy shop' }, async () => {
      return { value: 'result', ...changesOf({ limit: 5, name: 'Shop' }, { limit: 9, name: 'Shop' }) };
    });
    const { items } = await audit.list({ limit: 10 });
    expect(given).to.equal('result');
    expect(items).to.have.lengthOf(1);
    expect(items[0]).to.deep.include({
      sequence: 2,
      actor: ana,
      ...action,
      reason: 'a busy shop',
      state: 'done',
      before: { limit: 5 },
      after: { limit: 9 },
    });
  });

  it('records a failed action with its reason, and passes the failure on', async () => {
    const failure = notFound('API key key_1');
    const thrown: unknown = await audit
      .run(ana, action, async () => Promise.reject(failure))
      .catch((error: unknown) => error);
    expect(thrown).to.equal(failure);
    const { items } = await audit.list({ limit: 10 });
    expect(items.map(({ state, error }) => ({ state, error }))).to.deep.equal([
      { state: 'failed', error: 'API key key_1 does not exist' },
    ]);
  });

  it('records an action before it is done', async () => {
    await audit.run(ana, { ...action, plan: { limit: 9 } }, async () => {
      const { items } = await elsewhere.list({ limit: 10 });
      expect(items.map(({ state, after }) => ({ state, after }))).to.deep.equal([
        { state: 'begun', after: { limit: 9 } },
      ]);
      return { value: undefined };
    });
  });

  it('keeps one chain for concurrent processes', async () => {
    const ids = Array.from({ length: 15 }, (_, at) => `key_${at}`);
    await Promise.all(ids.flatMap((id) => [act(id), act(id, elsewhere)]));
    expect(await audit.verify()).to.deep.include({ entries: 60, broken: undefined });
  });

  it('verifies every text that was recorded', async () => {
    const json = fc.jsonValue({ maxDepth: 3 });
    await fc.assert(
      fc.asyncProperty(
        json,
        fc.oneof(fc.string({ unit: 'binary' }), fc.constant('half a \ud800')),
        async (value, reason) => {
          await audit.run(ana, { ...action, reason }, async () => ({
            value: undefined,
            before: value,
            after: { value },
          }));
          expect((await audit.verify()).broken).to.equal(undefined);
        },
      ),
      { numRuns: 25 },
    );
  });

  it('finds entries by the name of an actor, with or without the key that follows it', async () => {
    const idsOf = async (by: string): Promise<string[]> =>
      (await audit.list({ by, limit: 9 })).items.map(({ act: name, subject }) => `${name} ${subject.id}`);
    for (const [at, name] of [
      'Ada (op_0123456789abcdef)',
      'Ada (single sign-on)',
      'Ada (op_x)',
      'Adam (x)',
    ].entries()) {
      const keyed = { type: 'console', name, from: '10.0.0.8' } as const;
      const done = { act: 'job.run', subject: { type: 'job', id: String(at) } } as const;
      await audit.run(keyed, done, async () => ({ value: 0 }));
    }
    expect(await idsOf('Ada')).to.deep.equal(['job.run 1', 'job.run 0']);
    expect(await idsOf('Ada (op_0123456789abcdef)')).to.deep.equal(['job.run 0']);
    for (const by of ['A.a', 'Ada.*', '(']) expect(await idsOf(by), by).to.deep.equal([]);
  });

  it('lists entries by action, subject, actor and time, page by page', async () => {
    await acts(3);
    const eve = { type: 'console', name: 'eve', from: '10.0.0.7' } as const;
    await audit.run(eve, { act: 'key.revoke', subject: { type: 'key', id: 'key_2' } }, async () => ({ value: 0 }));
    const idsOf = async (query: Omit<Parameters<Audit['list']>[0], 'limit'>, limit = 100): Promise<string[]> =>
      (await audit.list({ ...query, limit })).items.map(({ act: name, subject }) => `${name} ${subject.id}`);
    expect(await idsOf({ act: 'key.revoke' })).to.deep.equal(['key.revoke key_2']);
    expect(await idsOf({ by: 'eve' })).to.deep.equal(['key.revoke key_2']);
    const subject = { type: 'key', id: 'key_2' };
    expect(await idsOf({ subject })).to.deep.equal(['key.revoke key_2', 'key.limit key_2']);
    expect(await idsOf({ since: new Date(Date.now() + 60_000) })).to.deep.equal([]);
    expect(await idsOf({ since: new Date(0) })).to.have.lengthOf(4);
    const paged: string[] = [];
    for (let before: number | null | undefined; before !== null;) {
      const page = await audit.list({ limit: 3, ...(before !== undefined && { before }) });
      paged.push(...page.items.map(({ subject: { id } }) => id));
      before = page.nextBefore;
    }
    expect(paged).to.deep.equal(['key_2', 'key_3', 'key_2', 'key_1']);
  });

  it('fills a page with actions, although each action that ended has two entries', async () => {
    await acts(7);
    const idsOf = async (more: object): Promise<string[]> =>
      (await audit.list({ limit: 5, ...more })).items.map(({ subject }) => subject.id);
    expect(await idsOf({})).to.deep.equal(['key_7', 'key_6', 'key_5', 'key_4', 'key_3']);
    const { nextBefore } = await audit.list({ limit: 5 });
    expect(await idsOf({ before: nextBefore })).to.deep.equal(['key_2', 'key_1']);
  });

  it('lists entries up to a time, and the people who acted', async () => {
    await acts(1);
    await entries.updateMany({}, { $set: { at: new Date('2026-03-01') } });
    const keyed = { type: 'console', name: 'Ada (op_0123456789abcdef)', from: '10.0.0.8' } as const;
    await audit.run(keyed, action, async () => ({ value: 0 }));
    const found = await audit.list({ limit: 9, until: new Date('2026-03-02') });
    expect(found.items.map(({ actor }) => actor.name)).to.deep.equal(['ana']);
    expect(await audit.list({ limit: 9, since: new Date('2026-03-01'), until: new Date('2026-03-01') })).to.deep.equal({
      items: [],
      nextBefore: null,
    });
    expect(await audit.people()).to.deep.equal(['Ada', 'ana']);
  });

  describe('verify', () => {
    const broken = async (): Promise<unknown> => (await audit.verify()).broken;

    it('names the entry that was changed', async () => {
      await acts(3);
      await entries.updateOne({ _id: 4 }, { $set: { 'actor.name': 'eve' } });
      await entries.updateOne({ _id: 5 }, { $set: { reason: 'none' } });
      expect(await broken()).to.deep.equal({ sequence: 4, why: 'it is not as it was written' });
    });

    it('names the gap of a removed entry, even after others were appended', async () => {
      await acts(3);
      await entries.deleteOne({ _id: 2 });
      await acts(1);
      expect(await broken()).to.deep.equal({ sequence: 2, why: 'it is missing' });
    });

    it('detects that the last entries were removed, even once others follow', async () => {
      await acts(3);
      await entries.deleteMany({ _id: { $gt: 3 } });
      const missing = { sequence: 4, why: 'it is missing, as are all up to 6' };
      expect(await broken()).to.deep.equal(missing);
      await acts(1);
      expect(await broken()).to.deep.equal(missing);
    });

    it('detects that the last entries were removed and the counter was set back', async () => {
      await acts(3);
      await entries.deleteMany({ _id: { $gt: 3 } });
      await counterModel(databases[0]!.connection).updateOne({ _id: 'audit' }, { $set: { next: 4 } });
      expect(await broken()).to.deep.equal({ sequence: 4, why: 'it is missing, as are all up to 6' });
    });

    it('accepts a counter of an earlier version, which has no head', async () => {
      await acts(3);
      await counterModel(databases[0]!.connection).updateOne({ _id: 'audit' }, { $unset: { head: 1 } });
      expect(await broken()).to.equal(undefined);
      await acts(1);
      expect(await broken()).to.equal(undefined);
    });

    it('accepts a counter that an earlier version advanced', async () => {
      await acts(3);
      const counters = counterModel(databases[0]!.connection);
      const { head } = (await counters.findById('audit').lean())!;
      await acts(1);
      await counters.updateOne({ _id: 'audit' }, { $set: { head: head! } });
      expect(await broken()).to.equal(undefined);
    });

    it('detects a chain that was rewritten without the secret', async () => {
      await acts(1);
      const forger = await open(testDatabaseUri(databases[0]!.connection.name), 9);
      await entries.deleteMany({});
      await counterModel(databases[0]!.connection).deleteMany({});
      await act('key_1', forger);
      expect(await broken()).to.deep.equal({ sequence: 1, why: 'it is not as it was written' });
    });

    it('detects a chain that lacks the head that was noted', async () => {
      await acts(2);
      const { head } = await audit.verify();
      expect((await audit.verify({ noted: head! })).broken).to.equal(undefined);
      await entries.deleteMany({ _id: { $gt: 2 } });
      await counterModel(databases[0]!.connection).deleteMany({});
      expect((await audit.verify({ noted: head! })).broken).to.deep.equal({
        sequence: 3,
        why: 'it is missing, as are all up to 4',
      });
      await acts(1);
      expect((await audit.verify({ noted: head! })).broken).to.deep.equal({
        sequence: 4,
        why: 'it is another entry than the one that was noted',
      });
    });
  });
});
