/**
 * Exposes the backlog in the database as gauges. It is read when metrics are scraped, at most once every few seconds.
 */
import type { Logger } from 'pino';
import type { Backlog } from '../../database/backlog.ts';
import { createSampledLog } from '../../base/log/sampled-log.ts';
import { SECOND } from '../../base/async/time.ts';
import { withTimeLimit } from '../../base/async/time-limit.ts';
import type { Metrics } from '../../base/metrics/index.ts';

export interface BacklogGauges {
  /** Updates the gauges. They are omitted if the database does not respond in time. Never rejects. */
  refresh(): Promise<void>;
}

/** Several scrapers cause as many reads as one. */
const minIntervalMs = 5 * SECOND;
/** If the database hangs, a scrape waits this long for it, then shows all other metrics. */
const limitMs = 2 * SECOND;

export function createBacklogGauges({
  read,
  metrics,
  log,
}: {
  readonly read: () => Promise<Backlog>;
  readonly metrics: Metrics;
  readonly log: Logger;
}): BacklogGauges {
  const failures = createSampledLog(log);
  let refreshing: Promise<void> | undefined;
  let readAt = -Infinity;

  function resetGauges(): void {
    for (const gauge of gaugesOf(metrics)) gauge.reset();
  }

  function set({ queues, paymentsCreated, attemptsOpen, deadLetters, alarmsOpen, hostsUp }: Backlog): void {
    resetGauges();
    for (const { queue, pending, due, oldestDueSeconds } of queues) {
      metrics.queuePending.set({ queue }, pending);
      metrics.queueDue.set({ queue }, due);
      metrics.queueOldestDueSeconds.set({ queue }, oldestDueSeconds);
    }
    for (const { provider, count } of attemptsOpen) metrics.attemptsOpen.set({ provider }, count);
    for (const { provider, outcome, count } of deadLetters) metrics.deadLetters.set({ provider, outcome }, count);
    for (const { kind, count } of alarmsOpen) metrics.alarmsOpen.set({ kind }, count);
    metrics.paymentsCreated.set(paymentsCreated);
    metrics.hostsUp.set(hostsUp);
  }

  async function readNow(): Promise<void> {
    try {
      set(await withTimeLimit(limitMs, read));
      readAt = performance.now();
      metrics.backlogRead.set(1);
    } catch (error) {
      failures.warn('backlog', { err: error }, 'the backlog could not be read for a scrape');
      resetGauges();
      metrics.backlogRead.set(0);
    }
  }

  return {
    async refresh() {
      if (performance.now() - readAt < minIntervalMs) return;
      refreshing ??= readNow().finally(() => (refreshing = undefined));
      await refreshing;
    },
  };
}

function gaugesOf(metrics: Metrics): readonly { reset(): void }[] {
  const { queuePending, queueDue, queueOldestDueSeconds, attemptsOpen, deadLetters, alarmsOpen } = metrics;
  return [queuePending, queueDue, queueOldestDueSeconds, attemptsOpen, deadLetters, alarmsOpen];
}
