/** Declines in events. */
import type { DeclineCode } from './decline-codes.ts';
import type { ReportedEvent } from '../event.ts';
import { declineOf, type Decline, type FailedOutcome } from '../outcome.ts';

/** Like `declineOf`, but without the unknown code: an event's unknown code is counted by its status. */
export function eventDeclineOf(
  table: Readonly<Record<string, DeclineCode>>,
  code: string | null | undefined,
  text?: string | null,
): Pick<ReportedEvent, 'decline' | 'declineText'> {
  return toEventDecline(declineOf(table, code, text));
}

/** The part of an outcome's refusal that an event carries: no unknown code, and no text of the issuer. */
export function toEventDecline<T extends Decline & Pick<FailedOutcome, 'threeDsResult' | 'acsResponse'>>(
  refusal: T,
): Omit<T, 'unknownStatus' | 'acsResponse'> {
  const { unknownStatus: _code, acsResponse: _text, ...decline } = refusal;
  return decline;
}
