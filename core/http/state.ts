/** What one request gathers on its way. */
import type { RouterContext, RouterMiddleware } from '@koa/router';
import type { Middleware } from 'koa';
import type { Authenticated } from '../access/index.ts';
import type { FieldError } from '../errors.ts';

export interface RequestState {
  /** `X-Request-Id`, the client's own when it is sane. */
  requestId: string;
  /** Who asks; there once the key was judged. */
  key?: Authenticated;
  /** The body's bytes; undefined where it could not be read (then `bodyProblem` says why) or none was asked for. */
  bytes?: Uint8Array;
  /** What is wrong with the body or its headers; thrown when the form is judged, not before. */
  bodyProblem?: FieldError;
  /** The payment request that the answer is about, once it is known to exist. */
  paymentRequestId?: number;
  /** For the log, where the router's pattern does not say it. */
  route?: string;
}

export type Ctx = RouterContext<RequestState>;
/** Before a route was found. */
export type Step = Middleware<RequestState>;
/** Of a route. */
export type RouteStep = RouterMiddleware<RequestState>;
