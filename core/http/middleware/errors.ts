/** The only place that turns an error into a problem body, a status and headers. */
import { stringifyExact } from '@paywright/contract';
import type { Logger } from 'pino';
import { GatewayError } from '../../base/errors.ts';
import type { Metrics } from '../../base/metrics/index.ts';
import { presentProblem } from './problem.ts';
import type { Problem } from './problem.ts';
import type { RequestState, Step } from '../state.ts';
import { setWarningHeaders } from '../response-warnings.ts';

interface SinkOptions {
  readonly publicUrl: string;
  readonly now: () => Date;
  readonly metrics: Pick<Metrics, 'httpProblems'>;
  readonly log: Pick<Logger, 'error'>;
}

export function createErrors(options: SinkOptions): Step {
  return async (ctx, next) => {
    try {
      await next();
    } catch (thrown) {
      const error = toGatewayError(thrown, ctx.state, options.log);
      if (error.paymentRequestId !== undefined) ctx.state.paymentRequestId = error.paymentRequestId;
      const problem = describeProblem(error, ctx, options);
      options.metrics.httpProblems.inc({ code: problem.code });
      ctx.state.errorCode = problem.code;
      ctx.status = problem.status;
      ctx.body = stringifyExact(problem);
      ctx.type = 'application/problem+json';
      ctx.set({ ...error.headers });
      setPaymentHeaders(ctx);
      setWarningHeaders(ctx, ctx.state.warnings);
    }
  };
}

/** Converts any thrown value to a GatewayError. Other errors become SYS001, and the log has their stack. */
export function toGatewayError(thrown: unknown, { requestId }: RequestState, log: SinkOptions['log']): GatewayError {
  if (thrown instanceof GatewayError) return thrown;
  log.error({ err: thrown, requestId }, 'a request failed with an internal error');
  return new GatewayError('INTERNAL_ERROR', `something went wrong on our side; tell us the request id ${requestId}`, {
    cause: thrown,
  });
}

/** Names the payment request in the problem, if one exists. */
export function describeProblem(
  error: GatewayError,
  { path, state }: { readonly path: string; readonly state: RequestState },
  { publicUrl, now }: Pick<SinkOptions, 'publicUrl' | 'now'>,
): Problem {
  const { requestId, paymentRequestId = error.paymentRequestId } = state;
  const about = paymentRequestId === undefined ? {} : { paymentRequestId };
  return presentProblem(error, { publicUrl, instance: path, requestId, about, now: now() });
}

/** Sets `X-Payment-Request-Id` and `Location` of every answer about an existing payment request. */
export function setPaymentHeaders(ctx: {
  readonly state: RequestState;
  set(headers: Readonly<Record<string, string>>): void;
}): void {
  const id = ctx.state.paymentRequestId;
  if (id !== undefined) ctx.set({ 'X-Payment-Request-Id': `${id}`, Location: `/payment-requests/${id}` });
}
