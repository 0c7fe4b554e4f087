/**
 * Direct dispatch: notifications that a worker claims in the write that stores them, and sends without a poll. It
 * takes as many as there is capacity for. The others wait for the next poll.
 */
import { randomUUID } from 'node:crypto';
import { isDatabaseAway } from '../../database/database-away.ts';
import type { Lease } from '../../database/lease.ts';
import type { NotificationDocument } from '../../database/collections/notification.ts';
import type { ClaimedNotification, DeliveryQueue } from './delivery-queue.ts';
import type { DeliveryLimits, EndAttempt } from './delivery-limits.ts';

/** A claimed notification that has its permits already. */
export interface DispatchedNotification {
  readonly row: ClaimedNotification;
  /** By the clock of `performance`. */
  readonly claimedAt: number;
  readonly end: EndAttempt;
}

/** The claim on rows that are about to be stored. */
export interface Claim {
  /** The lease that a row is stored under, and when it ends; undefined: the row is not claimed. */
  leaseOf(id: string): Pick<NotificationDocument, 'lease' | 'dueAt'> | undefined;
  /** Call it once the rows are stored. Returns how many were claimed. */
  stored(): number;
  /** The rows are not stored, or the error leaves that unknown. */
  abandoned(error: unknown): void;
}

export interface DirectDispatch {
  /** Claims rows as far as there is capacity. `at`: the database server's time. */
  claim(rows: readonly NotificationDocument[], at: Date): Claim;
  /** Removes and returns what waits to be sent. */
  take(): DispatchedNotification[];
  /** Makes due again what still waits to be sent. */
  releaseAll(): Promise<void>;
}

export interface DirectDispatchDeps {
  readonly worker: string;
  readonly leaseMs: number;
  readonly limits: Pick<DeliveryLimits, 'begin'>;
  readonly queue: Pick<DeliveryQueue, 'settle' | 'releaseWhenBack'>;
}

export function createDirectDispatch({ worker, leaseMs, limits, queue }: DirectDispatchDeps): DirectDispatch {
  let waiting: DispatchedNotification[] = [];

  function take(): DispatchedNotification[] {
    const taken = waiting;
    waiting = [];
    return taken;
  }

  return {
    claim(rows, at) {
      const [token, claimedAt] = [randomUUID(), performance.now()];
      const lease: Lease = { token, worker, claimedAt: at, expiries: 0 };
      const dueAt = new Date(at.getTime() + leaseMs);
      const claimed = new Map<string, DispatchedNotification>();
      for (const { _id: id, lease: _lease, dueAt: _dueAt, ...row } of rows) {
        const end = limits.begin(row);
        if (end) claimed.set(id, { row: { ...row, id, token, expiries: 0 }, claimedAt, end });
      }
      return {
        leaseOf: (id) => (claimed.has(id) ? { lease, dueAt } : undefined),
        stored() {
          waiting.push(...claimed.values());
          return claimed.size;
        },
        abandoned(error) {
          for (const { end } of claimed.values()) end('unknown');
          if (claimed.size > 0 && isDatabaseAway(error)) queue.releaseWhenBack(token, worker);
        },
      };
    },
    take,
    async releaseAll() {
      const released = take().map(async ({ row, end }) => {
        end('unknown');
        await queue.settle(row, { state: 'waiting', tries: row.tries, delayMs: 0 });
      });
      await Promise.all(released);
    },
  };
}
