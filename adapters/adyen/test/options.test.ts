import { secretPaths, v } from '@paywright/contract';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { Options } from '../options.ts';
import { harness } from './messages.ts';

const { options } = harness;

describe('Options', () => {
  it('marks key, HMAC keys and passwords as secrets', () => {
    expect(secretPaths(Options)).to.deep.equal([['apiKey'], ['hmacKeys', '*'], ['webhookPasswords', '*']]);
  });

  for (const [name, value] of [
    ['merchantAccount', 'Gateway:ECOM'],
    ['merchantAccount', ''],
    ['apiKey', 'too short'],
    ['hmacKeys', []],
    ['hmacKeys', ['4b'.repeat(31)]],
    ['hmacKeys', Array.from({ length: 4 }, () => '4b'.repeat(32))],
    ['webhookUser', 'a:b'],
    ['webhookPasswords', ['']],
    ['managementBaseUrl', 'http://management-live.adyen.com/v3'],
    ['extra', 1],
  ] as const) {
    it(`refuses ${name} ${JSON.stringify(value).slice(0, 30)}`, () => {
      const result = v.safeParse(Options, { ...options, [name]: value });
      expect(result.issues && v.getDotPath(result.issues[0])).to.match(new RegExp(`^${name}`));
    });
  }
});
