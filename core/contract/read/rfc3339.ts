/** RFC 3339 times in messages and actions. */
import * as v from 'valibot';

const form = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/**
 * Reads a complete RFC 3339 time with its offset, to the millisecond; undefined for any other text and for a day that
 * does not exist.
 */
export function readRfc3339(text: string): Date | undefined {
  const spelled = text.toUpperCase();
  const [, day] = form.exec(spelled) ?? [];
  const time = new Date(spelled);
  if (day === undefined || Number.isNaN(time.getTime())) return undefined;
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day) ? time : undefined;
}

/** Converts an RFC 3339 text to its time. */
export const rfc3339 = v.pipe(v.string(), v.transform(readRfc3339), v.date('an RFC 3339 time'));

/** Writes a time to the second in UTC, as the `expiry` of an action needs it: `2026-03-02T09:15:30Z`. */
export function writeRfc3339(time: Date): string {
  return time.toISOString().replace(/\.\d+/, '');
}
