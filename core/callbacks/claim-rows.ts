/** Which rows of the inbox a worker takes at once, and when a row has ended too many workers. */
import type { Connection } from 'mongoose';
import { fromDocument } from '../documents/decimals.ts';
import { inboxModel, type InboxRow } from '../documents/inbox-row.ts';
import { createLeases, type Leases } from '../documents/lease.ts';

/** A row whose lease expired this often ends its workers: it becomes a dead letter. */
const MAX_EXPIRIES = 5;

export interface InboxClaims extends Pick<Leases<InboxRow>, 'nextDueAt' | 'releaseWorker'> {
  claim(limit: number): Promise<InboxRow[]>;
}

export function createInboxClaims(connection: Connection, worker: string, leaseMs: number): InboxClaims {
  const model = inboxModel(connection);
  const leases = createLeases(model, 'dueAt', leaseMs);
  return {
    async claim(limit) {
      const due = await model.find(leases.due(), { lease: 1 }).sort({ dueAt: 1 }).limit(limit).lean();
      // A row whose lease expired is claimed alone, so that a poisonous one never takes its neighbours with it.
      const expired = due.find(({ lease }) => lease.token !== null);
      const ids = expired ? [expired._id] : due.map(({ _id }) => _id);
      if (!ids.length) return [];
      const where = { 'lease.token': expired?.lease.token ?? null };
      return (await leases.claim(ids, worker, { where })).map((row) => fromDocument(row) as InboxRow);
    },
    nextDueAt: async () => leases.nextDueAt(),
    releaseWorker: async (name) => leases.releaseWorker(name),
  };
}

export function isPoisonous({ lease }: InboxRow): boolean {
  return lease.expiries >= MAX_EXPIRIES;
}
