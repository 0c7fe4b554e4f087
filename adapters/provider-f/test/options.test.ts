import { v } from '@paywright/contract';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { Options } from '../options.ts';
import { harness } from './messages.ts';

const { options: plain } = harness;

describe('Options', () => {
  const issues = (changes: object): string[] =>
    (v.safeParse(Options, { ...plain, ...changes }).issues ?? []).map((issue) => v.getDotPath(issue) ?? '');

  it('accepts a shop of 3 to 40 characters, a token of 20, and up to three secrets', () => {
    for (const shopId of ['abc', 'a-1'.padEnd(40, '9')]) expect(issues({ shopId })).to.deep.equal([]);
    for (const shopId of ['ab', 'a'.repeat(41), 'Shop-1', 'shop_1', 77])
      expect(issues({ shopId })).to.deep.equal(['shopId']);
    expect(issues({ apiToken: 'x'.repeat(19) })).to.deep.equal(['apiToken']);
    expect(issues({ pingSecrets: [] })).to.deep.equal([]);
    expect(issues({ pingSecrets: ['', '', ''] })).to.deep.equal([]);
    expect(issues({ pingSecrets: ['a', 'b', 'c', 'd'] })).to.deep.equal(['pingSecrets']);
  });

  it('requires no signature by default', () => {
    const { requireSignedPing: _, ...rest } = plain;
    expect(v.parse(Options, rest).requireSignedPing).to.equal(false);
  });

  it('refuses to require signatures without a secret that verifies them', () => {
    for (const pingSecrets of [[], [''], ['', '']]) {
      expect(issues({ requireSignedPing: true, pingSecrets })).to.deep.equal(['requireSignedPing']);
    }
    expect(issues({ requireSignedPing: true, pingSecrets: ['', 'a'] })).to.deep.equal([]);
  });
});
