import { expect } from 'chai';
import { describe, it } from 'mocha';
import { providerFigures, providerMinutes } from './figures.ts';

const lastCallbacks = { one: new Date(7) };
const traffic = {
  minutes: [
    { at: new Date(0), counts: { 'ended|one|succeeded': 3, 'ended|one|failed': 1, 'ended|one-more|failed': 9 } },
    {
      at: new Date(60_000),
      counts: { 'calls|one|2xx': 100, 'callsWithin|one|100': 90, 'callsWithin|one|500': 100, 'deliveries|one': 5 },
    },
    { at: new Date(120_000), counts: { 'ended|one|succeeded': 4 } },
  ],
  lastCallbacks,
};

describe('providerFigures', () => {
  it('computes the figures of one provider over the last hour', () => {
    const { successRate, calls, p95Ms, lastCallbackAt } = providerFigures(traffic, 'one');
    expect([successRate, calls, p95Ms, lastCallbackAt]).to.deep.equal([7 / 8, 100, 300, lastCallbacks.one]);
    expect(providerFigures(traffic, 'one-more').successRate).to.equal(0);
    expect(providerFigures(traffic, 'unknown')).to.include({
      successRate: undefined,
      calls: 0,
      lastCallbackAt: undefined,
    });
  });
});

describe('the error rate', () => {
  const errorRateOf = (counts: Readonly<Record<string, number>>): number | undefined =>
    providerFigures({ minutes: [{ at: new Date(0), counts }], lastCallbacks }, 'one').errorRate;

  it('counts HTTP 500 although the adapter can read it, and refusals although they are no HTTP error', () => {
    expect(errorRateOf({ 'results|one|ok': 8, 'calls|one|2xx': 6, 'calls|one|5xx': 2 })).to.equal(0.25);
    expect(errorRateOf({ 'results|one|ok': 1, 'results|one|refused': 3, 'calls|one|4xx': 4 })).to.equal(0.75);
    expect(errorRateOf({ 'calls|one|2xx': 1, 'calls|one|no_answer': 1 })).to.equal(0.5);
    expect(errorRateOf({})).to.equal(undefined);
  });
});

describe('providerMinutes', () => {
  it('computes the figures of each minute, and leaves idle minutes unknown', () => {
    expect(providerMinutes(traffic, 'one').map(({ successRate, p95Ms }) => [successRate, p95Ms])).to.deep.equal([
      [0.75, undefined],
      [undefined, 300],
      [1, undefined],
    ]);
    expect(providerMinutes(traffic, 'unknown')).to.have.lengthOf(3);
  });
});
