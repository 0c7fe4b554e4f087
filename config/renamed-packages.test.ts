import { expect } from 'chai';
import { describe, it } from 'mocha';
import { renamePackages } from './renamed-packages.ts';

const withPackage = (name: unknown) => ({ adapters: { shop: { package: name, state: 'on' } } });

describe('renamePackages', () => {
  it('accepts the earlier name of an adapter of this repository, with a warning', () => {
    const { value, warnings } = renamePackages(withPackage('@gateway/provider-c'));
    expect(value).to.deep.equal(withPackage('@paywright/provider-c'));
    expect(warnings).to.deep.equal([
      'adapters.shop.package: the package is now called @paywright/provider-c; change the name in this file',
    ]);
  });

  for (const name of [
    '@paywright/stripe',
    '@gateway/shop-pay',
    '@gateway/contract',
    '@gateway/',
    'stripe',
    7,
    undefined,
  ]) {
    it(`keeps the package name ${String(name)}`, () => {
      expect(renamePackages(withPackage(name))).to.deep.equal({ value: withPackage(name), warnings: [] });
    });
  }

  it('keeps settings that have no adapters or are malformed', () => {
    for (const value of [{}, { adapters: null }, { adapters: ['x'] }, 'text', null, { adapters: { shop: null } }]) {
      expect(renamePackages(value)).to.deep.equal({ value, warnings: [] });
    }
  });
});
