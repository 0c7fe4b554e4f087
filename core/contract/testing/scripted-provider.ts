/** The context that core gives an adapter, made for tests: scripted answers, a fixed clock, fixed randomness. */
import { createHash } from 'node:crypto';
import {
  ProviderCallError,
  type HttpReply,
  type HttpRequest,
  type AdapterContext,
  type ProviderCache,
  type ProviderHttp,
  type Remembered,
} from '../provider.ts';

/** Answers one request. A `ProviderCallError` thrown here represents a lost connection. */
export type Script = (request: HttpRequest, count: number) => HttpReply | Promise<HttpReply>;

export interface ScriptedHttp extends ProviderHttp {
  /** Every request sent so far, in order. */
  readonly requests: readonly HttpRequest[];
}

/** A provider's answer with a body as text, bytes, or JSON for any other value. */
export function reply(
  status: number,
  body: unknown = '',
  headers: readonly (readonly [string, string])[] = [],
): HttpReply {
  if (body instanceof Uint8Array) return { status, headers, body };
  if (typeof body === 'string') return { status, headers, body: Buffer.from(body) };
  return {
    status,
    headers: [['Content-Type', 'application/json'], ...headers],
    body: Buffer.from(JSON.stringify(body)),
  };
}

/** Throws as if the connection was closed after the request had left. */
export function noAnswer(): never {
  throw new ProviderCallError('no_answer', 'the connection was closed before an answer came');
}

/** Throws as if the request never left. */
export function notSent(): never {
  throw new ProviderCallError('not_sent', 'no connection');
}

/** Answers by a script, or by a list of replies in order (null: no answer; after the last: no connection). */
export function scriptedHttp(script: Script | readonly (HttpReply | null)[]): ScriptedHttp {
  const requests: HttpRequest[] = [];
  const answer: Script =
    typeof script === 'function'
      ? script
      : (_, count) => {
          const next = script[count];
          return next === null ? noAnswer() : (next ?? notSent());
        };
  return {
    requests,
    async send(request) {
      requests.push(request);
      return answer(request, requests.length - 1);
    },
  };
}

export interface ProviderSetup<Options> {
  readonly options: Options;
  readonly http?: ProviderHttp;
  readonly sandbox?: boolean;
  readonly now?: Date | (() => Date);
  /** The results of `random`, call by call; after the last, fixed bytes that differ from call to call. */
  readonly random?: readonly Uint8Array[];
  /** Another seed gives other bytes after those of `random`, for every size and every call. */
  readonly randomSeed?: number;
  /** Default: an empty cache. */
  readonly cache?: ProviderCache;
  readonly publicUrl?: string;
  /** Overrides the address made from `publicUrl`, for every route. */
  readonly callbackUrl?: string;
  readonly returnUrl?: string;
  readonly cancelUrl?: string;
  readonly threeDsToken?: string;
}

/** The gateway's public address by default. */
export const testPublicUrl = 'https://gateway.example';
/** The time of the clock by default. */
export const testNow = new Date('2026-03-01T10:00:00.000Z');

/** A context whose requests are answered by a script, with a fixed clock and fixed randomness. */
export function scriptedProvider<Options>(setup: ProviderSetup<Options>): AdapterContext<Options> {
  const { options, publicUrl = testPublicUrl, sandbox = false, now = testNow } = setup;
  const clock = typeof now === 'function' ? now : () => new Date(now);
  let drawn = 0;
  return {
    options,
    sandbox,
    baseUrl: addressOf(options, sandbox),
    http: setup.http ?? scriptedHttp([]),
    cache: setup.cache ?? simpleCache(clock),
    now: clock,
    random(size) {
      drawn += 1;
      const given = setup.random?.[drawn - 1];
      if (given?.length === size) return given;
      return setup.randomSeed === undefined ? new Uint8Array(size).fill(drawn) : bytesOf(setup.randomSeed, drawn, size);
    },
    keep: () => undefined,
    publicUrl,
    callbackUrl: (route) => setup.callbackUrl ?? `${publicUrl}/callbacks/${route}`,
    returnUrl: (paymentRequestId) => setup.returnUrl ?? `${publicUrl}/pay/${paymentRequestId}`,
    cancelUrl: (paymentRequestId) => setup.cancelUrl ?? `${publicUrl}/pay/${paymentRequestId}?cancelled=1`,
    ...stepOf(publicUrl, setup.threeDsToken),
  };
}

function bytesOf(seed: number, drawn: number, size: number): Uint8Array {
  return createHash('shake256', { outputLength: size }).update(`${seed}:${drawn}`).digest();
}

function stepOf(publicUrl: string, token: string | undefined): { threeDsToken?: string; threeDsReturnUrl?: string } {
  return token === undefined ? {} : { threeDsToken: token, threeDsReturnUrl: `${publicUrl}/callbacks/3ds?t=${token}` };
}

/** The option with the address that calls go to; empty if there is none. */
export function addressOf(options: unknown, sandbox: boolean): string {
  const member = sandbox ? 'sandboxBaseUrl' : 'baseUrl';
  const value = typeof options === 'object' && options ? (options as Record<string, unknown>)[member] : undefined;
  return typeof value === 'string' ? value : '';
}

/** A cache like core's, but without its limits. */
export function simpleCache(now: () => Date): ProviderCache {
  const kept = new Map<string, Remembered<unknown>>();
  const loading = new Map<string, Promise<Remembered<unknown>>>();
  return {
    async remember<T>(key: string, load: () => Promise<Remembered<T>>): Promise<T> {
      const found = kept.get(key);
      if (found && found.until.getTime() > now().getTime()) return found.value as T;
      const running = loading.get(key) ?? load().finally(() => loading.delete(key));
      loading.set(key, running);
      const loaded = await running;
      kept.set(key, loaded);
      return loaded.value as T;
    },
    forget(key, value) {
      if (value === undefined || kept.get(key)?.value === value) kept.delete(key);
    },
  };
}
