import { createHmac, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createEncrypter } from './encryption.ts';

describe('createEncrypter', () => {
  const key = randomBytes(32).toString('base64');
  const encrypter = createEncrypter(key);

  for (const plain of ['', 'a secret', 'ü€😀', 'x'.repeat(100_000)]) {
    it(`decrypts what it encrypted: text of ${plain.length}`, () => {
      expect(createEncrypter(key).decrypt(encrypter.encrypt(plain)).toString()).to.equal(plain);
    });
  }

  it('decrypts bytes unchanged', () => {
    const bytes = Buffer.from([0, 255, 128, 10]);
    expect(encrypter.decrypt(encrypter.encrypt(bytes)).equals(bytes)).to.equal(true);
    expect(encrypter.decrypt(new Uint8Array(encrypter.encrypt(new Uint8Array(bytes)))).equals(bytes)).to.equal(true);
  });

  it('encrypts the same text differently each time, and shows nothing of it', () => {
    const [first, second] = [encrypter.encrypt('a secret'), encrypter.encrypt('a secret')];
    expect(first.equals(second)).to.equal(false);
    expect(first.includes('secret')).to.equal(false);
  });

  it('refuses encrypted data with any byte changed, cut short, or under another key', () => {
    const encrypted = encrypter.encrypt('a secret');
    for (const at of encrypted.keys()) {
      const changed = Buffer.from(encrypted);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => encrypter.decrypt(changed), `byte ${at}`).to.throw('cannot be decrypted');
      expect(() => encrypter.decrypt(encrypted.subarray(0, at)), `${at} bytes`).to.throw('cannot be decrypted');
    }
    const other = createEncrypter(randomBytes(32).toString('base64'));
    expect(() => other.decrypt(encrypted)).to.throw('another encryption key');
  });

  it('fingerprints equal text equally, under a key of its own', () => {
    const print = encrypter.fingerprint('text');
    expect(print).to.match(/^[0-9a-f]{64}$/);
    expect(createEncrypter(key).fingerprint('text')).to.equal(print);
    expect(encrypter.fingerprint('text ')).to.not.equal(print);
    expect(createEncrypter(randomBytes(32).toString('base64')).fingerprint('text')).to.not.equal(print);
    const underMaster = createHmac('sha256', Buffer.from(key, 'base64')).update('text').digest('hex');
    expect(print).to.not.equal(underMaster);
  });

  for (const wrong of ['', 'short', randomBytes(31).toString('base64'), randomBytes(33).toString('base64')]) {
    it(`refuses a key that is not 32 bytes in base64: ${wrong.length} characters`, () => {
      expect(() => createEncrypter(wrong)).to.throw('32 bytes in base64');
    });
  }
});
