/** What the console's pages load, from our own address alone. */
import { readFileSync } from 'node:fs';
import { styleIn } from '../../http/dashboard/style.ts';
import { createAsset } from '../../http/pages/assets.ts';

export const folder = 'ops/assets';

export const style = styleIn(folder);

/** Compiled from `browser`. */
const text = readFileSync(new URL('browser/live.js', import.meta.url), 'utf8').trim();

export const script = createAsset(
  `${folder}/live`,
  'js',
  'text/javascript; charset=utf-8',
  `(() => {\n'use strict';\n${text}\n})();\n`,
);
