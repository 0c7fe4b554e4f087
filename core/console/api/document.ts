/** Builds the OpenAPI 3.1 document of the management API from its operations. */
import type { GenericSchema } from 'valibot';
import { errorKinds, type ErrorKind } from '../../base/errors.ts';
import { capitalise } from '../../base/text/capitalise.ts';
import type { HttpConfig } from '../../http/index.ts';
import {
  answerHeaders,
  headerComponents,
  rateHeaders,
  rateHeadersIfKnown,
  requestHeaders,
  type HeaderName,
} from '../../http/openapi/headers.ts';
import { schemaRef, type JsonSchema } from '../../http/openapi/json-schema.ts';
import { currentVersion } from '../../http/middleware/versions.ts';
import type {
  OpenApiDocument,
  Operation as Described,
  Parameter,
  PathItem,
  Response,
} from '../../http/openapi/model.ts';
import { anyProblem, problemSchemas } from '../../http/openapi/problems.ts';
import { answers, itemSchemas } from './answers.ts';
import { isOptional, jsonSchemaOf } from './input.ts';
import { hasBody, pathMembersOf, type Operation } from './operation.ts';
import { operations } from './operations.ts';

export interface ManagementFacts {
  /** The settings of the API for merchants: its errors and limits are the same here. */
  readonly http: HttpConfig;
}

const always: readonly ErrorKind[] = [
  'UNAUTHORIZED',
  'FORBIDDEN',
  'VALIDATION_ERROR',
  'INVALID_FORMAT',
  'NOT_FOUND',
  'RATE_LIMIT_EXCEEDED',
  'UNAVAILABLE',
  'INTERNAL_ERROR',
];
const used: readonly ErrorKind[] = [...always, 'PAYLOAD_TOO_LARGE', 'PAYMENT_NOT_PAYABLE'];

/** Kinds that mean something of its own here. */
const meanings: Partial<Record<ErrorKind, string>> = {
  UNAUTHORIZED:
    'The operator’s key is missing, unknown, revoked or expired. Send it as `Authorization: Bearer gk_ops_…`.',
  FORBIDDEN: 'The role of the key is not admin. Create a key with the role admin.',
  NOT_FOUND: 'The resource does not exist, or there is no such path and method.',
  PAYMENT_NOT_PAYABLE: 'Money depends on the present state, so it cannot change. The message says what to do.',
};

export function createManagementDocument({ http }: ManagementFacts): OpenApiDocument {
  const all = Object.entries(operations) as unknown as readonly (readonly [string, Operation])[];
  const paths: Record<string, PathItem> = {};
  for (const [name, one] of all) {
    paths[one.path] = { ...paths[one.path], [one.method.toLowerCase()]: toOperation(name, one) };
  }
  const bodies = all
    .filter(([, one]) => bodyMembersOf(one).length > 0)
    .map(([name, one]) => [bodyName(name), bodySchema(one)]);
  const kinds = problemSchemas(http);
  const problems = used.map((kind) => {
    const { code } = errorKinds[kind];
    const { examples: _, ...schema } = kinds[code]!;
    return [code, { ...schema, ...(meanings[kind] !== undefined && { description: meanings[kind] }) }];
  });
  const answered = Object.entries(answers).map(([name, { schema }]) => [name, schema]);
  const headers: readonly HeaderName[] = ['X-Request-Id', ...rateHeaders, ...rateHeadersIfKnown, 'Retry-After'];
  return {
    openapi: '3.1.0',
    info: {
      title: 'Paywright management',
      version: currentVersion,
      summary: 'Merchants, keys, endpoints, accounts, adapters and routes, for operators.',
      description:
        'Send an operator’s key with the role admin as `Authorization: Bearer gk_ops_…`. Bodies are JSON; unknown ' +
        'members are refused. A failed call returns `application/problem+json`. PUT, PATCH and DELETE may be repeated: ' +
        'a repetition that changes nothing writes nothing. Every change is in the audit log, with the name of the ' +
        'operator. Text that is secret is accepted, and never returned.',
      contact: { name: 'Documentation', url: `${http.publicUrl}/docs` },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The operators’ listener.' }],
    security: [{ operatorKey: [] }],
    tags,
    'x-tagGroups': [{ name: 'For operators', tags: tags.map(({ name }) => name) }],
    paths: { ...paths, '/api/openapi.json': { get: ownOperation } },
    webhooks: {},
    components: {
      schemas: Object.fromEntries([
        ...answered,
        ...Object.entries(itemSchemas),
        ...bodies,
        ...problems,
        ['FieldError', kinds['FieldError']],
      ]) as Record<string, JsonSchema>,
      headers: Object.fromEntries(headers.map((name) => [name, headerComponents[name]!])),
      parameters: { requestId: requestHeaders.requestId },
      examples: {},
      links: {},
      securitySchemes: {
        operatorKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'The key of an operator with the role admin: `paywright operators create <name> --role admin`.',
        },
      },
    },
  };
}

const tags = [
  { name: 'Merchants', description: 'Create, change and remove merchants.' },
  { name: 'Keys', description: 'API keys of merchants.' },
  { name: 'Endpoints', description: 'Addresses of notifications that fail, and test events.' },
  { name: 'Portal links', description: 'Links that open the portal of a merchant.' },
  { name: 'Accounts', description: 'Accounts at providers.' },
  { name: 'Adapters', description: 'The states of adapters.' },
  { name: 'Routes', description: 'Route rules. They are changed in the config files.' },
  { name: 'Service', description: 'This document.' },
];

const ownOperation: Described = {
  operationId: 'getDocument',
  tags: ['Service'],
  summary: 'This document',
  description: 'Needs no key.',
  security: [],
  responses: {
    '200': {
      description: 'The document.',
      headers: answerHeaders(['X-Request-Id']),
      content: { 'application/json': { schema: { type: 'object' }, example: { openapi: '3.1.0' } } },
    },
    ...failures(['RATE_LIMIT_EXCEEDED', 'INTERNAL_ERROR']),
  },
};

function toOperation(operationId: string, one: Operation): Described {
  const { tag, summary, description, path, example = {}, answer: answerName, creates, mayConflict } = one;
  const answer = answers[answerName]!;
  const success: Response = {
    description: answer.description,
    headers: answerHeaders(['X-Request-Id', ...rateHeaders]),
    content: { 'application/json': { schema: schemaRef(answerName), example: answer.example } },
  };
  const members = Object.entries(one.input);
  const inPath = pathMembersOf(path);
  const inBody = bodyMembersOf(one);
  const parameters = members
    .filter(([name]) => !inBody.includes(name))
    .map(([name, schema]): Parameter => {
      const { description: about = '', ...json } = jsonSchemaOf(schema);
      const isInPath = inPath.includes(name);
      return {
        name,
        in: isInPath ? 'path' : 'query',
        ...(isInPath && { required: true as const }),
        description: about,
        schema: json,
        ...(name in example && { example: example[name] }),
      };
    });
  const body = Object.fromEntries(Object.entries(example).filter(([name]) => inBody.includes(name)));
  const kinds = [
    ...always,
    ...(hasBody(one) ? (['PAYLOAD_TOO_LARGE'] as const) : []),
    ...(mayConflict ? (['PAYMENT_NOT_PAYABLE'] as const) : []),
  ];
  return {
    operationId,
    tags: [tag],
    summary,
    description: description ?? `${summary}.`,
    parameters: [...parameters, { $ref: '#/components/parameters/requestId' }],
    ...(inBody.length > 0 && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: schemaRef(bodyName(operationId)), example: body } },
      },
    }),
    responses: {
      ...(creates !== 'always' && { '200': success }),
      ...(creates && { '201': success }),
      ...failures(kinds),
    },
  };
}

function bodyName(operationId: string): string {
  return `${capitalise(operationId)}Body`;
}

function bodyMembersOf(one: Operation): readonly string[] {
  const inPath = pathMembersOf(one.path);
  return hasBody(one) ? Object.keys(one.input).filter((name) => !inPath.includes(name)) : [];
}

function bodySchema(one: Operation): JsonSchema {
  const members = bodyMembersOf(one).map((name) => [name, one.input[name] as GenericSchema] as const);
  const required = members.filter(([, schema]) => !isOptional(schema)).map(([name]) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(members.map(([name, schema]) => [name, jsonSchemaOf(schema)])),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

/** The failure answers by HTTP status. */
function failures(kinds: readonly ErrorKind[]): Record<string, Response> {
  const statuses = [...new Set(kinds.map((kind) => errorKinds[kind].status))].toSorted((one, other) => one - other);
  return Object.fromEntries(
    statuses.map((status) => {
      const here = kinds.filter((kind) => errorKinds[kind].status === status);
      const names: HeaderName[] = [
        'X-Request-Id',
        ...(status === 401 ? [] : status === 429 ? rateHeaders : rateHeadersIfKnown),
        ...(status === 429 || status === 503 ? (['Retry-After'] as const) : []),
      ];
      return [
        String(status),
        {
          description: here.map((kind) => `${errorKinds[kind].code}: ${errorKinds[kind].title}.`).join(' '),
          headers: answerHeaders(names),
          content: { 'application/problem+json': { schema: anyProblem(here) } },
        },
      ];
    }),
  );
}
