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

  it('gives the payer an hour at the page and the bank 12 minutes by default', () => {
    expect(options).to.include({ pageMinutes: 60, captureMinutes: 12 });
  });

  for (const [name, value] of [
    ['accountId', 'BFQ7uQEaa7j2z7'],
    ['accountId', 'acc_'],
    ['keyId', 'rzp_8K2fQxVb7Lw3Rn'],
    ['keyId', 'rzp_prod_8K2f'],
    ['keySecret', ''],
    ['webhookSecrets', []],
    ['pageMinutes', 19],
    ['pageMinutes', 10_081],
    ['captureMinutes', 11],
    ['captureMinutes', 7201],
    ['extra', 1],
  ] as const) {
    it(`refuses ${name} ${JSON.stringify(value)} by its name`, () => expect(issue({ [name]: value })).to.equal(name));
  }
});
