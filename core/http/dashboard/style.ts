/** The style sheet of operators' and merchants' pages. */
import { readFileSync } from 'node:fs';
import { createAsset, sendText, type Asset } from '../pages/assets.ts';
import type { Ctx } from '../state.ts';

/** The source, beside which the compiled files are not. */
const source = new URL('../../../../core/http/dashboard/dashboard.css', import.meta.url);
const text = readFileSync(source, 'utf8');

/** `folder`: below the root of the listener. */
export function styleIn(folder: string): Asset {
  return createAsset(`${folder}/dashboard`, 'css', 'text/css; charset=utf-8', text);
}

/** Its name changes with its content, so that browsers keep it for ever. */
export function sendAsset(ctx: Ctx, asset: Asset): void {
  ctx.set('Cache-Control', 'public, max-age=31536000, immutable');
  sendText(ctx, asset.bytes, asset.zipped);
  ctx.type = asset.type;
}
