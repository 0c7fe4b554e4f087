/**
 * Reads times that people and merchants write: a day or a time of ISO 8601. A time without an offset is UTC, so that no
 * result depends on the time zone of the host.
 */

/** For schemas: the spellings that `readInstant` accepts. */
export const instantForm = /^(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)([Zz]|[+ -]\d\d:?\d\d)?)?$/;

/**
 * Reads a day (its midnight) or a time, in UTC unless it has an offset. A `+` of the offset may have been decoded to a
 * space. Undefined for any other text, and for a day that does not exist.
 */
export function readInstant(text: string): Date | undefined {
  const [, date = '', time = '00:00', offset = 'Z'] = instantForm.exec(text) ?? [];
  const at = new Date(`${date}T${time}${offset.replace(' ', '+').replace(/^([+-]\d\d)(\d\d)$/, '$1:$2')}`);
  return isDay(date) && !Number.isNaN(at.getTime()) ? at : undefined;
}

/** True for a day that exists, such as `2024-01-31`. */
export function isDay(text: string): boolean {
  const at = new Date(`${text}T00:00:00Z`);
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
}

/** Reads a date header (RFC 9110, section 5.6.7), which is always in GMT. Undefined for any other text. */
export function readHttpDate(text: string): Date | undefined {
  const at = new Date(text);
  return /^[A-Z][a-z]{2,8}, .* GMT$/.test(text) && !Number.isNaN(at.getTime()) ? at : undefined;
}

/** `Retry-After` (seconds, or a date) in milliseconds from `now`; undefined if it is neither. */
export function readRetryAfter(header: string | undefined, now: Date): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const at = readHttpDate(text);
  return at && Math.max(0, at.getTime() - now.getTime());
}
