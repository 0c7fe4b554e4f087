/** Serves the pictures of brands from our own address. The file name contains a hash of the content. */
import { notFound } from '../base/errors.ts';
import type { HttpDeps } from '../http/deps.ts';
import type { Ctx } from '../http/state.ts';

/** The path from the root of the service. */
export function picturePath(file: string): string {
  return `pay/pictures/${file}`;
}

/** Someone who opens the address of an SVG image directly sees an image that can run and load nothing. */
const policy = "default-src 'none'; sandbox";

/** Throws NF001 if no adapter shows such a picture. */
export function sendPicture(ctx: Ctx, { payments }: Pick<HttpDeps, 'payments'>): void {
  const picture = payments.picture(ctx.params['name'] ?? '');
  if (!picture) throw notFound('this picture');
  ctx.set('Cache-Control', 'public, max-age=31536000, immutable');
  ctx.set('Content-Security-Policy', policy);
  ctx.body = picture.bytes;
  ctx.type = picture.type;
}
