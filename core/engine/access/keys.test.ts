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

describe('createKeys', () => {
  const clock = createTestClock();
  const encrypter = testEncrypter();
  let database: TestDatabase;
  let keys: Keys;
  /** A second process. */
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

  it('creates a key with its owner, shows it once and stores only a hash', async () => {
    const created = await keys.create({ owner: 'Acme', environment: 'sandbox' });
    expect(created).to.have.all.keys('key', 'keyId', 'ownerId', 'webhookSecret');
    expect(created.key).to.match(/^gk_test_[A-Za-z0-9_-]{43}$/);
    expect(created.webhookSecret).to.match(/^whsec_/);
    const stored = await database.here.collection('apiKeys').findOne({ ownerId: created.ownerId });
    expect(stored?.['hash']).to.equal(createHash('sha256').update(created.key).digest('hex'));
    expect(JSON.stringify(stored)).to.not.contain(created.key.slice(8));
  });

  it('shows the same webhook secret for all keys of an owner and environment', async () => {
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

  it('returns owner, environment, scopes and limit of a key', async () => {
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
    it(`refuses to create a key with ${JSON.stringify(wrong)}`, async () => {
      const make = () => keys.create({ owner: 'Never made', environment: 'sandbox', ...wrong });
      expect((await expectRefusal('INVALID_FORMAT', make)).details['field']).to.equal(field);
      await expectRefusal('NOT_FOUND', () => keys.list({ owner: 'Never made' }));
    });
  }

  describe('authenticate', () => {
    it('refuses a request without a key', async () => {
      for (const credentials of [{}, { apiKey: '' }, { authorization: 'Basic eA==' }, { apiKey: undefined }]) {
        expect(await refusalOf(credentials))
          .to.contain('missing')
          .and.contain('X-API-Key');
      }
    });

    it('refuses a Bearer token instead of a key', async () => {
      for (const authorization of ['Bearer gk_test_abc', 'bearer x', 'Bearer']) {
        expect(await refusalOf({ authorization }))
          .to.contain('2024-06-01')
          .and.contain('X-API-Key');
      }
    });

    it('refuses a malformed key without a query', async () => {
      const operations = countOperations(database.here, 'apiKeys');
      for (const apiKey of ['x', 'gk_test_', `gk_demo_${'a'.repeat(43)}`, `gk_test_${'a'.repeat(43)}, gk_test_b`]) {
        expect(await refusalOf({ apiKey })).to.contain('form');
      }
      expect(operations.count).to.equal(0);
    });

    it('refuses an unknown key', async () => {
      expect(await refusalOf({ apiKey: `gk_test_${'a'.repeat(43)}` })).to.contain('unknown');
    });

    it('refuses a revoked key, in other processes within 2 s', async () => {
      const { key, keyId } = await keys.create({ owner: 'Revoked', environment: 'sandbox' });
      await elsewhere.authenticate({ apiKey: key });
      await keys.authenticate({ apiKey: key });
      await keys.revoke(keyId);
      expect(await refusalOf({ apiKey: key })).to.contain('revoked');
      await elsewhere.authenticate({ apiKey: key });
      clock.advance(2000);
      expect(await refusalOf({ apiKey: key }, elsewhere)).to.contain('revoked');
    });

    it('refuses an expired key to the millisecond, even while it is cached', async () => {
      const expiresAt = new Date(clock.now().getTime() + 1000);
      const { key } = await keys.create({ owner: 'Expired', environment: 'sandbox', expiresAt });
      clock.advance(999);
      await keys.authenticate({ apiKey: key });
      clock.advance(1);
      expect(await refusalOf({ apiKey: key }))
        .to.contain('expired')
        .and.contain(expiresAt.toISOString());
    });

    it('refuses a live key if only test keys are accepted', async () => {
      const { key } = await keys.create({ owner: 'Live', environment: 'production' });
      await keys.authenticate({ apiKey: key });
      expect(await refusalOf({ apiKey: key }, build(database.there, { liveKeys: false }))).to.contain('gk_test_');
    });
  });

  it('reads a key once in 2 s, also for concurrent requests', async () => {
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

  it('lists keys with their state and without any secret', async () => {
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
    await expectRefusal('NOT_FOUND', () => keys.list({ owner: 'unknown' }));
  });

  it('throws NF001 for an unknown key, and does not repeat a key that is passed as an id', async () => {
    for (const keyId of ['key_0123456789abcdef', `gk_live_${'a'.repeat(43)}`]) {
      for (const call of [() => keys.revoke(keyId), () => keys.rotate(keyId), () => keys.setLimit(keyId, 5)]) {
        const { message } = await expectRefusal('NOT_FOUND', call);
        expect(message.includes(keyId)).to.equal(keyId.startsWith('key_'));
      }
    }
  });

  it('changes the limit of a key', async () => {
    const { key, keyId } = await keys.create({ owner: 'Limited', environment: 'sandbox' });
    await keys.authenticate({ apiKey: key });
    await keys.setLimit(keyId, 7);
    expect(await keys.authenticate({ apiKey: key })).to.have.property('limit', 7);
    await expectRefusal('INVALID_FORMAT', () => keys.setLimit(keyId, 0));
  });

  describe('rotate', () => {
    it('keeps the settings, and keeps the old key valid for the overlap', async () => {
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

    it('ends the old key immediately without an overlap, and never extends it', async () => {
      const { key, keyId } = await keys.create({ owner: 'Rotated', environment: 'sandbox' });
      await keys.rotate(keyId, { overlapHours: 0 });
      expect(await refusalOf({ apiKey: key })).to.contain('expired');
      const expiresAt = new Date(clock.now().getTime() + hour);
      const brief = await keys.create({ owner: 'Rotated', environment: 'sandbox', expiresAt });
      expect((await keys.rotate(brief.keyId)).previousValidUntil).to.deep.equal(expiresAt);
    });

    it('refuses a key that is no longer active, and an invalid overlap', async () => {
      const { keyId } = await keys.create({ owner: 'Rotated', environment: 'sandbox' });
      await expectRefusal('INVALID_FORMAT', () => keys.rotate(keyId, { overlapHours: 169 }));
      await keys.revoke(keyId);
      await keys.revoke(keyId);
      const { message } = await expectRefusal('INVALID_FORMAT', () => keys.rotate(keyId));
      expect(message).to.contain('revoked');
    });
  });

  /** Waits until the last use of the owner's only key differs from `known`, and returns it. */
  async function lastUse(owner: string, known?: Date): Promise<Date> {
    for (let turn = 0; turn < 2000; turn += 1) {
      const [only] = await elsewhere.list({ owner });
      if (only?.lastUsedAt && only.lastUsedAt.getTime() !== known?.getTime()) return only.lastUsedAt;
      await setImmediate();
    }
    throw new Error('no use was noted');
  }

  it('records the last use of a key at most once a minute', async () => {
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

  it('allows the request if the last use cannot be recorded', async () => {
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
  it('accepts a scope that the key has, and names one that it lacks', async () => {
    for (const scope of scopes) requireScope({ scopes: [scope] }, scope);
    const { message } = await expectRefusal('FORBIDDEN', () => requireScope({ scopes: ['admin'] }, 'requests:read'));
    expect(message).to.contain('requests:read');
    await expectRefusal('FORBIDDEN', () => requireScope({ scopes: defaultScopes }, 'admin'));
  });
});
