/** Converts the table of errors (`core/base/errors.ts`) to the failure answers of the document: one schema per kind. */
import { errorKinds } from '../../base/errors.ts';
import type { ErrorKind } from '../../base/errors.ts';
import type { HttpConfig } from '../deps.ts';
import { explainErrors, fieldError } from './explanations.ts';
import type { Explanations } from './explanations.ts';
import { answerHeaders, rateHeaders, rateHeadersIfKnown, versionHeaders } from './headers.ts';
import type { HeaderName } from './headers.ts';
import { object, schemaRef, text, whole } from './json-schema.ts';
import type { JsonSchema } from './json-schema.ts';
import type { Response } from './model.ts';

/** The schema of a kind is named after its code. */
const codeOf = (kind: ErrorKind): string => errorKinds[kind].code;

/**
 * No answer to a merchant has these kinds. Providers get answers in their own format, and WH002 is only in delivery
 * records.
 */
const unanswered: ReadonlySet<ErrorKind> = new Set(['INVALID_WEBHOOK_SIGNATURE', 'WEBHOOK_TIMEOUT']);
const answered = (Object.keys(errorKinds) as ErrorKind[]).filter((kind) => !unanswered.has(kind));

/** Kinds whose error may be about an existing payment request. */
const aboutPayments: ReadonlySet<ErrorKind> = new Set([
  'VALIDATION_ERROR',
  'INVALID_FORMAT',
  'CARD_DECLINED',
  'INVALID_CARD',
  'THREEDS_FAILED',
  'PAYMENT_NOT_PAYABLE',
  'PROVIDER_UNAVAILABLE',
  'INVALID_UPI_ID',
  'NOT_FOUND',
  'IDEMPOTENCY_CONFLICT',
  'UPI_TRANSACTION_FAILED',
  'UNAVAILABLE',
  'INTERNAL_ERROR',
]);

/** Adds the payment request to the details. An error that is not about one has no such member. */
function withPayment(details: JsonSchema): JsonSchema {
  const paymentRequestId = whole('The payment request of the error. Absent if there is none yet.');
  const isNothing = details.maxProperties === 0;
  return {
    ...details,
    ...(isNothing && { maxProperties: 1 }),
    properties: { ...details.properties, paymentRequestId },
  };
}

export function problemSchemas(config: HttpConfig): Record<string, JsonSchema> {
  const explanations = explainErrors(config);
  const kinds = answered.map((kind) => [codeOf(kind), problemSchema(kind, config.publicUrl, explanations[kind])]);
  return { FieldError: fieldError, ...(Object.fromEntries(kinds) as Record<string, JsonSchema>) };
}

function problemSchema(
  kind: ErrorKind,
  publicUrl: string,
  { meaning, cure, details, message, example }: Explanations[ErrorKind],
): JsonSchema {
  const { code, status, title } = errorKinds[kind];
  const only = (value: string | number, description: string): JsonSchema => {
    return { type: typeof value === 'number' ? 'integer' : 'string', const: value, description };
  };
  return object(
    {
      // No constant: the address differs between gateways, and a client of one must read the errors of another.
      type: text('The documentation of this kind.', { format: 'uri', pattern: `/docs/errors#${code}$` }),
      title: text('The kind as text, which may change.', { examples: [title] }),
      status: only(status, 'The HTTP status.'),
      detail: text('What is wrong, and what to do.'),
      instance: text('The path of the request; in a batch, with the index of the entry.', { minLength: 1 }),
      error: only(kind, 'The kind.'),
      message: text('The same as `detail`.'),
      code: only(code, 'The kind’s code.'),
      details: {
        ...(aboutPayments.has(kind) ? withPayment(details) : details),
        description: 'Members that depend on the kind.',
      },
      timestamp: { type: 'string', format: 'date-time', description: 'When it happened.' },
      requestId: text('The same as `X-Request-Id`.', { minLength: 1, maxLength: 128 }),
    },
    {
      title,
      description: `${meaning} ${cure}`,
      examples: [problemExample(kind, publicUrl, { message, example })],
    },
  );
}

/** A problem of one of several kinds. */
export function anyProblem(of: readonly ErrorKind[]): JsonSchema {
  const [first, ...others] = of.map((kind) => schemaRef(codeOf(kind)));
  if (first && others.length === 0) return first;
  const mapping = Object.fromEntries(of.map((kind) => [codeOf(kind), `#/components/schemas/${codeOf(kind)}`]));
  return { oneOf: of.map((kind) => schemaRef(codeOf(kind))), discriminator: { propertyName: 'code', mapping } };
}

/** Statuses of errors that are found after the key was accepted. */
const afterTheKey: ReadonlySet<number> = new Set([400, 403, 429]);

/** The failure answers of a call, by HTTP status. `isKeyed`: the call needs an API key. */
export function failureResponses(
  of: readonly ErrorKind[],
  { isKeyed, isWriting = false }: { readonly isKeyed: boolean; readonly isWriting?: boolean },
): Record<string, Response> {
  const statuses = [...new Set(of.map((kind) => errorKinds[kind].status))].toSorted((a, b) => a - b);
  return Object.fromEntries(
    statuses.map((status) => {
      const here = of.filter((kind) => errorKinds[kind].status === status);
      return [String(status), failureResponse(status, here, isKeyed, isWriting)];
    }),
  );
}

function failureResponse(status: number, of: readonly ErrorKind[], isKeyed: boolean, isWriting: boolean): Response {
  const description = of.map((kind) => `${codeOf(kind)}: ${errorKinds[kind].title}.`).join(' ');
  const names: HeaderName[] = ['X-Request-Id'];
  if (isKeyed) names.push(...versionHeaders);
  if (isKeyed && status !== 401) names.push(...(afterTheKey.has(status) ? rateHeaders : rateHeadersIfKnown));
  if (!isKeyed && status === 429) names.push(...rateHeaders);
  if (isWriting) names.push('X-Gateway-Warning');
  if (status === 429 || status === 503) names.push('Retry-After');
  if (isKeyed && of.some((kind) => aboutPayments.has(kind))) {
    names.push('X-Payment-Request-Id-if-known', 'Location-if-known', 'Idempotent-Replayed');
  }
  return {
    description,
    headers: answerHeaders(names),
    content: { 'application/problem+json': { schema: anyProblem(of) } },
  };
}

/** The body of an error of this kind, as a merchant gets it. */
export function problemExample(
  kind: ErrorKind,
  publicUrl: string,
  { message, example }: Pick<Explanations[ErrorKind], 'message' | 'example'>,
): Readonly<Record<string, unknown>> {
  const { code, status, title } = errorKinds[kind];
  return {
    type: `${publicUrl}/docs/errors#${code}`,
    title,
    status,
    detail: message,
    instance: '/payments/h2h/11',
    error: kind,
    message,
    code,
    details: example,
    timestamp: '2026-11-21T12:00:00.000Z',
    requestId: '7f9c2ba4-e88f-4d2b-a1c6-0b7f7a5b9c11',
  };
}
