/** The style sheet and the script of the console's pages. Pages load both from our own address. */
import { readFileSync } from 'node:fs';
import { styleIn } from '../../html/components/style.ts';
import { createAsset } from '../../html/assets.ts';

export const folder = 'ops/assets';

export const style = styleIn(folder);

/** The library that updates parts of a page, and the compiled script of `browser`. */
const sources = [
  new URL(import.meta.resolve('idiomorph/dist/idiomorph.min.js')),
  new URL('../browser/live.js', import.meta.url),
];
const text = sources.map((source) => readFileSync(source, 'utf8').trim()).join('\n');

export const script = createAsset(
  `${folder}/live`,
  'js',
  'text/javascript; charset=utf-8',
  `(() => {\n'use strict';\n${text}\n})();\n`,
);
