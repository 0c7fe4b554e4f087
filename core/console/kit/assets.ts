/** The style sheet, the icon and the script of the console's pages. Pages load them from our own address. */
import { iconIn } from '../../html/icon.ts';
import { scriptIn } from '../../html/components/script.ts';
import { styleIn } from '../../html/components/style.ts';

export const folder = 'ops/assets';

export const style = styleIn(folder);
export const icon = iconIn(folder);

/** The library that updates parts of a page, and the compiled script of `browser`. */
export const script = scriptIn(folder, [
  new URL(import.meta.resolve('idiomorph/dist/idiomorph.min.js')),
  new URL('../browser/live.js', import.meta.url),
  new URL('../browser/brand-preview.js', import.meta.url),
]);
