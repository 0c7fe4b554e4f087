import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createJobTimer, type JobTimer } from './job-timer.ts';

describe('createJobTimer', () => {
  /** Runs an action on one timer. Returns the time (ms) that it is then set for. Its clock stands still. */
  const waits = () => {
    let asked: number | undefined;
    const setTimer = (_run: () => void, ms: number): NodeJS.Timeout => {
      asked = ms;
      return setTimeout(() => {}, 0);
    };
    const timer = createJobTimer(() => {}, { now: () => 1_000_000, setTimer });
    return (act: (one: JobTimer) => void): number | undefined => {
      asked = undefined;
      act(timer);
      return asked;
    };
  };
  const due = (inMs: number): Date => new Date(1_000_000 + inMs);

  it('waits until the next thing is due, plus the millisecond by which a timer may be early, at most an hour', () => {
    const wait = waits();
    expect(wait((one) => one.finished({ done: 1, more: false, nextDueAt: due(250) }))).to.equal(251);
    expect(wait((one) => one.finished({ done: 0, more: false, nextDueAt: due(90_000_000) }))).to.equal(3_600_000);
    expect(wait((one) => one.finished({ done: 1, more: false }))).to.equal(undefined);
  });

  it('fires again immediately if there is more, or if not all that was due is done', () => {
    const wait = waits();
    expect(wait((one) => one.finished({ done: 100, more: true }))).to.equal(0);
    expect(wait((one) => one.finished({ done: 1, more: false, nextDueAt: due(-50) }))).to.equal(0);
  });

  it('waits longer each time if what is due cannot be done, and starts again once something is done', () => {
    const wait = waits();
    const stuck = (one: JobTimer): void => one.finished({ done: 0, more: false, nextDueAt: due(-50) });
    expect([1, 2, 3, 4, 5, 6, 7, 8].map(() => wait(stuck))).to.deep.equal([100, 200, 400, 800, 1600, 3200, 5000, 5000]);
    wait((one) => one.finished({ done: 1, more: false }));
    expect(wait(stuck)).to.equal(100);
  });

  it('waits longer after each failure', () => {
    const wait = waits();
    expect([1, 2, 3].map(() => wait((one) => one.failed()))).to.deep.equal([100, 200, 400]);
  });

  it('is never set again once it was stopped', () => {
    const wait = waits();
    wait((one) => one.stop());
    expect(wait((one) => one.failed())).to.equal(undefined);
  });
});
