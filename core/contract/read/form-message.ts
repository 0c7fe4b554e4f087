/** Messages whose body is a form. */
import { contentType, utf8, type RawCallback } from '../callback.ts';
import { readUniquePairs } from './form.ts';

/** The media type of a form. */
export const formType = 'application/x-www-form-urlencoded';

/**
 * The body as a map; undefined where it is no form: another content type (its parameters do not count) or none, bytes
 * that are not UTF-8, a broken escape, or a name twice (of `names`, when given: others may repeat).
 */
export function readForm(
  message: Pick<RawCallback, 'headers' | 'body'>,
  names?: readonly string[],
): ReadonlyMap<string, string> | undefined {
  const text = contentType(message) === formType ? utf8(message.body) : undefined;
  return text === undefined ? undefined : readUniquePairs(text, names);
}
