/** The style sheet and the script of the documentation. */
import { readFileSync } from 'node:fs';
import { createAsset } from '../../html/assets.ts';
import { themeCss } from '../../html/theme.ts';

export const assetFolder = 'docs/assets';

/** The source: style sheets are not copied to the compiled files. */
const style = readFileSync(new URL('../../../../core/docs/docs.css', import.meta.url), 'utf8');

export const docsStyle = createAsset(`${assetFolder}/docs`, 'css', 'text/css; charset=utf-8', `${themeCss()}${style}`);

/** Compiled from `docs/browser`. */
const parts = ['copy', 'tabs', 'search', 'try', 'start'].map((name) =>
  readFileSync(new URL(`../browser/${name}.js`, import.meta.url), 'utf8').trim(),
);

export const docsScript = createAsset(
  `${assetFolder}/docs`,
  'js',
  'text/javascript; charset=utf-8',
  `(() => {\n'use strict';\n${parts.join('\n')}\n})();\n`,
);
