/**
 * What the payer's pages load, from our own address alone. The name of a file changes with its content, so that browsers
 * keep it for ever.
 */
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { Router } from '@koa/router';
import { hash } from '@paywright/contract';
import { notFound } from '../base/errors.ts';
import type { Answering, Ctx, RequestState } from '../http/state.ts';

export interface Asset {
  /** From the root of the service. */
  readonly path: string;
  readonly type: string;
  readonly bytes: Buffer;
  /** The same, compressed. */
  readonly zipped: Buffer;
}

const folder = 'pay/assets';
const HASH_LENGTH = 12;

/** `name`: from the root of the service, without extension. */
export function createAsset(name: string, extension: string, type: string, text: string): Asset {
  const digest = hash('sha256', text).toString('hex').slice(0, HASH_LENGTH);
  const bytes = Buffer.from(text);
  return { path: `${name}.${digest}.${extension}`, type, bytes, zipped: gzipSync(bytes) };
}

/** Compiled from `pay/browser`; each relies on those before it. */
const scripts = ['card', 'fields', 'clock', 'page', 'send', 'watch', 'start'] as const;

/** One script, which leaves no names behind. */
function readScripts(): string {
  const read = (name: string): string =>
    readFileSync(new URL(`../checkout/browser/${name}.js`, import.meta.url), 'utf8').trim();
  return `(() => {\n'use strict';\n${scripts.map(read).join('\n')}\n})();\n`;
}

const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><rect width="24" height="24" rx="6" fill="#2446c8"/>' +
  '<path d="M5 8h14v9H5zM5 11h14" fill="none" stroke="#fff" stroke-width="1.6" stroke-linejoin="round"/></svg>';

export const assets = {
  script: createAsset(`${folder}/pay`, 'js', 'text/javascript; charset=utf-8', readScripts()),
  icon: createAsset(`${folder}/icon`, 'svg', 'image/svg+xml', icon),
} as const;

/** As the page at this address names it: relative, so that it is right below any prefix. */
export function addressFrom({ path }: Pick<Ctx, 'path'>, asset: { readonly path: string }): string {
  return '../'.repeat(path.split('/').length - 2) + asset.path;
}

export function assetRoutes(): Router<RequestState> {
  const router = new Router<RequestState>({ sensitive: true, strict: true });
  serveAssets(router, folder, Object.values(assets));
  return router;
}

/** `of`: the folder that they are in. */
export function serveAssets(router: Router<RequestState>, of: string, known: readonly Asset[]): void {
  router.get(`/${of}/:name`, async (ctx) => {
    const asset = known.find(({ path }) => withoutHash(`/${path}`) === withoutHash(ctx.path));
    if (!asset) throw notFound('this address');
    // While hosts are upgraded, a page of another version asks here: it gets ours, and asks again the next time.
    if (ctx.path === `/${asset.path}`) ctx.set('Cache-Control', 'public, max-age=31536000, immutable');
    sendText(ctx, asset.bytes, asset.zipped);
    ctx.type = asset.type;
  });
}

function withoutHash(path: string): string {
  return path.replace(/\.[0-9a-f]{12}(?=\.\w+$)/, '.#');
}

/** Compressed for who takes that. */
export function sendText(ctx: Answering, bytes: Buffer, zipped?: Buffer): void {
  ctx.vary('Accept-Encoding');
  const isZipped = ctx.acceptsEncodings('gzip', 'identity') === 'gzip';
  if (isZipped) ctx.set('Content-Encoding', 'gzip');
  ctx.body = isZipped ? (zipped ?? gzipSync(bytes)) : bytes;
}
