import { expect } from 'chai';
import { describe, it } from 'mocha';
import { pino } from 'pino';
import type { Backlog } from '../../database/backlog.ts';
import { holdTimers } from '../../base/testing/hold-timers.ts';
import { createMetrics } from '../../base/metrics/index.ts';
import { valueOf } from '../../base/metrics/testing/read-page.ts';
import { createBacklogGauges } from './backlog-gauges.ts';

const backlog: Backlog = {
  queues: [{ queue: 'inbox', pending: 7, due: 3, oldestDueSeconds: 12.5 }],
  paymentsCreated: 4,
  attemptsOpen: [{ provider: 'one', count: 2 }],
  deadLetters: [{ provider: 'one', outcome: 'malformed', count: 5 }],
  alarmsOpen: [{ kind: 'charged_twice', count: 1 }],
  hostsUp: 2,
};

describe('createBacklogGauges', () => {
  function create(read: () => Promise<Backlog>) {
    const metrics = createMetrics();
    const gauges = createBacklogGauges({ read, metrics, log: pino({ level: 'silent' }) });
    const valueAt = async (name: string): Promise<number | undefined> => valueOf(metrics, `gateway_${name}`);
    return { gauges, valueAt };
  }
  const all = {
    queue_pending: 7,
    queue_due: 3,
    queue_oldest_due_seconds: 12.5,
    payments_created: 4,
    attempts_open: 2,
    dead_letters: 5,
    alarms_open: 1,
    hosts_up: 2,
    backlog_read: 1,
  };

  it('sets the gauges, and reads the database once for many scrapes', async () => {
    let reads = 0;
    const { gauges, valueAt } = create(async () => ((reads += 1), backlog));
    await Promise.all([gauges.refresh(), gauges.refresh()]);
    await gauges.refresh();
    for (const [name, value] of Object.entries(all)) expect(await valueAt(name), name).to.equal(value);
    expect(reads).to.equal(1);
  });

  it('omits the gauges while the database does not respond, and delays no scrape', async () => {
    const realNow = performance.now.bind(performance);
    let later = 0;
    performance.now = () => realNow() + later;
    const timers = holdTimers();
    try {
      let isAnswering = true;
      const { gauges, valueAt } = create(async () => (isAnswering ? backlog : new Promise(() => undefined)));
      await gauges.refresh();
      expect(await valueAt('queue_due')).to.equal(3);
      isAnswering = false;
      later = 6000;
      const refreshing = gauges.refresh();
      timers.endAll();
      await refreshing;
      expect(await valueAt('queue_due')).to.equal(undefined);
      expect(await valueAt('backlog_read')).to.equal(0);
      isAnswering = true;
      await gauges.refresh();
      expect(await valueAt('queue_due'), 'the next scrape reads the database again').to.equal(3);
    } finally {
      timers.restore();
      performance.now = realNow;
    }
  });
});
