import { expect } from 'chai';
import { describe, it } from 'mocha';
import { accountRefOf, parseAccountRef } from './account-ref.ts';

describe('accountRefOf', () => {
  it('names the account main by its adapter alone, also for an attempt without an account', () => {
    expect(accountRefOf({ adapter: 'acme', account: 'main' })).to.equal('acme');
    expect(accountRefOf({ adapter: 'acme' })).to.equal('acme');
    expect(accountRefOf({ adapter: 'acme', account: 'shop-eu' })).to.equal('acme/shop-eu');
  });
});

describe('parseAccountRef', () => {
  it('reads what accountRefOf wrote, and main in both spellings', () => {
    expect(parseAccountRef('acme')).to.deep.equal({ adapter: 'acme', account: 'main' });
    expect(parseAccountRef('acme/main')).to.deep.equal({ adapter: 'acme', account: 'main' });
    expect(parseAccountRef('acme/shop-eu')).to.deep.equal({ adapter: 'acme', account: 'shop-eu' });
  });
});
