/**
 * The merchant's calls as a Postman collection: folders by tag, a request for each example of a body.
 * Format 2.1: https://schema.postman.com/collection/json/v2.1.0/draft-07/docs/index.html
 */
import { merchantOperations } from './merchant-operations.ts';
import type { MerchantOperation } from './merchant-operations.ts';
import type { Example, OpenApiDocument, Parameter } from './model.ts';

export interface PostmanCollection {
  readonly info: Readonly<Record<'name' | 'description' | 'schema', string>>;
  readonly auth: { readonly type: 'apikey'; readonly apikey: readonly Variable[] };
  readonly variable: readonly Variable[];
  readonly event: readonly unknown[];
  readonly item: readonly PostmanFolder[];
}

export interface PostmanFolder {
  readonly name: string;
  readonly description: string;
  readonly item: readonly PostmanItem[];
}

export interface PostmanItem {
  readonly name: string;
  readonly request: {
    readonly method: 'GET' | 'POST';
    readonly description: string;
    readonly header: readonly Variable[];
    readonly url: {
      readonly raw: string;
      readonly host: readonly string[];
      readonly path: readonly string[];
      /** The variables of the path. */
      readonly variable: readonly Variable[];
      readonly query: readonly Variable[];
    };
    readonly body?: { readonly mode: 'raw'; readonly raw: string; readonly options: object };
  };
}

interface Variable {
  readonly key: string;
  readonly value: string;
  readonly type?: 'string';
  readonly description?: string;
  /** The parameter is not sent. */
  readonly disabled?: true;
}

const keepId = [
  '// Later requests are about the payment request of the latest answer.',
  "const id = pm.response.headers.get('X-Payment-Request-Id');",
  "if (id) pm.collectionVariables.set('paymentRequestId', id);",
];

/** `publicUrl` is the initial value of the collection's variable `baseUrl`. */
export function createPostmanCollection(document: OpenApiDocument, publicUrl: string): PostmanCollection {
  const operations = merchantOperations(document);
  const followsPayment = new Set(Object.values(document.components.links).map(({ operationId }) => operationId));
  const folders = document.tags.map(({ name, description }) => {
    const inside = operations.filter(({ operation }) => operation.tags.includes(name));
    return { name, description, item: inside.flatMap((one) => toItems(one, followsPayment)) };
  });
  return {
    info: {
      name: document.info.title,
      description:
        'Set the variable `apiKey`. *Make a payment request* first, or pay at a provider: the requests that name a ' +
        'payment request take that of the latest answer, which is kept in `paymentRequestId`.',
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: {
      type: 'apikey',
      apikey: [
        { key: 'key', value: 'X-API-Key', type: 'string' },
        { key: 'value', value: '{{apiKey}}', type: 'string' },
        { key: 'in', value: 'header', type: 'string' },
      ],
    },
    variable: [
      { key: 'baseUrl', value: publicUrl, type: 'string' },
      { key: 'apiKey', value: '', type: 'string' },
      { key: 'paymentRequestId', value: '1', type: 'string' },
    ],
    event: [{ listen: 'test', script: { type: 'text/javascript', exec: keepId } }],
    item: folders.filter(({ item }) => item.length > 0),
  };
}

function toItems(one: MerchantOperation, followsPayment: ReadonlySet<string>): PostmanItem[] {
  const { summary, requestBody } = one.operation;
  const examples = Object.values(requestBody?.content['application/json']?.examples ?? {}).filter(
    (example): example is Example => 'value' in example,
  );
  if (examples.length === 0) return [{ name: summary, request: toRequest(one, followsPayment) }];
  return examples.map((example) => ({
    name: examples.length === 1 ? summary : `${summary}: ${example.summary}`,
    request: {
      ...toRequest(one, followsPayment),
      body: { mode: 'raw', raw: JSON.stringify(example.value, null, 2), options: { raw: { language: 'json' } } },
    },
  }));
}

function toRequest(
  { method, path, operation, parameters }: MerchantOperation,
  followsPayment: ReadonlySet<string>,
): PostmanItem['request'] {
  const parts = path.slice(1).replaceAll(/\{(\w+)\}/g, ':$1');
  const inPath = parameters.filter((parameter) => parameter.in === 'path');
  const inQuery = parameters.filter((parameter) => parameter.in === 'query');
  const idOf = ({ example }: Parameter): string =>
    followsPayment.has(operation.operationId) ? '{{paymentRequestId}}' : String(example);
  const header = [{ key: 'Accept', value: 'application/json' }];
  if (method === 'POST') {
    header.push({ key: 'Content-Type', value: 'application/json' }, { key: 'Idempotency-Key', value: '{{$guid}}' });
  }
  return {
    method,
    description: operation.description ?? '',
    header,
    url: {
      raw: `{{baseUrl}}/${parts}`,
      host: ['{{baseUrl}}'],
      path: parts.split('/'),
      variable: inPath.map((one) => ({ key: one.name, value: idOf(one), description: one.description })),
      query: inQuery.map((one) => ({ key: one.name, value: '', description: one.description, disabled: true })),
    },
  };
}
