/** What the server's words mean. */
import { statusTable, type DeclineCode, type EventStatus, type ReportedEvent } from '@gateway/contract';

/** `reason` of a refused or invalid invoice. */
export const declines: Readonly<Record<string, DeclineCode>> = {
  'too-low': '51',
  'buyer-blocked': '57',
  limit: '61',
  'double-spent': '05',
  reorganised: '05',
};

const both = {
  'invoice.seen': 'pending',
  'invoice.processing': 'pending',
  'invoice.partial': 'underpaid',
  'invoice.settled': 'succeeded',
  'invoice.expired': 'expired',
  'invoice.cancelled': 'cancelled',
  'invoice.invalid': 'failed',
} as const;

const refund = {
  'refund.created': 'pending',
  'refund.done': 'succeeded',
  'refund.failed': 'failed',
  'refund.reversed': 'reversed',
} as const;

/** `type` of a callback. */
export const hookWords = { payment: { 'invoice.created': 'pending', ...both }, refund } as const;
/** `invoice.` with the state of a fetched invoice, `refund.` with that of a refund. */
export const stateWords = { payment: { 'invoice.new': 'pending', ...both }, refund } as const;

/** Beside the word: where it was said, and how an invoice was settled. */
export interface SettledFacts extends Readonly<Record<string, string | boolean>> {
  readonly from: 'hook' | 'state';
  readonly late: boolean;
  readonly over: boolean;
}

const toldByHook = statusTable(hookWords);
const toldByState = statusTable(stateWords);

export function statusOf(event: ReportedEvent): EventStatus {
  const { facts = {} } = event;
  const status = facts['from'] === 'hook' ? toldByHook(event) : toldByState(event);
  if (event.kind !== 'payment' || status !== 'succeeded') return status;
  return facts['late'] === true ? 'late' : facts['over'] === true ? 'overpaid' : status;
}
