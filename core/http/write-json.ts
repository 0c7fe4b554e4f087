/** JSON as we answer it: amounts keep every digit, because they never become a double. */
import { JsonNumber } from '@gateway/contract';

/**
 * Writes plain data: a `JsonNumber` as it is spelled, a Date as ISO 8601 in UTC, a member that is undefined not at all.
 */
export function toJsonText(value: unknown): string {
  if (value instanceof JsonNumber) return value.text;
  if (value instanceof Date) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => toJsonText(item ?? null)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${toJsonText(member)}`).join(',')}}`;
}
