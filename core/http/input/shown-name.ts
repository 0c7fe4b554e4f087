import { hidden, toEchoed } from './echo.ts';

/** Longer than the name of any parameter or member of ours. */
const maxShown = 40;

/** A name from the request. It is repeated only if it cannot be anything but a name. */
export function toShownName(name: string): string {
  return name.length <= maxShown && /^[\x21-\x7e]+$/.test(name) && toEchoed(name) === name ? name : hidden;
}
