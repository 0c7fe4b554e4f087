/** Test events as server-sent events: for who develops without an address that we reach. */
import { Readable } from 'node:stream';
import { GatewayError } from '../../errors.ts';
import type { HttpDeps } from '../deps.ts';
import { toCaller } from '../middleware/idempotency.ts';
import type { RouteStep } from '../state.ts';

export const streamType = 'text/event-stream';
/** Nothing in the way takes it for dead: less than any proxy waits. */
const heartbeatMs = 15_000;
/** Where the connection ends, the other side comes back after so long. */
const retryMs = 2000;
/** Of one process: each asks the database every second. */
const mostStreams = 100;

export function createStream({ listen }: Pick<NonNullable<HttpDeps['notifications']>, 'listen'>): RouteStep {
  let streams = 0;

  return async (ctx) => {
    const { ownerId, environment } = toCaller(ctx);
    if (environment !== 'test')
      throw new GatewayError('FORBIDDEN', 'the stream is for test keys: live notifications go to an address');
    if (streams >= mostStreams)
      throw new GatewayError('RATE_LIMIT_EXCEEDED', 'too many listen already: try again in a minute', {
        headers: { 'Retry-After': '60' },
      });
    const stopping = new AbortController();
    const after = ctx.get('Last-Event-ID') || undefined;
    const body = Readable.from(toText(listen({ ownerId, after, signal: stopping.signal })), { objectMode: false });
    streams += 1;
    body.once('close', () => {
      streams -= 1;
      stopping.abort();
    });
    // Without this the close of the connection is noticed with the next event only.
    ctx.res.once('close', () => body.destroy());
    ctx.set('Content-Type', streamType);
    // A proxy that gathers answers would hold events back.
    ctx.set('X-Accel-Buffering', 'no');
    ctx.body = body;
  };
}

async function* toText(events: ReturnType<Parameters<typeof createStream>[0]['listen']>): AsyncGenerator<string> {
  yield `retry: ${retryMs}\n\n`;
  let spokenAt = performance.now();
  for await (const event of events) {
    if (event) {
      const { position, id, type, createdAt, headers, body } = event;
      yield `id: ${position}\nevent: ${type}\ndata: ${JSON.stringify({ id, type, createdAt, headers, body })}\n\n`;
      spokenAt = performance.now();
    } else if (performance.now() - spokenAt > heartbeatMs) {
      yield ': \n\n';
      spokenAt = performance.now();
    }
  }
}
