/** Web addresses in messages. */
import * as v from 'valibot';

/** True for a complete http or https address. */
export function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}

/** A text that is an http or https address. */
export const webAddress: v.GenericSchema<unknown, string> = v.pipe(
  v.string(),
  v.check(isWebAddress, 'an http or https address'),
);
