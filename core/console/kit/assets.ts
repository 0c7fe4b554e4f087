/** The style sheet and the script of the console's pages. Pages load both from our own address. */
import { scriptIn } from '../../html/components/script.ts';
import { styleIn } from '../../html/components/style.ts';

export const folder = 'ops/assets';

export const style = styleIn(folder);

/** The library that updates parts of a page, and the compiled script of `browser`. */
export const script = scriptIn(folder, [
  new URL(import.meta.resolve('idiomorph/dist/idiomorph.min.js')),
  new URL('../browser/live.js', import.meta.url),
]);
