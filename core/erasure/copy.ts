/** Builds a copy of all known data about a payer, as plain data, before it is erased. */
import type { AlarmEvent } from '../database/collections/alarm.ts';
import type { Attempt } from '../database/collections/attempt.ts';
import type { IdempotencyRecordDocument } from '../database/collections/idempotency-record.ts';
import type { InboxRow } from '../database/collections/inbox-row.ts';
import { answerContext, attemptContext, postedContext } from '../database/encryption-context.ts';
import type { Cipher, EncryptionContext } from '../base/crypto/encryption.ts';
import { maskText } from '../base/log/log-masks.ts';
import { showRaw } from '../engine/callbacks/show-raw.ts';
import { isOfPayer, isOnlyAboutPayer, type Subject } from './ownership.ts';
import type { CallbackErasure } from './callbacks.ts';
import type { Found } from './find.ts';

export interface CopyDeps {
  readonly cipher: Pick<Cipher, 'decrypt'>;
  readonly openRaw: (row: InboxRow) => ReturnType<CallbackErasure['openRaw']>;
}

/** Omits data that only the service needs, and data about other payers. Data that cannot be decrypted is null. */
export function copyOf(found: Found, subject: Subject, { cipher, openRaw }: CopyDeps): unknown {
  const open = (value: Uint8Array, context: EncryptionContext): string | null => {
    try {
      return cipher.decrypt(value, context).toString();
    } catch {
      return null;
    }
  };
  const openJson = (value: Uint8Array, context: EncryptionContext): unknown =>
    readJson(maskText(open(value, context) ?? 'null'));

  function attemptOf({ action: _action, adapterState, steps, ...attempt }: Attempt): unknown {
    const state = adapterState && open(adapterState, attemptContext(attempt, 'adapterState'));
    return {
      ...attempt,
      // Only included if it identifies the payer. Otherwise it contains ids of the provider, which stay.
      ...(state && subject.texts.isIn(state) && { adapterState: readJson(maskText(state)) }),
      steps: steps.map(({ posted, ...step }) => {
        return { ...step, posted: posted && openJson(posted, postedContext(attempt, step.nonce)) };
      }),
    };
  }

  function callbackOf(row: InboxRow): unknown {
    const { _id: id, adapter, receivedAt, events } = row;
    const raw = isOnlyAboutPayer(row, subject) ? openRaw(row) : undefined;
    const own = events.filter((one) => isOfPayer(row, one, subject));
    return { id, adapter, receivedAt, events: own, message: raw ? showRaw(raw) : null };
  }

  function answerOf(record: IdempotencyRecordDocument): unknown {
    const { createdAt, paymentRequestId = null, reservedIds = [], response } = record;
    const isAlone = reservedIds.every((id) => subject.paymentIds.has(id));
    const answer = response && isAlone ? openJson(response, answerContext(record._id)) : null;
    return { createdAt, paymentRequestId, reservedIds, answer };
  }

  /** What an operator wrote about an alarm may name other payers. */
  const isAboutPayer = ({ reason }: AlarmEvent): boolean => reason !== undefined && subject.texts.isIn(reason);

  return {
    clients: found.clients.map(({ counting: _counting, countedBy: _countedBy, counts: _counts, ...client }) => client),
    payments: found.payments.map(({ lease: _lease, outbox: _outbox, linkKey: _linkKey, attempts, ...payment }) => ({
      ...payment,
      attempts: attempts.map(attemptOf),
    })),
    notifications: found.notifications.map(({ _id, type, url, createdAt, state, body, attempts }) => {
      return { id: _id, type, url, createdAt, state, body, attempts };
    }),
    callbacks: found.callbacks.map(callbackOf),
    answers: found.answers.map(answerOf),
    streamedEvents: found.streamed.map(({ _id, type, createdAt, body }) => ({ id: _id, type, createdAt, body })),
    exchanges: found.exchanges.map(({ _id, ...exchange }) => exchange),
    alarms: found.alarms.map(({ _id, kind, reason, lastSeenAt, history = [] }) => {
      return { id: _id, kind, reason, lastSeenAt, history: history.filter(isAboutPayer) };
    }),
  };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text; // Not JSON: the original text.
  }
}
