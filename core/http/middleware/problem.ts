/** Builds the body of every failure. It combines both shapes of the specification. */
import { errorKinds } from '../../base/errors.ts';
import type { FieldError, GatewayError } from '../../base/errors.ts';
import { toEchoed, withoutCardNumbers } from '../input/echo.ts';

export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance: string;
  readonly error: string;
  readonly message: string;
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly timestamp: string;
  readonly requestId: string;
}

export interface ProblemContext {
  readonly publicUrl: string;
  /** Path of the request, without the query. */
  readonly instance: string;
  readonly requestId: string;
  /** Members of `details` in addition to those of the kind. */
  readonly about?: Readonly<Record<string, unknown>>;
  readonly now: Date;
}

export function presentProblem(error: GatewayError, context: ProblemContext): Problem {
  const { code, status, title } = errorKinds[error.kind];
  const message = withoutCardNumbers(error.message);
  return {
    type: `${context.publicUrl}/docs/errors#${code}`,
    title,
    status,
    detail: message,
    instance: withoutCardNumbers(context.instance) || '/',
    error: error.kind,
    message,
    code,
    details: { ...withoutSecrets(error.details), ...context.about },
    timestamp: context.now.toISOString(),
    requestId: context.requestId,
  };
}

/** Removes the parts of wrong values that must be neither repeated nor stored. */
export function withoutSecrets(details: GatewayError['details']): GatewayError['details'] {
  const { errors } = details as { readonly errors?: readonly FieldError[] };
  return {
    ...details,
    ...('value' in details && { value: toEchoed(details['value']) }),
    ...(errors && { errors: errors.map((error) => ({ ...error, value: toEchoed(error.value) })) }),
  };
}
