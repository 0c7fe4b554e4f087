/** Describes callbacks: the routes of the adapters, and the results of 3D Secure. */
import type { AdapterFacts } from '../deps.ts';
import { text } from '../openapi/json-schema.ts';
import type { JsonSchema } from '../openapi/json-schema.ts';
import { answer, failures, html, noKey, unversioned } from '../openapi/open-call.ts';
import type { Operation, Parameter, PathItem, RequestBody } from '../openapi/model.ts';
import type { DocumentFacts, Section } from '../openapi/section.ts';

/** An adapter that is off has no addresses. A draining adapter still accepts callbacks. */
export function callbacksSection(facts: DocumentFacts): Section {
  const working = facts.adapters.flatMap(({ state, adapter }) => (state !== 'off' && adapter ? [adapter] : []));
  return {
    paths: unversioned(facts, { ...providerCallbacks(working), '/callbacks/3ds': { get: stepReturn, post: threeDs } }),
  };
}

/** Callback routes by path. Two adapters never share a route, but one path may accept both GET and POST. */
function providerCallbacks(adapters: readonly AdapterFacts[]): Record<string, PathItem> {
  const items: Record<string, PathItem> = {};
  for (const { manifest, callbacks } of adapters) {
    for (const { path, method, caller, reports, contentTypes, queryParameters = [] } of callbacks) {
      const verb = method === 'GET' ? 'get' : 'post';
      items[`/callbacks/${path}`] = {
        ...items[`/callbacks/${path}`],
        [verb]: {
          operationId: `callback_${path.replaceAll(/[^A-Za-z0-9]/g, '_')}_${verb}`,
          tags: ['Callbacks'],
          summary: `${manifest.title}: ${reports}`,
          description: `${
            caller === 'browser' ? 'Called by the payer’s browser' : 'Called by the provider'
          }. Signature and answers are as the provider specifies.`,
          security: noKey,
          ...(queryParameters.length > 0 && { parameters: queryParameters.map(providersParameter) }),
          ...(method === 'POST' && { requestBody: providersBody(contentTypes) }),
          responses: {
            '2XX': answer('Accepted, as the provider specifies.', undefined),
            '3XX': answer('The payer’s browser is redirected.', undefined),
            '4XX': answer('Refused, as the provider specifies; nothing changed.', undefined),
            '503': answer('It cannot be stored at the moment: send it again.', undefined),
          },
        } satisfies Operation,
      };
    }
  }
  return items;
}

function providersParameter(name: string): Parameter {
  return { name, in: 'query', description: 'As the provider sends it.', schema: { type: 'string' } };
}

/** Content types of adapters that name none. */
const anyContent = ['application/json', 'application/x-www-form-urlencoded', 'text/plain'];

function providersBody(contentTypes: readonly string[] = anyContent): RequestBody {
  const content = contentTypes.map((type) => [type, { schema: schemaOf(type) }] as const);
  return { description: 'As the provider sends it.', required: false, content: Object.fromEntries(content) };
}

function schemaOf(contentType: string): JsonSchema {
  if (contentType.endsWith('json')) return {};
  return { type: contentType.endsWith('urlencoded') ? 'object' : 'string' };
}

const token: Parameter = { name: 't', in: 'query', description: 'Our own signed token.', schema: { type: 'string' } };

const stepAnswers: Operation['responses'] = {
  '303': answer('The payer’s browser is redirected to the payment’s page.', undefined, ['Location-onward']),
  '400': answer('The request is malformed.', html),
  '403': answer('The signature or token is not valid.', html),
  '404': answer('The payment does not exist.', html),
  ...failures(['PAYLOAD_TOO_LARGE']),
  '503': answer('It cannot be stored at the moment: reload the page.', html),
};

const stepReturn: Operation = {
  operationId: 'callback_3ds_return',
  tags: ['Callbacks'],
  summary: 'The payer’s return from a provider’s 3D Secure page',
  description: 'The payer’s browser adds the parameters that the provider’s page set.',
  security: noKey,
  parameters: [token],
  responses: stepAnswers,
};

const threeDs: Operation = {
  operationId: 'callback_3ds',
  tags: ['Callbacks'],
  summary: '3D Secure authentication results',
  description: 'Posted by the payer’s browser when it returns from the issuer.',
  security: noKey,
  parameters: [token],
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
  responses: stepAnswers,
};
