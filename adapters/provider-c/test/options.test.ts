import { secretPaths, v } from '@paywright/contract';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import providerC from '../index.ts';
import { Options } from '../options.ts';
import { given, salt } from './messages.ts';

const [first, second] = given.accounts as [object, object];
const nothing = { key: undefined, currency: undefined, salts: undefined, pageSecrets: undefined };
const single = { ...given, accounts: undefined, ...first };
const refusedAt = (options: unknown): string | undefined => {
  const { issues } = v.safeParse(Options, options);
  return issues && (v.getDotPath(issues[0]) ?? '');
};
const account = (changes: object) => ({ ...given, accounts: [{ ...first, ...changes }, second] });

describe('the options of C', () => {
  it('sends the card by default', () => {
    expect(v.parse(Options, given).cardEntry).to.equal('server');
    expect(v.parse(Options, { ...given, cardEntry: 'page' }).cardEntry).to.equal('page');
  });

  it('marks every shared text as a secret', () => {
    expect(secretPaths(Options).map((path) => path.join('.'))).to.deep.equal([
      'salts.*',
      'pageSecrets.*',
      'accounts.*.salts.*',
      'accounts.*.pageSecrets.*',
    ]);
  });

  it('reads one account like a list with only this account', () => {
    const { accounts: _, ...shared } = given;
    const listed = v.parse(Options, { ...shared, accounts: [first] });
    expect(v.parse(Options, { ...shared, ...first })).to.deep.equal(listed);
    expect(providerC.manifest.accountKey?.(listed)).to.deep.equal(['GWDEMO01']);
  });

  it('accepts the shortest and the longest values', () => {
    const texts = [`${' '.repeat(15)}~`, '!'.repeat(64)];
    expect(refusedAt(account({ key: 'abc1', salts: texts }))).to.equal(undefined);
    expect(refusedAt(account({ key: 'Z'.repeat(32), salts: [...texts, 'a third one, long enough'] }))).to.equal(
      undefined,
    );
  });

  for (const [name, options, path] of [
    ['another way to type the card', { ...given, cardEntry: 'phone' }, 'cardEntry'],
    ['no account', { ...given, accounts: [] }, 'accounts'],
    ['a key twice', { ...given, accounts: [first, { ...second, key: 'GWDEMO01' }] }, 'accounts'],
    ['a currency twice', { ...given, accounts: [first, { ...second, currency: 'EUR' }] }, 'accounts'],
    ['a page secret that is a salt', account({ pageSecrets: [salt] }), 'accounts'],
    [
      'a page secret that is another account’s salt',
      account({ pageSecrets: ['c-salt-open-jpy-0c5e19aa'] }),
      'accounts',
    ],
    ['a key of three', account({ key: 'abc' }), 'accounts.0.key'],
    ['a key of 33', account({ key: 'a'.repeat(33) }), 'accounts.0.key'],
    ['a key with a dash', account({ key: 'GW-DEMO' }), 'accounts.0.key'],
    ['a currency in small letters', account({ currency: 'eur' }), 'accounts.0.currency'],
    ['no salt', account({ salts: [] }), 'accounts.0.salts'],
    ['four salts', account({ salts: ['a', 'b', 'c', 'd'].map((one) => one.repeat(16)) }), 'accounts.0.salts'],
    ['a salt of 15', account({ salts: ['x'.repeat(15)] }), 'accounts.0.salts.0'],
    ['a salt of 65', account({ salts: [salt, 'x'.repeat(65)] }), 'accounts.0.salts.1'],
    ['a salt with a separator', account({ salts: [`${salt}|x`] }), 'accounts.0.salts.0'],
    ['a salt with a line feed', account({ salts: [`${salt}\n`] }), 'accounts.0.salts.0'],
    ['a salt that is not ASCII', account({ salts: [`${salt}é`] }), 'accounts.0.salts.0'],
    ['a page secret of 15', account({ pageSecrets: ['x'.repeat(15)] }), 'accounts.0.pageSecrets.0'],
    ['one account next to a list', { ...given, key: 'GWDEMO09' }, 'key'],
    ['one account without a currency', { ...single, currency: undefined }, 'currency'],
    ['one account without salts', { ...single, salts: undefined }, 'salts'],
    ['one account whose page secret is a salt', { ...single, pageSecrets: [salt] }, 'pageSecrets'],
    ['no account at all', { ...single, ...nothing }, 'accounts'],
    ['something more in an account', account({ shop: 'x' }), 'accounts.0.shop'],
  ] as const) {
    it(`refuses ${name} by its name`, () => {
      expect(refusedAt(options)).to.equal(path);
    });
  }
});
