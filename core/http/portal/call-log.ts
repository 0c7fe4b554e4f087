/** Keeps each call of a merchant for the log of its portal: what was asked, by which key, and how it was answered. */
import type { HttpDeps } from '../deps.ts';
import { withoutCardNumbers } from '../input/echo.ts';
import type { Ctx } from '../state.ts';

/** Longer than any path of the API with its ids. */
const longestPath = 200;

export function createCallLog({ portal, now }: Pick<HttpDeps, 'portal' | 'now'>): (ctx: Ctx, ms: number) => void {
  return (ctx, ms) => {
    const { key, requestId } = ctx.state;
    if (!key) return;
    portal?.keepCall(key, {
      at: now(),
      method: ctx.method,
      path: withoutCardNumbers(ctx.path.slice(0, longestPath)),
      status: ctx.status,
      ms: Math.round(ms),
      keyId: key.keyId,
      requestId,
    });
  };
}
