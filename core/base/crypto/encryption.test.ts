import { createHmac, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createCipher, createEncrypter, UnknownKeyError, type Place } from './encryption.ts';

const newKey = (): string => randomBytes(32).toString('base64');
const place: Place = { collection: 'owners', id: 1, member: 'webhookSecret' };

describe('createCipher', () => {
  const key = newKey();
  const cipher = createCipher([key]);

  for (const plain of ['', 'a secret', 'ü€😀', 'x'.repeat(100_000)]) {
    it(`decrypts what it encrypted: text of ${plain.length}`, () => {
      expect(createCipher([key]).decrypt(cipher.encrypt(plain, place), place).toString()).to.equal(plain);
    });
  }

  // Encrypted by version 0.1.0 with a key of 32 bytes of value 7. A changed key derivation would make stored data unreadable.
  it('decrypts a value that an earlier version stored', () => {
    const stored = Buffer.from('AgNfCIoHLIE1slRv3JAY4pC5FgkcsWdeyy4VuQiR/daEDAMP0qtd5d7SZuyh', 'base64');
    const earlier = createCipher([Buffer.alloc(32, 7).toString('base64')]);
    expect(earlier.decrypt(stored, place).toString()).to.equal('a secret');
  });

  it('decrypts bytes unchanged', () => {
    const bytes = Buffer.from([0, 255, 128, 10]);
    expect(cipher.decrypt(cipher.encrypt(bytes, place), place).equals(bytes)).to.equal(true);
    const plain = new Uint8Array(cipher.encrypt(new Uint8Array(bytes), place));
    expect(cipher.decrypt(plain, place).equals(bytes)).to.equal(true);
  });

  it('encrypts the same text differently each time, and shows nothing of it', () => {
    const [first, second] = [cipher.encrypt('a secret', place), cipher.encrypt('a secret', place)];
    expect(first.equals(second)).to.equal(false);
    expect(first.includes('secret')).to.equal(false);
  });

  it('refuses encrypted data with any byte changed, or cut short', () => {
    const encrypted = cipher.encrypt('a secret', place);
    for (const at of encrypted.keys()) {
      const changed = Buffer.from(encrypted);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => cipher.decrypt(changed, place), `byte ${at}`).to.throw('cannot be decrypted');
      expect(() => cipher.decrypt(encrypted.subarray(0, at), place), `${at} bytes`).to.throw('cannot be decrypted');
    }
  });

  for (const [member, other] of Object.entries({ collection: 'inbox', id: 2, member: 'previousWebhookSecret' })) {
    it(`refuses what was moved from another place: ${member}`, () => {
      const encrypted = cipher.encrypt('a secret', place);
      expect(() => cipher.decrypt(encrypted, { ...place, [member]: other })).to.throw('moved from another place');
    });
  }

  it('names the key where it is another one', () => {
    const other = createCipher([newKey()]);
    expect(() => other.decrypt(cipher.encrypt('a secret', place), place))
      .to.throw(UnknownKeyError, 'another encryption key')
      .with.property('keyId', cipher.keyId);
  });

  it('encrypts with the first key and decrypts with all', () => {
    const next = newKey();
    const before = cipher.encrypt('a secret', place);
    const added = createCipher([key, next]);
    expect(added.isCurrent(added.encrypt('', place))).to.equal(true);
    const moved = createCipher([next, key]);
    expect(moved.decrypt(before, place).toString()).to.equal('a secret');
    expect(moved.isCurrent(before)).to.equal(false);
    const after = moved.encrypt('a secret', place);
    expect(added.decrypt(after, place).toString()).to.equal('a secret');
    expect(createCipher([next]).decrypt(after, place).toString()).to.equal('a secret');
  });

  for (const wrong of ['', 'short', randomBytes(31).toString('base64'), randomBytes(33).toString('base64')]) {
    it(`refuses a key that is not 32 bytes in base64: ${wrong.length} characters`, () => {
      expect(() => createCipher([wrong])).to.throw('32 bytes in base64');
    });
  }
});

describe('createEncrypter', () => {
  it('fingerprints equal text equally, whatever key encrypts', () => {
    const secret = randomBytes(32);
    const encrypter = createEncrypter(createCipher([newKey()]), secret);
    const print = encrypter.fingerprint('text');
    expect(print).to.equal(createHmac('sha256', secret).update('text').digest('hex'));
    expect(createEncrypter(createCipher([newKey()]), secret).fingerprint('text')).to.equal(print);
    expect(encrypter.fingerprint('text ')).to.not.equal(print);
    expect(createEncrypter(createCipher([newKey()]), randomBytes(32)).fingerprint('text')).to.not.equal(print);
  });
});
