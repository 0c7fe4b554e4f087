/**
 * Shows a merchant's test events as they happen, and posts each of them to an address on the merchant's machine. The
 * command `paywright listen` and the command of this package share it.
 */
import { readEvents, type StreamEvent } from './read-events.ts';

export { readEvents, type StreamEvent } from './read-events.ts';

/** Maximum time for a whole answer of the receiver, the same as for a notification. */
const forwardLimitMs = 30_000;

export interface Listening {
  /** The address of the gateway. */
  readonly url: string;
  /** A test key with the scope `requests:read`. */
  readonly key: string;
  /** Each event is posted to this address, with the bytes and signatures of a real delivery. */
  readonly forwardTo?: string | undefined;
  /** One JSON object for each event, instead of a line of text. */
  readonly json: boolean;
  readonly print: (line: string) => void;
  /** Receives messages for the user, for example that a connection is retried. */
  readonly say: (line: string) => void;
  readonly signal?: AbortSignal;
}

/** Ends when the signal is aborted. Throws if the gateway refuses the key. */
export async function listen({ url, key, forwardTo, json, print, say, signal }: Listening): Promise<void> {
  const base = url.replace(/(?<!\/)\/+$/, '');
  say(`Listening to test events of ${base}${forwardTo === undefined ? '' : `, for ${forwardTo}`}.`);
  for await (const event of readEvents({ base, key, say, ...(signal && { signal }) })) {
    const answered = forwardTo === undefined ? undefined : await forward(forwardTo, event);
    if (json) print(JSON.stringify({ ...event, ...(answered !== undefined && { answered }) }));
    else print(`${event.createdAt}  ${event.type}  ${event.id}${answered === undefined ? '' : `  ${answered}`}`);
  }
}

/** True for an http or https address. */
export function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

/** Describes the answer of the receiver: its status, or why there is none. */
async function forward(url: string, { headers, body }: StreamEvent): Promise<string> {
  try {
    const signal = AbortSignal.timeout(forwardLimitMs);
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
    await response.body?.cancel();
    return String(response.status);
  } catch (error) {
    const { cause = error } = error as { readonly cause?: unknown };
    const { code } = Object(cause) as { readonly code?: unknown };
    return `no answer (${typeof code === 'string' ? code : cause instanceof Error ? cause.message : 'unknown'})`;
  }
}
