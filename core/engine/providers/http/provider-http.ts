/** HTTP for adapters: bound to one address, with limits, and with classified failures. */
import http from 'node:http';
import https from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import { urlToHttpOptions } from 'node:url';
import {
  defined,
  httpFailure,
  ProviderCallError,
  replyHeader,
  type HttpFailure,
  type HttpReply,
  type HttpRequest,
  type ProviderHttp,
} from '@paywright/contract';
import { answerRuleOf, sandboxRuleHeader } from '@paywright/contract/core';
import { readRetryAfter } from '../../../base/text/read-time.ts';
import { gatewayVersion } from '../../../base/version.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';

/** One request and its result, without headers, bodies or query. */
export interface Exchange {
  /** The call of the contract that the request belongs to, such as `submit`. */
  readonly call: string;
  readonly method: string;
  readonly path: string;
  /** Exactly one of `status` and `failure` is present. */
  readonly status?: number;
  readonly failure?: HttpFailure;
  readonly ms: number;
  readonly at: Date;
  /** The adapter states that the request cannot charge. */
  readonly chargesNothing?: true;
  /** A sandbox says that the amount of the payment caused this answer. */
  readonly sandboxRule?: string;
}

/** An error of this client: its message holds no data of the request or the answer. */
export class ProviderHttpError extends ProviderCallError {
  /** The header of an answer that was not complete, if a sandbox sent one. */
  sandboxRule?: string | undefined;
}

export interface HttpAgents {
  readonly http: http.Agent;
  readonly https: https.Agent;
  close(): void;
}

/**
 * Creates the agents that reuse connections. They close an idle connection after 4 s, which is before most servers
 * close it, because a request on a closed connection has an unknown outcome.
 */
export function createHttpAgents(): HttpAgents {
  const options = { keepAlive: true, timeout: 4000 };
  const agents = { http: new http.Agent(options), https: new https.Agent(options) };
  return { ...agents, close: () => Object.values(agents).forEach((agent) => agent.destroy()) };
}

export interface ProviderHttpOptions {
  /** Without a slash at the end. Its path precedes the path of every request. */
  readonly baseUrl: string;
  readonly call: string;
  readonly agents: HttpAgents;
  /**
   * The limit of one `send`, from the connection to the last byte of the body, including a repetition. Default 30,000.
   */
  readonly timeoutMs?: number;
  /** Maximum size of an answer's body. Default 1 MiB. */
  readonly maxBytes?: number;
  /** Stops requests in progress, and refuses later ones. */
  readonly signal?: AbortSignal;
  /** Once true, nothing more is sent, because another process may have taken over. */
  readonly deadlinePassed?: () => boolean;
  readonly now: () => Date;
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly transcript?: (exchange: Exchange) => void;
  readonly breaker?: CircuitBreaker;
}

const LONGEST_RETRY_AFTER_MS = 5000;
const userAgent = `Paywright/${gatewayVersion}`;

export function createProviderHttp(setup: ProviderHttpOptions): ProviderHttp {
  const { timeoutMs = 30_000, now, breaker, sleep = async (ms, signal) => delay(ms, undefined, { signal }) } = setup;

  async function send(request: HttpRequest): Promise<HttpReply> {
    const options = readRequest(setup, request);
    if (setup.signal?.aborted) {
      const reason = (setup.signal.reason as Error).message;
      throw new ProviderHttpError('not_sent', `the provider was not called: ${reason}`);
    }
    const limit = new AbortController();
    const { signal } = limit;
    const timer = setTimeout(() => limit.abort(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
    const cut = (): void => limit.abort(setup.signal?.reason);
    setup.signal?.addEventListener('abort', cut, { once: true });
    const once = async (): Promise<HttpReply> => recorded(setup, options, async () => exchange(setup, options, signal));
    const guarded = async (): Promise<HttpReply> => (breaker ? unlessOpen(breaker, once) : once());
    try {
      const reply = await guarded();
      const wait = reply.status === 429 ? readRetryAfter(replyHeader(reply, 'Retry-After'), now()) : undefined;
      if (wait === undefined || wait > LONGEST_RETRY_AFTER_MS) return reply;
      // If there is no time for another attempt, the 429 is the result.
      await sleep(wait, signal).catch(() => undefined);
      return signal.aborted ? reply : await guarded();
    } catch (error) {
      throw request.chargesNothing ? withoutCharge(error) : error;
    } finally {
      clearTimeout(timer);
      setup.signal?.removeEventListener('abort', cut);
    }
  }

  return {
    send(request) {
      const reply = send(request);
      // If an adapter does not wait for its answer, a failure must not end the process.
      reply.catch(() => undefined);
      return reply;
    },
  };
}

/**
 * Converts a lost answer to "not sent", for requests that cannot charge. The transcript still has what really happened.
 */
function withoutCharge(error: unknown): unknown {
  if (httpFailure(error) !== 'no_answer' || !(error instanceof Error)) return error;
  return new ProviderHttpError('not_sent', error.message, error);
}

/** Fails as "not sent" while the circuit is open. An answer with any status closes the circuit. */
async function unlessOpen<T>(breaker: CircuitBreaker, once: () => Promise<T>): Promise<T> {
  const report = breaker.enter();
  if (!report) throw new ProviderHttpError('not_sent', `not called: its last ${breaker.failures} exchanges failed`);
  try {
    const reply = await once();
    report('answered');
    return reply;
  } catch (error) {
    report(httpFailure(error) ? 'unreachable' : 'unknown');
    throw error;
  }
}

interface RequestOptions {
  readonly url: http.RequestOptions;
  readonly secure: boolean;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
  readonly chargesNothing?: true;
}

/** Refuses an invalid request before anything is sent. */
function readRequest({ baseUrl }: ProviderHttpOptions, request: HttpRequest): RequestOptions {
  const { method, path, headers = {}, body, chargesNothing } = request;
  const base = new URL(baseUrl);
  if (!/^\/[\x21-\x7e]*$/.test(path)) {
    throw new ProviderHttpError('not_sent', 'a path begins with "/" and is percent-encoded ASCII');
  }
  try {
    for (const [name, value] of Object.entries(headers)) {
      http.validateHeaderName(name);
      http.validateHeaderValue(name, value);
    }
  } catch {
    // The message of the error would show the value.
    throw new ProviderHttpError('not_sent', 'a header has a name or a value that HTTP does not allow');
  }
  const bytes = body === undefined ? undefined : Buffer.from(body);
  return {
    url: urlToHttpOptions(base),
    secure: base.protocol === 'https:',
    method,
    path: base.pathname.replace(/\/$/, '') + path,
    headers,
    body: bytes ?? (method === 'GET' || method === 'DELETE' ? undefined : Buffer.alloc(0)),
    ...(chargesNothing && { chargesNothing }),
  };
}

async function recorded(
  { call, now, transcript }: ProviderHttpOptions,
  { method, path, chargesNothing }: RequestOptions,
  run: () => Promise<HttpReply>,
): Promise<HttpReply> {
  const started = performance.now();
  const facts = { call, method, path: path.split('?')[0]!, at: now(), ...(chargesNothing && { chargesNothing }) };
  const ms = (): number => Math.round(performance.now() - started);
  try {
    const reply = await run();
    transcript?.({ ...facts, status: reply.status, ms: ms(), ...ruleOf(replyHeader(reply, sandboxRuleHeader)) });
    return reply;
  } catch (error) {
    if (error instanceof ProviderHttpError)
      transcript?.({ ...facts, failure: error.failure, ms: ms(), ...ruleOf(error.sandboxRule) });
    throw error;
  }
}

function ruleOf(text: string | undefined): Pick<Exchange, 'sandboxRule'> {
  return defined({ sandboxRule: answerRuleOf(text) });
}

async function exchange(setup: ProviderHttpOptions, options: RequestOptions, signal: AbortSignal): Promise<HttpReply> {
  try {
    return await attempt(setup, options, signal, options.secure ? setup.agents.https : setup.agents.http);
  } catch (error) {
    if (options.method !== 'GET' || !(error instanceof StaleConnectionError)) throw error;
    return attempt(setup, options, signal, false);
  }
}

/** A reused connection was closed before any answer. Whether the provider read the request is unknown. */
class StaleConnectionError extends ProviderHttpError {}

async function attempt(
  { maxBytes = 1024 * 1024, deadlinePassed }: ProviderHttpOptions,
  { url, secure, method, path, headers, body }: RequestOptions,
  signal: AbortSignal,
  agent: http.Agent | false,
): Promise<HttpReply> {
  return new Promise((resolve, reject) => {
    const request = (secure ? https : http).request({ ...url, method, path, agent, signal });
    let sent = false;
    let answered = false;
    let rule: string | undefined;
    const fail = (why: string, cause?: Error): void => {
      const stale = request.reusedSocket && !answered && !signal.aborted;
      // Merchants read this in the log of their payment, so it names no address of the provider.
      const text = `the provider ${sent ? 'gave no answer' : 'was not reached'}: ${why}`;
      const failure = sent ? 'no_answer' : 'not_sent';
      const error = new (stale ? StaleConnectionError : ProviderHttpError)(failure, text, cause);
      error.sandboxRule = rule;
      reject(error);
    };
    const failBy = (error: NodeJS.ErrnoException): void =>
      fail(signal.aborted ? (signal.reason as Error).message : (error.code ?? 'connection error'), error);

    request.on('socket', (socket) => {
      // This process may have been suspended after it decided to send. No byte is sent before this check.
      const connected = (): void => {
        if (deadlinePassed?.()) {
          fail('its deadline passed before it was sent');
          // The written data waits for this event too, and its listener runs after this one.
          socket.destroy();
          return;
        }
        sent = true;
      };
      // Until the connection (with TLS) is open, the written data waits in this process.
      if (request.reusedSocket) connected();
      else socket.once(secure ? 'secureConnect' : 'connect', connected);
    });
    request.on('response', (response) => {
      sent = answered = true;
      rule = response.headers[sandboxRuleHeader.toLowerCase()]?.toString();
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        size += chunk.length;
        if (size <= maxBytes) return;
        fail(`its answer has more than ${maxBytes} bytes`);
        request.destroy();
      });
      response.on('end', () => {
        if (!response.complete) return fail('its answer was incomplete');
        resolve({ status: response.statusCode!, headers: headerPairs(response), body: Buffer.concat(chunks) });
      });
      response.on('error', failBy);
      response.on('close', () => response.complete || fail('its answer was incomplete'));
    });
    request.on('error', failBy);
    request.on('close', () => !answered && fail('the connection was closed'));

    // Some providers refuse a request without it. The adapter may set its own.
    request.setHeader('User-Agent', userAgent);
    for (const [name, value] of Object.entries(headers)) request.setHeader(name, value);
    if (body) request.setHeader('Content-Length', body.length);
    request.end(body);
  });
}

function headerPairs({ rawHeaders }: http.IncomingMessage): [string, string][] {
  return rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [[name, rawHeaders[at + 1]!]] : []));
}
