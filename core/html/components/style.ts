/** The style sheet of the pages for operators and merchants. */
import { readFileSync } from 'node:fs';
import { createAsset, type Asset } from '../assets.ts';
import { themeCss } from '../theme.ts';

/** The source: style sheets are not copied to the compiled files. */
const source = new URL('../../../../core/html/components/components.css', import.meta.url);
const text = `${themeCss()}${readFileSync(source, 'utf8')}`;

/** `folder` is relative to the root of the listener. */
export function styleIn(folder: string): Asset {
  return createAsset(`${folder}/components`, 'css', 'text/css; charset=utf-8', text);
}
