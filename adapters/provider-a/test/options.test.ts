import { v } from '@paywright/contract';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { Options } from '../options.ts';
import { harness } from './messages.ts';

const { options } = harness;

describe('the options of A', () => {
  it('accepts http only for a loopback address', () => {
    const accepts = (baseUrl: string): boolean => v.safeParse(Options, { ...options, baseUrl }).success;
    expect([accepts('http://127.0.0.1:9'), accepts('https://a.example')]).to.deep.equal([true, true]);
    expect([accepts('http://a.example'), accepts('https://a.example/'), accepts('a')]).to.deep.equal([
      false,
      false,
      false,
    ]);
  });

  for (const [name, value] of [
    ['account', 'Gateway EU'],
    ['account', 'x'.repeat(33)],
    ['apiKey', 'too short'],
    ['itemKeys', []],
    ['itemKeys', ['3c'.repeat(31)]],
    ['itemKeys', Array.from({ length: 4 }, () => '3c'.repeat(32))],
    ['returnKeys', ['short']],
    ['sealKeys', ['5b0e77a1c94d']],
    ['sealKeys', ['ask_']],
    ['refundKeys', ['']],
    ['extra', 1],
  ] as const) {
    it(`refuses ${name} ${JSON.stringify(value).slice(0, 30)}`, () => {
      const result = v.safeParse(Options, { ...options, [name]: value });
      expect(result.issues && v.getDotPath(result.issues[0])).to.match(new RegExp(`^${name}`));
    });
  }
});
