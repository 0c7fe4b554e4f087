/** Sends an open page again when it changes, as server-sent events. */
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SafeHtml } from '@remix-run/html-template';
import { GatewayError } from '../../base/errors.ts';
import type { Ctx } from '../../http/state.ts';
import { SECOND } from '../../base/async/time.ts';

const streamType = 'text/event-stream';
/** Maximum concurrent streams. Each stream reads its page every few seconds. */
export const maxStreams = 50;

interface StreamedPage {
  /** True while the operator is signed in. */
  readonly isOpen: () => Promise<boolean>;
  readonly render: () => Promise<SafeHtml>;
}

/** A page and its stream have the same address. The `Accept` header distinguishes them. */
export function wantsStream(ctx: Ctx): boolean {
  return ctx.get('Accept').startsWith(streamType);
}

export interface StreamTimes {
  /** The time between two renderings of the page. */
  readonly everyMs: number;
  /** The time between signs of life. It is shorter than the timeout of any proxy. */
  readonly heartbeatMs: number;
}

export function createPageStreams(times: StreamTimes = { everyMs: 3 * SECOND, heartbeatMs: 15 * SECOND }): {
  send(ctx: Ctx, page: StreamedPage): void;
} {
  let streams = 0;
  return {
    send(ctx, page) {
      if (streams >= maxStreams)
        throw new GatewayError('RATE_LIMIT_EXCEEDED', 'too many pages already receive live updates', {
          headers: { 'Retry-After': '60' },
        });
      const stopping = new AbortController();
      const body = Readable.from(events(page, times, stopping.signal), { objectMode: false });
      streams += 1;
      body.once('close', () => {
        streams -= 1;
        stopping.abort();
      });
      // Without this, a closed connection is noticed only at the next event.
      ctx.res.once('close', () => body.destroy());
      ctx.remove('Set-Cookie'); // An open page does not extend the session.
      ctx.set('Content-Type', streamType);
      // A proxy that buffers responses would delay events.
      ctx.set('X-Accel-Buffering', 'no');
      ctx.body = body;
    },
  };
}

async function* events(
  { isOpen, render }: StreamedPage,
  { everyMs, heartbeatMs }: StreamTimes,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let sent = '';
  let spokenAt = performance.now();
  yield `retry: ${everyMs}\n\n`;
  while (!signal.aborted) {
    if (!(await isOpen())) {
      yield 'event: over\ndata: \n\n';
      return;
    }
    const page = String(await render());
    if (page !== sent) {
      sent = page;
      spokenAt = performance.now();
      yield `event: page\n${page.replaceAll('\r', '').replaceAll(/^/gm, 'data: ')}\n\n`;
    } else if (performance.now() - spokenAt > heartbeatMs) {
      spokenAt = performance.now();
      yield ': \n\n';
    }
    await sleep(everyMs, undefined, { signal }).catch(() => undefined);
  }
}
