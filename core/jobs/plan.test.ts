import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createPlan, type Plan } from './job-timer.ts';

describe("a worker's plan for a job", () => {
  /** Acts on one plan, and answers how long it waits then (ms); its clock stands still. */
  const waits = () => {
    let asked: number | undefined;
    const setTimer = (_wake: () => void, ms: number): NodeJS.Timeout => {
      asked = ms;
      return setTimeout(() => {}, 0);
    };
    const plan = createPlan(() => {}, { now: () => 1_000_000, setTimer });
    return (act: (told: Plan) => void): number | undefined => {
      asked = undefined;
      act(plan);
      return asked;
    };
  };
  const due = (inMs: number): Date => new Date(1_000_000 + inMs);

  it('waits until the next thing is due, an hour at most', () => {
    const plan = waits();
    expect(plan((told) => told.finished({ done: 1, more: false, nextDueAt: due(250) }))).to.equal(250);
    expect(plan((told) => told.finished({ done: 0, more: false, nextDueAt: due(90_000_000) }))).to.equal(3_600_000);
    expect(plan((told) => told.finished({ done: 1, more: false }))).to.equal(undefined);
  });

  it('comes again at once when there is more, and when what it did was not all that was due', () => {
    const plan = waits();
    expect(plan((told) => told.finished({ done: 100, more: true }))).to.equal(0);
    expect(plan((told) => told.finished({ done: 1, more: false, nextDueAt: due(-50) }))).to.equal(0);
  });

  it('waits longer each time when what is due cannot be done, and starts anew once something was', () => {
    const plan = waits();
    const stuck = (told: Plan): void => told.finished({ done: 0, more: false, nextDueAt: due(-50) });
    expect([1, 2, 3, 4, 5, 6, 7, 8].map(() => plan(stuck))).to.deep.equal([100, 200, 400, 800, 1600, 3200, 5000, 5000]);
    plan((told) => told.finished({ done: 1, more: false }));
    expect(plan(stuck)).to.equal(100);
  });

  it('waits longer after each failure', () => {
    const plan = waits();
    expect([1, 2, 3].map(() => plan((told) => told.failed()))).to.deep.equal([100, 200, 400]);
  });

  it('plans nothing once it has ended', () => {
    const plan = waits();
    plan((told) => told.end());
    expect(plan((told) => told.failed())).to.equal(undefined);
  });
});
