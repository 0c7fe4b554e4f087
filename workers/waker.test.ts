import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Work } from '../core/gateway.ts';
import { createWaker } from './supervisor/work-notifier.ts';

describe('wake-ups', () => {
  it('pass on the first at once, and what follows within 2 ms together, each kind once', async () => {
    const sent: (readonly Work[])[] = [];
    const wake = createWaker((work) => sent.push(work), 20);
    wake('asks');
    expect(sent).to.deep.equal([['asks']]);
    for (let count = 0; count < 100; count += 1) wake('callbacks');
    wake('asks');
    expect(sent).to.have.length(1);
    await sleep(40);
    expect(sent).to.deep.equal([['asks'], ['callbacks', 'asks']]);
    await sleep(40);
    wake('notifications');
    expect(sent).to.have.length(3);
  });
});
