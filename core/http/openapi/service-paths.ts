/** Addresses that take no key: callbacks of providers, the payer's page, health, and this document. */
import type { ErrorKind } from '../../errors.ts';
import type { AdapterFacts } from '../deps.ts';
import { bodyExamples } from './body-examples.ts';
import type { DocumentFacts } from './facts.ts';
import { answerHeaders } from './headers.ts';
import type { HeaderName } from './headers.ts';
import { oneOf, schemaRef, text } from './json-schema.ts';
import { pathId } from './merchant-call.ts';
import type { MediaType, Operation, Parameter, PathItem, Paths, RequestBody, Response } from './merchant-call.ts';
import { failureResponses } from './problems.ts';

const html: Readonly<Record<string, MediaType>> = { 'text/html': { schema: { type: 'string' } } };
const anything: Readonly<Record<string, MediaType>> = { '*/*': { schema: {} } };
/** A body that is too large, or did not arrive as a whole. */
const ofBodies: readonly ErrorKind[] = ['INVALID_FORMAT', 'PAYLOAD_TOO_LARGE'];
const noKey: NonNullable<Operation['security']> = [];

export function servicePaths(facts: DocumentFacts): Paths {
  const { adapters, publicUrl } = facts;
  // None of these is served under /v2.
  const bare = { servers: [{ url: publicUrl, description: 'Without a version.' }] };
  const working = adapters.flatMap(({ state, adapter }) => (state !== 'off' && adapter ? [adapter] : []));
  const items: Readonly<Record<string, PathItem>> = {
    ...providerCallbacks(working),
    '/callbacks/3ds': { post: threeDs },
    ...testCallbacks,
    '/pay/{id}': { get: payPage, post: payByPage(facts.now) },
    '/health': { get: health },
    '/ready': { get: ready },
    '/openapi.json': { get: openApi },
    '/docs': { get: page('showDocumentation', 'This document as a page') },
    '/docs/errors': { get: page('showErrors', 'All errors as a page') },
  };
  return Object.fromEntries(Object.entries(items).map(([path, item]) => [path, { ...bare, ...item }]));
}

function failures(kinds: readonly ErrorKind[]): Record<string, Response> {
  return failureResponses(kinds, { isKeyed: false });
}

function answer(description: string, content: Response['content'], more: readonly HeaderName[] = []): Response {
  return { description, headers: answerHeaders(['X-Request-Id', ...more]), ...(content && { content }) };
}

/** By path; two adapters never share a route, but one path may be called by GET and by POST. */
function providerCallbacks(adapters: readonly AdapterFacts[]): Record<string, PathItem> {
  const items: Record<string, PathItem> = {};
  for (const { manifest, callbacks } of adapters) {
    for (const { path, method, caller, reports } of callbacks) {
      const verb = method === 'GET' ? 'get' : 'post';
      items[`/callbacks/${path}`] = {
        ...items[`/callbacks/${path}`],
        [verb]: {
          operationId: `callback_${path.replaceAll(/[^A-Za-z0-9]/g, '_')}_${verb}`,
          tags: ['Callbacks'],
          summary: `${manifest.title}: ${reports}`,
          description: `${
            caller === 'browser' ? 'Called by the payer’s browser' : 'Called by the provider'
          }. What proves it, and every answer, are as the provider expects.`,
          security: noKey,
          ...(method === 'POST' && { requestBody: providersBody }),
          responses: {
            '2XX': answer('Taken, in the provider’s words.', undefined),
            '3XX': answer('The payer’s browser goes on.', undefined),
            '4XX': answer('Refused, in the provider’s words; nothing changed.', undefined),
            '503': answer('It cannot be stored now: send it again.', undefined),
          },
        } satisfies Operation,
      };
    }
  }
  return items;
}

const providersBody: RequestBody = {
  description: 'As the provider sends it.',
  required: false,
  content: {
    'application/json': { schema: {} },
    'application/x-www-form-urlencoded': { schema: { type: 'object' } },
    'text/plain': { schema: { type: 'string' } },
  },
};

const threeDs: Operation = {
  operationId: 'callback_3ds',
  tags: ['Callbacks'],
  summary: '3D Secure authentication results',
  description: 'Posted by the payer’s browser on its way back from the issuer.',
  security: noKey,
  parameters: [{ name: 't', in: 'query', description: 'Our own signed token.', schema: { type: 'string' } }],
  requestBody: {
    required: true,
    content: {
      'application/x-www-form-urlencoded': {
        schema: {
          type: 'object',
          properties: {
            cres: text('The challenge’s result, with `threeDSSessionData`.'),
            threeDSSessionData: text('Our own signed token.'),
            PaRes: text('The result of 3D Secure 1, with `MD`.'),
            MD: text('Our own signed token.'),
            threeDSMethodData: text('The result of the method step, with `t` in the query.'),
          },
        },
      },
    },
  },
  responses: {
    '303': answer('The payer’s browser goes on to the payment’s page.', undefined, ['Location-onward']),
    '400': answer('It cannot be read.', html),
    '403': answer('It proves nothing.', html),
    '404': answer('There is no such payment.', html),
    ...failures(['PAYLOAD_TOO_LARGE']),
    '503': answer('It cannot be stored now: load the page again.', html),
  },
};

const signature: Parameter = {
  name: 'X-Webhook-Signature',
  in: 'header',
  description:
    'HMAC-SHA512 over the raw body under the owner’s webhook secret, lower hex; judged where a key names the owner.',
  schema: { type: 'string' },
};

function testCallback(
  operationId: string,
  summary: string,
  more: Pick<Operation, 'requestBody' | 'responses'>,
): Operation {
  return {
    operationId,
    tags: ['Callbacks'],
    summary,
    description: 'For trying connectivity: it changes nothing.',
    security: [{}, { apiKey: [] }],
    parameters: [signature],
    ...more,
  };
}

const received: Readonly<Record<string, MediaType>> = {
  'application/json': {
    schema: schemaRef('Received'),
    example: { received: { order: 'order-4711' }, signatureValid: true },
  },
};

const testCallbacks: Readonly<Record<string, PathItem>> = {
  '/callbacks/test/json': {
    post: testCallback('testJson', 'Test with a JSON body', {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: {}, example: { order: 'order-4711' } }, ...anything },
      },
      responses: {
        '200': answer('What was received.', received),
        ...failures([...ofBodies, 'INTERNAL_ERROR']),
      },
    }),
  },
  '/callbacks/test/form': {
    post: testCallback('testForm', 'Test with a form body', {
      requestBody: {
        required: false,
        content: {
          'application/x-www-form-urlencoded': { schema: {}, example: { order: 'order-4711' } },
          ...anything,
        },
      },
      responses: {
        '200': answer('What was received.', received),
        ...failures([...ofBodies, 'INTERNAL_ERROR']),
      },
    }),
  },
  '/callbacks/test/text': {
    get: testCallback('testText', 'Test with a plain text reply', {
      responses: {
        '200': answer('`OK`.', { 'text/plain': { schema: { type: 'string', const: 'OK' }, example: 'OK' } }, [
          'X-Signature-Valid',
        ]),
        ...failures(['PAYLOAD_TOO_LARGE', 'INTERNAL_ERROR']),
      },
    }),
  },
};

const linkPart: Parameter = {
  name: 'k',
  in: 'query',
  description: 'The link’s own part.',
  schema: { type: 'string' },
};

const payPage: Operation = {
  operationId: 'showPaymentPage',
  tags: ['Payer'],
  summary: 'The payer’s page of a payment request',
  description:
    'Where browsers come back to: it tells the state in a word, asks again by itself, and leads on to `successUrl` or ' +
    '`failureUrl`. With the link’s own part it shows amount, merchant and ways to pay, leads through what is to be done ' +
    'next, and offers another try after a failure.',
  security: noKey,
  parameters: [
    pathId('The payment request.'),
    linkPart,
    { name: 'way', in: 'query', description: 'The way to pay that is shown.', schema: { type: 'string' } },
    {
      name: 't',
      in: 'query',
      description: 'A 3D Secure token: leads on to the next action.',
      schema: { type: 'string' },
    },
  ],
  responses: {
    '200': answer('The page.', html),
    '303': answer('To the shop, or on to the bank.', undefined, ['Location-onward']),
    '404': answer('There is no such payment request.', html),
    '500': answer('Something went wrong on our side.', html),
  },
};

function payByPage(now: Date): Operation {
  const { CardPayment } = bodyExamples(now);
  const typed = CardPayment['card']!.value as Readonly<Record<string, string>>;
  return {
    operationId: 'payByPage',
    tags: ['Payer'],
    summary: 'What the payer filled in on the page',
    description: 'The page’s own form. The same bounds hold as where a merchant sends it.',
    security: noKey,
    parameters: [pathId('The payment request.'), linkPart],
    requestBody: {
      required: true,
      content: {
        'application/x-www-form-urlencoded': {
          schema: {
            type: 'object',
            properties: {
              way: oneOf('What it is paid with; `confirm` brings a member code.', [
                'card',
                'upi',
                'billing',
                'confirm',
              ]),
              attempts: text('How many attempts the payer knows of: with more nothing is sent.'),
            },
            additionalProperties: { type: 'string' },
          },
          example: { way: 'card', attempts: '0', ...typed },
        },
      },
    },
    responses: {
      '303': answer('Taken: to the page, which says how it stands.', undefined, ['Location-onward']),
      '400': answer('The page again: what was filled in is wrong, or it cannot be paid.', html),
      '404': answer('There is no such payment request, or the link is another’s.', html),
      '413': answer('Too large.', html),
      '429': answer('The page again: it was tried too often.', html),
      '500': answer('Something went wrong on our side.', html),
    },
  };
}

const health: Operation = {
  operationId: 'health',
  tags: ['Service'],
  summary: 'Is it alive?',
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
  summary: 'Can it work?',
  security: noKey,
  responses: {
    '200': answer('Yes.', readiness('ready', 'up')),
    '503': answer('No; `parts` says why.', readiness('not ready', 'down')),
    ...failures(['INTERNAL_ERROR']),
  },
};

const openApi: Operation = {
  operationId: 'openApi',
  tags: ['Service'],
  summary: 'This document',
  security: noKey,
  responses: {
    '200': answer('OpenAPI 3.1.', { 'application/json': { schema: { type: 'object' } } }),
    ...failures(['INTERNAL_ERROR']),
  },
};

function page(operationId: string, summary: string): Operation {
  return {
    operationId,
    tags: ['Service'],
    summary,
    security: noKey,
    responses: { '200': answer('The page.', html), ...failures(['INTERNAL_ERROR']) },
  };
}
