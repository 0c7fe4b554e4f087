/**
 * Records each API call of a merchant for the log in its portal: the request, the key, and the status of the answer.
 */
import { maskText } from '../../base/log/log-masks.ts';
import { withoutCardNumbers } from '../../http/input/echo.ts';
import type { Ctx } from '../../http/state.ts';
import type { Portal } from '../index.ts';

/** Longer than any path of the API with its ids. */
const longestPath = 200;
/** How much of a path is searched for secrets. A secret that starts within the recorded part is found as a whole. */
const longestLook = 2000;

export function createCallLog(portal: Portal, now: () => Date): (ctx: Ctx, ms: number) => void {
  return (ctx, ms) => {
    const { key, requestId, errorCode } = ctx.state;
    if (!key) return;
    portal.keepCall(key, {
      at: now(),
      method: ctx.method,
      path: mask(ctx.path.slice(0, longestLook)).slice(0, longestPath),
      status: ctx.status,
      ...(errorCode !== undefined && { code: errorCode }),
      ms: Math.round(ms),
      keyId: key.keyId,
      requestId: mask(requestId),
    });
  };
}

/** Both texts come from the merchant: a key, a secret or a card number may be in them, also percent-encoded. */
function mask(text: string): string {
  const plain = decode(text);
  const masked = maskText(withoutCardNumbers(plain));
  return masked === plain ? text : masked;
}

function decode(text: string): string {
  return text.replaceAll(/(?:%[\da-f]{2})+/gi, (encoded) => {
    try {
      return decodeURIComponent(encoded);
    } catch {
      return encoded; // The text is not UTF-8 and stays encoded.
    }
  });
}
