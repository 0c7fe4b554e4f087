/** Which rows of the inbox a worker takes at once, and when a row has ended too many workers. */
import type { Connection } from 'mongoose';
import { fromDocument } from '../documents/decimals.ts';
import { inboxModel, type InboxRow } from '../documents/inbox-row.ts';
import { createLeases, type Leases } from '../documents/lease.ts';

/** A row whose lease expired this often ends its workers: it becomes a dead letter. */
const MAX_EXPIRIES = 5;
/** Anyone can send pings: so many at most beside what was proven. */
const PINGS_AT_ONCE = 20;

export interface InboxClaims extends Pick<Leases<InboxRow>, 'nextDueAt' | 'releaseWorker'> {
  claim(limit: number): Promise<InboxRow[]>;
}

export function createInboxClaims(connection: Connection, worker: string, leaseMs: number): InboxClaims {
  const model = inboxModel(connection);
  const callbacks = createLeases(model, 'dueAt', leaseMs);
  const pings = createLeases(model, 'pingDueAt', leaseMs);

  async function claimFrom(leases: Leases<InboxRow>, dueMember: string, limit: number): Promise<InboxRow[]> {
    for (;;) {
      const due = await model
        .find(leases.due(), { lease: 1 })
        .sort({ [dueMember]: 1 })
        .limit(limit)
        .lean();
      const batch = chooseBatch(due);
      if (!batch.length) return [];
      const ids = batch.map(({ _id }) => _id);
      const where = { 'lease.token': batch[0]!.lease.token };
      const rows = await leases.claim(ids, worker, { where });
      // Where somebody else was quicker with all of them, there may be others.
      if (rows.length) return rows.map((row) => fromDocument(row) as InboxRow);
    }
  }

  return {
    async claim(limit) {
      const rows = await claimFrom(callbacks, 'dueAt', limit);
      if (rows.length >= limit || rows.some(({ lease }) => lease.expiries > 0)) return rows;
      const more = await claimFrom(pings, 'pingDueAt', Math.min(limit - rows.length, PINGS_AT_ONCE));
      return [...rows, ...more];
    },
    async nextDueAt() {
      const times = (await Promise.all([callbacks.nextDueAt(), pings.nextDueAt()])).filter(
        (time) => time !== undefined,
      );
      return times.length ? new Date(Math.min(...times.map((time) => time.getTime()))) : undefined;
    },
    releaseWorker: async (name) => (await callbacks.releaseWorker(name)) + (await pings.releaseWorker(name)),
  };
}

/**
 * A poisonous row must not take its neighbours with it, and the end of a worker must not slow the rest: of a batch whose
 * lease expired once, half is taken, and what expired more often is taken alone.
 */
function chooseBatch(due: readonly Pick<InboxRow, '_id' | 'lease'>[]): readonly Pick<InboxRow, '_id' | 'lease'>[] {
  const expired = due.filter(({ lease }) => lease.token !== null);
  const again = expired.find(({ lease }) => lease.expiries > 0);
  if (again) return [again];
  const [first] = expired;
  if (!first) return due;
  const batch = expired.filter(({ lease }) => lease.token === first.lease.token);
  return batch.slice(0, Math.max(1, Math.floor(batch.length / 2)));
}

export function isPoisonous({ lease }: InboxRow): boolean {
  return lease.expiries >= MAX_EXPIRIES;
}
