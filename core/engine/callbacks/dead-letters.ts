/**
 * Callbacks that need review: dead letters, and genuine callbacks that their adapter could not read. An operator reads
 * the reason, fixes the cause, and then has them applied again or discards them.
 */
import type { Connection } from 'mongoose';
import { alarmId, type Alarms } from '../alarms/index.ts';
import type { Actor, Audit, AuditedAction } from '../audit/index.ts';
import { inboxModel, type InboxEvent, type InboxRow } from '../../database/collections/inbox-row.ts';
import type { Encrypter } from '../../base/crypto/encryption.ts';
import { GatewayError } from '../../base/errors.ts';
import { createCallbackReads, loadCallback, openRaw, reasonOf, type CallbackReads } from './callback-reads.ts';
import { paymentRequestIdOf } from './inbox.ts';
import type { Rereading } from './reread.ts';
import { waitingAgain } from './waiting-again.ts';

export {
  deadLetterStates,
  listedStates,
  pagedStates,
  type DeadLetter,
  type DeadLetterDetails,
  type DeadLetterPageQuery,
  type DeadLetterQuery,
  type DeadLetterState,
  type WaitingCallback,
} from './callback-reads.ts';

export interface DeadLetters extends CallbackReads {
  /**
   * Makes the callback due immediately, however often it failed. NF001 as above. PAY004 if it needs no review (for
   * example, it has not been tried yet), or if the adapter still cannot read it.
   */
  requeue(by: Actor, id: string, reason?: string): Promise<void>;
  /** The callback is never applied, even if the provider sends it again. NF001 and PAY004 as above. */
  discard(by: Actor, id: string, reason: string): Promise<void>;
}

export interface DeadLettersDeps {
  readonly connection: Connection;
  readonly encrypter: Encrypter;
  readonly audit: Pick<Audit, 'run'>;
  /** Reads callbacks that an adapter could not read. Absent: no adapter is loaded, and such rows cannot be requeued. */
  readonly rereading?: Pick<Rereading, 'read'>;
  /** The alarm about a callback is resolved once an operator has handled it. */
  readonly alarms: Pick<Alarms, 'resolve'>;
  readonly now: () => Date;
}

export function createDeadLetters({
  connection,
  encrypter,
  audit,
  rereading,
  alarms,
  now,
}: DeadLettersDeps): DeadLetters {
  const model = inboxModel(connection);

  const load = async (id: string): Promise<InboxRow> => loadCallback(connection, id);

  async function loadDeadLetter(id: string): Promise<InboxRow> {
    const row = await load(id);
    if (!needsReview(row)) throw needsNoReview(row);
    return row;
  }

  /** Rejects if another operator or a worker was faster. */
  async function change(row: InboxRow, update: Parameters<typeof model.updateOne>[1]): Promise<void> {
    const { _id, state } = row;
    const which = { _id, state, ...(state === 'waiting' && { 'lease.token': null }) };
    const { matchedCount } = await model.updateOne(which, update, {
      ...(Array.isArray(update) && { updatePipeline: true }),
    });
    if (matchedCount === 0) throw needsNoReview(await load(row._id));
  }

  /** Reads the events of a row that the adapter could not read before. */
  async function readAgain(row: InboxRow): Promise<readonly InboxEvent[]> {
    const raw = openRaw(row, encrypter);
    if (!raw) throw refusal(`callback ${row._id} cannot be decrypted: an encryption key is missing`);
    const reread = await rereading?.read(raw, row.path);
    if (!reread || 'refused' in reread)
      throw refusal(`${row.adapter} still cannot read callback ${row._id}: ${reread?.refused ?? 'it is not loaded'}`);
    return reread.events.map((event) => {
      return { event, paymentRequestId: paymentRequestIdOf(event), state: 'waiting', note: '' };
    });
  }

  return {
    ...createCallbackReads(connection, encrypter),

    async requeue(by, id, reason) {
      const row = await load(id);
      if (!needsReview(row) && !isTriedAgain(row)) throw needsNoReview(row);
      const events = row.state === 'malformed' ? await readAgain(row) : undefined;
      await audit.run(by, deedOf('callback.requeue', row, reason), async () => {
        const due = row.pings === undefined ? {} : { dueAt: '$$REMOVE', pingDueAt: '$$NOW' };
        await change(row, [{ $set: { ...waitingAgain, ...due, ...(events && { events: { $literal: events } }) } }]);
        await alarms.resolve(alarmOf(row));
        return { value: undefined, before: { state: row.state }, after: { state: 'waiting' } };
      });
    },

    async discard(by, id, reason) {
      const row = await loadDeadLetter(id);
      await audit.run(by, deedOf('callback.discard', row, reason), async () => {
        const waiting = [...row.events.entries()].filter(([, { state }]) => state === 'waiting');
        const ends = waiting.flatMap(([at]) => [
          [`events.${at}.state`, 'refused'],
          [`events.${at}.note`, `discarded: ${reason}`],
        ]);
        await change(row, { $set: { state: 'done', doneAt: now(), discardedAt: now(), ...Object.fromEntries(ends) } });
        await alarms.resolve(alarmOf(row));
        return { value: undefined, before: { state: row.state, reason: reasonOf(row) }, after: { state: 'done' } };
      });
    },
  };
}

function alarmOf({ _id: id }: InboxRow): string {
  return alarmId('callback_dead_letter', { type: 'callback', id });
}

function needsReview({ state }: InboxRow): boolean {
  return state === 'dead_letter' || state === 'malformed';
}

/** The callback was tried without success and waits for its next try. */
export function isTriedAgain({ state, tries }: Pick<InboxRow, 'state' | 'tries'>): boolean {
  return state === 'waiting' && tries > 0;
}

function refusal(message: string): GatewayError {
  return new GatewayError('PAYMENT_NOT_PAYABLE', message);
}

function needsNoReview({ _id, state }: InboxRow): GatewayError {
  return refusal(`callback ${_id} is ${state === 'waiting' ? 'waiting to be applied' : 'done'}: it needs no review`);
}

function deedOf(act: AuditedAction['act'], { _id, adapter }: InboxRow, reason: string | undefined): AuditedAction {
  return { act, subject: { type: 'callback', id: _id }, reason, plan: { adapter } };
}
