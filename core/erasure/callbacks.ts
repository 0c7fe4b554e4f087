/**
 * Finds callbacks about a payer and erases them in the inbox. Callbacks that name no payment are found by the content
 * of their messages.
 */
import type { RawCallback } from '@paywright/contract';
import type { Connection } from 'mongoose';
import { fromBytes, toBytes } from '../engine/callbacks/raw-bytes.ts';
import { fromDocument } from '../database/decimals.ts';
import { inboxModel, type InboxEvent, type InboxRow } from '../database/collections/inbox-row.ts';
import { callbackContext } from '../database/encryption-context.ts';
import type { Encrypter } from '../base/crypto/encryption.ts';
import { isOfPayer, type Subject } from './ownership.ts';
import type { TextEraser } from './texts.ts';

export interface CallbackErasure {
  /** Rows that name no payment: callbacks that no adapter could read, and callbacks of unknown payments. */
  lettersAbout(texts: TextEraser): Promise<readonly InboxRow[]>;
  /** Undefined if none of the keys decrypts it. */
  openRaw(row: InboxRow): RawCallback | undefined;
  /**
   * Erases a row. The row itself stays, for the timeline of the payment and to detect repetitions. Its message is
   * erased, and the payer's data in its events. False: the row changed in the meantime, or a worker holds it.
   */
  erase(row: InboxRow, subject: Subject): Promise<boolean>;
}

export function createCallbackErasure(
  connection: Connection,
  encrypter: Pick<Encrypter, 'encrypt' | 'decrypt'>,
  progress: (line: string) => void,
): CallbackErasure {
  const inbox = inboxModel(connection);

  function openRaw({ _id, encrypted }: InboxRow): RawCallback | undefined {
    try {
      return fromBytes(encrypter.decrypt(encrypted, callbackContext(_id)));
    } catch {
      return undefined;
    }
  }

  function textOf(row: InboxRow): string {
    const raw = openRaw(row);
    if (!raw) return '';
    const { body, query, path, headers } = raw;
    return [Buffer.from(body).toString(), query, path, ...headers.flat()].join('\n');
  }

  return {
    openRaw,

    async lettersAbout(texts) {
      const unnamed = { events: { $not: { $elemMatch: { paymentRequestId: { $type: 'number' } } } } };
      const found: InboxRow[] = [];
      let read = 0;
      for await (const one of inbox.collection.find(unnamed)) {
        read += 1;
        if (read % 1000 === 0) progress(`${read} callbacks that name no payment are read`);
        const row = fromDocument(one) as InboxRow;
        if (texts.isIn(textOf(row)) || texts.isIn(JSON.stringify(row.events))) found.push(row);
      }
      return found;
    },

    async erase(row, subject) {
      const context = callbackContext(row._id);
      const empty = toBytes({
        // A message that no key decrypts may contain anything, so nothing of it is kept.
        ...(openRaw(row) ?? { method: 'POST', receivedAt: row.receivedAt }),
        path: `/callbacks/${row.path}`,
        query: '',
        headers: [],
        body: new Uint8Array(),
        // For a step of 3D Secure, the message is the payer's own.
        remoteAddress: '',
      });
      const changes = row.events.flatMap((one, at) => {
        const { event, note } = eraseEvent(one, isOfPayer(row, one, subject), subject.texts);
        return [
          ...(event === one.event ? [] : [[`events.${at}.event`, event] as const]),
          ...(note === one.note ? [] : [[`events.${at}.note`, note] as const]),
        ];
      });
      // A worker that holds the row writes its events as it has read them.
      const { matchedCount } = await inbox.updateOne(
        { _id: row._id, state: row.state, 'lease.token': null },
        {
          $set: {
            encrypted: encrypter.encrypt(empty, context),
            erasedAt: row.erasedAt ?? new Date(),
            ...Object.fromEntries(changes),
          },
        },
      );
      return matchedCount === 1;
    },
  };
}

/**
 * For an event of the payer, keeps only the members that the event was applied by. For an event of another payer,
 * erases only the identifiers of this payer.
 */
function eraseEvent(one: InboxEvent, isPayers: boolean, texts: TextEraser): Pick<InboxEvent, 'event' | 'note'> {
  const kept = new Set(['reference', 'providerReference', 'providerReferences', 'subReference', 'dedupeKey']);
  const note = texts.erase(one.note);
  if (!isPayers) return { event: texts.eraseIn(one.event, kept), note };
  const { action: _action, facts: _facts, details: _details, declineText: _declineText, ...event } = one.event;
  return { event: texts.eraseIn(event, kept), note };
}
