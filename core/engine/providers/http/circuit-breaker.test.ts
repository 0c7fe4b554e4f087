import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createCircuitBreaker, type AttemptResult } from './circuit-breaker.ts';

function createSubject() {
  let time = 1_000_000;
  let opened = 0;
  let answered = 0;
  const now = (): Date => new Date(time);
  const breaker = createCircuitBreaker({
    failures: 3,
    coolOffMs: 1000,
    now,
    onOpen: () => (opened += 1),
    onAnswer: () => (answered += 1),
  });
  /** Returns true if the attempt was allowed. */
  const attempt = (result: AttemptResult): boolean => {
    const report = breaker.enter();
    report?.(result);
    return report !== undefined;
  };
  const open = (): void => {
    for (let times = 0; times < 3; times += 1) attempt('unreachable');
  };
  return { breaker, attempt, open, pass: (ms: number) => (time += ms), opened: () => opened, answered: () => answered };
}

describe('createCircuitBreaker', () => {
  it('opens after the configured number of failures in a row, and not earlier', () => {
    const { breaker, attempt } = createSubject();
    attempt('unreachable');
    attempt('unreachable');
    expect([attempt('answered'), breaker.failures]).to.deep.equal([true, 0]);
    for (let times = 0; times < 3; times += 1) {
      expect([breaker.isOpen(), breaker.openForMs()]).to.deep.equal([false, 0]);
      expect(attempt('unreachable')).to.equal(true);
    }
    expect([breaker.isOpen(), breaker.openForMs(), attempt('answered')]).to.deep.equal([true, 1000, false]);
  });

  it('calls onOpen when it opens, and after each probe of an unreachable address', () => {
    const { attempt, open, pass, opened } = createSubject();
    attempt('unreachable');
    expect(opened()).to.equal(0);
    attempt('answered');
    open();
    expect(opened()).to.equal(1);
    attempt('unreachable');
    expect(opened(), 'a refused attempt').to.equal(1);
    pass(1000);
    attempt('unreachable');
    expect(opened()).to.equal(2);
    pass(1000);
    attempt('answered');
    expect(opened()).to.equal(2);
  });

  it('calls onAnswer after answers only, so that passing time alone never counts as reachable', () => {
    const { attempt, open, pass, answered } = createSubject();
    open();
    pass(60_000);
    attempt('unknown');
    expect(answered()).to.equal(0);
    attempt('answered');
    expect(answered()).to.equal(1);
  });

  it('counts no result that says nothing about the address', () => {
    const { breaker, attempt } = createSubject();
    attempt('unreachable');
    attempt('unreachable');
    for (let times = 0; times < 5; times += 1) attempt('unknown');
    expect([breaker.failures, breaker.isOpen()]).to.deep.equal([2, false]);
    attempt('unreachable');
    expect(breaker.isOpen()).to.equal(true);
  });

  it('allows one probe after the cool-off, and closes when the probe is answered', () => {
    const { breaker, attempt, open, pass } = createSubject();
    open();
    pass(999);
    expect(attempt('answered')).to.equal(false);
    pass(1);
    expect([breaker.isOpen(), breaker.openForMs()]).to.deep.equal([false, 0]);
    const report = breaker.enter();
    expect([breaker.isOpen(), attempt('answered')]).to.deep.equal([true, false]);
    report?.('answered');
    expect([attempt('unreachable'), attempt('answered')]).to.deep.equal([true, true]);
  });

  it('stays open for another cool-off after a failed probe, and allows another probe after an unknown result', () => {
    const { attempt, open, pass } = createSubject();
    open();
    pass(1000);
    expect(attempt('unreachable')).to.equal(true);
    pass(999);
    expect(attempt('answered')).to.equal(false);
    pass(1);
    expect([attempt('unknown'), attempt('answered')]).to.deep.equal([true, true]);
  });
});
