/**
 * Scripts, style sheets and images of pages, served from our own address alone. The file name contains a hash of the
 * content, so browsers may cache a file forever.
 */
import { gzipSync } from 'node:zlib';
import type { Router } from '@koa/router';
import { hash } from '@paywright/contract';
import { notFound } from '../base/errors.ts';
import type { PageContext } from './context.ts';

export interface Asset {
  /** Relative to the root of the service, without a leading slash. */
  readonly path: string;
  readonly type: string;
  readonly bytes: Buffer;
  /** The content, compressed with gzip. */
  readonly zipped: Buffer;
}

const HASH_LENGTH = 12;

/** `name` is the path from the root of the service, without extension. */
export function createAsset(name: string, extension: string, type: string, text: string): Asset {
  const digest = hash('sha256', text).toString('hex').slice(0, HASH_LENGTH);
  const bytes = Buffer.from(text);
  return { path: `${name}.${digest}.${extension}`, type, bytes, zipped: gzipSync(bytes) };
}

/** The address of the asset relative to the current page, so that it also works behind a path prefix. */
export function addressFrom({ path }: Pick<PageContext, 'path'>, asset: { readonly path: string }): string {
  return '../'.repeat(path.split('/').length - 2) + asset.path;
}

/** Serves the assets, which are all in this folder. */
export function serveAssets(router: Router, folder: string, known: readonly Asset[]): void {
  router.get(`/${folder}/:name`, async (ctx) => {
    const asset = known.find(({ path }) => withoutHash(`/${path}`) === withoutHash(ctx.path));
    if (!asset) throw notFound('this address');
    // During an upgrade, a page of another version may ask for its own file. It receives ours, without caching.
    if (ctx.path === `/${asset.path}`) ctx.set('Cache-Control', 'public, max-age=31536000, immutable');
    sendText(ctx, asset.bytes, asset.zipped);
    ctx.type = asset.type;
  });
}

function withoutHash(path: string): string {
  return path.replace(/\.[0-9a-f]{12}(?=\.\w+$)/, '.#');
}

/** Compresses the body if the client accepts gzip. */
export function sendText(ctx: PageContext, bytes: Buffer, zipped?: Buffer): void {
  ctx.vary('Accept-Encoding');
  const isZipped = ctx.acceptsEncodings('gzip', 'identity') === 'gzip';
  if (isZipped) ctx.set('Content-Encoding', 'gzip');
  ctx.body = isZipped ? (zipped ?? gzipSync(bytes)) : bytes;
}
