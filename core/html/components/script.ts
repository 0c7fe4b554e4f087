/** The script of the pages for operators and merchants. The pages work without it. */
import { readFileSync } from 'node:fs';
import { createAsset, type Asset } from '../assets.ts';

/** Compiled from `core/html/browser`. */
const components = new URL('../browser/components.js', import.meta.url);

/**
 * `folder` is relative to the root of the listener. `more` are libraries and scripts of its own pages: they run after
 * the components and see their functions.
 */
export function scriptIn(folder: string, more: readonly URL[] = []): Asset {
  const text = [components, ...more].map((source) => readFileSync(source, 'utf8').trim()).join('\n');
  return createAsset(
    `${folder}/components`,
    'js',
    'text/javascript; charset=utf-8',
    `(() => {\n'use strict';\n${text}\n})();\n`,
  );
}
