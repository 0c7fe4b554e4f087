import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Work } from '../../../core/engine/jobs/index.ts';
import { until } from '../../../core/base/testing/until.ts';
import { createWorkNotifier } from './work-notifier.ts';

describe('createWorkNotifier', () => {
  it('sends the first notification immediately and the following ones together, each kind once', async () => {
    const sent: (readonly Work[])[] = [];
    const notifyWorkers = createWorkNotifier((work) => sent.push(work), 20);
    notifyWorkers('reconcile');
    expect(sent).to.deep.equal([['reconcile']]);
    for (let count = 0; count < 100; count += 1) notifyWorkers('callbacks');
    notifyWorkers('reconcile');
    expect(sent).to.have.length(1);
    await sleep(40);
    expect(sent).to.deep.equal([['reconcile'], ['callbacks', 'reconcile']]);
    await sleep(40);
    notifyWorkers('notifications');
    expect(sent).to.have.length(3);
  });

  it('sends less and less often under constant load', async () => {
    const sentAt: number[] = [];
    const notifyWorkers = createWorkNotifier(
      () => {
        sentAt.push(performance.now());
        if (sentAt.length < 7) notifyWorkers('callbacks');
      },
      2,
      30,
    );
    notifyWorkers('callbacks');
    await until('nothing is left', () => sentAt.length === 7);
    // The intervals before were 2, 4, 8 and 16 ms. A timer may be early by 1 ms.
    expect(sentAt[6]! - sentAt[5]!).to.be.at.least(29);
  });
});
