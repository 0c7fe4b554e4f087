/** Declines as events carry them. */
import type { DeclineCode } from './decline-codes.ts';
import type { ReportedEvent } from '../event.ts';
import { declineOf, type Decline, type FailedOutcome } from '../outcome.ts';

/** As `declineOf`, without the unknown code: those of an event are counted by its status. */
export function eventDeclineOf(
  table: Readonly<Record<string, DeclineCode>>,
  code: string | null | undefined,
  text?: string | null,
): Pick<ReportedEvent, 'decline' | 'declineText'> {
  return toEventDecline(declineOf(table, code, text));
}

/** What an event has of the refusal that an outcome carries: no unknown code, and no text of the issuer. */
export function toEventDecline<T extends Decline & Pick<FailedOutcome, 'threeDsResult' | 'acsResponse'>>(
  refusal: T,
): Omit<T, 'unknownStatus' | 'acsResponse'> {
  const { unknownStatus: _code, acsResponse: _text, ...decline } = refusal;
  return decline;
}
