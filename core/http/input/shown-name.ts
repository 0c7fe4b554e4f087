import { hidden, toEchoed } from './echo.ts';

/** No parameter or member of ours is longer. */
const maxShown = 40;

/** A name that a caller made up: repeated where it can be nothing but a name. */
export function toShownName(name: string): string {
  return name.length <= maxShown && /^[\x21-\x7e]+$/.test(name) && toEchoed(name) === name ? name : hidden;
}
