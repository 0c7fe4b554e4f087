/** Results that the kinds of events share, and what the log records about an event. */
import { declineReasons, type DeclineCode } from '@paywright/contract';
import type { Attempt } from '../../../database/collections/attempt.ts';
import type { Facts } from '../../../database/collections/payment-request.ts';
import type { MappedEvent } from '../../providers/mapped-event.ts';
import { withAttempt, type FactResult, type NewLogEntry } from './fact-result.ts';

/** The event cannot be about this attempt, or cannot be believed: the status is fetched. */
export function refused(attempt: Attempt, event: MappedEvent, why: string): FactResult {
  return {
    kind: 'refused',
    fetch: true,
    log: logEntry(attempt, event, '', `refused ${event.kind} ${event.providerStatus}: ${why}`),
  };
}

/** The event is about one of our payments and does not fit: an operator must look at it. */
export function misfit(attempt: Attempt, event: MappedEvent, why: string): FactResult {
  const result = refused(attempt, event, why);
  return result.kind === 'refused' ? { ...result, log: { ...result.log, misfit: event.kind } } : result;
}

/** A final outcome stays. The log records what the provider reported. */
export function contradicts(attempt: Attempt, event: MappedEvent): FactResult {
  const message = `refused ${event.kind} ${event.providerStatus}: the attempt has ${attempt.outcome}`;
  return { kind: 'refused', fetch: false, log: logEntry(attempt, event, '', message) };
}

function logEntry(attempt: Attempt, event: MappedEvent, code: string, message: string): NewLogEntry {
  const transactionStatusId = attempt.outcome === 'open' ? 1 : attempt.outcome === 'succeeded' ? 2 : 3;
  const transactionId = event.subReference ?? event.providerReference ?? attempt.providerReference ?? '';
  const { details = null, received = null, threeDs = null } = event;
  return { attempt: attempt.n, transactionId, transactionStatusId, code, message, details, received, threeDs };
}

/** The attempt as the event changes it. `message`: the text for the log if the event says too little. */
export function added(
  record: Facts,
  changed: Attempt,
  event: MappedEvent,
  eventId: string | undefined,
  code = '',
  message = messageOf(event, code),
): FactResult {
  const log = logEntry(changed, event, code, message);
  return { kind: 'added', facts: { attempts: withAttempt(record, changed) }, log, ...(eventId ? { eventId } : {}) };
}

function messageOf(event: MappedEvent, code: string): string {
  const said = event.declineText ?? `${event.kind} ${event.status} (${event.providerStatus})`;
  return isDeclineCode(code) ? `${declineReasons[code]}: ${said}` : said;
}

/** Facts of the payment other than its attempts. */
export function addedFacts(facts: Partial<Facts>, attempt: Attempt, event: MappedEvent, eventId?: string): FactResult {
  const log = logEntry(attempt, event, '', `${event.kind} ${event.status} (${event.providerStatus})`);
  return { kind: 'added', facts, log, ...(eventId ? { eventId } : {}) };
}

function isDeclineCode(code: string): code is DeclineCode {
  return Object.hasOwn(declineReasons, code);
}

/** Why a provider reports that a refund failed, or came back; undefined: it does not say why. */
export function refundReasonOf({ declineText, details }: MappedEvent): string | undefined {
  return declineText ?? details?.['reason'];
}
