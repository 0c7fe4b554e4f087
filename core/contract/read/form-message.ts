/** Messages whose body is a form. */
import { contentType, utf8, type RawCallback } from '../callback.ts';
import { readUniquePairs } from './form.ts';

/** The media type of a form. */
export const formType = 'application/x-www-form-urlencoded';

/**
 * The body as a map; undefined if it is not a form: another content type (its parameters do not count) or none, bytes
 * that are not UTF-8, a broken escape, or a repeated name. If `names` are given, only these must not repeat.
 */
export function readForm(
  message: Pick<RawCallback, 'headers' | 'body'>,
  names?: readonly string[],
): ReadonlyMap<string, string> | undefined {
  const text = contentType(message) === formType ? utf8(message.body) : undefined;
  return text === undefined ? undefined : readUniquePairs(text, names);
}
