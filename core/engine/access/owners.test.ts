import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { createIdBlocks } from '../../database/collections/counter.ts';
import { ownerModel, type OwnerDocument } from '../../database/collections/owner.ts';
import { webhookSecretContext } from '../../database/encryption-context.ts';
import { testEncrypter } from '../../base/testing/test-encrypter.ts';
import { createOwners } from './owners.ts';
import type { Owners } from './owners.ts';
import { expectRefusal } from './testing/expect-refusal.ts';
import { jpegHeader, pngImage, webpHeader } from './testing/images.ts';
import { createTestClock, openTestDatabase } from './testing/test-database.ts';
import type { TestDatabase } from './testing/test-database.ts';

const hour = 3_600_000;

describe('createOwners', () => {
  const clock = createTestClock();
  const encrypter = testEncrypter();
  let database: TestDatabase;
  let owners: Owners;
  /** A second process. */
  let elsewhere: Owners;

  before(async () => {
    database = await openTestDatabase();
    [owners, elsewhere] = [build(database.here), build(database.there)];
  });
  after(() => database.drop());

  function build(connection: TestDatabase['here']): Owners {
    const ids = createIdBlocks(connection, 'owner', 1, () => 1);
    return createOwners({ connection, encrypter, now: clock.now, nextOwnerId: () => ids.next() });
  }

  it('numbers owners from 1 and finds them by exact name', async () => {
    const acme = await owners.findOrCreate('Acme');
    expect(acme).to.deep.equal({
      id: 1,
      name: 'Acme',
      notifyUrls: { test: null, live: null },
      email: null,
      reportingCurrency: null,
      ownAccountsOnly: false,
      notificationTypes: null,
      brand: { displayName: null, logo: null, colour: null, support: null, terms: null },
      listeningUntil: null,
      createdAt: clock.now(),
    });
    expect(await elsewhere.findOrCreate('Acme')).to.deep.equal(acme);
    expect((await owners.findOrCreate('acme')).id).to.equal(2);
    expect(await owners.find('unknown')).to.equal(undefined);
    expect(await owners.get(1)).to.deep.equal(acme);
    expect((await owners.list()).map(({ name }) => name)).to.deep.equal(['Acme', 'acme']);
  });

  it('creates one owner for twenty concurrent calls with a new name', async () => {
    const found = await Promise.all(
      Array.from({ length: 20 }, (_, at) => (at % 2 ? owners : elsewhere).findOrCreate('Rush')),
    );
    expect(new Set(found.map(({ id }) => id)).size).to.equal(1);
    expect(await ownerModel(database.here).countDocuments({ name: 'Rush' })).to.equal(1);
  });

  it('uses the next id if one is taken', async () => {
    const ids = [1, 2, 700];
    const behind = createOwners({
      connection: database.here,
      encrypter,
      now: clock.now,
      nextOwnerId: () => Promise.resolve(ids.shift() ?? 701),
    });
    expect((await behind.findOrCreate('After a lost counter')).id).to.equal(700);
  });

  for (const name of ['', ' Acme', 'Acme ', 'x'.repeat(201)]) {
    it(`refuses the name ${JSON.stringify(name.slice(0, 10))} of ${name.length} characters`, async () => {
      const { details } = await expectRefusal('INVALID_FORMAT', () => owners.findOrCreate(name));
      expect(details['field']).to.equal('owner');
    });
  }

  describe('webhook secrets', () => {
    it('creates a secret of whsec_ and 32 bytes in base64, and stores it encrypted only', async () => {
      const { id } = await owners.findOrCreate('Secretive');
      const { current, ...rest } = await owners.webhookSecrets(id, 'test');
      expect(rest).to.deep.equal({});
      const [, encoded = ''] = /^whsec_([A-Za-z0-9+/]{43}=)$/.exec(current) ?? [];
      expect(Buffer.from(encoded, 'base64')).to.have.length(32);
      const stored = await database.here.collection('owners').findOne({ name: 'Secretive' }, { promoteBuffers: true });
      const { current: webhookSecret } = (stored as unknown as OwnerDocument).webhookSecrets.test;
      expect(webhookSecret.includes(encoded)).to.equal(false);
      expect(encrypter.decrypt(webhookSecret, webhookSecretContext(id, 'test', 'current')).toString()).to.equal(
        current,
      );
    });

    it('keeps the previous secret valid until the overlap ends', async () => {
      const { id } = await owners.findOrCreate('Rotating');
      const { current: first } = await owners.webhookSecrets(id, 'test');
      const { webhookSecret, previousValidUntil, ownerId } = await owners.rotateSecret('Rotating', 'test');
      expect(ownerId).to.equal(id);
      expect(webhookSecret).to.not.equal(first);
      expect(previousValidUntil.getTime() - clock.now().getTime()).to.equal(24 * hour);
      expect(await owners.webhookSecrets(id, 'test')).to.deep.equal({ current: webhookSecret, previous: first });
      clock.advance(24 * hour - 1);
      expect(await owners.webhookSecrets(id, 'test')).to.have.property('previous', first);
      clock.advance(1);
      expect(await owners.webhookSecrets(id, 'test')).to.deep.equal({ current: webhookSecret });
    });

    it('keeps only the most recently replaced secret', async () => {
      const { id } = await owners.findOrCreate('Twice');
      const second = await owners.rotateSecret('Twice', 'test', { overlapHours: 168 });
      const third = await elsewhere.rotateSecret('Twice', 'test', { overlapHours: 1 });
      clock.advance(5000);
      expect(await owners.webhookSecrets(id, 'test')).to.deep.equal({
        current: third.webhookSecret,
        previous: second.webhookSecret,
      });
    });

    it('uses another secret for live events, with a rotation of its own', async () => {
      const { id } = await owners.findOrCreate('Both');
      const [test, live] = [await owners.webhookSecrets(id, 'test'), await owners.webhookSecrets(id, 'live')];
      expect(test.current).to.not.equal(live.current);
      const { webhookSecret } = await owners.rotateSecret('Both', 'live');
      expect(await owners.webhookSecrets(id, 'live')).to.deep.equal({ current: webhookSecret, previous: live.current });
      expect(await owners.webhookSecrets(id, 'test')).to.deep.equal(test);
    });

    it('ends the previous secret immediately without an overlap, in other processes within 5 s', async () => {
      const { id } = await owners.findOrCreate('Leaked');
      const { current: leaked } = await elsewhere.webhookSecrets(id, 'test');
      const { webhookSecret } = await owners.rotateSecret('Leaked', 'test', { overlapHours: 0 });
      expect(await owners.webhookSecrets(id, 'test')).to.deep.equal({ current: webhookSecret });
      expect(await elsewhere.webhookSecrets(id, 'test')).to.deep.equal({ current: leaked });
      clock.advance(5000);
      expect(await elsewhere.webhookSecrets(id, 'test')).to.deep.equal({ current: webhookSecret });
    });

    for (const overlapHours of [-1, 168.1, Number.NaN]) {
      it(`refuses an overlap of ${overlapHours} hours`, async () => {
        await expectRefusal('INVALID_FORMAT', () => owners.rotateSecret('Acme', 'test', { overlapHours }));
      });
    }

    it('throws NF001 for the secrets of an unknown owner', async () => {
      await expectRefusal('NOT_FOUND', () => owners.webhookSecrets(999, 'test'));
      await expectRefusal('NOT_FOUND', () => owners.rotateSecret('unknown', 'test'));
    });
  });

  describe('default addresses', () => {
    it('sets, keeps and removes each default separately', async () => {
      const { id } = await owners.findOrCreate('Addressed');
      await owners.get(id);
      const set = await owners.setDefaults('Addressed', {
        notifyUrl: 'https://shop.example/hook',
        email: 'a@b.example',
      });
      const notifyUrls = { test: null, live: 'https://shop.example/hook' };
      expect(set).to.deep.include({ notifyUrls, email: 'a@b.example' });
      expect(await owners.get(id)).to.deep.equal(set);
      expect(await owners.setDefaults('Addressed', { email: null })).to.deep.include({
        notifyUrls,
        email: null,
      });
      const testNotifyUrl = 'https://shop.example/test';
      const both = { test: testNotifyUrl, live: notifyUrls.live };
      expect(await owners.setDefaults('Addressed', { testNotifyUrl })).to.deep.include({ notifyUrls: both });
      expect(await owners.setDefaults('Addressed', {})).to.deep.include({ notifyUrls: both });
    });

    for (const wrong of [
      { notifyUrl: 'ftp://shop.example' },
      { notifyUrl: 'shop.example' },
      { testNotifyUrl: 'shop.example' },
      { notifyUrl: '' },
      { notifyUrl: `https://shop.example/${'x'.repeat(2048)}` },
      { email: 'unknown' },
      { email: '' },
    ]) {
      it(`refuses ${JSON.stringify(wrong).slice(0, 40)}`, async () => {
        const { details } = await expectRefusal('INVALID_FORMAT', () => owners.setDefaults('Addressed', wrong));
        expect(details['field']).to.equal(Object.keys(wrong)[0]);
      });
    }

    it('throws NF001 for the defaults of an unknown owner', async () => {
      await expectRefusal('NOT_FOUND', () => owners.setDefaults('unknown', { email: 'a@b.example' }));
    });
  });

  describe('the brand', () => {
    const png = (more = ''): Buffer => pngImage(2, 2, { more });
    const jpeg = jpegHeader(3, 4);
    const webp = webpHeader('VP8 ', 3, 4);
    let id: number;
    before(async () => {
      ({ id } = await owners.findOrCreate('Branded'));
    });

    it('stores, shows and removes each member separately', async () => {
      const given = {
        displayName: 'Rua Shoes',
        colour: '#2446C8',
        support: 'help@shop.example',
        terms: 'https://shop.example/terms',
      };
      const { brand } = await owners.setDefaults('Branded', { ...given, logo: png() });
      expect(brand).to.deep.include({ ...given, colour: '#2446c8' });
      expect(brand.logo).to.include({ type: 'image/png' });
      expect((await elsewhere.get(id))?.brand).to.deep.equal(brand);
      const less = (await owners.setDefaults('Branded', { support: 'https://shop.example/help', terms: null })).brand;
      expect(less).to.deep.equal({ ...brand, support: 'https://shop.example/help', terms: null });
      expect((await owners.setDefaults('Branded', { logo: null })).brand.logo).to.equal(null);
    });

    it('returns a logo by its hash, even if another one was read just before', async () => {
      const hashes: string[] = [];
      for (const [bytes, type] of [
        [png('1'), 'image/png'],
        [jpeg, 'image/jpeg'],
        [webp, 'image/webp'],
      ] as const) {
        const { hash = '' } = (await owners.setDefaults('Branded', { logo: bytes })).brand.logo ?? {};
        const logo = await elsewhere.logo(id, hash);
        expect([logo?.type, Buffer.from(logo?.bytes ?? []).equals(bytes)]).to.deep.equal([type, true]);
        hashes.push(hash);
      }
      expect(new Set(hashes).size).to.equal(3);
      expect(await elsewhere.logo(id, hashes[0]!), 'one of before').to.equal(undefined);
      expect(await elsewhere.logo(999, hashes[2]!)).to.equal(undefined);
    });

    it('reads no logo with the owner', async () => {
      await owners.setDefaults('Branded', { logo: png('2') });
      for (const found of [await owners.find('Branded'), await elsewhere.get(id), ...(await owners.list())])
        expect(JSON.stringify(found)).not.to.match(/bytes|89504e47|iVBOR/);
    });

    for (const [member, name, value] of [
      ['displayName', 'nothing', ''],
      ['displayName', 'a name on two lines', 'Shop\nhttps://evil.example'],
      ['displayName', 'a name that turns the line round', 'Shop \u202e'],
      ['displayName', 'a long name', 'x'.repeat(61)],
      ['colour', 'a name', 'red'],
      ['colour', 'a colour and more', '#2446c8;}'],
      ['colour', 'one that white is not readable on', '#ffd166'],
      ['support', 'no address', 'call us'],
      ['support', 'an open address', 'http://shop.example/help'],
      ['support', 'a script', 'javascript:alert(1)'],
      ['terms', 'an open address', 'http://shop.example/terms'],
      ['terms', 'an address with a password', 'https://user:pass@shop.example'],
      ['logo', 'nothing', Buffer.alloc(0)],
      ['logo', 'an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')],
      ['logo', 'a GIF', Buffer.from('GIF89a')],
      ['logo', 'a PNG that is cut', png('x').subarray(0, -1)],
      ['logo', 'a PNG with a page behind it', Buffer.concat([png(), Buffer.from('<script>alert(1)</script>')])],
      ['logo', 'a JPEG with a page behind it', Buffer.concat([jpeg, Buffer.from('<script>alert(1)</script>')])],
      ['logo', 'a WebP with a page behind it', Buffer.concat([webp, Buffer.from('<script>alert(1)</script>')])],
      ['logo', 'one of too many bytes', png('x'.repeat(65_536))],
      ['logo', 'a PNG that is too wide', pngImage(2001, 1)],
      ['logo', 'a JPEG that is too high', jpegHeader(1, 2001)],
      ['logo', 'a WebP that is too large', webpHeader('VP8X', 16_384, 16_384)],
    ] as const) {
      it(`refuses as ${member}: ${name}`, async () => {
        const before = (await owners.find('Branded'))?.brand;
        const { details } = await expectRefusal('INVALID_FORMAT', () =>
          owners.setDefaults('Branded', { [member]: value }),
        );
        expect(details['field']).to.equal(member);
        expect((await owners.find('Branded'))?.brand).to.deep.equal(before);
      });
    }

    it('suggests the nearest colour with enough contrast', async () => {
      const set = async (colour: string) => owners.setDefaults('Branded', { colour });
      const { message } = await expectRefusal('INVALID_FORMAT', () => set('#ff6600'));
      const [, near = ''] = /has 2\.9: (#[0-9a-f]{6}) would do/.exec(message) ?? [];
      expect((await set(near)).brand.colour).to.equal(near);
    });
  });

  describe('the notice of an old version', () => {
    it('is due for one of all callers, once in 24 hours', async () => {
      const { id } = await owners.findOrCreate('Old client');
      const ask = async () => {
        const all = await Promise.all(
          Array.from({ length: 20 }, (_, at) => (at % 2 ? owners : elsewhere).deprecationNotice(id)),
        );
        return all.filter((owner) => owner !== undefined);
      };
      expect(await ask()).to.deep.equal([await owners.find('Old client')]);
      expect(await ask()).to.have.length(0);
      clock.advance(24 * hour - 1);
      expect(await ask()).to.have.length(0);
      clock.advance(1);
      expect(await ask()).to.have.length(1);
    });

    it('is not due for an unknown owner', async () => {
      expect(await owners.deprecationNotice(999)).to.equal(undefined);
    });
  });
});
