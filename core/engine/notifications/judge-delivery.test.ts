import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Delivery } from './deliver.ts';
import { judgeDelivery } from './judge-delivery.ts';

const delivery = (more: Partial<Delivery>): Delivery => ({
  outcome: 'failed',
  status: 500,
  ms: 3,
  timedOut: false,
  error: null,
  ...more,
});
const judge = (more: Partial<Delivery>, tries = 0, random = 0) =>
  judgeDelivery(delivery(more), {
    tries,
    schedule: { attemptDelaysSeconds: [0, 5, 300], jitterFraction: 0.1 },
    now: new Date(),
    random,
  });

describe('judgeDelivery', () => {
  it('ends what was delivered and what is gone, and counts the attempt', () => {
    expect(judge({ outcome: 'delivered', status: 200 }, 1)).to.deep.equal({ state: 'delivered', tries: 2 });
    expect(judge({ outcome: 'gone', status: 410 })).to.deep.equal({ state: 'gone', tries: 1 });
  });

  it('does not count an attempt that was cut off', () => {
    expect(judge({ outcome: 'cut', status: null }, 1)).to.deep.equal({ state: 'waiting', tries: 1, delayMs: 0 });
  });

  it('follows the schedule with jitter, then gives up', () => {
    expect(judge({})).to.deep.equal({ state: 'waiting', tries: 1, delayMs: 5000 });
    expect(judge({}, 0, 0.5)).to.deep.equal({ state: 'waiting', tries: 1, delayMs: 5250 });
    expect(judge({}, 2)).to.deep.equal({ state: 'exhausted', tries: 3 });
  });

  it('waits for a minute at least after a timeout or a 429, and for as long as the receiver asks', () => {
    expect(judge({ timedOut: true, status: null })).to.include({ delayMs: 60_000 });
    expect(judge({ status: 429 })).to.include({ delayMs: 60_000 });
    expect(judge({ status: 503, retryAfter: '120' })).to.include({ delayMs: 120_000 });
    expect(judge({ status: 503, retryAfter: '1' }, 1)).to.include({ delayMs: 300_000 });
  });
});
