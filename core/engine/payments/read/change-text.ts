/** What an event of a callback changed, as a text for an operator. */
import type { InboxEvent } from '../../../database/collections/inbox-row.ts';
import { statusLabels } from '../record/status-label.ts';

/** The members of an event that the texts are made of. */
export interface ChangingEvent extends Pick<InboxEvent, 'paymentRequestId' | 'state' | 'note' | 'change'> {
  readonly event: Pick<
    InboxEvent['event'],
    'kind' | 'status' | 'providerStatus' | 'reference' | 'providerReference' | 'subReference'
  >;
}

/** Notes that say less than an operator needs, and what is said instead. */
const plainNotes: Readonly<Record<string, string>> = {
  'known already': 'duplicate',
  'to be fetched': 'status check requested',
  'to be completed': 'next step requested',
};
const unknownPayment: ReadonlySet<string> = new Set([
  'no such reference is known yet',
  'no such payment is known yet',
  'no payment of ours has its reference',
]);

/** The effect with the payment, for example `payment 10042: pending → paid`. */
export function changeText(one: ChangingEvent): string {
  const { paymentRequestId, note } = one;
  const effect = effectText(one);
  return paymentRequestId === null || unknownPayment.has(note) ? effect : `payment ${paymentRequestId}: ${effect}`;
}

/** The effect on the payment, for example `pending → paid` or `nothing: duplicate`. */
export function effectText(one: ChangingEvent): string {
  const { event, state, note } = one;
  if (unknownPayment.has(note)) return `unknown payment reference ${nameOf(event)}`;
  if (state === 'applied') return appliedText(one);
  if (state === 'refused') return `refused: ${note}`;
  if (state === 'waiting') return note === '' ? 'waits to be processed' : `waits: ${note}`;
  if (event.status === 'unknown') return `nothing: the adapter does not know the status “${event.providerStatus}”`;
  return note === 'nothing new' ? note : `nothing: ${plainNotes[note] ?? note}`;
}

function appliedText({ event, note, change }: ChangingEvent): string {
  if (note !== '') return plainNotes[note] ?? note;
  if (change && change.from !== change.to) return `${labelOf(change.from)} → ${labelOf(change.to)}`;
  const what = `${event.kind} ${event.status}`.replaceAll('_', ' ');
  return change ? `${what}, stays ${labelOf(change.to)}` : what;
}

function labelOf(statusId: number): string {
  return statusLabels[statusId] ?? String(statusId);
}

function nameOf({ reference, providerReference, subReference }: ChangingEvent['event']): string {
  return reference ?? providerReference ?? subReference ?? 'without a name';
}
