/** Test events of a gateway as they happen, over connections that end: each goes on where the one before was. */
import { setTimeout as sleep } from 'node:timers/promises';
import * as v from 'valibot';

const Event = v.object({
  id: v.string(),
  type: v.string(),
  createdAt: v.string(),
  headers: v.record(v.string(), v.string()),
  /** The bytes that are signed. */
  body: v.string(),
});
export type StreamEvent = v.InferOutput<typeof Event>;

export interface Reading {
  /** Of the gateway, without a slash at its end. */
  readonly base: string;
  readonly key: string;
  /** Takes what a person should know: it is tried again. */
  readonly say: (line: string) => void;
  readonly signal?: AbortSignal;
  readonly retryMs?: number;
}

/** More were never sent: what comes again after a connection ended is known by its id. */
const knownIds = 1000;

/** Ends with the signal. Throws where the gateway refuses the key or has no stream. */
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
        const event = v.parse(v.pipe(v.string(), v.parseJson(), Event), data);
        if (known.has(event.id)) continue;
        remember(known, event.id);
        yield event;
      }
      if (!isOver()) say('The gateway ended the connection: it is made again.');
    } catch (error) {
      if (error instanceof RefusedError) throw error;
      if (!isOver()) say(`${base} cannot be read: it is tried again.`);
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
  const problem = v.safeParse(v.object({ message: v.string() }), await response.json().catch(() => undefined));
  const why = problem.success ? problem.output.message : `it answered ${response.status}`;
  // Others pass: the rate limit, a database that is away.
  if ([401, 403, 404].includes(response.status)) throw new RefusedError(`${base} does not show its events: ${why}.`);
  throw new Error(why);
}

/** Blocks of a stream, each by the names of its fields; comments are none. */
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

export function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
