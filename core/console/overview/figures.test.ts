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
