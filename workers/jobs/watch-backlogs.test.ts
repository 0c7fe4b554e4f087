import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Gateway } from '../../core/gateway.ts';
import { MINUTE } from '../../core/time.ts';
import { watchBacklogs } from './watch-backlogs.ts';

describe('the job watch-backlogs', () => {
  it('raises an alarm for each queue whose oldest has waited for longer than config allows', async () => {
    const raised: unknown[] = [];
    const dueSince = (minutes: number | undefined) => ({
      nextDueAt: async () => (minutes === undefined ? undefined : new Date(Date.now() - minutes * MINUTE)),
    });
    const gateway = {
      callbacks: dueSince(12.5),
      notifications: dueSince(undefined),
      payments: { reconciler: dueSince(9) },
      alarms: { raise: (...alarm: unknown[]) => raised.push(alarm) },
      config: { alarms: { backlogMinutes: 10 } },
    } as unknown as Gateway;
    expect(await watchBacklogs.run(gateway, new AbortController().signal)).to.deep.equal({ done: 1, more: false });
    expect(raised).to.deep.equal([
      ['backlog_old', { type: 'queue', id: 'callbacks' }, 'the oldest has waited for 12 min'],
    ]);
  });
});
