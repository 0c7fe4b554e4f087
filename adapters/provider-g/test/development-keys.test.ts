import { fixtureText } from '@gateway/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { options, providerSide } from './helpers.ts';

describe('the key files that config names for development and tests', () => {
  const [merchant] = providerSide.merchantKeys;
  for (const [name, pem] of [
    ['merchant.pem', options.merchantKey.privateKey],
    ['merchant.public.pem', merchant.publicKey],
    ...options.providerKeys.map(({ publicKey }, at) => [`g-${at + 1}.public.pem`, publicKey] as const),
    ...providerSide.keys.map(({ privateKey }, at) => [`g-${at + 1}.pem`, privateKey] as const),
  ] as const) {
    it(`hold in ${name} the key of the vectors`, () => {
      expect(fixtureText(import.meta.url, `keys/${name}`)).to.equal(pem);
    });
  }
});
