/** What becomes of a row once its events were applied: done, due again, or a dead letter. */
import { mongo } from 'mongoose';
import type { InboxEvent, InboxRow } from '../documents/inbox-row.ts';
import { endLease } from '../documents/lease.ts';
import { HOUR, SECOND } from '../time.ts';
import type { AppliedEvent } from './apply-events.ts';

/** By the index of the event; a missing one was not waiting. */
export type RowResults = ReadonlyMap<number, AppliedEvent & { readonly paymentRequestId?: number }>;

/** The note of an event that failed for a reason of our own. */
export const ourError = 'an error on our side';

/** So often an event may fail for a reason of our own; with the delays below, for about two hours. */
const MAX_FAULTS = 20;
const MAX_DELAY_MS = 600 * SECOND;

export interface SettledRow {
  readonly state: 'waiting' | 'done' | 'dead_letter';
  readonly update: mongo.AnyBulkWriteOperation;
}

export function settleRow(row: InboxRow, results: RowResults, unknownReferenceHours: number, now: Date): SettledRow {
  const events = row.events.map((one, index): InboxEvent => {
    const result = results.get(index);
    if (!result) return one;
    const { state, note, paymentRequestId = one.paymentRequestId } = result;
    // Found by the provider's reference, it belongs to the payment's timeline from now on.
    return state === 'retry' ? { ...one, note } : { ...one, paymentRequestId, state, note };
  });
  const waits = events.some(({ state }) => state === 'waiting');
  const isFault = events.some(({ note }) => note === ourError);
  const age = now.getTime() - row.receivedAt.getTime();
  const isDead = isFault ? row.faults >= MAX_FAULTS : age > unknownReferenceHours * HOUR;
  if (!waits) return toSettled(row, 'done', { events, doneAt: now });
  if (isDead) return toSettled(row, 'dead_letter', { events, doneAt: now });
  const delayMs = Math.min(MAX_DELAY_MS, SECOND * 2 ** Math.min(row.tries, 12));
  const dueAt = { $add: ['$$NOW', delayMs] };
  const { tries, faults } = row;
  return toSettled(row, 'waiting', { events, tries: tries + 1, faults: faults + (isFault ? 1 : 0) }, dueAt);
}

/** A row that ended its workers, its events untouched. */
export function endPoisonousRow(row: InboxRow): SettledRow {
  return toSettled(row, 'dead_letter', {});
}

function toSettled(row: InboxRow, state: SettledRow['state'], members: object, dueAt?: object): SettledRow {
  // Only the holder of the lease writes.
  const filter = { _id: row._id, 'lease.token': row.lease.token } as unknown as mongo.Filter<mongo.Document>;
  const literal = Object.fromEntries(Object.entries(members).map(([key, value]) => [key, { $literal: value }]));
  const set = { ...literal, ...endLease, state, dueAt: dueAt ?? '$$REMOVE' };
  return { state, update: { updateOne: { filter, update: [{ $set: set }] } } };
}
