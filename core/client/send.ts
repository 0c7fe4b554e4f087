/** One call over HTTP, repeated if that is safe. */
import { CallError, GatewayError, NoAnswerError } from './errors.ts';
import { readExact } from './exact-json.ts';
import type { Problem } from './generated/types.ts';
import type { ClientOptions } from './options.ts';
import { pause, within } from './within.ts';

export interface Outgoing {
  readonly method: 'GET' | 'POST';
  /** The path with its query. */
  readonly path: string;
  /** The body as JSON. */
  readonly body: string | undefined;
  /** The answer is CSV text, not JSON. */
  readonly isText: boolean;
  /** Only for a POST. */
  readonly idempotencyKey: string | undefined;
  readonly signal: AbortSignal | undefined;
}

const longestWaitMs = 60_000;

/**
 * Returns the JSON of the answer, or its text. Throws a GatewayError, a NoAnswerError or the reason of the caller's
 * signal.
 */
export function createSend(options: ClientOptions): (outgoing: Outgoing) => Promise<unknown> {
  const { baseUrl, apiKey = '', retries = 4, timeoutMs = 90_000, fetch = globalThis.fetch } = options;
  if (apiKey === '') throw new TypeError('apiKey is missing: it is gk_test_… or gk_live_…, and the operator issues it');
  const base = baseUrl.replace(/(?<!\/)\/+$/, '');

  async function exchange(
    { method, path, body, isText, idempotencyKey }: Outgoing,
    signal: AbortSignal,
  ): Promise<Reply> {
    const headers = {
      'X-API-Key': apiKey,
      Accept: isText ? 'text/csv' : 'application/json',
      ...(body && { 'Content-Type': 'application/json' }),
      ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
    };
    // A redirect is not followed: the key would be sent along, to any host.
    const init = { method, headers, signal, redirect: 'manual', ...(body && { body }) } as const;
    const response = await fetch(`${base}${path}`, init);
    const retryAfterSeconds = Number(response.headers.get('Retry-After') ?? NaN);
    return { status: response.status, retryAfterSeconds, text: await response.text() };
  }

  async function attempt(outgoing: Outgoing): Promise<unknown> {
    const { method, path, isText, idempotencyKey, signal } = outgoing;
    const lost = `${method} ${path}: the gateway did not answer`;
    const reply = await within(timeoutMs, signal, async (limit) => exchange(outgoing, limit)).catch(
      (cause: unknown) => {
        signal?.throwIfAborted();
        throw new NoAnswerError(lost, { idempotencyKey, cause });
      },
    );
    const { status, retryAfterSeconds } = reply;
    const facts = { idempotencyKey, status, ...(retryAfterSeconds >= 0 && { retryAfterSeconds }) };
    if (status === 200 && isText) return reply.text;
    const answer = toJson(reply.text);
    if (status === 200 && answer !== undefined) return answer;
    throw isProblem(answer) ? new GatewayError(answer, facts) : new NoAnswerError(`${lost}, but ${status}`, facts);
  }

  return async (outgoing) => {
    let isLost = false;
    for (let count = 0; ; count += 1) {
      try {
        return await attempt(outgoing);
      } catch (error) {
        if (count >= retries || !(error instanceof CallError) || !isRepeatable(error, isLost)) throw error;
        const waitMs = (error.retryAfterSeconds ?? 2 ** count * (0.25 + Math.random() / 4)) * 1000;
        if (waitMs > longestWaitMs) throw error;
        isLost ||= error instanceof NoAnswerError;
        await pause(waitMs, outgoing.signal);
      }
    }
  };
}

interface Reply {
  readonly status: number;
  /** NaN if there is none. */
  readonly retryAfterSeconds: number;
  readonly text: string;
}

/**
 * A GET changes nothing and a POST has its key, so a repetition is never executed twice. PAY005 is an exception: it
 * releases the key, so a repetition would be a new payment, which the merchant must decide. After a lost answer,
 * IDEM001 says that the first request is still in progress.
 */
function isRepeatable(error: CallError, isLost: boolean): boolean {
  const { status = 500 } = error;
  const code = error instanceof GatewayError ? error.code : undefined;
  return status === 429 || (status >= 500 && code !== 'PAY005') || (code === 'IDEM001' && isLost);
}

function toJson(text: string): unknown {
  try {
    return readExact(text);
  } catch {
    return undefined; // A proxy's page; the status says more.
  }
}

function isProblem(answer: unknown): answer is Problem {
  return typeof answer === 'object' && answer !== null && 'code' in answer && 'details' in answer;
}
