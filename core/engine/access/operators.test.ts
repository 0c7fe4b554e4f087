import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import type { Connection } from 'mongoose';
import { pino } from 'pino';
import { until } from '../../base/testing/until.ts';
import { createOperators, type Operators } from './operators.ts';
import { expectRefusal } from './testing/expect-refusal.ts';
import { createTestClock, openTestDatabase, type TestDatabase } from './testing/test-database.ts';

describe('createOperators', () => {
  const clock = createTestClock();
  let database: TestDatabase;
  let operators: Operators;
  /** A second process. */
  let elsewhere: Operators;

  before(async () => {
    database = await openTestDatabase();
    [operators, elsewhere] = [build(database.here), build(database.there)];
  });
  after(() => database.drop());

  function build(connection: Connection): Operators {
    return createOperators({ connection, now: clock.now, log: pino({ level: 'silent' }) });
  }
  const refusalOf = async (key: string, by = operators): Promise<string> => {
    const { message, headers } = await expectRefusal('UNAUTHORIZED', () => by.authenticate(key));
    expect(message).to.not.match(/gk_\w+_\w/);
    expect(headers).to.deep.equal({ 'WWW-Authenticate': 'Bearer' });
    return message;
  };

  it('shows a key once and stores only its hash, with name and role', async () => {
    const { key, keyId, ...made } = await operators.create({ name: 'Ada', role: 'support' });
    expect(made).to.deep.equal({ name: 'Ada', role: 'support' });
    expect(key).to.match(/^gk_ops_[A-Za-z0-9_-]{43}$/);
    expect(keyId).to.match(/^op_[0-9a-f]{16}$/);
    const stored = await database.here.collection<{ _id: string }>('operators').findOne({ _id: keyId });
    expect(JSON.stringify(stored)).to.not.contain(key.slice(7));
    expect(await elsewhere.authenticate(key)).to.deep.equal({ keyId, name: 'Ada', role: 'support' });
  });

  it('allows two keys of one name, so that one can replace the other', async () => {
    const keys = [
      await operators.create({ name: 'Two', role: 'viewer' }),
      await operators.create({ name: 'Two', role: 'admin' }),
    ];
    for (const { key, role } of keys) expect(await operators.authenticate(key)).to.include({ name: 'Two', role });
    expect((await operators.list()).filter(({ name }) => name === 'Two').map(({ state }) => state)).to.deep.equal([
      'active',
      'active',
    ]);
  });

  it('refuses malformed, unknown and revoked keys, in other processes within 2 s', async () => {
    const { key, keyId } = await operators.create({ name: 'Gone', role: 'viewer' });
    await elsewhere.authenticate(key);
    await operators.revoke(keyId);
    await operators.revoke(keyId);
    expect(await refusalOf(key)).to.include('was revoked');
    clock.advance(2001);
    expect(await refusalOf(key, elsewhere)).to.include('was revoked');
    expect(await refusalOf(`gk_ops_${'a'.repeat(43)}`)).to.include('is unknown');
    for (const other of ['', `gk_test_${'a'.repeat(43)}`])
      expect(await refusalOf(other)).to.include('is not an operator');
    expect(await refusalOf('gk_ops_short')).to.include('is not complete');
  });

  it('refuses a key and its session from its expiry on, and an expiry that is past', async () => {
    const expiresAt = new Date(clock.now().getTime() + 60_000);
    const { key, keyId } = await operators.create({ name: 'Short', role: 'admin', expiresAt });
    expect(await operators.authenticate(key)).to.include({ keyId });
    expect(await operators.active(keyId)).to.include({ keyId });
    clock.advance(60_000);
    expect(await refusalOf(key)).to.include(`expired at ${expiresAt.toISOString()}`);
    expect(await operators.active(keyId)).to.equal(undefined);
    const [listed] = (await operators.list()).filter((one) => one.keyId === keyId);
    expect(listed).to.deep.include({ state: 'expired', expiresAt });
    const late = { name: 'Late', role: 'admin', expiresAt: clock.now() };
    const { message } = await expectRefusal('INVALID_FORMAT', () => operators.create(late));
    expect(message).to.equal('expiresAt: must lie in the future');
  });

  it('refuses an invalid name or role, and the revocation of an unknown key', async () => {
    for (const name of ['', ' x', 'x'.repeat(101)])
      await expectRefusal('INVALID_FORMAT', () => operators.create({ name, role: 'viewer' }));
    const { message } = await expectRefusal('INVALID_FORMAT', () => operators.create({ name: 'x', role: 'root' }));
    expect(message).to.include('admin, support, viewer');
    await expectRefusal('NOT_FOUND', () => operators.revoke('op_0123456789abcdef'));
    const repeated = await expectRefusal('NOT_FOUND', () => operators.revoke(`gk_ops_${'a'.repeat(43)}`));
    expect(repeated.message).to.not.include('aaa');
  });

  it('shows the last use, accurate to a minute', async () => {
    const { key, keyId } = await operators.create({ name: 'Used', role: 'viewer' });
    const lastUse = async () => (await operators.list()).find((one) => one.keyId === keyId)?.lastUsedAt ?? undefined;
    expect(await lastUse()).to.equal(undefined);
    await operators.authenticate(key);
    expect(await until('it is noted', lastUse)).to.deep.equal(clock.now());
  });
});
