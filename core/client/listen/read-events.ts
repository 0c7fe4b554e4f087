/**
 * Reads the test events of a gateway as they happen. When a connection ends, the next one continues after the last
 * event.
 */
import { setTimeout as sleep } from 'node:timers/promises';

/** A test event, as `GET /notifications/stream` sends it. */
export interface StreamEvent {
  readonly id: string;
  readonly type: string;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes that are signed. */
  readonly body: string;
}

export interface Reading {
  /** The address of the gateway, without a slash at its end. */
  readonly base: string;
  readonly key: string;
  /** Receives messages for the user, for example that a connection is retried. */
  readonly say: (line: string) => void;
  readonly signal?: AbortSignal;
  readonly retryMs?: number;
}

/**
 * The number of remembered ids, more than are ever sent again. An event that is repeated after a reconnect is
 * recognised by its id.
 */
const knownIds = 1000;

/** Ends when the signal is aborted. Throws if the gateway refuses the key or has no stream. */
export async function* readEvents({ base, key, say, signal, retryMs = 2000 }: Reading): AsyncGenerator<StreamEvent> {
  const known = new Set<string>();
  const isOver = (): boolean => signal?.aborted === true;
  let position: string | undefined;
  while (!isOver()) {
    try {
      for await (const block of readBlocks(await connect(base, key, position, signal))) {
        position = block.get('id') ?? position;
        const data = block.get('data');
        if (data === undefined) continue;
        const event = JSON.parse(data) as StreamEvent;
        if (known.has(event.id)) continue;
        remember(known, event.id);
        yield event;
      }
      if (!isOver()) say('The gateway closed the connection. Reconnecting.');
    } catch (error) {
      if (error instanceof RefusedError) throw error;
      if (!isOver()) say(`${base} cannot be read. Retrying.`);
    }
    await sleep(retryMs, undefined, signal && { signal }).catch(() => undefined);
  }
}

class RefusedError extends Error {}

async function connect(
  base: string,
  key: string,
  position: string | undefined,
  signal: AbortSignal | undefined,
): Promise<AsyncIterable<Uint8Array>> {
  const headers = {
    'X-API-Key': key,
    Accept: 'text/event-stream',
    ...(position !== undefined && { 'Last-Event-ID': position }),
  };
  const response = await fetch(`${base}/notifications/stream`, { headers, ...(signal && { signal }) });
  if (response.ok && response.body) return response.body;
  const { message } = Object(await response.json().catch(() => undefined)) as { readonly message?: unknown };
  const why = typeof message === 'string' ? message : `it answered with ${response.status}`;
  // Other errors are temporary: the rate limit, or an unavailable database.
  if ([401, 403, 404].includes(response.status)) throw new RefusedError(`${base} refused to send events: ${why}.`);
  throw new Error(why);
}

/** Yields the blocks of an event stream as objects of their fields. Comments are skipped. */
async function* readBlocks(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<ReadonlyMap<string, string>> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of bytes) {
    const blocks = (text + decoder.decode(chunk, { stream: true })).split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = block.split('\n').flatMap((line) => {
        const [, name, value = ''] = /^(\w+): ?(.*)$/.exec(line) ?? [];
        return name === undefined ? [] : [[name, value] as const];
      });
      yield new Map(fields);
    }
  }
}

function remember(known: Set<string>, id: string): void {
  known.add(id);
  const [oldest = ''] = known;
  if (known.size > knownIds) known.delete(oldest);
}
