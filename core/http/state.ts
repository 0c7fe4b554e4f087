/** The state that one request collects while it is processed. */
import type { RouterContext, RouterMiddleware } from '@koa/router';
import type { Middleware, ParameterizedContext } from 'koa';
import type { Authenticated, Operator } from '../engine/access/index.ts';
import type { Warning } from '../base/warnings.ts';

export interface RequestState {
  /** `X-Request-Id`: the client's own id if it is valid. */
  requestId: string;
  /** The key's owner and scopes. Present after the key was checked. */
  key?: Authenticated;
  /** The operator. Present after the key of a request to the management API was checked. */
  operator?: Operator;
  /** The bytes of the body, if the request may have a body. */
  bytes?: Uint8Array;
  /** Maximum number of JSON values in the body. Absent: the default limit. */
  maxJsonValues?: number;
  /** The parsed body. */
  parsed?: { readonly value: unknown };
  /** The payment request that the answer is about. Present once its existence is known. */
  paymentRequestId?: number;
  /** The error code of the answer, such as `VAL002`. Absent: no error. */
  errorCode?: string;
  /** Warnings to add to the answer. */
  warnings?: Warning[];
  /** Number of names whose nearest known name was sought. */
  guesses?: number;
  /** The route for the log, if the router's pattern does not name it. */
  route?: string;
  /** True if the log already has a line about this request. */
  isLogged?: boolean;
}

export type Ctx = RouterContext<RequestState>;
/** The context of an answer, whether a route matched or not. */
export type Answering = ParameterizedContext<RequestState>;
/** Middleware that runs before a route is matched. */
export type Step = Middleware<RequestState>;
/** Middleware of a route. */
export type RouteStep = RouterMiddleware<RequestState>;
