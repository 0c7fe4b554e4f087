import { expect } from 'chai';
import { describe, it } from 'mocha';
import { groupBy } from '../../base/group-by.ts';
import { createAccountAccess } from './account-access.ts';
import { fakeActive } from './testing/fake-adapter.ts';

const account = (name: string, merchants?: string[]) => fakeActive({ account: name, ...(merchants && { merchants }) });
const user = (name: string, ownAccountsOnly = false) => ({ name, ownAccountsOnly });

describe('createAccountAccess', () => {
  const accounts = [
    account('main'),
    account('z-ribeira', ['Ribeira']),
    account('both', ['Ribeira', 'Lisboa', 'Ribeira']),
    account('closed', []),
    account('zoo'),
    account('abc'),
  ];
  const access = createAccountAccess(groupBy(accounts, ({ name }) => name));

  it('opens to everybody the accounts without merchants, main first, then by name', () => {
    expect(access.accountsFor('acme', undefined)).to.deep.equal(['acme', 'acme/abc', 'acme/zoo']);
    expect(access.accountsFor('acme', user('Porto'))).to.deep.equal(['acme', 'acme/abc', 'acme/zoo']);
  });

  it('opens to a merchant with assigned accounts only these, in the order of config', () => {
    expect(access.accountsFor('acme', user('Ribeira'))).to.deep.equal(['acme/z-ribeira', 'acme/both']);
    expect(access.accountsFor('acme', user('Lisboa', true))).to.deep.equal(['acme/both']);
  });

  it('opens to a merchant with own accounts only no account that serves everybody', () => {
    expect(access.accountsFor('acme', user('Porto', true))).to.deep.equal([]);
    expect(access.accountsFor('unknown', user('Porto'))).to.deep.equal([]);
  });

  it('opens an account with an empty list of merchants to no merchant, and an unknown name opens nothing', () => {
    for (const one of [undefined, user('Porto'), user('Ribeira'), user(''), user('ribeira')])
      expect(access.accountsFor('acme', one)).to.not.include('acme/closed');
    expect(access.isOpenTo('acme/z-ribeira', user('ribeira'))).to.equal(false);
  });

  it('says whether one account is open to a merchant', () => {
    expect(access.isOpenTo('acme/both', user('Ribeira'))).to.equal(true);
    expect(access.isOpenTo('acme', user('Ribeira'))).to.equal(false);
    expect(access.isOpenTo('acme/main', user('Porto'))).to.equal(true);
    expect(access.isOpenTo('acme/unknown', user('Porto'))).to.equal(false);
  });
});
