import { expect } from 'chai';
import { describe, it } from 'mocha';
import { isWebAddress, readAs, webAddress } from '../../index.ts';

describe('isWebAddress', () => {
  for (const text of [
    'https://a.example',
    'http://127.0.0.1:8080/x?y#z',
    'HTTPS://A.EXAMPLE/%20',
    'https://user@a.example',
  ]) {
    it(`accepts ${text}`, () => expect([isWebAddress(text), readAs(webAddress, text)]).to.deep.equal([true, text]));
  }

  for (const text of [
    '',
    'a.example',
    '//a.example',
    'https:',
    'https://',
    'https:a.example',
    'ftp://a.example',
    'javascript:alert(1)',
    ' https://a.example',
    'http://a b',
  ]) {
    it(`refuses "${text}"`, () =>
      expect([isWebAddress(text), readAs(webAddress, text)]).to.deep.equal([false, undefined]));
  }
});
