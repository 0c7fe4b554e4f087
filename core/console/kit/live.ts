/** A page that is sent again as it changes, as server-sent events: for those who look at it. */
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SafeHtml } from '@remix-run/html-template';
import { GatewayError } from '../../base/errors.ts';
import type { Ctx } from '../../http/state.ts';
import { SECOND } from '../../base/async/time.ts';

const streamType = 'text/event-stream';
/** Each reads its page every few seconds. */
export const maxStreams = 50;

interface StreamedPage {
  /** Whether who looks is still signed in. */
  readonly isOpen: () => Promise<boolean>;
  readonly render: () => Promise<SafeHtml>;
}

/** The address of a page is that of its stream. */
export function wantsStream(ctx: Ctx): boolean {
  return ctx.get('Accept').startsWith(streamType);
}

export interface StreamTimes {
  /** Between two looks. */
  readonly everyMs: number;
  /** Nothing in the way takes it for dead: less than any proxy waits. */
  readonly heartbeatMs: number;
}

export function createPageStreams(times: StreamTimes = { everyMs: 3 * SECOND, heartbeatMs: 15 * SECOND }): {
  send(ctx: Ctx, page: StreamedPage): void;
} {
  let streams = 0;
  return {
    send(ctx, page) {
      if (streams >= maxStreams)
        throw new GatewayError('RATE_LIMIT_EXCEEDED', 'too many look on already', { headers: { 'Retry-After': '60' } });
      const stopping = new AbortController();
      const body = Readable.from(events(page, times, stopping.signal), { objectMode: false });
      streams += 1;
      body.once('close', () => {
        streams -= 1;
        stopping.abort();
      });
      // Without this the close of the connection is noticed with the next event only.
      ctx.res.once('close', () => body.destroy());
      ctx.remove('Set-Cookie'); // Looking on keeps nobody signed in.
      ctx.set('Content-Type', streamType);
      // A proxy that gathers answers would hold events back.
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
