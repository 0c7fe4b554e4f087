/** Describes the OpenAPI document itself, and the pages that show it. */
import { answer, failures, html, noKey, unversioned } from '../http/openapi/open-call.ts';
import type { Operation } from '../http/openapi/model.ts';
import type { DocumentFacts, Section } from '../http/openapi/section.ts';

const others: Operation['responses'] = {
  '304': answer('Unchanged since the answer with the `ETag` of `If-None-Match`.', undefined),
  ...failures(['RATE_LIMIT_EXCEEDED', 'INTERNAL_ERROR']),
};

const openApi: Operation = {
  operationId: 'openApi',
  tags: ['Service'],
  summary: 'The OpenAPI document',
  description: 'Without `all`: the calls and notifications of merchants, in the form that code generators read best.',
  security: noKey,
  parameters: [
    {
      name: 'all',
      in: 'query',
      description: 'With any value, or none: the complete document.',
      schema: { type: 'string' },
      allowEmptyValue: true,
    },
  ],
  responses: {
    '200': answer('OpenAPI 3.1.', { 'application/json': { schema: { type: 'object' } } }),
    ...others,
  },
};

const postmanCollection: Operation = {
  operationId: 'postmanCollection',
  tags: ['Service'],
  summary: 'Load the merchant calls as a Postman collection',
  description: 'Format 2.1. Import it by this address, and set its variable `apiKey`.',
  security: noKey,
  responses: {
    '200': answer('The collection.', { 'application/json': { schema: { type: 'object' } } }),
    ...others,
  },
};

function page(operationId: string, summary: string): Operation {
  return {
    operationId,
    tags: ['Service'],
    summary,
    security: noKey,
    responses: { '200': answer('The page.', html), ...others },
  };
}

const home: Operation = {
  operationId: 'home',
  tags: ['Service'],
  summary: 'Redirect to the documentation',
  security: noKey,
  responses: {
    '302': answer('To `/docs`.', undefined, ['Location-onward']),
    ...failures(['RATE_LIMIT_EXCEEDED', 'INTERNAL_ERROR']),
  },
};

export function docsSection(facts: DocumentFacts): Section {
  return {
    paths: unversioned(facts, {
      '/': { get: home },
      '/openapi.json': { get: openApi },
      '/docs': { get: page('showDocumentation', 'This document as a page') },
      '/docs/postman.json': { get: postmanCollection },
      '/docs/errors': { get: page('showErrors', 'All errors as a page') },
    }),
  };
}
