/**
 * The merchant's calls as a Postman collection: folders by tag, a request for each example of a body. The requests run
 * from top to bottom. Requests that create the necessary state stand before each request, and every answer is checked.
 * Format 2.1: https://schema.postman.com/collection/json/v2.1.0/draft-07/docs/index.html
 */
import { merchantOperations } from './merchant-operations.ts';
import type { MerchantOperation } from './merchant-operations.ts';
import type { Example, OpenApiDocument } from './model.ts';
import { furtherVariables, planOf, rankOf } from './postman-plan.ts';
import { guardScript, testScript } from './postman-scripts.ts';
import type { Check } from './postman-plan.ts';

export interface PostmanCollection {
  readonly info: Readonly<Record<'name' | 'description' | 'schema', string>>;
  readonly auth: { readonly type: 'apikey'; readonly apikey: readonly Variable[] };
  readonly variable: readonly Variable[];
  readonly item: readonly PostmanFolder[];
}

export interface PostmanFolder {
  readonly name: string;
  readonly description: string;
  readonly item: readonly PostmanItem[];
}

export interface PostmanItem {
  readonly name: string;
  readonly event: readonly PostmanEvent[];
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

interface PostmanEvent {
  readonly listen: 'prerequest' | 'test';
  readonly script: { readonly type: 'text/javascript'; readonly exec: readonly string[] };
}

interface Variable {
  readonly key: string;
  readonly value: string;
  readonly type?: 'string';
  readonly description?: string;
  /** The parameter is not sent. */
  readonly disabled?: true;
}

const firstFolders = ['Payment requests', 'Payments', 'Notifications', 'Reports'];

/** `publicUrl` is the initial value of the collection's variable `baseUrl`. */
export function createPostmanCollection(document: OpenApiDocument, publicUrl: string): PostmanCollection {
  const operations = merchantOperations(document).toSorted(
    (one, other) => rankOf(one.operation.operationId) - rankOf(other.operation.operationId),
  );
  const planned = operations.flatMap((one) => toItems(one, operations));
  const folders = firstFolders.map((name) => ({
    name,
    description: document.tags.find((tag) => tag.name === name)?.description ?? '',
    item: planned.filter(({ tags, isFurther }) => tags.includes(name) && !isFurther).map(({ item }) => item),
  }));
  const further = {
    name: 'Needs further setup',
    description: `Requests for providers that not every gateway has. A request is skipped until its variables have a value:\n\n${listOf(furtherVariables)}`,
    item: planned.filter(({ isFurther }) => isFurther).map(({ item }) => item),
  };
  return {
    info: {
      name: document.info.title,
      description:
        'Set the variable `apiKey` to a test key, and run the collection from top to bottom. Every request checks its ' +
        'answer. Requests named *Set up* create what the next request needs. Later requests are about the payment ' +
        'request in the variable `paymentRequestId`, which is the latest that was created.',
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
      ...Object.entries(furtherVariables).map(([key, description]) => {
        return { key, value: '', type: 'string', description } as const;
      }),
    ],
    item: [...folders, further].filter(({ item }) => item.length > 0),
  };
}

function listOf(variables: Readonly<Record<string, string>>): string {
  return Object.entries(variables)
    .map(([name, words]) => `- \`${name}\`: ${words}`)
    .join('\n');
}

interface PlannedItem {
  readonly item: PostmanItem;
  readonly tags: readonly string[];
  /** It is skipped until the user has set variables. */
  readonly isFurther: boolean;
}

/** The requests of an operation: for each example of its body, the set-up requests and then the request. */
function toItems(one: MerchantOperation, operations: readonly MerchantOperation[]): PlannedItem[] {
  const { summary, operationId, tags } = one.operation;
  const plan = planOf(operationId);
  const entries = examplesOf(one);
  return entries.flatMap(([key, example]) => {
    const { setUps = [], needs = [], id, body, check } = { ...plan, ...plan.examples?.[key] };
    const name = entries.length === 1 ? summary : `${summary}: ${example?.summary}`;
    const before = setUps.flatMap((setUp) => {
      const made = operations.find(({ operation }) => operation.operationId === setUp.operationId);
      // A service that accepts no card data has no call that pays by card: the payer pays at the page.
      if (!made) return [];
      const value = setUp.isWhole ? setUp.body : withMembers(examplesOf(made)[0][1], setUp.body);
      return toItem(made, { name: `Set up: ${setUp.name}`, needs, id: setUp.id, value, check: setUp.check });
    });
    const items = [...before, toItem(one, { name, needs, id, value: withMembers(example, body), check })];
    return items.map((item) => ({ item, tags, isFurther: needs.length > 0 }));
  });
}

function withMembers(example: Example | undefined, members: object | undefined): unknown {
  return example && { ...(example.value as object), ...members };
}

type Named = readonly [key: string, example: Example | undefined];

/** The examples of the body. A call without a body has one entry without an example. */
function examplesOf({ operation: { requestBody } }: MerchantOperation): readonly [Named, ...Named[]] {
  const [first, ...more] = Object.entries(requestBody?.content['application/json']?.examples ?? {}).filter(
    (entry): entry is [string, Example] => 'value' in entry[1],
  );
  return first ? [first, ...more] : [['', undefined]];
}

interface ItemParts {
  readonly name: string;
  readonly needs: readonly string[];
  readonly id: string | undefined;
  readonly value: unknown;
  readonly check: Check;
}

function toItem(one: MerchantOperation, { name, needs, id, value, check }: ItemParts): PostmanItem {
  const request = toRequest(one, id);
  const body = { mode: 'raw', raw: JSON.stringify(value, null, 2), options: { raw: { language: 'json' } } } as const;
  return {
    name,
    event: [
      ...(needs.length > 0 ? [toEvent('prerequest', guardScript(needs))] : []),
      toEvent('test', testScript(check)),
    ],
    request: value === undefined ? request : { ...request, body },
  };
}

function toEvent(listen: PostmanEvent['listen'], exec: readonly string[]): PostmanEvent {
  return { listen, script: { type: 'text/javascript', exec } };
}

/** `id` is the value of the path's `id`. By default it is the latest payment request, or a provider's code. */
function toRequest({ method, path, operation, parameters }: MerchantOperation, id?: string): PostmanItem['request'] {
  const parts = path.slice(1).replaceAll(/\{(\w+)\}/g, ':$1');
  const inPath = parameters.filter((parameter) => parameter.in === 'path');
  const inQuery = parameters.filter((parameter) => parameter.in === 'query');
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
      variable: inPath.map((one) => ({
        key: one.name,
        value: id ?? String(one.example),
        description: one.description,
      })),
      query: inQuery.map((one) => ({ key: one.name, value: '', description: one.description, disabled: true })),
    },
  };
}
