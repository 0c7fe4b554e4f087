/** The style sheet of operators' and merchants' pages. */
import { readFileSync } from 'node:fs';
import { createAsset, type Asset } from '../assets.ts';

/** The source, beside which the compiled files are not. */
const source = new URL('../../../../core/html/dashboard/dashboard.css', import.meta.url);
const text = readFileSync(source, 'utf8');

/** `folder`: below the root of the listener. */
export function styleIn(folder: string): Asset {
  return createAsset(`${folder}/dashboard`, 'css', 'text/css; charset=utf-8', text);
}
