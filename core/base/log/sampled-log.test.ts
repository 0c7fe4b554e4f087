import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { createSampledLog } from './sampled-log.ts';
import { holdTimers, type HeldTimers } from '../testing/hold-timers.ts';

describe('createSampledLog', () => {
  let lines: [object, string][];
  let timers: HeldTimers;
  beforeEach(() => {
    lines = [];
    timers = holdTimers();
  });
  afterEach(() => timers.restore());

  it('writes the first 20 lines of a kind in a span, then their number', () => {
    const add = (fields: object, message: string): unknown => lines.push([fields, message]);
    const log = createSampledLog({ info: add, warn: add } as never);
    for (let n = 1; n <= 1000; n += 1) log.warn('bad', { n }, 'refused');
    log.info('other', {}, 'seen');
    expect(lines).to.have.length(21);
    timers.endAll();
    expect(lines.slice(21)).to.deep.equal([
      [{ kind: 'bad', count: 1000, unlogged: 980 }, 'refused (not every one is logged)'],
    ]);
    log.warn('bad', { n: 1001 }, 'refused');
    expect(lines.at(-1)).to.deep.equal([{ n: 1001 }, 'refused']);
  });
});
