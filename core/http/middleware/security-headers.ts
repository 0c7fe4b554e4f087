import type { Step } from '../state.ts';

/**
 * Sets headers on every answer: it must not be cached, sniffed, framed or loaded by another site. Pages relax some of
 * them.
 */
export function createSecurityHeaders(publicUrl: string): Step {
  const headers = {
    'Cache-Control': 'no-store',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=()',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    ...(publicUrl.startsWith('https:') && { 'Strict-Transport-Security': 'max-age=31536000' }),
  };
  return async (ctx, next) => {
    ctx.set(headers);
    await next();
  };
}
