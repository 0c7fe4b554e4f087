import { v } from '@paywright/contract';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { Options } from '../options.ts';
import { harness } from './messages.ts';

const { options } = harness;

describe('the options of the switch', () => {
  const issue = (change: Readonly<Record<string, unknown>>): string | undefined => {
    const { issues } = v.safeParse(Options, { ...options, ...change });
    return issues && (v.getDotPath(issues[0]) ?? 'the whole');
  };

  it('gives the payer ten minutes by default', () => {
    const { ttlSeconds: _ttl, ...rest } = options;
    expect(v.parse(Options, rest).ttlSeconds).to.equal(600);
    expect([issue({ ttlSeconds: 60 }), issue({ ttlSeconds: 3600 })]).to.deep.equal([undefined, undefined]);
  });

  for (const [name, value] of [
    ['ttlSeconds', 59],
    ['ttlSeconds', 3601],
    ['ttlSeconds', 60.5],
    ['merchantId', ''],
    ['merchantId', 'MID 1'],
    ['merchantId', 'MID-1'],
    ['saltIndex', '2'],
    ['saltIndex', 7],
    ['saltIndex', 'constructor'],
    ['extra', 1],
  ] as const) {
    it(`refuses ${name} ${JSON.stringify(value)} by its name`, () => expect(issue({ [name]: value })).to.equal(name));
  }

  for (const salts of [
    { '7': '' },
    { '07': 'x', '7': 'y' },
    { '0': 'x', '7': 'y' },
    { '1000': 'x', '7': 'y' },
    { one: 'x', '7': 'y' },
    [],
    'x',
  ]) {
    it(`refuses the salts ${JSON.stringify(salts)}`, () => expect(issue({ salts })).to.match(/^salt(s|Index)/));
  }
});
