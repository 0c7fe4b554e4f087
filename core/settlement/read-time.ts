/** Reads times of settlement files, most of which name no time zone. */
import { DAY, HOUR, MINUTE, SECOND } from '../base/async/time.ts';

/** The day, hour, minute or second that a cell names. Fractions of a second are ignored. */
export interface FileTime {
  readonly from: Date;
  /** Exclusive. */
  readonly to: Date;
}

/** The time of a cell; undefined if it is invalid. */
export type ReadTime = (cell: string) => FileTime | undefined;

const iso = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?)?\s*(Z|UTC|[+-]\d\d:?\d\d)?$/i;

const letters = { YYYY: '(?<year>\\d{4})', MM: '(?<month>\\d\\d?)', DD: '(?<day>\\d\\d?)' } as const;
const clock = { HH: '(?<hour>\\d\\d?)', mm: '(?<minute>\\d\\d)', ss: '(?<second>\\d\\d)' } as const;
const parts: Readonly<Record<string, string>> = { ...letters, ...clock };

/** True for a format such as `DD/MM/YYYY HH:mm:ss`: it must have the day, and each further part at most once. */
export function isTimeFormat(format: string): boolean {
  const found: readonly string[] = format.match(/YYYY|MM|DD|HH|mm|ss/g) ?? [];
  const rest = format.replaceAll(/YYYY|MM|DD|HH|mm|ss/g, '');
  return (
    Object.keys(letters).every((one) => found.includes(one)) &&
    new Set(found).size === found.length &&
    !/\w/.test(rest.replace('T', ''))
  );
}

export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) instanceof Intl.DateTimeFormat;
  } catch {
    return false;
  }
}

/**
 * Without a format, times are ISO 8601, with or without time and offset. A time without an offset is in the zone. If a
 * clock change repeats an hour, the first one counts; a skipped hour counts as one hour later.
 */
export function createReadTime(format: string | undefined, timeZone: string): ReadTime {
  const offsetAt = createOffsets(timeZone);
  const inZone = (asUtc: number, offsetMs: number | undefined): Date => {
    if (offsetMs !== undefined) return new Date(asUtc - offsetMs);
    // Try the offsets of a day ago and of now: one of them is right. Before a clock is put back, the greater one is the
    // first.
    const offsets = [offsetAt(asUtc - DAY), offsetAt(asUtc)];
    const right = offsets.map((offset) => asUtc - offset).filter((time, at) => offsetAt(time) === offsets[at]);
    return new Date(right.length > 0 ? Math.min(...right) : asUtc - offsets[0]!);
  };
  const toTime = (fields: readonly (string | undefined)[], offsetMs: number | undefined): FileTime | undefined => {
    const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = fields.map((one) => Number(one ?? 0));
    const asUtc = Date.UTC(year, month - 1, day, hour, minute, second);
    const back = new Date(asUtc);
    const isThere =
      back.getUTCMonth() === month - 1 && back.getUTCDate() === day && hour < 24 && minute < 60 && second < 60;
    if (!isThere) return undefined;
    const [unit = DAY] = [SECOND, MINUTE, HOUR].filter((_, at) => fields[5 - at] !== undefined);
    return { from: inZone(asUtc, offsetMs), to: inZone(asUtc + unit, offsetMs) };
  };
  if (format === undefined) {
    return (cell) => {
      const match = iso.exec(cell);
      return match ? toTime(match.slice(1, 7), offsetOf(match[7])) : undefined;
    };
  }
  const pattern = format
    .replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&')
    .replaceAll(/YYYY|MM|DD|HH|mm|ss/g, (one) => parts[one]!);
  const form = new RegExp(`^${pattern}$`);
  return (cell) => {
    const { groups } = form.exec(cell) ?? {};
    const names = ['year', 'month', 'day', 'hour', 'minute', 'second'];
    return (
      groups &&
      toTime(
        names.map((name) => groups[name]),
        undefined,
      )
    );
  };
}

function offsetOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)$/.exec(text) ?? [];
  return sign === undefined ? 0 : (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}

/** The offset of a zone from UTC at a time, in milliseconds. Cached per hour, because many rows share it. */
function createOffsets(timeZone: string): (time: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const known = new Map<number, number>();
  return (time) => {
    const quarter = Math.floor(time / 900_000);
    const found = known.get(quarter);
    if (found !== undefined) return found;
    const shown = Object.fromEntries(
      format.formatToParts(quarter * 900_000).map(({ type, value }) => [type, Number(value)]),
    );
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = shown as Record<string, number>;
    const offset = Date.UTC(year, month - 1, day, hour, minute, second) - quarter * 900_000;
    if (known.size > 10_000) known.clear();
    known.set(quarter, offset);
    return offset;
  };
}
