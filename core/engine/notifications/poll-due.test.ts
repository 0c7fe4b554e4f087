import { expect } from 'chai';
import { describe, it } from 'mocha';
import { pino } from 'pino';
import { createMetrics } from '../../base/metrics/index.ts';
import { createDeliveryLimits } from './delivery-limits.ts';
import { createDeliveryRun } from './delivery-run.ts';
import { createPoller } from './poll-due.ts';

describe('createPoller', () => {
  it('says whether it probed receivers that timed out: not right after a probe, while an attempt is in progress', async () => {
    const metrics = createMetrics();
    const log = pino({ level: 'silent' });
    const limits = createDeliveryLimits({
      perReceiverConcurrency: 1,
      breakerFailures: 10,
      breakerCoolOffMs: 1000,
      now: () => new Date(),
    });
    const poll = createPoller({ queue: { findDue: async () => [], claim: async () => [] }, limits, metrics });
    let endAttempt = (): void => undefined;
    const send = async () =>
      new Promise<'delivered'>((resolve) => {
        endAttempt = () => resolve('delivered');
      });
    const run = createDeliveryRun({ worker: 'w1', isPolling: true }, { send, metrics, log });
    run.mustPoll = false;
    const polled = async (at: number) => {
      run.polledAt = at;
      return poll(run, 10);
    };
    const started = performance.now();
    expect(await polled(started)).to.deep.equal({ started: 0, more: false, probed: true });
    run.start({ receiver: 'a', ownerId: 1 } as never, started, () => undefined);
    expect(await polled(started)).to.include({ probed: false });
    expect(await polled(started + 60_000)).to.include({ probed: true });
    endAttempt();
    await run.finish();
    expect(await polled(started)).to.include({ probed: true });
  });
});
