import { expect } from 'chai';
import { describe, it } from 'mocha';
import { basicAuthorization, isBasicOf } from '../../index.ts';

const sentBy = (...values: readonly string[]) => ({
  headers: values.map((value) => ['authorization', value] as const),
});
const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('basic authentication', () => {
  it('is written in UTF-8 as RFC 7617 says', () => {
    expect(basicAuthorization('Aladdin', 'open sesame')).to.equal('Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==');
    expect(basicAuthorization('test', '123£')).to.equal('Basic dGVzdDoxMjPCow==');
  });

  for (const [what, values, passwords, expected] of [
    ['the password', [basicAuthorization('gw', 'p:ss wörd')], ['p:ss wörd'], true],
    ['a previous password', [basicAuthorization('gw', 'old')], ['new', 'old'], true],
    ['the scheme in lower case', [`basic ${base64('gw:new')}`], ['new'], true],
    ['another password', [basicAuthorization('gw', 'x')], ['new', 'old'], false],
    ['another user', [basicAuthorization('g', 'w:new')], ['new'], false],
    ['an empty password', [basicAuthorization('gw', '')], ['', 'new'], false],
    ['every password if none is configured', [basicAuthorization('gw', 'new')], [], false],
    ['another scheme', [`Bearer ${base64('gw:new')}`], ['new'], false],
    ['text that is not base64', ['Basic gw:new'], ['new'], false],
    ['two headers', [basicAuthorization('gw', 'new'), basicAuthorization('gw', 'new')], ['new'], false],
    ['no header', [], ['new'], false],
  ] as const) {
    it(`${expected ? 'accepts' : 'refuses'} ${what}`, () => {
      expect(isBasicOf(sentBy(...values), 'gw', passwords)).to.equal(expected);
    });
  }
});
