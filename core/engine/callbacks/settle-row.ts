/** Decides what becomes of a row after its events were applied: done, due again, or a dead letter. */
import { mongo } from 'mongoose';
import type { InboxEvent, InboxRow } from '../../database/collections/inbox-row.ts';
import { endLease } from '../../database/lease.ts';
import { HOUR, SECOND } from '../../base/async/time.ts';
import { ourError, type AppliedEvent } from '../payments/index.ts';
import { ambiguous } from './resolve-events.ts';

/** Results by the index of their event. An event without a result was not waiting. */
export type RowResults = ReadonlyMap<number, AppliedEvent & { readonly paymentRequestId?: number }>;

/** How often an event may fail for a reason of our own. With the delays below, that takes about two hours. */
const MAX_FAULTS = 20;
const MAX_DELAY_MS = 600 * SECOND;
/** The longest delay for a ping: an id that no attempt has is most likely made up. */
const MAX_PING_DELAY_MS = HOUR;
/** The shortest time between two polls that pings of one id request. */
export const PING_GAP_MS = 5 * SECOND;

/**
 * The result of an event that names only the provider's reference, if no payment has that reference: another system at
 * the same account made the payment.
 */
const foreign = { state: 'nothing', note: 'no payment of ours has its reference' } as const;

export interface SettledRow {
  readonly state: 'waiting' | 'done' | 'dead_letter';
  readonly update: mongo.AnyBulkWriteOperation;
}

export function settleRow(row: InboxRow, results: RowResults, unknownReferenceHours: number, now: Date): SettledRow {
  const events = row.events.map((one, index): InboxEvent => {
    const result = results.get(index);
    if (!result) return one;
    const { state, note, change, paymentRequestId = one.paymentRequestId } = result;
    // An event that was found by the provider's reference belongs to the payment's timeline from now on.
    return state === 'retry' ? { ...one, note } : { ...one, paymentRequestId, state, note, ...(change && { change }) };
  });
  const waiting = events.filter(({ state }) => state === 'waiting');
  const waits = waiting.length > 0;
  const isFault = events.some(({ note }) => note === ourError);
  const age = now.getTime() - row.receivedAt.getTime();
  const isDead = isFault ? row.faults >= MAX_FAULTS : age > unknownReferenceHours * HOUR;
  if (row.pings !== undefined && !isFault) return settlePing(row, waits ? undefined : events, isDead);
  if (!waits) return toSettled(row, 'done', { events, doneAt: now });
  const isForeign = waiting.every(({ paymentRequestId, note }) => paymentRequestId === null && note !== ambiguous);
  if (isDead && !isFault && isForeign) {
    const dropped = events.map((one) => (one.state === 'waiting' ? { ...one, ...foreign } : one));
    return toSettled(row, 'done', { events: dropped, doneAt: now });
  }
  if (isDead) return toSettled(row, 'dead_letter', { events, doneAt: now });
  const delayMs = Math.min(MAX_DELAY_MS, SECOND * 2 ** Math.min(row.tries, 12));
  const dueAt = { $add: ['$$NOW', delayMs] };
  const { tries, faults } = row;
  return toSettled(row, 'waiting', { events, tries: tries + 1, faults: faults + (isFault ? 1 : 0) }, dueAt);
}

/**
 * `events` is undefined if no attempt has the ping's id yet. `isExpired`: no attempt will get it any more, and the row
 * is deleted.
 */
function settlePing(row: InboxRow, events: readonly InboxEvent[] | undefined, isExpired: boolean): SettledRow {
  // A ping that arrived since is not answered by this poll: another poll follows.
  const { pings = 0, tries } = row;
  if (events) {
    const cameAgain = { $gt: ['$pings', pings] };
    const set = {
      state: { $cond: [cameAgain, 'waiting', 'done'] },
      events: { $cond: [cameAgain, '$events', { $literal: events }] },
      pingDueAt: { $cond: [cameAgain, { $add: ['$$NOW', PING_GAP_MS] }, '$$REMOVE'] },
      doneAt: '$$NOW',
    };
    return {
      state: 'done',
      update: { updateOne: { filter: heldBy(row), update: [{ $set: { ...endLease, ...set } }] } },
    };
  }
  if (isExpired) return { state: 'done', update: { deleteOne: { filter: { ...heldBy(row), pings } } } };
  const delayMs = Math.min(MAX_PING_DELAY_MS, SECOND * 2 ** Math.min(tries, 12));
  return toSettled(row, 'waiting', { tries: tries + 1 }, { $add: ['$$NOW', delayMs] });
}

/** A row that crashed its workers becomes a dead letter. Its events stay unchanged. */
export function endPoisonousRow(row: InboxRow): SettledRow {
  return toSettled(row, 'dead_letter', {});
}

function toSettled(
  row: InboxRow,
  state: SettledRow['state'],
  { events = row.events, ...members }: Partial<InboxRow>,
  dueAt?: object,
): SettledRow {
  const filter = heldBy(row);
  const dueMember = row.pings === undefined ? 'dueAt' : 'pingDueAt';
  if (!dueAt) {
    const set = { ...members, ...resultsOf(row, events), ...endLease, state };
    return { state, update: { updateOne: { filter, update: { $set: set, $unset: { [dueMember]: '' } } } } };
  }
  const literal = Object.fromEntries(
    Object.entries({ ...members, events }).map(([key, value]) => [key, { $literal: value }]),
  );
  const set = { ...literal, ...endLease, state, [dueMember]: dueAt };
  return { state, update: { updateOne: { filter, update: [{ $set: set }] } } };
}

/** The results of the events. What the provider reported stays unchanged. */
function resultsOf(row: InboxRow, events: readonly InboxEvent[]): Record<string, unknown> {
  return Object.fromEntries(
    events.flatMap((one, index) => {
      if (one === row.events[index]) return [];
      const { paymentRequestId, state, note, change } = one;
      const result = { paymentRequestId, state, note, ...(change && { change }) };
      return Object.entries(result).map(([name, value]) => [`events.${index}.${name}`, value]);
    }),
  );
}

/** Only the holder of the lease writes. */
function heldBy({ _id, lease }: InboxRow): mongo.Filter<mongo.Document> {
  return { _id, 'lease.token': lease.token } as unknown as mongo.Filter<mongo.Document>;
}
