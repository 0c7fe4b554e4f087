/** What a valibot issue says, in a text that never repeats the value it is about. */
import * as v from 'valibot';

/** `manifest.code`; the empty text means the whole value. */
export function issuePath(issue: v.BaseIssue<unknown>): string {
  return v.getDotPath(issue) ?? '';
}

/** The schema's own words where they do not show the value, else what was expected. */
export function describeIssue({ input, expected, received, message }: v.BaseIssue<unknown>): string {
  if (expected === 'never') return 'is not known here';
  if (input === undefined) return 'is missing';
  const isReporting = typeof input !== 'boolean' && input !== null && input !== '';
  const shows = message.includes(received) || (typeof input === 'string' && message.includes(input));
  if (!isReporting || !shows) return message;
  return expected === null || expected === 'unknown' ? 'has a wrong value' : `expected ${expected}`;
}
