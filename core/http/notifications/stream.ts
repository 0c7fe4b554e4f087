/** Test events as server-sent events: for who develops without an address that we reach. */
import { Readable } from 'node:stream';
import { GatewayError } from '../../base/errors.ts';
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
/** Of those, of one owner. */
const mostOfOwner = 10;
/** The key is looked at anew so often: one that was revoked or has expired hears nothing any more. */
const keyEveryMs = 2000;

export function createStream(
  { listen }: Pick<NonNullable<HttpDeps['notifications']>, 'listen'>,
  { access }: Pick<HttpDeps, 'access'>,
): RouteStep {
  const streams = createStreamCounts();

  return async (ctx) => {
    const { ownerId, environment } = toCaller(ctx);
    if (environment !== 'test')
      throw new GatewayError('FORBIDDEN', 'the stream is for test keys: live notifications go to an address');
    const endStream = streams.begin(ownerId);
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
    // Without this the close of the connection is noticed with the next event only, or heartbeat.
    ctx.res.once('close', () => {
      stopping.abort();
      body.destroy();
    });
    ctx.set('Content-Type', streamType);
    // A proxy that gathers answers would hold events back.
    ctx.set('X-Accel-Buffering', 'no');
    ctx.body = body;
  };
}

function createStreamCounts(): { readonly begin: (ownerId: number) => () => void } {
  const counts = new Map<number, number>();
  let all = 0;
  return {
    /** Gives what ends it. RATE001 where there are too many. */
    begin(ownerId) {
      const own = counts.get(ownerId) ?? 0;
      if (all >= mostStreams || own >= mostOfOwner)
        throw new GatewayError('RATE_LIMIT_EXCEEDED', 'too many listen already: try again in a minute', {
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

/** Ends where `demandKey` rejects: the next connection is told why. */
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
