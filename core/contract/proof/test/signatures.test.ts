import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import {
  hash,
  hmac,
  isFresh,
  verifyWithAny,
  readBase64,
  readBase64Url,
  readHex,
  sameBytes,
  sameText,
} from '../../index.ts';

describe('helpers for signatures', () => {
  it('hash to known answers', () => {
    expect(hash('sha256', 'abc').toString('hex')).to.equal(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
    expect(hash('sha1', 'a', 'bc').toString('hex')).to.equal('a9993e364706816aba3e25717850c26c9cd0d89d');
    // RFC 4231, test case 2.
    expect(hmac('sha256', 'Jefe', 'what do ya want ', 'for nothing?').toString('hex')).to.equal(
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    );
  });

  it('compute no MAC under an empty key', () => {
    expect(() => hmac('sha256', '', 'text')).to.throw(RangeError);
    expect(() => hmac('sha256', new Uint8Array(), 'text')).to.throw(RangeError);
  });

  it('never treat empty values as equal', () => {
    expect(sameText('', '')).to.equal(false);
    expect(sameBytes(new Uint8Array(), new Uint8Array())).to.equal(false);
    expect(sameText('a', 'a')).to.equal(true);
    expect(sameText('a', 'A')).to.equal(false);
    expect(sameText('a', 'ab')).to.equal(false);
    expect(sameText('é', 'e\u0301')).to.equal(false);
  });

  it('read hex of either case and of exactly the requested length', () => {
    expect(readHex('aBcD', 2)).to.deep.equal(Buffer.from([0xab, 0xcd]));
    for (const text of ['', 'abc', 'abcdef', 'abcg', ' abcd', 'abcd ', '0xab']) {
      expect(readHex(text, 2), text).to.equal(undefined);
    }
  });

  it('read base64 only in its canonical spelling', () => {
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 64 });
    fc.assert(
      fc.property(bytes, (value) => {
        expect(readBase64(Buffer.from(value).toString('base64'))).to.deep.equal(Buffer.from(value));
        expect(readBase64Url(Buffer.from(value).toString('base64url'))).to.deep.equal(Buffer.from(value));
      }),
    );
    for (const text of ['', 'YQ', 'YQ=', 'YR==', 'Y-==', 'YQ==\n', ' YQ==', 'YQ==YQ==', '====']) {
      expect(readBase64(text), text).to.equal(undefined);
    }
    for (const text of ['', 'YQ==', 'YR', 'Y+', 'Y/', 'Y', 'YQ '])
      expect(readBase64Url(text), text).to.equal(undefined);
  });

  it('verify by any secret of a rotation, never by an empty one', () => {
    const mac = (secret: string) => hmac('sha256', secret, 'message');
    const given = mac('previous');
    expect(verifyWithAny(['current', 'previous'], given, mac)).to.equal(1);
    expect(verifyWithAny(['previous', 'current', 'previous'], given, mac)).to.equal(0);
    expect(verifyWithAny(['current'], given, mac)).to.equal(undefined);
    expect(verifyWithAny([], given, mac)).to.equal(undefined);
    expect(verifyWithAny(['current', 'previous'], undefined, mac)).to.equal(undefined);
    expect(verifyWithAny([''], hash('sha256', 'message'), () => hash('sha256', 'message'))).to.equal(undefined);
    expect(verifyWithAny(['previous'], given.subarray(0, 16), mac)).to.equal(undefined);
    expect(verifyWithAny(['previous'], new Uint8Array(), () => new Uint8Array())).to.equal(undefined);
  });

  it('try every secret, whichever matches', () => {
    const tried: string[] = [];
    const given = hmac('sha256', 'a', 'm');
    verifyWithAny(['a', 'b', 'c'], given, (secret) => {
      tried.push(secret);
      return hmac('sha256', secret, 'm');
    });
    expect(tried).to.deep.equal(['a', 'b', 'c']);
  });

  it('apply a tolerance inclusively, to the past and the future', () => {
    const now = new Date('2026-03-02T09:15:30.000Z');
    const at = (ms: number) => isFresh(now.getTime() + ms, now, 300_000);
    expect([at(0), at(300_000), at(-300_000)]).to.deep.equal([true, true, true]);
    expect([at(300_001), at(-300_001), at(Number.NaN), at(Infinity)]).to.deep.equal([false, false, false, false]);
  });
});
