/** Describes the OpenAPI document itself, and the pages that show it. */
import { answer, failures, html, noKey, unversioned } from '../http/openapi/open-call.ts';
import { listOf, object, text } from '../http/openapi/json-schema.ts';
import type { Operation, Parameter } from '../http/openapi/model.ts';
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

const markdown = { 'text/markdown': { schema: { type: 'string' } } } as const;
const query: Parameter = {
  name: 'q',
  in: 'query',
  description: 'The words to look for.',
  schema: { type: 'string' },
  example: 'refund',
};
const pageName: Parameter = {
  name: 'page',
  in: 'path',
  required: true,
  description: 'The name of the page. With `.md` at its end, the answer is Markdown.',
  schema: { type: 'string' },
  example: 'quickstart',
};

function page(operationId: string, summary: string, description: string, more: Partial<Operation> = {}): Operation {
  return {
    operationId,
    tags: ['Service'],
    summary,
    description,
    security: noKey,
    responses: {
      '200': answer('The page. Markdown for `Accept: text/markdown`.', { ...html, ...markdown }),
      ...others,
    },
    ...more,
  };
}

const search: Operation = {
  operationId: 'searchDocumentation',
  tags: ['Service'],
  summary: 'Search the documentation',
  description: 'Every word must occur in a section. The search also works without script.',
  security: noKey,
  parameters: [query],
  responses: {
    '200': answer('The pages that contain the words.', {
      ...html,
      'application/json': {
        schema: object({
          results: listOf(
            object({
              path: text('The address of the section.'),
              page: text('The title of the page.'),
              title: text('The title of the section.'),
              excerpt: text('The text around the first match.'),
            }),
            'The best results first.',
          ),
        }),
        example: {
          results: [
            { path: '/docs/refunds-and-disputes#refund', page: 'Refunds and disputes', title: 'Refund', excerpt: '…' },
          ],
        },
      },
    }),
    ...failures(['RATE_LIMIT_EXCEEDED', 'INTERNAL_ERROR']),
  },
};

const asset: Operation = {
  operationId: 'documentationAsset',
  tags: ['Service'],
  summary: 'The style sheet and the script of the documentation',
  description: 'The name contains a hash of the content, so the file can be cached forever.',
  security: noKey,
  parameters: [
    { ...pageName, name: 'name', description: 'The file, with a hash of its content.', example: 'docs.css' },
  ],
  responses: {
    '200': answer('The file.', {
      'text/css': { schema: { type: 'string' } },
      'text/javascript': { schema: { type: 'string' } },
    }),
    '304': others['304']!,
    ...failures(['NOT_FOUND', 'RATE_LIMIT_EXCEEDED', 'INTERNAL_ERROR']),
  },
};

const image: Operation = {
  ...asset,
  operationId: 'documentationImage',
  summary: 'A drawing of the documentation',
  description: 'An SVG that the pages show.',
  parameters: [{ ...pageName, name: 'name', description: 'The file.', example: 'states.svg' }],
  responses: {
    '200': answer('The drawing.', { 'image/svg+xml': { schema: { type: 'string' } } }),
    '304': others['304']!,
    ...failures(['NOT_FOUND', 'RATE_LIMIT_EXCEEDED', 'INTERNAL_ERROR']),
  },
};

const missing: Operation['responses'] = {
  '404': answer('There is no such page. NF001 for a client that does not accept HTML.', {
    ...html,
    ...failures(['NOT_FOUND'])['404']!.content,
  }),
};

const llms: Operation = {
  operationId: 'listDocumentation',
  tags: ['Service'],
  summary: 'The pages of the documentation, for language models',
  description: 'The format of https://llmstxt.org: titles, and links to the pages as Markdown.',
  security: noKey,
  responses: { '200': answer('Links to Markdown.', { 'text/plain': { schema: { type: 'string' } } }), ...others },
};

const home: Operation = {
  operationId: 'home',
  tags: ['Service'],
  summary: 'Redirect to the documentation',
  description: 'The bare address of the service leads to `/docs`.',
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
      '/llms.txt': { get: llms },
      '/docs': {
        get: page(
          'showDocumentation',
          'The documentation',
          'The start page of the documentation, readable without script.',
        ),
      },
      '/docs/postman.json': { get: postmanCollection },
      '/docs/search': { get: search },
      '/docs/assets/{name}': { get: asset },
      '/docs/images/{name}': { get: image },
      '/docs/api/{page}': {
        get: page('showReferencePage', 'A page of the reference', 'A call of the API, or the objects of its answers.', {
          parameters: [{ ...pageName, description: 'The `operationId` of a call, or `objects`.', example: 'objects' }],
          responses: { '200': answer('The page.', html), ...others, ...missing },
        }),
      },
      '/docs/{page}': {
        get: page('showDocumentationPage', 'A page of the documentation', 'A page of the guide for merchants.', {
          parameters: [pageName],
          responses: {
            '200': answer('The page. Markdown for `Accept: text/markdown`.', { ...html, ...markdown }),
            '304': others['304']!,
            ...missing,
            ...failures(['RATE_LIMIT_EXCEEDED', 'INTERNAL_ERROR']),
          },
        }),
      },
    }),
  };
}
