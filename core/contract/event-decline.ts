/** Declines as events carry them. */
import type { DeclineCode } from './decline-codes.ts';
import type { ReportedEvent } from './event.ts';
import { declineOf } from './outcome.ts';

/** As `declineOf`, without the unknown word: an event's words are counted by its status. */
export function eventDeclineOf(
  table: Readonly<Record<string, DeclineCode>>,
  word: string | null | undefined,
  text?: string | null,
): Pick<ReportedEvent, 'decline' | 'declineText'> {
  const { unknownStatus: _word, ...decline } = declineOf(table, word, text);
  return decline;
}
