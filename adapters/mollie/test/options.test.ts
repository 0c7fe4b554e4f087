import { v } from '@paywright/contract';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { Options } from '../options.ts';
import { harness } from './messages.ts';

const { options } = harness;

describe('Options', () => {
  const issue = (change: Readonly<Record<string, unknown>>): string | undefined => {
    const { issues } = v.safeParse(Options, { ...options, ...change });
    return issues && (v.getDotPath(issues[0]) ?? 'the whole');
  };

  it('offers every method and charges immediately by default', () => {
    expect(options.captureMode).to.equal('automatic');
    expect(options).to.not.have.property('methods');
  });

  for (const change of [
    { apiKey: `live_${'a1'.repeat(15)}` },
    { methods: ['ideal', 'creditcard'] },
    { captureMode: 'manual' },
  ]) {
    it(`accepts ${JSON.stringify(change)}`, () => expect(issue(change)).to.equal(undefined));
  }

  for (const [name, value] of [
    ['apiKey', 'test_short'],
    ['apiKey', `access_${'a1'.repeat(15)}`],
    ['apiKey', `test_${'a1'.repeat(15)} `],
    ['methods', []],
    ['methods.0', ['klarna']],
    ['methods.1', ['ideal', 'iDEAL']],
    ['captureMode', 'later'],
    ['extra', 1],
  ] as const) {
    const option = name.split('.')[0]!;
    it(`refuses ${name} ${JSON.stringify(value)} by its name`, () => expect(issue({ [option]: value })).to.equal(name));
  }
});
