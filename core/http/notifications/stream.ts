/** Sends test events as server-sent events, for developers without an address that the gateway can reach. */
import { Readable } from 'node:stream';
import { GatewayError } from '../../base/errors.ts';
import type { HttpDeps } from '../deps.ts';
import { toCaller } from '../middleware/idempotency.ts';
import type { RouteStep } from '../state.ts';

export const streamType = 'text/event-stream';
/** Shorter than the idle timeout of any proxy, so that no proxy closes the stream. */
const heartbeatMs = 15_000;
/** The delay after which the client reconnects. */
const retryMs = 2000;
/** Maximum number of streams per process. Each polls the database every second. */
const mostStreams = 100;
/** Maximum number of streams per owner. */
const mostOfOwner = 10;
/** Interval of checking the key. A key that was revoked or has expired receives no more events. */
const keyEveryMs = 2000;

export function createStream(
  { listen }: Pick<NonNullable<HttpDeps['notifications']>, 'listen'>,
  { access }: Pick<HttpDeps, 'access'>,
): RouteStep {
  const streams = createStreamCounts();

  return async (ctx) => {
    const { ownerId, environment } = toCaller(ctx);
    if (environment !== 'test')
      throw new GatewayError('FORBIDDEN', 'the stream is only for test keys: live notifications go to an endpoint');
    const endStream = streams.start(ownerId);
    const stopping = new AbortController();
    const after = ctx.get('Last-Event-ID') || undefined;
    const apiKey = ctx.get('X-API-Key');
    const events = whileValid(listen({ ownerId, after, signal: stopping.signal }), async () =>
      access.authenticate({ apiKey, authorization: undefined }),
    );
    const body = Readable.from(toText(events), { objectMode: false });
    body.once('close', () => {
      endStream();
      stopping.abort();
    });
    // Otherwise a closed connection would be noticed only with the next event or heartbeat.
    ctx.res.once('close', () => {
      stopping.abort();
      body.destroy();
    });
    ctx.set('Content-Type', streamType);
    // Prevents proxies from buffering the events.
    ctx.set('X-Accel-Buffering', 'no');
    ctx.body = body;
  };
}

function createStreamCounts(): { readonly start: (ownerId: number) => () => void } {
  const counts = new Map<number, number>();
  let all = 0;
  return {
    /** Returns the function that ends the stream. Throws RATE001 if there are too many streams. */
    start(ownerId) {
      const own = counts.get(ownerId) ?? 0;
      if (all >= mostStreams || own >= mostOfOwner)
        throw new GatewayError('RATE_LIMIT_EXCEEDED', 'too many streams are open: try again in a minute', {
          headers: { 'Retry-After': '60' },
        });
      all += 1;
      counts.set(ownerId, own + 1);
      return () => {
        all -= 1;
        const left = counts.get(ownerId)! - 1;
        if (left > 0) counts.set(ownerId, left);
        else counts.delete(ownerId);
      };
    },
  };
}

type Events = ReturnType<Parameters<typeof createStream>[0]['listen']>;

/** Ends the stream if `demandKey` rejects. The next connection receives the reason. */
async function* whileValid(events: Events, demandKey: () => Promise<unknown>): Events {
  let checkedAt = performance.now();
  for await (const event of events) {
    if (performance.now() - checkedAt > keyEveryMs) {
      const isValid = await demandKey().then(
        () => true,
        () => false,
      );
      if (!isValid) return;
      checkedAt = performance.now();
    }
    yield event;
  }
}

async function* toText(events: Events): AsyncGenerator<string> {
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
