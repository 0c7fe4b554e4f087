/** The script and the icon of the payer's pages. */
import { readFileSync } from 'node:fs';
import { Router } from '@koa/router';
import { createAsset, serveAssets } from '../html/assets.ts';
import { icon } from '../html/icon.ts';
import type { RequestState } from '../http/state.ts';

const folder = 'pay/assets';

/** Compiled from `checkout/browser`, in the order in which they depend on each other. */
const scripts = ['card', 'fields', 'clock', 'page', 'send', 'watch', 'start'] as const;

/** Joins the scripts into one that adds no global names to the page. */
function readScripts(): string {
  const read = (name: string): string => readFileSync(new URL(`browser/${name}.js`, import.meta.url), 'utf8').trim();
  return `(() => {\n'use strict';\n${scripts.map(read).join('\n')}\n})();\n`;
}

export const payScript = createAsset(`${folder}/pay`, 'js', 'text/javascript; charset=utf-8', readScripts());

export function assetRoutes(): Router<RequestState> {
  const router = new Router<RequestState>({ sensitive: true, strict: true });
  serveAssets(router, folder, [payScript, icon]);
  return router;
}
