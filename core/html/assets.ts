/**
 * Texts that are the same for many visitors: they are compressed once, and have an ETag. Scripts, style sheets and
 * images of pages are served from our own address alone; their file name contains a hash of the content, so browsers
 * may cache a file forever.
 */
import { gzipSync } from 'node:zlib';
import type { Router } from '@koa/router';
import { hash } from '@paywright/contract';
import { notFound } from '../base/errors.ts';
import type { PageContext } from './context.ts';

export interface StoredText {
  readonly type: string;
  readonly bytes: Buffer;
  /** The content, compressed with gzip. */
  readonly zipped: Buffer;
  /** Weak, because it is the same for both encodings. */
  readonly etag: string;
}

export interface Asset extends StoredText {
  /** Relative to the root of the service, without a leading slash. */
  readonly path: string;
}

const HASH_LENGTH = 12;

/** `name` is the path from the root of the service, without extension. */
export function createAsset(name: string, extension: string, type: string, text: string): Asset {
  return { path: `${name}.${digestOf(text)}.${extension}`, ...storeText(text, type) };
}

export function storeText(text: string, type: string): StoredText {
  const bytes = Buffer.from(text);
  return { type, bytes, zipped: gzipSync(bytes), etag: `W/"${digestOf(text)}"` };
}

function digestOf(text: string): string {
  return hash('sha256', text).toString('hex').slice(0, HASH_LENGTH);
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
    sendStored(ctx, asset);
  });
}

function withoutHash(path: string): string {
  return path.replace(/\.[0-9a-f]{12}(?=\.\w+$)/, '.#');
}

/** Value of `Cache-Control`: a browser keeps the text, and asks each time whether it changed. */
export const revalidated = 'no-cache';

/** Answers 304 if the client has this text already. */
export function sendStored(ctx: PageContext, { type, bytes, zipped, etag }: StoredText): void {
  ctx.status = 200;
  ctx.set('ETag', etag);
  ctx.vary('Accept-Encoding');
  if (ctx.fresh) {
    ctx.status = 304;
    return;
  }
  sendEncoded(ctx, bytes, () => zipped);
  ctx.type = type;
}

/** Compresses the body if the client accepts gzip. */
export function sendText(ctx: PageContext, bytes: Buffer): void {
  sendEncoded(ctx, bytes, () => gzipSync(bytes));
}

function sendEncoded(ctx: PageContext, bytes: Buffer, zip: () => Buffer): void {
  ctx.vary('Accept-Encoding');
  const isZipped = ctx.acceptsEncodings('gzip', 'identity') === 'gzip';
  if (isZipped) ctx.set('Content-Encoding', 'gzip');
  ctx.body = isZipped ? zip() : bytes;
}
