/** From the table of errors (`core/base/errors.ts`) to the answers of the document: one schema per kind. */
import { errorKinds } from '../../base/errors.ts';
import type { ErrorKind } from '../../base/errors.ts';
import type { HttpConfig } from '../deps.ts';
import { explainErrors } from './explanations.ts';
import type { Explanations } from './explanations.ts';
import { answerHeaders, rateHeaders, rateHeadersIfKnown, versionHeaders } from './headers.ts';
import type { HeaderName } from './headers.ts';
import { object, schemaRef, text, whole } from './json-schema.ts';
import type { JsonSchema } from './json-schema.ts';
import type { Response } from './model.ts';

/** The code of a kind is the name of its schema. */
const codeOf = (kind: ErrorKind): string => errorKinds[kind].code;

/** No answer is of these kinds: providers are answered in their own words, and WH002 is found in records of deliveries. */
const unanswered: ReadonlySet<ErrorKind> = new Set(['INVALID_WEBHOOK_SIGNATURE', 'WEBHOOK_TIMEOUT']);
const answered = (Object.keys(errorKinds) as ErrorKind[]).filter((kind) => !unanswered.has(kind));

/** May or may not be about a payment request that exists. */
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

/** Where it is not about one yet, its details have no such member. */
function withPayment(details: JsonSchema): JsonSchema {
  const paymentRequestId = whole('Of the payment request that it is about; absent where there is none yet.');
  const isNothing = details.maxProperties === 0;
  return {
    ...details,
    ...(isNothing && { maxProperties: 1 }),
    properties: { ...details.properties, paymentRequestId },
  };
}

export function problemSchemas(config: HttpConfig): Record<string, JsonSchema> {
  const explanations = explainErrors(config);
  return Object.fromEntries(
    answered.map((kind) => [codeOf(kind), problemSchema(kind, config.publicUrl, explanations[kind])]),
  );
}

function problemSchema(
  kind: ErrorKind,
  publicUrl: string,
  { meaning, cure, details, message, example }: Explanations[ErrorKind],
): JsonSchema {
  const { code, status, title } = errorKinds[kind];
  const type = `${publicUrl}/docs/errors#${code}`;
  const only = (value: string | number, description: string): JsonSchema => {
    return { type: typeof value === 'number' ? 'integer' : 'string', const: value, description };
  };
  return object(
    {
      type: { ...only(type, 'Where this kind is explained.'), format: 'uri' },
      title: text('The kind in words, which may change.', { examples: [title] }),
      status: only(status, 'The HTTP status.'),
      detail: text('What is wrong, and the cure.'),
      instance: text('The path of the request; in a batch, with the place of the entry.', { minLength: 1 }),
      error: only(kind, 'The kind.'),
      message: text('The same as `detail`.'),
      code: only(code, 'The kind’s code.'),
      details: {
        ...(aboutPayments.has(kind) ? withPayment(details) : details),
        description: 'What belongs to the kind.',
      },
      timestamp: { type: 'string', format: 'date-time', description: 'When it happened.' },
      requestId: text('The same as `X-Request-Id`.', { minLength: 1, maxLength: 128 }),
    },
    {
      title,
      description: `${meaning} ${cure}`,
      examples: [
        {
          type,
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
        },
      ],
    },
  );
}

/** One problem of several kinds. */
export function anyProblem(of: readonly ErrorKind[]): JsonSchema {
  const [first, ...others] = of.map((kind) => schemaRef(codeOf(kind)));
  if (first && others.length === 0) return first;
  const mapping = Object.fromEntries(of.map((kind) => [codeOf(kind), `#/components/schemas/${codeOf(kind)}`]));
  return { oneOf: of.map((kind) => schemaRef(codeOf(kind))), discriminator: { propertyName: 'code', mapping } };
}

/** The key was accepted before any of these is found. */
const afterTheKey: ReadonlySet<number> = new Set([400, 403, 429]);

/** The answers of a call to failures of these kinds, by HTTP status. `isKeyed`: the call needs an API key. */
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
