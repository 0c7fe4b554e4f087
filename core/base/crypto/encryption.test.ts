import { createHmac, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createCipher, createEncrypter, UnknownKeyError, type EncryptionContext } from './encryption.ts';

const newKey = (): string => randomBytes(32).toString('base64');
const context: EncryptionContext = { collection: 'owners', id: 1, member: 'webhookSecret' };

describe('createCipher', () => {
  const key = newKey();
  const cipher = createCipher([key]);

  for (const plain of ['', 'a secret', 'ü€😀', 'x'.repeat(100_000)]) {
    it(`decrypts what it encrypted: text of ${plain.length}`, () => {
      expect(createCipher([key]).decrypt(cipher.encrypt(plain, context), context).toString()).to.equal(plain);
    });
  }

  // Encrypted by version 0.1.0 with a key of 32 bytes of value 7. A changed key derivation would make stored data
  // unreadable.
  it('decrypts a value that an earlier version stored', () => {
    const stored = Buffer.from('AgNfCIoHLIE1slRv3JAY4pC5FgkcsWdeyy4VuQiR/daEDAMP0qtd5d7SZuyh', 'base64');
    const earlier = createCipher([Buffer.alloc(32, 7).toString('base64')]);
    expect(earlier.decrypt(stored, context).toString()).to.equal('a secret');
  });

  it('decrypts bytes unchanged', () => {
    const bytes = Buffer.from([0, 255, 128, 10]);
    expect(cipher.decrypt(cipher.encrypt(bytes, context), context).equals(bytes)).to.equal(true);
    const plain = new Uint8Array(cipher.encrypt(new Uint8Array(bytes), context));
    expect(cipher.decrypt(plain, context).equals(bytes)).to.equal(true);
  });

  it('encrypts the same text differently each time, and reveals nothing of it', () => {
    const [first, second] = [cipher.encrypt('a secret', context), cipher.encrypt('a secret', context)];
    expect(first.equals(second)).to.equal(false);
    expect(first.includes('secret')).to.equal(false);
  });

  it('refuses encrypted data that was changed in any byte or truncated', () => {
    const encrypted = cipher.encrypt('a secret', context);
    for (const at of encrypted.keys()) {
      const changed = Buffer.from(encrypted);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => cipher.decrypt(changed, context), `byte ${at}`).to.throw('cannot be decrypted');
      expect(() => cipher.decrypt(encrypted.subarray(0, at), context), `${at} bytes`).to.throw('cannot be decrypted');
    }
  });

  for (const [member, other] of Object.entries({ collection: 'inbox', id: 2, member: 'previousWebhookSecret' })) {
    it(`refuses a value of another context: ${member}`, () => {
      const encrypted = cipher.encrypt('a secret', context);
      expect(() => cipher.decrypt(encrypted, { ...context, [member]: other })).to.throw(
        'encrypted for another document or member',
      );
    });
  }

  it('names the key if the value was encrypted with an unknown key', () => {
    const other = createCipher([newKey()]);
    expect(() => other.decrypt(cipher.encrypt('a secret', context), context))
      .to.throw(UnknownKeyError, 'another encryption key')
      .with.property('keyId', cipher.keyId);
  });

  it('encrypts with the first key and decrypts with all keys', () => {
    const next = newKey();
    const before = cipher.encrypt('a secret', context);
    const added = createCipher([key, next]);
    expect(added.isCurrent(added.encrypt('', context))).to.equal(true);
    const moved = createCipher([next, key]);
    expect(moved.decrypt(before, context).toString()).to.equal('a secret');
    expect(moved.isCurrent(before)).to.equal(false);
    const after = moved.encrypt('a secret', context);
    expect(added.decrypt(after, context).toString()).to.equal('a secret');
    expect(createCipher([next]).decrypt(after, context).toString()).to.equal('a secret');
  });

  for (const wrong of ['', 'short', randomBytes(31).toString('base64'), randomBytes(33).toString('base64')]) {
    it(`refuses a base64 key of ${Buffer.from(wrong, 'base64').length} bytes instead of 32`, () => {
      expect(() => createCipher([wrong])).to.throw('32 bytes in base64');
    });
  }
});

describe('createEncrypter', () => {
  it('gives equal text the same fingerprint, independent of the encryption key', () => {
    const secret = randomBytes(32);
    const encrypter = createEncrypter(createCipher([newKey()]), secret);
    const print = encrypter.fingerprint('text');
    expect(print).to.equal(createHmac('sha256', secret).update('text').digest('hex'));
    expect(createEncrypter(createCipher([newKey()]), secret).fingerprint('text')).to.equal(print);
    expect(encrypter.fingerprint('text ')).to.not.equal(print);
    expect(createEncrypter(createCipher([newKey()]), randomBytes(32)).fingerprint('text')).to.not.equal(print);
  });
});
