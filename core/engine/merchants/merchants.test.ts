import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { pino } from 'pino';
import { createAudit, type Actor, type Audit } from '../audit/index.ts';
import { createAccess, createKeys, createPortalLinks, type AccessDomain, type Owners } from '../access/index.ts';
import { expectRefusal } from '../access/testing/expect-refusal.ts';
import { pngImage } from '../access/testing/images.ts';
import { createTestClock, openTestDatabase, type TestDatabase } from '../access/testing/test-database.ts';
import { endpointModel } from '../../database/collections/endpoint.ts';
import { notificationModel } from '../../database/collections/notification.ts';
import { ownerModel } from '../../database/collections/owner.ts';
import { paymentRequestModel } from '../../database/collections/payment-request.ts';
import { until } from '../../base/testing/until.ts';
import { testEncrypter } from '../../base/testing/test-encrypter.ts';
import { createMerchants, type Merchants } from './index.ts';

const ana: Actor = { type: 'command', name: 'ana', from: 'host-1' };
const log = pino({ level: 'silent' });
const encrypter = testEncrypter();

describe('createMerchants', () => {
  const clock = createTestClock();
  let database: TestDatabase;
  let access: AccessDomain;
  let audit: Audit;
  let merchants: Merchants;

  before(async () => {
    database = await openTestDatabase();
    const { here: connection } = database;
    const { now } = clock;
    access = createAccess({ connection, encrypter, now, log, config: { liveKeys: true, rateLimitPerMinute: 600 } });
    audit = createAudit({ connection, encrypter, now, log });
    merchants = merchantsWith({});
  });
  after(async () => database.drop());

  /** The same merchants for another operator, at whom parts of the owners behave differently. */
  function merchantsWith(changed: Partial<Owners>): Merchants {
    const { here: connection } = database;
    const { now } = clock;
    const owners = { ...access.owners, ...changed };
    const keys = createKeys({ connection, owners, now, log, liveKeys: true, rateLimitPerMinute: 600 });
    return createMerchants({
      connection,
      access: { ...access, owners, keys },
      audit,
      portalLinks: createPortalLinks({ connection, encrypter, publicUrl: 'https://pay.example', now, log }),
      refusalOf: (url) => (url.includes('127.0.0.1') ? 'its address is private' : undefined),
      money: { reportingCurrency: 'EUR', exchangeRates: { USD: '1.1' } },
      now,
    });
  }

  const pay = async (ownerId: number, environment: 'test' | 'live', createdAt: Date): Promise<void> => {
    const payment = { _id: Math.floor(createdAt.getTime() / 1000) + ownerId, ownerId, environment, createdAt };
    await paymentRequestModel(database.here).collection.insertOne(payment as never);
  };

  it('creates a merchant with its settings, and warns of an address that will not be called', async () => {
    const { owner, warnings } = await merchants.create(ana, {
      name: 'Book shop',
      email: 'ana@books.example',
      reportingCurrency: 'USD',
      testNotifyUrl: 'http://127.0.0.1:9/hook',
    });
    expect(owner).to.deep.include({ name: 'Book shop', email: 'ana@books.example', reportingCurrency: 'USD' });
    expect(warnings).to.deep.equal([
      'Notifications will not be sent to http://127.0.0.1:9/hook: its address is private.',
    ]);
    const { items } = await audit.list({ limit: 1 });
    expect(items[0]).to.deep.include({ act: 'owner.create', subject: { type: 'owner', id: 'Book shop' } });
    expect(items[0]?.after).to.include({ email: 'ana@books.example' });
  });

  it('refuses a name that is taken, and asks about a name that is close to another one', async () => {
    const taken = await expectRefusal('INVALID_FORMAT', async () => merchants.create(ana, { name: 'Book shop' }));
    expect(taken.message).to.equal('name: is the name of another merchant');
    const near = await expectRefusal('INVALID_FORMAT', async () => merchants.create(ana, { name: 'book-shop' }));
    expect(near.message).to.equal('name: is close to the merchant "Book shop"');
    expect(await merchants.nearName('bookshop')).to.equal('Book shop');
    expect(await merchants.nearName('Book shop 2')).to.equal(undefined);
    expect(await merchants.nearName('Harbour hotel')).to.equal(undefined);
    const { owner } = await merchants.create(ana, { name: 'book shop', allowsNearName: true });
    expect(owner.name).to.equal('book shop');
  });

  it('puts a merchant as wanted: creates it, removes what is absent, and records nothing if nothing changes', async () => {
    const wanted = { name: 'Put shop', email: 'ana@put.example', displayName: 'Put', logo: pngImage() };
    expect(await merchants.put(ana, wanted)).to.deep.include({ isNew: true, warnings: [] });
    const recorded = async (): Promise<readonly string[]> =>
      (await audit.list({ limit: 10, subject: { type: 'owner', id: 'Put shop' } })).items.map(({ act }) => act);
    expect((await merchants.put(ana, wanted)).isNew).to.equal(false);
    expect(await recorded()).to.deep.equal(['owner.create']);
    const { owner } = await merchants.put(ana, { name: 'Put shop', email: 'ana@put.example', ownAccountsOnly: true });
    expect(owner).to.deep.include({ email: 'ana@put.example', ownAccountsOnly: true });
    expect(owner.brand).to.include({ displayName: null, logo: null });
    await merchants.change(ana, 'Put shop', { email: 'ana@put.example', colour: null });
    expect(await recorded()).to.deep.equal(['owner.set', 'owner.create']);
    await merchants.change(ana, 'Put shop', { ownAccountsOnly: null });
    expect(await recorded()).to.have.length(3);
    const both = { name: 'Both put', email: 'ana@put.example' };
    const puts = await Promise.all([merchants.put(ana, both), merchantsWith({}).put(ana, both)]);
    expect(puts.map(({ isNew }) => isNew)).to.have.members([true, false]);
    expect((await access.owners.find('Both put'))?.email).to.equal('ana@put.example');
  });

  it('creates nothing if a setting is not valid', async () => {
    for (const [settings, problem] of [
      [{ email: 'ana' }, 'email: must be an e-mail address'],
      [{ reportingCurrency: 'CHF' }, 'currency: the config has no rate for CHF'],
      [{ notifyUrl: 'shop' }, 'notifyUrl: must be an http or https address'],
      [{ name: ' ' }, 'name: must be a name'],
    ] as const) {
      const { message } = await expectRefusal('INVALID_FORMAT', async () =>
        merchants.create(ana, { name: 'Unmade', ...settings }),
      );
      expect(message).to.include(problem);
    }
    expect((await merchants.list('unmade')).length).to.equal(0);
  });

  it('lists merchants with active keys, the last payment and failing endpoints, and finds them by a part of a name', async () => {
    const { owner } = await merchants.create(ana, { name: 'Listed one', displayName: 'Rua' });
    const [first] = [await merchants.createKey(ana, { owner: owner.name, environment: 'sandbox' })];
    await merchants.createKey(ana, { owner: owner.name, environment: 'production' });
    await merchants.revokeKey(ana, first.keyId);
    const [earlier, later] = [new Date('2026-03-01T10:00:00Z'), new Date('2026-03-02T10:00:00Z')];
    await pay(owner.id, 'test', later);
    await pay(owner.id, 'live', earlier);
    const failing = { ownerId: owner.id, environment: 'test', receiver: 'a.example', failingSince: earlier } as const;
    await endpointModel(database.here).create([
      { ...failing, _id: 'a', origin: 'https://a.example' },
      { ...failing, _id: 'b', origin: 'https://b.example', disabledAt: later },
    ]);
    for (const text of ['listed', 'RUA', String(owner.id)]) {
      const found = await merchants.list(text);
      expect(
        found.map(({ name }) => name),
        text,
      ).to.deep.equal(['Listed one']);
      expect(found[0]).to.deep.include({
        activeKeys: 1,
        lastPaymentAt: later,
        failingEndpoints: 1,
        disabledEndpoints: 1,
      });
    }
    expect(await merchants.list('no such')).to.deep.equal([]);
  });

  it('removes a merchant without payments with its keys and links, and a new key restores it', async () => {
    const { owner } = await merchants.create(ana, { name: 'Mistake', email: 'ana@shop.example' });
    const { key, keyId } = await merchants.createKey(ana, { owner: 'Mistake', environment: 'sandbox' });
    const link = await merchants.portal.create(ana, { owner, environment: 'test', allowsRotation: false });
    await merchants.remove(ana, 'Mistake');
    expect((await access.keys.get(keyId)).state).to.equal('revoked');
    expect((await merchants.portal.get(link.id)).state).to.equal('revoked');
    await expectRefusal('UNAUTHORIZED', async () => access.keys.authenticate({ apiKey: key }));
    await expectRefusal('NOT_FOUND', async () => merchants.get(owner.id));
    await expectRefusal('NOT_FOUND', async () => merchants.remove(ana, 'Mistake'));
    expect((await merchants.list('Mistake')).length).to.equal(0);
    expect(await access.webhookSecrets(owner.id, 'test'), 'notifications on their way are signed').to.have.property(
      'current',
    );
    const again = await merchants.createKey(ana, { owner: 'Mistake', environment: 'sandbox' });
    expect(again.ownerId).to.equal(owner.id);
    expect(await merchants.get(owner.id)).to.include({ email: 'ana@shop.example' });
  });

  it('creates one merchant when two operators create the same name at the same time', async () => {
    for (let round = 1; round <= 10; round += 1) {
      const name = `Rush ${round}`;
      const emails = ['ana@rush.example', 'ben@rush.example'];
      const results = await Promise.allSettled(emails.map(async (email) => merchants.create(ana, { name, email })));
      const [created, ...others] = results.flatMap((one) => (one.status === 'fulfilled' ? [one.value.owner] : []));
      expect(others, name).to.deep.equal([]);
      expect(await merchants.get(created!.id)).to.include({ email: created!.email });
      const [refused] = results.flatMap((one) => (one.status === 'rejected' ? [one.reason as Error] : []));
      expect(refused?.message).to.equal('name: is the name of another merchant');
    }
  });

  it('leaves no active key or link when a merchant is removed while they are created', async () => {
    const { owner } = await merchants.create(ana, { name: 'Removed Shop' });
    const { keyId } = await merchants.createKey(ana, { owner: owner.name, environment: 'sandbox' });
    const removesBeforeKey = merchantsWith({
      findOrCreate: async (name) => {
        const found = await access.owners.findOrCreate(name);
        await merchants.remove(ana, name);
        return found;
      },
    });
    const removesAfterKey = merchantsWith({
      isPresent: async (id) => {
        await merchants.remove(ana, owner.name);
        return access.owners.isPresent(id);
      },
    });
    const newKey = { owner: owner.name, environment: 'sandbox' } as const;
    const refused = async (work: () => Promise<unknown>): Promise<void> => {
      const { message } = await expectRefusal('INVALID_FORMAT', work);
      expect(message).to.include('was removed by another operator at the same time: try again');
      const keys = await access.keys.list({ ownerId: owner.id });
      expect(keys.filter(({ state }) => state === 'active')).to.deep.equal([]);
      const links = await merchants.portal.list(owner.id);
      expect(links.filter(({ state }) => state === 'active')).to.deep.equal([]);
      expect(await access.owners.find(owner.name)).to.equal(undefined);
    };
    await refused(async () => removesBeforeKey.createKey(ana, newKey));
    expect((await access.keys.get(keyId)).state).to.equal('revoked');
    await access.owners.findOrCreate(owner.name);
    await refused(async () => removesAfterKey.createKey(ana, newKey));
    // The page of the merchant was read before its removal.
    await refused(async () => merchants.portal.create(ana, { owner, environment: 'test', allowsRotation: false }));
  });

  it('restores no merchant while it is being removed, and shows it again if the removal fails', async () => {
    const { owner } = await merchants.create(ana, { name: 'Going' });
    const create = async (): Promise<unknown> =>
      merchants.createKey(ana, { owner: owner.name, environment: 'sandbox' });
    let message = '';
    await access.owners.remove(owner.name, async () => {
      ({ message } = await expectRefusal('INVALID_FORMAT', create));
      await expectRefusal('INVALID_FORMAT', async () => merchants.create(ana, { name: owner.name }));
      await expectRefusal('NOT_FOUND', async () => merchants.remove(ana, owner.name));
    });
    expect(message).to.include('is being removed by another operator: try again in a moment');
    await create();
    const failed = await access.owners
      .remove(owner.name, async () => Promise.reject(new Error('the database is away')))
      .catch((error: Error) => error.message);
    expect(failed).to.equal('the database is away');
    expect(await merchants.get(owner.id)).to.include({ name: 'Going' });
  });

  it('completes the removal that a dead process began', async () => {
    const { owner } = await merchants.create(ana, { name: 'Half removed' });
    const began = { removedAt: clock.now(), removingUntil: new Date(clock.now().getTime() + 60_000) };
    await ownerModel(database.here).updateOne({ _id: owner.id }, { $set: began });
    await expectRefusal('NOT_FOUND', async () => access.owners.remove(owner.name, async () => undefined));
    clock.advance(61_000);
    await access.owners.remove(owner.name, async () => undefined);
    expect(await ownerModel(database.here).exists({ _id: owner.id, removingUntil: { $exists: true } })).to.equal(null);
  });

  it('does not remove a merchant with payments', async () => {
    const { owner } = await merchants.create(ana, { name: 'Busy' });
    const { keyId } = await merchants.createKey(ana, { owner: 'Busy', environment: 'sandbox' });
    await pay(owner.id, 'test', new Date('2026-03-05T10:00:00Z'));
    const { message } = await expectRefusal('INVALID_FORMAT', async () => merchants.remove(ana, 'Busy'));
    expect(message).to.equal('merchant: has payments, and cannot be removed: revoke its keys instead');
    expect((await access.keys.get(keyId)).state).to.equal('active');
  });

  it('sends a test event, and says whether it was delivered', async () => {
    const { owner } = await merchants.create(ana, { name: 'Tested' });
    const rows = notificationModel(database.here);
    const answer = async (status: number): Promise<void> => {
      const row = await until('it is due', async () => (await rows.findOne({ attempts: [] }).lean()) ?? undefined);
      await rows.updateOne({ _id: row._id }, { $set: { attempts: [{ at: new Date(), ms: 3, status, error: null }] } });
    };
    const test = async (limitMs = 20_000) =>
      merchants.test(ana, { owner, environment: 'test', url: 'https://shop.example/hook' }, limitMs);
    const [delivered] = await Promise.all([test(), answer(204)]);
    expect(delivered).to.include({ isDelivered: true });
    clock.advance(1);
    const [refused] = await Promise.all([test(), answer(500)]);
    expect([refused.isDelivered, refused.attempt?.status]).to.deep.equal([false, 500]);
    clock.advance(1);
    expect(await test(0)).to.include({ isDelivered: false, attempt: undefined });
  });
});
