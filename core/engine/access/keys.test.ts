import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import type { Connection } from 'mongoose';
import { pino } from 'pino';
import { apiKeyModel } from '../../database/collections/api-key.ts';
import { createIdBlocks } from '../../database/collections/counter.ts';
import { testEncrypter } from '../../base/testing/test-encrypter.ts';
import type { Credentials, Keys } from './key.ts';
import { createKeys } from './keys.ts';
import { createOwners } from './owners.ts';
import { defaultScopes, requireScope, scopes } from './scopes.ts';
import { expectRefusal } from './testing/expect-refusal.ts';
import { countOperations, createTestClock, openTestDatabase } from './testing/test-database.ts';
import type { TestDatabase } from './testing/test-database.ts';

const minute = 60_000;
const hour = 60 * minute;

describe('API keys', () => {
  const clock = createTestClock();
  const encrypter = testEncrypter();
  let database: TestDatabase;
  let keys: Keys;
  /** Another process. */
  let elsewhere: Keys;

  before(async () => {
    database = await openTestDatabase();
    [keys, elsewhere] = [build(database.here), build(database.there)];
  });
  after(() => database.drop());

  function build(connection: Connection, { liveKeys = true } = {}): Keys {
    const ids = createIdBlocks(connection, 'owner', 1, () => 1);
    const owners = createOwners({ connection, encrypter, now: clock.now, nextOwnerId: () => ids.next() });
    const log = pino({ level: 'silent' });
    return createKeys({ connection, owners, now: clock.now, log, liveKeys, rateLimitPerMinute: 600 });
  }

  async function refusalOf(credentials: Credentials, by = keys): Promise<string> {
    const { message } = await expectRefusal('UNAUTHORIZED', () => by.authenticate(credentials));
    expect(message).to.not.match(/gk_\w+_\w/);
    return message;
  }

  it('are made with an owner, shown once and stored as a hash only', async () => {
    const created = await keys.create({ owner: 'Acme', environment: 'sandbox' });
    expect(created).to.have.all.keys('key', 'keyId', 'ownerId', 'webhookSecret');
    expect(created.key).to.match(/^gk_test_[A-Za-z0-9_-]{43}$/);
    expect(created.webhookSecret).to.match(/^whsec_/);
    const stored = await database.here.collection('apiKeys').findOne({ ownerId: created.ownerId });
    expect(stored?.['hash']).to.equal(createHash('sha256').update(created.key).digest('hex'));
    expect(JSON.stringify(stored)).to.not.contain(created.key.slice(8));
  });

  it('of one owner share the webhook secret of their environment', async () => {
    const [first, second] = [
      await keys.create({ owner: 'Shared', environment: 'sandbox' }),
      await elsewhere.create({ owner: 'Shared', environment: 'production' }),
    ];
    expect(second.ownerId).to.equal(first.ownerId);
    expect(second.webhookSecret).to.not.equal(first.webhookSecret);
    expect(second.key).to.match(/^gk_live_/);
    const third = await keys.create({ owner: 'Shared', environment: 'sandbox' });
    expect(third.webhookSecret).to.equal(first.webhookSecret);
  });

  it('identify their owner, environment, scopes and limit', async () => {
    const { key, keyId, ownerId } = await keys.create({ owner: 'Known', environment: 'sandbox' });
    expect(await elsewhere.authenticate({ apiKey: key, authorization: 'Bearer old' })).to.deep.equal({
      keyId,
      ownerId,
      ownerName: 'Known',
      environment: 'test',
      scopes: ['payments:write', 'requests:write', 'requests:read', 'notifications:write'],
      limit: 600,
    });
    const own = await keys.create({ owner: 'Known', environment: 'production', scopes: ['admin'], limit: 5 });
    expect(await keys.authenticate({ apiKey: own.key })).to.include({ environment: 'live', limit: 5 });
    expect((await keys.authenticate({ apiKey: own.key })).scopes).to.deep.equal(['admin']);
  });

  for (const [wrong, field] of [
    [{ scopes: ['payments:read'] }, 'scopes'],
    [{ scopes: [] }, 'scopes'],
    [{ limit: 0 }, 'limit'],
    [{ limit: 1.5 }, 'limit'],
    [{ limit: 1_000_001 }, 'limit'],
    [{ expiresAt: clock.now() }, 'expiresAt'],
    [{ expiresAt: new Date(Number.NaN) }, 'expiresAt'],
    [{ owner: '' }, 'owner'],
  ] as const) {
    it(`refuse to be made with ${JSON.stringify(wrong)}`, async () => {
      const make = () => keys.create({ owner: 'Never made', environment: 'sandbox', ...wrong });
      expect((await expectRefusal('INVALID_FORMAT', make)).details['field']).to.equal(field);
      await expectRefusal('NOT_FOUND', () => keys.list({ owner: 'Never made' }));
    });
  }

  describe('are refused when', () => {
    it('missing', async () => {
      for (const credentials of [{}, { apiKey: '' }, { authorization: 'Basic eA==' }, { apiKey: undefined }]) {
        expect(await refusalOf(credentials))
          .to.contain('missing')
          .and.contain('X-API-Key');
      }
    });

    it('a Bearer token is sent instead', async () => {
      for (const authorization of ['Bearer gk_test_abc', 'bearer x', 'Bearer']) {
        expect(await refusalOf({ authorization }))
          .to.contain('2024-06-01')
          .and.contain('X-API-Key');
      }
    });

    it('malformed, without asking the database', async () => {
      const operations = countOperations(database.here, 'apiKeys');
      for (const apiKey of ['x', 'gk_test_', `gk_demo_${'a'.repeat(43)}`, `gk_test_${'a'.repeat(43)}, gk_test_b`]) {
        expect(await refusalOf({ apiKey })).to.contain('form');
      }
      expect(operations.count).to.equal(0);
    });

    it('unknown', async () => {
      expect(await refusalOf({ apiKey: `gk_test_${'a'.repeat(43)}` })).to.contain('unknown');
    });

    it('revoked, in other processes within 2 s', async () => {
      const { key, keyId } = await keys.create({ owner: 'Revoked', environment: 'sandbox' });
      await elsewhere.authenticate({ apiKey: key });
      await keys.authenticate({ apiKey: key });
      await keys.revoke(keyId);
      expect(await refusalOf({ apiKey: key })).to.contain('revoked');
      await elsewhere.authenticate({ apiKey: key });
      clock.advance(2000);
      expect(await refusalOf({ apiKey: key }, elsewhere)).to.contain('revoked');
    });

    it('expired, to the millisecond even while they are cached', async () => {
      const expiresAt = new Date(clock.now().getTime() + 1000);
      const { key } = await keys.create({ owner: 'Expired', environment: 'sandbox', expiresAt });
      clock.advance(999);
      await keys.authenticate({ apiKey: key });
      clock.advance(1);
      expect(await refusalOf({ apiKey: key }))
        .to.contain('expired')
        .and.contain(expiresAt.toISOString());
    });

    it('live where only test keys are taken', async () => {
      const { key } = await keys.create({ owner: 'Live', environment: 'production' });
      await keys.authenticate({ apiKey: key });
      expect(await refusalOf({ apiKey: key }, build(database.there, { liveKeys: false }))).to.contain('gk_test_');
    });
  });

  it('are read once in 2 s, also by many requests at once', async () => {
    const { key } = await keys.create({ owner: 'Busy', environment: 'sandbox' });
    await keys.authenticate({ apiKey: key });
    await lastUse('Busy');
    clock.advance(2000);
    const operations = countOperations(database.here, 'apiKeys');
    await Promise.all(Array.from({ length: 50 }, () => keys.authenticate({ apiKey: key })));
    clock.advance(1999);
    await keys.authenticate({ apiKey: key });
    expect(operations.count).to.equal(1);
  });

  it('are listed with their state and without any secret', async () => {
    const { keyId, ownerId } = await keys.create({
      owner: 'Listed',
      environment: 'production',
      scopes: ['requests:read', 'requests:read'],
      limit: 5,
    });
    const createdAt = clock.now();
    clock.advance(1);
    const second = await keys.create({ owner: 'Listed', environment: 'sandbox' });
    await keys.revoke(second.keyId);
    const listed = await elsewhere.list({ owner: 'Listed' });
    expect(listed[0]).to.deep.equal({
      keyId,
      ownerId,
      ownerName: 'Listed',
      environment: 'production',
      state: 'active',
      scopes: ['requests:read'],
      limit: 5,
      createdAt,
      expiresAt: null,
      revokedAt: null,
      lastUsedAt: null,
    });
    expect(listed[1]).to.include({ keyId: second.keyId, environment: 'sandbox', state: 'revoked' });
    expect(listed).to.have.length(2);
    expect((await keys.list()).length).to.be.greaterThan(2);
    await expectRefusal('NOT_FOUND', () => keys.list({ owner: 'nobody' }));
  });

  it('that do not exist are not found, and a key given as an id is not repeated', async () => {
    for (const keyId of ['key_0123456789abcdef', `gk_live_${'a'.repeat(43)}`]) {
      for (const call of [() => keys.revoke(keyId), () => keys.rotate(keyId), () => keys.setLimit(keyId, 5)]) {
        const { message } = await expectRefusal('NOT_FOUND', call);
        expect(message.includes(keyId)).to.equal(keyId.startsWith('key_'));
      }
    }
  });

  it('take a new limit', async () => {
    const { key, keyId } = await keys.create({ owner: 'Limited', environment: 'sandbox' });
    await keys.authenticate({ apiKey: key });
    await keys.setLimit(keyId, 7);
    expect(await keys.authenticate({ apiKey: key })).to.have.property('limit', 7);
    await expectRefusal('INVALID_FORMAT', () => keys.setLimit(keyId, 0));
  });

  describe('rotated', () => {
    it('go on with the same settings, and the old key for the overlap', async () => {
      const settings = { scopes: ['requests:read'], limit: 9, expiresAt: new Date(clock.now().getTime() + 100 * hour) };
      const old = await keys.create({ owner: 'Rotated', environment: 'production', ...settings });
      clock.advance(10 * hour);
      const rotated = await keys.rotate(old.keyId, { overlapHours: 2 });
      expect(rotated.previousValidUntil.getTime()).to.equal(clock.now().getTime() + 2 * hour);
      const { keyId: oldId, ...before } = await keys.authenticate({ apiKey: old.key });
      const { keyId: newId, ...now } = await keys.authenticate({ apiKey: rotated.key });
      expect([oldId, newId]).to.deep.equal([old.keyId, rotated.keyId]);
      expect(now).to.deep.equal(before);
      const view = (await keys.list({ owner: 'Rotated' })).find(({ keyId }) => keyId === newId);
      expect(view?.expiresAt?.getTime()).to.equal(clock.now().getTime() + 100 * hour);
      clock.advance(2 * hour);
      expect(await refusalOf({ apiKey: old.key })).to.contain('expired');
      await keys.authenticate({ apiKey: rotated.key });
    });

    it('end at once without overlap, and never live longer than they would have', async () => {
      const { key, keyId } = await keys.create({ owner: 'Rotated', environment: 'sandbox' });
      await keys.rotate(keyId, { overlapHours: 0 });
      expect(await refusalOf({ apiKey: key })).to.contain('expired');
      const expiresAt = new Date(clock.now().getTime() + hour);
      const brief = await keys.create({ owner: 'Rotated', environment: 'sandbox', expiresAt });
      expect((await keys.rotate(brief.keyId)).previousValidUntil).to.deep.equal(expiresAt);
    });

    it('refuse when they are no longer active, and with a wrong overlap', async () => {
      const { keyId } = await keys.create({ owner: 'Rotated', environment: 'sandbox' });
      await expectRefusal('INVALID_FORMAT', () => keys.rotate(keyId, { overlapHours: 169 }));
      await keys.revoke(keyId);
      await keys.revoke(keyId);
      const { message } = await expectRefusal('INVALID_FORMAT', () => keys.rotate(keyId));
      expect(message).to.contain('revoked');
    });
  });

  /** The noted last use of the owner's only key, once one is noted that is not `known`. */
  async function lastUse(owner: string, known?: Date): Promise<Date> {
    for (let turn = 0; turn < 2000; turn += 1) {
      const [only] = await elsewhere.list({ owner });
      if (only?.lastUsedAt && only.lastUsedAt.getTime() !== known?.getTime()) return only.lastUsedAt;
      await setImmediate();
    }
    throw new Error('no use was noted');
  }

  it('note their last use at most once a minute', async () => {
    const { key } = await keys.create({ owner: 'Used', environment: 'sandbox' });
    const first = clock.now();
    const firstOperations = countOperations(database.here, 'apiKeys');
    for (let turn = 0; turn < 5; turn += 1) await keys.authenticate({ apiKey: key });
    expect(await lastUse('Used')).to.deep.equal(first);
    expect(firstOperations.count, 'one read, one write').to.equal(2);
    const operations = countOperations(database.here, 'apiKeys');
    clock.advance(minute - 1);
    await keys.authenticate({ apiKey: key });
    expect(operations.count).to.equal(1);
    clock.advance(1);
    await keys.authenticate({ apiKey: key });
    expect(await lastUse('Used', first)).to.deep.equal(clock.now());
  });

  it('let the request pass where the last use cannot be noted', async () => {
    const warnings: unknown[] = [];
    const connection = database.there;
    const ids = createIdBlocks(connection, 'owner', 1, () => 1);
    const owners = createOwners({ connection, encrypter, now: clock.now, nextOwnerId: () => ids.next() });
    const log = { warn: (fields: unknown) => void warnings.push(fields) };
    const brittle = createKeys({ connection, owners, now: clock.now, log, liveKeys: false, rateLimitPerMinute: 600 });
    const { key, keyId } = await brittle.create({ owner: 'Brittle', environment: 'sandbox' });
    const model = apiKeyModel(connection);
    Object.assign(model, { updateOne: () => Promise.reject(new Error('read-only')) });
    try {
      expect(await brittle.authenticate({ apiKey: key })).to.have.property('keyId', keyId);
      for (let turn = 0; turn < 100 && warnings.length === 0; turn += 1) await setImmediate();
    } finally {
      Reflect.deleteProperty(model, 'updateOne');
    }
    expect(warnings[0]).to.have.property('keyId', keyId);
  });
});

describe('requireScope', () => {
  it('lets pass what is held and names what is not', async () => {
    for (const scope of scopes) requireScope({ scopes: [scope] }, scope);
    const { message } = await expectRefusal('FORBIDDEN', () => requireScope({ scopes: ['admin'] }, 'requests:read'));
    expect(message).to.contain('requests:read');
    await expectRefusal('FORBIDDEN', () => requireScope({ scopes: defaultScopes }, 'admin'));
  });
});
