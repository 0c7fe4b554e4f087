/** Describes the checks of the service: whether it is alive, and whether it can work. */
import { listOf, object, oneOf, schemaRef } from '../openapi/json-schema.ts';
import { answer, failures, noKey, unversioned } from '../openapi/open-call.ts';
import type { MediaType, Operation } from '../openapi/model.ts';
import type { DocumentFacts, Section } from '../openapi/section.ts';

const health: Operation = {
  operationId: 'health',
  tags: ['Service'],
  summary: 'Liveness check',
  description: 'Answers 200 while the process runs, whatever the state of the database.',
  security: noKey,
  responses: {
    '200': answer('Yes.', { 'application/json': { schema: schemaRef('Health'), example: { status: 'ok' } } }),
    ...failures(['INTERNAL_ERROR']),
  },
};

const readiness = (status: string, database: string): Readonly<Record<string, MediaType>> => {
  return { 'application/json': { schema: schemaRef('Readiness'), example: { status, parts: { database } } } };
};
const ready: Operation = {
  operationId: 'ready',
  tags: ['Service'],
  summary: 'Readiness check',
  description: 'Whether the service can work. An API key shows the state of each part.',
  security: noKey,
  responses: {
    '200': answer('Yes.', readiness('ready', 'up')),
    '503': answer('No. With a valid API key, `parts` and `warnings` say why.', readiness('not ready', 'down')),
    ...failures(['INTERNAL_ERROR']),
  },
};

export function healthSection(facts: DocumentFacts): Section {
  return {
    paths: unversioned(facts, { '/health': { get: health }, '/ready': { get: ready } }),
    schemas: {
      Health: object({ status: { type: 'string', const: 'ok' } }),
      Readiness: object(
        {
          status: oneOf('Whether the service can work.', ['ready', 'not ready']),
          parts: {
            type: 'object',
            additionalProperties: true,
            description: 'One status per part that must work. Only with a key.',
          },
          warnings: listOf(
            { type: 'string' },
            'What works only partly, such as a provider whose host name does not resolve. Only with a key.',
          ),
        },
        { optional: ['parts', 'warnings'] },
      ),
    },
  };
}
