import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { nextDelayMs } from './schedule.ts';

const attemptDelaysSeconds = [0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];
const schedule = { attemptDelaysSeconds, jitterFraction: 0.1 };
const hour = 3_600_000;

describe('nextDelayMs', () => {
  it('allows ten attempts over 75.6 h, then no more', () => {
    const delays = attemptDelaysSeconds.map((_, tries) => nextDelayMs(tries, schedule, 0));
    expect(delays).to.deep.equal(attemptDelaysSeconds.map((seconds) => seconds * 1000));
    expect(delays.reduce<number>((sum, delay) => sum + (delay ?? 0), 0)).to.be.closeTo(75.6 * hour, 0.05 * hour);
    expect(nextDelayMs(10, schedule, 0)).to.equal(undefined);
  });

  it('adds jitter of at most the configured fraction and 15 minutes, and never subtracts', () => {
    const random = fc.double({ min: 0, max: 0.999_999, noNaN: true });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 9 }), random, (tries, share) => {
        const plain = (attemptDelaysSeconds[tries] ?? 0) * 1000;
        expect(nextDelayMs(tries, schedule, share)).to.be.within(plain, plain + Math.min(plain * 0.1, hour / 4));
      }),
    );
  });

  it('lets the receiver delay an attempt by up to a day, never advance it', () => {
    expect(nextDelayMs(1, schedule, 0, 60_000)).to.equal(60_000);
    expect(nextDelayMs(1, schedule, 0, 1000)).to.equal(5000);
    expect(nextDelayMs(1, schedule, 0, 1e12)).to.equal(24 * hour);
    expect(nextDelayMs(1, schedule, 0, Number.POSITIVE_INFINITY)).to.equal(24 * hour);
    expect(nextDelayMs(10, schedule, 0, 60_000)).to.equal(undefined);
  });
});
