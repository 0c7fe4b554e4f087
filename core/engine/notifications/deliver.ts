/** Makes one attempt: a single POST to a checked address, with a time limit and a limit on what it reads. */
import * as http from 'node:http';
import * as https from 'node:https';
import type { TcpNetConnectOpts } from 'node:net';
import { urlToHttpOptions } from 'node:url';
import { readBytes, toAnswerExcerpt } from './answer-excerpt.ts';
import type { Connections, ConnectionName } from './connections.ts';
import { RefusedTarget } from './target-guard.ts';
import type { TargetGuard, Target } from './target-guard.ts';

export interface Delivery {
  /**
   * - `delivered`: a complete answer with 2xx;
   * - `gone`: an answer with 410;
   * - `failed`: any other answer, no answer, or an address that must not be called;
   * - `cut`: the caller's signal ended the attempt; whether the receiver has the notification is unknown.
   */
  readonly outcome: 'delivered' | 'gone' | 'failed' | 'cut';
  readonly status: number | null;
  readonly ms: number;
  /** There was no complete answer. */
  readonly code?: 'WH002';
  /** The time limit was reached. */
  readonly timedOut: boolean;
  /** The reason of a failure, without address, URL or secret; null after success. */
  readonly error: string | null;
  /** The `Retry-After` header of the answer, unparsed. */
  readonly retryAfter?: string;
  /** The beginning of the answer's text, masked. Absent: no answer, or no text. */
  readonly answer?: string;
}

export interface DeliveryRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** The limit for the whole attempt: resolving, connecting, sending and reading the answer to its last byte. */
  readonly timeoutMs: number;
  readonly guard: TargetGuard;
  readonly connections: Connections;
  /** Cuts the attempt off. */
  readonly signal?: AbortSignal;
}

interface Answer {
  readonly status: number;
  readonly complete: boolean;
  readonly retryAfter: string | undefined;
}

/** Only the status of an answer matters, and its beginning is kept: bytes beyond this limit are not read. */
const maxAnswerBytes = 64 * 1024;

const maxInformation = 5;

/** Long enough for a distant receiver, short enough to try a second address within the time limit. */
const connectAttemptMs = 2000;

/**
 * Makes one attempt. Never rejects, never follows a redirect, and settles at the time limit whatever the receiver
 * does.
 */
export async function deliver(request: DeliveryRequest): Promise<Delivery> {
  const { url, timeoutMs, guard, signal } = request;
  const started = performance.now();
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), timeoutMs);
  const cut = () => limit.abort();
  signal?.addEventListener('abort', cut, { once: true });
  if (signal?.aborted === true) cut();
  let answered: number | null = null;
  let excerpt: () => string | undefined = () => undefined;

  try {
    const target = await orAborted(guard.resolvePublic(url), limit.signal);
    const exchange = postTo(target, request, limit.signal, (status, excerptOf) => {
      answered = status;
      excerpt = excerptOf;
    });
    return toDelivery(await orAborted(exchange, limit.signal));
  } catch (error) {
    if (signal?.aborted === true) return end('cut', 'cut off because the worker stops');
    if (error instanceof RefusedTarget) return end('failed', error.message);
    const reason = limit.signal.aborted ? `no complete answer within ${timeoutMs / 1000} s` : describeFailure(error);
    return { ...end('failed', reason), timedOut: limit.signal.aborted, code: 'WH002' };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', cut);
  }

  function end(outcome: Delivery['outcome'], error: string | null): Delivery {
    const answer = excerpt();
    const ms = Math.round(performance.now() - started);
    return { outcome, status: answered, ms, timedOut: false, error, ...(answer !== undefined && { answer }) };
  }

  function toDelivery({ status, complete, retryAfter }: Answer): Delivery {
    if (!complete) return { ...end('failed', 'the answer ended early'), code: 'WH002' };
    if (status >= 200 && status <= 299) return end('delivered', null);
    if (status === 410) return end('gone', 'answered 410 Gone');
    const redirect = status >= 300 && status <= 399 ? '; redirects are not followed' : '';
    const failed = end('failed', `answered ${status}${redirect}`);
    return retryAfter === undefined ? failed : { ...failed, retryAfter };
  }
}

/** Called with the status of an answer, and a function that returns the beginning of its text so far. */
type OnAnswer = (status: number, excerptOf: () => string | undefined) => void;

/** The receiver closed a reused connection before it answered: it closed an idle connection while we sent. */
class StaleConnection extends Error {}

/**
 * Repeats the request once, over a new connection, if a reused one was closed. The receiver detects a repetition by
 * its id.
 */
async function postTo(
  target: Target,
  request: DeliveryRequest,
  signal: AbortSignal,
  onAnswer: OnAnswer,
): Promise<Answer> {
  try {
    return await post(target, request, request.connections.agentFor(target), signal, onAnswer);
  } catch (error) {
    if (!(error instanceof StaleConnection)) throw error;
    return post(target, request, false, signal, onAnswer);
  }
}

async function post(
  { url, lookup, addresses }: Target,
  { headers, body }: DeliveryRequest,
  agent: http.Agent | false,
  signal: AbortSignal,
  onAnswer: OnAnswer,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { request } = url.protocol === 'https:' ? https : http;
    const options: https.RequestOptions & Pick<TcpNetConnectOpts, 'autoSelectFamilyAttemptTimeout'> & ConnectionName = {
      ...urlToHttpOptions(url),
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'Content-Length': body.byteLength,
        'User-Agent': 'Paywright',
        ...headers,
      },
      agent,
      lookup,
      addresses,
      signal,
      autoSelectFamilyAttemptTimeout: connectAttemptMs,
    };
    const outgoing = request(options);
    let isUnanswered = () => false;
    const fail = (error?: Error): void => {
      if (isUnanswered() && !signal.aborted) reject(new StaleConnection());
      else reject(error ?? new Error('closed'));
    };
    outgoing.on('socket', (socket) => {
      const { bytesRead } = socket;
      isUnanswered = () => outgoing.reusedSocket && socket.bytesRead === bytesRead;
    });
    outgoing.on('error', fail);
    let informed = 0;
    // A receiver may send informational answers (1xx) without end.
    outgoing.on('information', () => {
      informed += 1;
      if (informed > maxInformation) outgoing.destroy();
    });
    // After an upgrade (101) there is no other event.
    const onClose = () => fail();
    outgoing.on('close', onClose);
    outgoing.on('response', (answer) => {
      const status = answer.statusCode ?? 0;
      const beginning: Buffer[] = [];
      let bytes = 0;
      onAnswer(status, () =>
        toAnswerExcerpt(answer.headers['content-type'], Buffer.concat(beginning).subarray(0, readBytes)),
      );
      // From here on only 'close' of the answer ends the attempt, also after an error: a receiver may answer and hang
      // up early.
      outgoing
        .off('close', onClose)
        .off('error', fail)
        .on('error', () => undefined);
      answer.on('error', () => undefined);
      answer.on('data', (chunk: Buffer) => {
        if (bytes < readBytes) beginning.push(chunk);
        bytes += chunk.length;
        if (bytes > maxAnswerBytes) answer.destroy();
      });
      answer.on('close', () => {
        // The receiver answered before it had read the whole request: the rest stays unsent.
        if (!outgoing.writableFinished) outgoing.destroy();
        resolve({
          status,
          complete: answer.complete || bytes > maxAnswerBytes,
          retryAfter: answer.headers['retry-after'],
        });
      });
    });
    outgoing.end(body);
  });
}

function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(new Error('aborted'));
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject);
  });
}

/** Describes the error by its code only, because its message contains addresses. */
function describeFailure(error: unknown): string {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  if (code === undefined) return 'the connection ended without an answer';
  if (/^(ENOTFOUND|ENODATA|EAI_)/.test(code)) return `the host name could not be resolved (${code})`;
  if (code.startsWith('HPE_')) return `the answer is not HTTP (${code})`;
  if (/^(CERT_|ERR_TLS_|ERR_SSL_|DEPTH_|SELF_SIGNED_|UNABLE_TO_|EPROTO$)/.test(code)) return `TLS failed (${code})`;
  return `the connection failed (${code})`;
}
