/** The style sheet of the pages for operators and merchants. */
import { readFileSync } from 'node:fs';
import { createAsset, type Asset } from '../assets.ts';

/** The source: style sheets are not copied to the compiled files. */
const source = new URL('../../../../core/html/dashboard/dashboard.css', import.meta.url);
const text = readFileSync(source, 'utf8');

/** `folder` is relative to the root of the listener. */
export function styleIn(folder: string): Asset {
  return createAsset(`${folder}/dashboard`, 'css', 'text/css; charset=utf-8', text);
}
