/** The style sheet and the script of the console's pages. Pages load both from our own address. */
import { readFileSync } from 'node:fs';
import { styleIn } from '../../html/dashboard/style.ts';
import { createAsset } from '../../html/assets.ts';

export const folder = 'ops/assets';

export const style = styleIn(folder);

/** The compiled files of `browser`. */
const text = ['morph', 'live']
  .map((name) => readFileSync(new URL(`../browser/${name}.js`, import.meta.url), 'utf8').trim())
  .join('\n');

export const script = createAsset(
  `${folder}/live`,
  'js',
  'text/javascript; charset=utf-8',
  `(() => {\n'use strict';\n${text}\n})();\n`,
);
