/** How many bytes of bodies this process holds at once, of all requests: many large ones must not take its memory. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { unavailable } from '../../errors.ts';

export interface BodyBudget {
  /**
   * Reserves what a body may take, until its answer has left: its declared length, or `limitBytes`. It is not read before.
   * Throws SYS002 where there was no room in time.
   */
  reserve(request: IncomingMessage, response: ServerResponse, limitBytes: number): Promise<void>;
}

/** What waits is not read: the sender's own buffers hold it. */
const waitMs = 3000;

export function createBodyBudget(totalBytes: number): BodyBudget {
  let free = totalBytes;
  const waiting = new Set<{ readonly bytes: number; readonly begin: () => void }>();

  function release(bytes: number): void {
    free += bytes;
    // In order: a large body would else wait for ever behind small ones.
    for (const next of waiting) {
      if (next.bytes > free) break;
      waiting.delete(next);
      next.begin();
    }
  }

  return {
    async reserve(request, response, limitBytes) {
      const declared = Number(request.headers['content-length'] ?? Number.NaN);
      const hasBody = declared > 0 || request.headers['transfer-encoding'] !== undefined;
      if (!hasBody) return;
      // A body larger than the whole budget is let through alone.
      const bytes = Math.min(Number.isNaN(declared) ? limitBytes : declared, limitBytes, totalBytes);
      if (waiting.size > 0 || bytes > free) {
        await new Promise<void>((resolve, reject) => {
          const entry = {
            bytes,
            begin(): void {
              clearTimeout(timer);
              free -= bytes;
              resolve();
            },
          };
          const timer = setTimeout(() => {
            waiting.delete(entry);
            reject(unavailable('too many large requests are under way'));
          }, waitMs);
          waiting.add(entry);
        });
      } else {
        free -= bytes;
      }
      if (response.closed) release(bytes);
      else response.once('close', () => release(bytes));
    },
  };
}
