/**
 * Reads times that people and merchants write: a day or a time of ISO 8601. A time without an offset is UTC, so that no
 * result depends on the time zone of the host.
 */

// A pattern that knows the months and leap years, so that a schema with this pattern refuses what the reader refuses.
const shortDay = '(?:0[1-9]|1\\d|2[0-8])';
const monthDay = `(?:0[1-9]|1[0-2])-${shortDay}|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31`;
const leapYear = '(?:\\d\\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)';
const day = `(?:\\d{4}-(?:${monthDay})|${leapYear}-02-29)`;
const clock = '(?:[01]\\d|2[0-3]):[0-5]\\d(?::[0-5]\\d(?:\\.\\d{1,9})?)?|24:00(?::00(?:\\.0{1,9})?)?';
const zone = '[Zz]|[+ -](?:[01]\\d|2[0-3]):?[0-5]\\d';

const dayForm = new RegExp(`^${day}$`);
/** For schemas: the spellings that `readInstant` accepts, for days and times that exist. */
export const instantForm = new RegExp(`^(${day})(?:[Tt ](${clock})(${zone})?)?$`);

/**
 * Reads a day (its midnight) or a time, in UTC unless it has an offset. A `+` of the offset may have been decoded to a
 * space. Undefined for any other text, and for a day that does not exist.
 */
export function readInstant(text: string): Date | undefined {
  const [found, date = '', time = '00:00', offset = 'Z'] = instantForm.exec(text) ?? [];
  if (found === undefined) return undefined;
  return new Date(`${date}T${time}${offset.replace(' ', '+').replace(/^([+-]\d\d)(\d\d)$/, '$1:$2')}`);
}

/** True for a day that exists, such as `2024-01-31`. */
export function isDay(text: string): boolean {
  return dayForm.test(text);
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
