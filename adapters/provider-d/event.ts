/** A message as an event, whether it came by callback or as a status answer. */
import type { EventKind, ReportedEvent } from '@gateway/contract';
import { moneyOf, type Message } from './message.ts';
import { callbackWords, refusalOf, wordOf } from './words.ts';

/** Operation 3 tells of a refund, 7 of a chargeback, any other of the payment. */
export function kindOf({ D_Op }: Message): EventKind {
  return D_Op === '3' ? 'refund' : D_Op === '7' ? 'chargeback' : 'payment';
}

export function toEvent(message: Message): ReportedEvent {
  const { D_Order, D_Id } = message;
  const [kind, word] = [kindOf(message), wordOf(message)];
  return {
    kind,
    word,
    reference: D_Order,
    ...(kind === 'payment' ? { providerReference: D_Id } : { providerReference: null, subReference: D_Id }),
    ...moneyOf(message),
    dedupeKey: `${D_Id}:${word}`,
    ...(callbackWords.payment[word] === 'failed' ? declineOfEvent(message) : {}),
  };
}

/** As an outcome's, without what only an outcome has: an event's word is counted by its status. */
function declineOfEvent(message: Message): Partial<ReportedEvent> {
  const { unknownWord: _word, acsResponse: _text, ...refusal } = refusalOf(message);
  return refusal;
}
