import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createCircuitBreaker, type AttemptResult } from './circuit-breaker.ts';

function subject() {
  let time = 1_000_000;
  let opened = 0;
  const now = (): Date => new Date(time);
  const breaker = createCircuitBreaker({ failures: 3, coolOffMs: 1000, now, onOpen: () => (opened += 1) });
  /** True where it was let through. */
  const attempt = (result: AttemptResult): boolean => {
    const report = breaker.enter();
    report?.(result);
    return report !== undefined;
  };
  const open = (): void => {
    for (let times = 0; times < 3; times += 1) attempt('unreachable');
  };
  return { breaker, attempt, open, pass: (ms: number) => (time += ms), opened: () => opened };
}

describe('a circuit breaker', () => {
  it('opens after so many failures in a row, and not before', () => {
    const { breaker, attempt } = subject();
    attempt('unreachable');
    attempt('unreachable');
    expect([attempt('answered'), breaker.failures]).to.deep.equal([true, 0]);
    for (let times = 0; times < 3; times += 1) {
      expect([breaker.isOpen(), breaker.openForMs()]).to.deep.equal([false, 0]);
      expect(attempt('unreachable')).to.equal(true);
    }
    expect([breaker.isOpen(), breaker.openForMs(), attempt('answered')]).to.deep.equal([true, 1000, false]);
  });

  it('says so when it opens, and after each probe that finds the address unreachable still', () => {
    const { attempt, open, pass, opened } = subject();
    attempt('unreachable');
    expect(opened()).to.equal(0);
    attempt('answered');
    open();
    expect(opened()).to.equal(1);
    attempt('unreachable');
    expect(opened(), 'what was not let through').to.equal(1);
    pass(1000);
    attempt('unreachable');
    expect(opened()).to.equal(2);
    pass(1000);
    attempt('answered');
    expect(opened()).to.equal(2);
  });

  it('counts nothing that says nothing about the address', () => {
    const { breaker, attempt } = subject();
    attempt('unreachable');
    attempt('unreachable');
    for (let times = 0; times < 5; times += 1) attempt('unknown');
    expect([breaker.failures, breaker.isOpen()]).to.deep.equal([2, false]);
    attempt('unreachable');
    expect(breaker.isOpen()).to.equal(true);
  });

  it('lets one attempt probe after the cool-off, and closes when it is answered', () => {
    const { breaker, attempt, open, pass } = subject();
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

  it('stays open for another cool-off when the probe fails, and lets another probe where it said nothing', () => {
    const { attempt, open, pass } = subject();
    open();
    pass(1000);
    expect(attempt('unreachable')).to.equal(true);
    pass(999);
    expect(attempt('answered')).to.equal(false);
    pass(1);
    expect([attempt('unknown'), attempt('answered')]).to.deep.equal([true, true]);
  });
});
