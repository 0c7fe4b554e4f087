import { expect } from 'chai';
import { describe, it } from 'mocha';
import { readAnyBase64 } from '../../index.ts';

describe('readAnyBase64', () => {
  for (const [text, hex] of [
    ['-_-_', 'fbffbf'],
    ['+/+/', 'fbffbf'],
    ['+_-/', 'fbffbf'],
    ['QQ==', '41'],
    ['QQ', '41'],
    ['QUI=', '4142'],
    ['QUI', '4142'],
  ] as const) {
    it(`reads ${text}`, () => {
      expect(readAnyBase64(text)?.toString('hex')).to.equal(hex);
    });
  }

  for (const text of [
    '',
    '=',
    '==',
    'Q',
    'QQ=',
    'QUI==',
    'QUJD=',
    'QQ===',
    'QR==',
    'QR',
    'QQ==\n',
    'Q Q=',
    'QQ==QQ==',
    'QÜ==',
  ]) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      expect(readAnyBase64(text)).to.equal(undefined);
    });
  }
});
