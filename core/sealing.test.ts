import { createHmac, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createSealer } from './encryption.ts';

describe('createSealer', () => {
  const key = randomBytes(32).toString('base64');
  const sealer = createSealer(key);

  for (const plain of ['', 'a secret', 'ü€😀', 'x'.repeat(100_000)]) {
    it(`opens what it sealed: text of ${plain.length}`, () => {
      expect(createSealer(key).open(sealer.seal(plain)).toString()).to.equal(plain);
    });
  }

  it('opens sealed bytes unchanged', () => {
    const bytes = Buffer.from([0, 255, 128, 10]);
    expect(sealer.open(sealer.seal(bytes)).equals(bytes)).to.equal(true);
    expect(sealer.open(new Uint8Array(sealer.seal(new Uint8Array(bytes)))).equals(bytes)).to.equal(true);
  });

  it('seals the same text differently each time, and shows nothing of it', () => {
    const [first, second] = [sealer.seal('a secret'), sealer.seal('a secret')];
    expect(first.equals(second)).to.equal(false);
    expect(first.includes('secret')).to.equal(false);
  });

  it('refuses sealed data with any byte changed, cut short, or under another key', () => {
    const sealed = sealer.seal('a secret');
    for (const at of sealed.keys()) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => sealer.open(changed), `byte ${at}`).to.throw('cannot be opened');
      expect(() => sealer.open(sealed.subarray(0, at)), `${at} bytes`).to.throw('cannot be opened');
    }
    const other = createSealer(randomBytes(32).toString('base64'));
    expect(() => other.open(sealed)).to.throw('another encryption key');
  });

  it('fingerprints equal text equally, under a key of its own', () => {
    const print = sealer.fingerprint('text');
    expect(print).to.match(/^[0-9a-f]{64}$/);
    expect(createSealer(key).fingerprint('text')).to.equal(print);
    expect(sealer.fingerprint('text ')).to.not.equal(print);
    expect(createSealer(randomBytes(32).toString('base64')).fingerprint('text')).to.not.equal(print);
    const underMaster = createHmac('sha256', Buffer.from(key, 'base64')).update('text').digest('hex');
    expect(print).to.not.equal(underMaster);
  });

  for (const wrong of ['', 'short', randomBytes(31).toString('base64'), randomBytes(33).toString('base64')]) {
    it(`refuses a key that is not 32 bytes in base64: ${wrong.length} characters`, () => {
      expect(() => createSealer(wrong)).to.throw('32 bytes in base64');
    });
  }
});
