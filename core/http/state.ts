/** What one request gathers on its way. */
import type { RouterContext, RouterMiddleware } from '@koa/router';
import type { Middleware, ParameterizedContext } from 'koa';
import type { Authenticated } from '../engine/access/index.ts';
import type { Warning } from '../base/warnings.ts';

export interface RequestState {
  /** `X-Request-Id`, the client's own when it is sane. */
  requestId: string;
  /** The key's owner and scopes; present once the key was checked. */
  key?: Authenticated;
  /** The body's bytes, of a request that may have one. */
  bytes?: Uint8Array;
  /** How many JSON values it may hold; absent: the usual bound. */
  maxJsonValues?: number;
  /** The body as it was read. */
  parsed?: { readonly value: unknown };
  /** The payment request that the answer is about, once it is known to exist. */
  paymentRequestId?: number;
  /** What is said of the request beside its answer. */
  warnings?: Warning[];
  /** For the log, where the router's pattern does not say it. */
  route?: string;
  /** A line of the log has it already. */
  isLogged?: boolean;
}

export type Ctx = RouterContext<RequestState>;
/** What an answer is written to, whether a route was found or not. */
export type Answering = ParameterizedContext<RequestState>;
/** Before a route was found. */
export type Step = Middleware<RequestState>;
/** Of a route. */
export type RouteStep = RouterMiddleware<RequestState>;
