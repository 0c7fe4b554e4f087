import { expect } from 'chai';
import { describe, it } from 'mocha';
import { v, wholeBetween } from '../../index.ts';

describe('wholeBetween', () => {
  const issueOf = (value: unknown): string | undefined =>
    v.safeParse(wholeBetween(60, 3600, 'seconds'), value).issues?.[0].message;

  for (const value of [60, 61, 3600]) {
    it(`accepts ${value}`, () => expect(issueOf(value)).to.equal(undefined));
  }
  for (const [value, message] of [
    [59, /^60 to 3600 seconds$/],
    [3601, /^60 to 3600 seconds$/],
    [60.5, /^whole seconds$/],
    ['60', /number/],
    [null, /number/],
    [Number.NaN, /number/],
  ] as const) {
    it(`refuses ${value}`, () => expect(issueOf(value)).to.match(message));
  }
});
