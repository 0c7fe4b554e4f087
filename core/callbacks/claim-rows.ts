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
    const due = await model
      .find(leases.due(), { lease: 1 })
      .sort({ [dueMember]: 1 })
      .limit(limit)
      .lean();
    // A row whose lease expired is claimed alone, so that a poisonous one never takes its neighbours with it.
    const expired = due.find(({ lease }) => lease.token !== null);
    const ids = expired ? [expired._id] : due.map(({ _id }) => _id);
    if (!ids.length) return [];
    const where = { 'lease.token': expired?.lease.token ?? null };
    return (await leases.claim(ids, worker, { where })).map((row) => fromDocument(row) as InboxRow);
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

export function isPoisonous({ lease }: InboxRow): boolean {
  return lease.expiries >= MAX_EXPIRIES;
}
