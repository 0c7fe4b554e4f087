/** The script and the icon of the payer's pages. */
import { readFileSync } from 'node:fs';
import { Router } from '@koa/router';
import { createAsset, serveAssets } from '../html/assets.ts';
import { icon } from '../html/icon.ts';
import { countKeyless, type KeylessBudgets } from '../http/keyless.ts';
import type { RequestState } from '../http/state.ts';

const folder = 'pay/assets';

/**
 * Modules of the contract that the page shares with the server, in the order in which they depend on each other. The
 * project `checkout/browser` compiles them for browsers too.
 */
const shared = ['digits', 'phone', 'expiry', 'email', 'country', 'address-rules', 'card-number'] as const;

/** Compiled from `checkout/browser`, in the order in which they depend on each other. */
const scripts = ['card', 'fields', 'clock', 'page', 'send', 'watch', 'start'] as const;

function readCompiled(path: string): string {
  return readFileSync(new URL(path, import.meta.url), 'utf8').trim();
}

/** The exports of a module as constants of the script that contains it. */
function readShared(name: string): string {
  const module = readCompiled(`../contract/payer/${name}.js`);
  const exported = [...module.matchAll(/^export (?:function|const) (\w+)/gm)].map(([, one]) => one).join(', ');
  const inner = module
    .replaceAll(/^import .*$/gm, '')
    .replaceAll(/^export /gm, '')
    .trim();
  return `const { ${exported} } = (() => {\n${inner}\nreturn { ${exported} };\n})();`;
}

/** These scripts, with the shared modules in front of them. A test runs a part of them. */
export function readScripts(names: readonly string[]): string {
  return [...shared.map(readShared), ...names.map((name) => readCompiled(`browser/${name}.js`))].join('\n');
}

/** One script that adds no global names to the page. No text in it spans lines, so the indentation can go. */
const whole = `(() => {\n'use strict';\n${readScripts(scripts)}\n})();\n`.replaceAll(/\n\s+/g, '\n');

export const payScript = createAsset(`${folder}/pay`, 'js', 'text/javascript; charset=utf-8', whole);

export function assetRoutes(keyless: KeylessBudgets): Router<RequestState> {
  const router = new Router<RequestState>({ sensitive: true, strict: true });
  router.use(countKeyless(keyless));
  serveAssets(router, folder, [payScript, icon]);
  return router;
}
