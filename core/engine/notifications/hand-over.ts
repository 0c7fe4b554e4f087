/**
 * Notifications that a worker claims in the write that stores them, and sends without looking for them: as many as there is
 * room for. The others wait until somebody looks for what is due.
 */
import { randomUUID } from 'node:crypto';
import { isDatabaseAway } from '../../database/database-away.ts';
import type { Lease } from '../../database/lease.ts';
import type { NotificationDocument } from '../../database/collections/notification.ts';
import type { ClaimedNotification, DeliveryQueue } from './delivery-queue.ts';
import type { DeliveryLimits, EndAttempt } from './delivery-limits.ts';

/** An attempt that has its place already. */
export interface HandedOver {
  readonly row: ClaimedNotification;
  /** By the clock of `performance`. */
  readonly claimedAt: number;
  readonly end: EndAttempt;
}

/** Of rows that are about to be stored. */
export interface Claim {
  /** The lease that a row is stored under, and when it ends; undefined: nobody has claimed it. */
  leaseOf(id: string): Pick<NotificationDocument, 'lease' | 'dueAt'> | undefined;
  /** To be called once they are stored; gives how many were claimed. */
  stored(): number;
  /** They are not stored, or, by the error, nobody knows. */
  abandoned(error: unknown): void;
}

export interface HandOver {
  /** `at`: the database server's time. */
  claim(rows: readonly NotificationDocument[], at: Date): Claim;
  /** What waits to be sent. */
  take(): HandedOver[];
  /** Makes due what waits still. */
  giveBack(): Promise<void>;
}

export interface HandOverDeps {
  readonly worker: string;
  readonly leaseMs: number;
  readonly limits: Pick<DeliveryLimits, 'begin'>;
  readonly queue: Pick<DeliveryQueue, 'settle' | 'releaseWhenBack'>;
}

export function createHandOver({ worker, leaseMs, limits, queue }: HandOverDeps): HandOver {
  let waiting: HandedOver[] = [];

  function take(): HandedOver[] {
    const taken = waiting;
    waiting = [];
    return taken;
  }

  return {
    claim(rows, at) {
      const [token, claimedAt] = [randomUUID(), performance.now()];
      const lease: Lease = { token, worker, claimedAt: at, expiries: 0 };
      const dueAt = new Date(at.getTime() + leaseMs);
      const claimed = new Map<string, HandedOver>();
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
    async giveBack() {
      const given = take().map(async ({ row, end }) => {
        end('unknown');
        await queue.settle(row, { state: 'waiting', tries: row.tries, delayMs: 0 });
      });
      await Promise.all(given);
    },
  };
}
