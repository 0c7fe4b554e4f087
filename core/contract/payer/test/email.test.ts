// cspell:ignoreRegExp /[^\x00-\x7f]\S*/g
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { isEmail, toAsciiEmail } from '../../index.ts';

describe('isEmail', () => {
  for (const address of [
    'user@example.com',
    'संपर्क@डाटामेल.भारत',
    'தகவல்@மின்னஞ்சல்.இந்தியா',
    'যোগাযোগ@উদাহরণ.বাংলা',
    'ටෙස්ට්@උදාහරණය.ලංකා',
    'ติดต่อ@ตัวอย่าง.ไทย',
    'info@نامه\u200cای.ایران',
    'info@ශ්\u200dරී.ලංකා',
    'info@münchen.example',
    'δοκιμή@παράδειγμα.δοκιμή',
    'user@faß.example',
    'josé@example.com',
    'a@b',
    '用户@例子.广告',
  ]) {
    it(`accepts ${address}`, () => {
      expect(isEmail(address)).to.equal(true);
    });
  }

  for (const address of [
    'user',
    'user@',
    '@example.com',
    'user@a..b',
    'user@.a',
    'user@a.',
    'a b@example.com',
    'a@b@c',
    'user@a_b.example',
    'user@\u0903a.example',
    'user@a\u200cb.example',
    'user@a\u200d.example',
    'user@\u200dab.example',
    'user@exa mple.com',
    'user@example.com\u0000',
  ]) {
    it(`refuses ${JSON.stringify(address)}`, () => {
      expect(isEmail(address)).to.equal(false);
    });
  }

  it('judges long text in linear time', () => {
    for (const text of [`a@${'a.'.repeat(500_000)}`, `a@${'a\u200c'.repeat(100_000)}!`, '@'.repeat(1_000_000)])
      expect(isEmail(text)).to.equal(false);
  });
});

describe('toAsciiEmail', () => {
  it('writes the domain as xn--', () => {
    expect(toAsciiEmail('info@münchen.example')).to.equal('info@xn--mnchen-3ya.example');
    expect(toAsciiEmail('user@faß.example')).to.equal('user@xn--fa-hia.example');
    expect(toAsciiEmail('info@डाटामेल.भारत')).to.equal('info@xn--c2bd4bq1db8d.xn--h2brj9c');
  });

  it('keeps an address in ASCII as typed', () => {
    expect(toAsciiEmail('Jo.Doe+x@Example.COM')).to.equal('Jo.Doe+x@Example.COM');
  });

  it('has no spelling for a local part that is not ASCII', () => {
    for (const text of ['josé@example.com', 'संपर्क@डाटामेल.भारत', 'δοκιμή@example.com'])
      expect(toAsciiEmail(text)).to.equal(undefined);
  });
});
