/** Describes calls of merchants, which need a key. */
import type { Scope } from '../../engine/access/index.ts';
import type { ErrorKind } from '../../base/errors.ts';
import type { Parameter as QueryParameter } from '../input/query.ts';
import { answerHeaders, idempotencyKey, rateHeaders, requestHeaders, versionHeaders } from './headers.ts';
import type { HeaderName } from './headers.ts';
import type { JsonSchema } from './json-schema.ts';
import type { Example, MediaType, Operation, Parameter, RequestBody, Response } from './model.ts';
import { schemaRef } from './json-schema.ts';
import { failureResponses } from './problems.ts';

/** A body is read in the same way under both content types. */
export function jsonBody(
  schema: JsonSchema,
  examples: Readonly<Record<string, Example>>,
  { required = true, description }: { readonly required?: boolean; readonly description?: string } = {},
): RequestBody {
  const media: MediaType = { schema, examples };
  return {
    ...(description && { description }),
    required,
    content: { 'application/json-patch+json': media, 'application/json': media },
  };
}

/** The body of a call that needs none. */
export const emptyBody = jsonBody(
  schemaRef('EmptyBody'),
  { nothing: { summary: 'An empty object, or no body at all', value: {} } },
  { required: false },
);
export const emptyBodySchema: JsonSchema = { type: 'object', description: 'An object. Its members are ignored.' };

export function queryParameters<T extends Readonly<Record<string, QueryParameter<unknown>>>>(
  table: T,
  notes: { readonly [K in keyof T]: string },
): Parameter[] {
  return Object.entries(table).map(([name, { schema }]) => ({
    name,
    in: 'query',
    description: notes[name] ?? '',
    schema,
  }));
}

export function pathId(description: string, example: unknown = 10042): Parameter {
  return {
    name: 'id',
    in: 'path',
    required: true,
    description,
    schema: { type: 'integer', format: 'int64', minimum: 1 },
    example,
  };
}

function parameterRef(name: keyof typeof requestHeaders): { readonly $ref: string } {
  return { $ref: `#/components/parameters/${name}` };
}

/** Failures that every call of a merchant may have. */
const always: readonly ErrorKind[] = ['UNAUTHORIZED', 'FORBIDDEN', 'UNSUPPORTED_VERSION', 'RATE_LIMIT_EXCEEDED'];
const atLast: readonly ErrorKind[] = ['UNAVAILABLE', 'INTERNAL_ERROR'];

interface MerchantCall {
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly scope: Scope;
  readonly parameters?: readonly Parameter[];
  readonly body?: RequestBody;
  /** Failures of this call. */
  readonly kinds: readonly ErrorKind[];
  readonly success: Pick<Response, 'description' | 'content' | 'links'> & { readonly headers?: readonly HeaderName[] };
  /** True for a call that writes: it accepts an `Idempotency-Key`, and its body may be too large. */
  readonly isWriting: boolean;
}

export function merchantCall(call: MerchantCall): Operation {
  const { operationId, tag, summary, description, scope, parameters = [], body, kinds, success, isWriting } = call;
  const own: readonly ErrorKind[] = isWriting ? ['IDEMPOTENCY_CONFLICT', 'PAYLOAD_TOO_LARGE'] : [];
  const { headers = [], ...answer } = success;
  const names: HeaderName[] = [
    'X-Request-Id',
    ...headers,
    ...(isWriting ? (['Idempotent-Replayed', 'X-Gateway-Warning'] as const) : []),
  ];
  return {
    operationId,
    tags: [tag],
    summary,
    description: [description, `The key needs the scope \`${scope}\`.`].filter(Boolean).join('\n\n'),
    security: [{ apiKey: [] }],
    'x-scopes': [scope],
    parameters: [
      ...parameters,
      // Its own example: with one key for several operations, all but the first would answer IDEM001.
      ...(isWriting ? [{ ...idempotencyKey, example: `order-4711-${operationId}` }] : []),
      parameterRef('version'),
      parameterRef('requestId'),
    ],
    ...(body && { requestBody: body }),
    responses: {
      '200': { ...answer, headers: answerHeaders([...names, ...rateHeaders, ...versionHeaders]) },
      ...failureResponses([...always, ...kinds, ...own, ...atLast], { isKeyed: true, isWriting }),
    },
  };
}

/** JSON if `Accept` names it, otherwise `OK` as plain text. `examples` are names of example answers. */
export function acknowledgement(schemaName: string, examples: readonly string[]): Readonly<Record<string, MediaType>> {
  const references = examples.map((name) => [name, { $ref: `#/components/examples/${name}` }] as const);
  return {
    // Code generators take the first content type as the type of the result.
    'application/json': { schema: schemaRef(schemaName), examples: Object.fromEntries(references) },
    'text/plain': { schema: { type: 'string', const: 'OK' }, example: 'OK' },
  };
}
