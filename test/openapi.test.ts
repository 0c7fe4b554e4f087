/** The OpenAPI document of a gateway with every adapter: public lint rules, completeness, and examples that work. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { loadConfig } from '../config/load-config.ts';
import { errorKinds } from '../core/base/errors.ts';
import { createApp } from '../core/app.ts';
import type { AdapterFacts, OpenApiDocument } from '../core/http/index.ts';
import { close, createJudge, createValidators, escapePointer } from '../core/http/testing/judge-exchanges.ts';
import type { JsonSchema } from '../core/http/openapi/json-schema.ts';
import type { MediaType, Operation, PathItem } from '../core/http/openapi/model.ts';
import { notificationTypes } from '../core/http/notifications/webhooks.ts';
import { until } from '../core/base/testing/until.ts';
import { root, startGateway, type TestGateway } from './support/start-gateway.ts';
import { startReceiver, type Receiver } from './support/receiver.ts';
import { cardBody } from './support/bodies.ts';

/** Callbacks that belong to no adapter. */
const ownCallbacks = ['GET 3ds', 'POST 3ds', 'POST test/json', 'POST test/form', 'GET test/text'];
/** Lint rules that do not fit this interface, and why. */
const lintRules = {
  // Browsers visit /callbacks/3ds and are redirected: it has no 2xx.
  'operation-2xx-response': 'off',
  // Health and the document itself refuse no caller.
  'operation-4xx-response': 'off',
} as const;

describe('the OpenAPI document', () => {
  let gateway: TestGateway;
  let receiver: Receiver;
  let document: OpenApiDocument;
  let adapters: readonly AdapterFacts[];
  before(async () => {
    const { config } = await loadConfig({ env: { GATEWAY_ENV: 'development' }, root });
    receiver = await startReceiver();
    gateway = await startGateway({ adapters: Object.keys(config.adapters) });
    document = (await gateway.get('/openapi.json?all')).json as OpenApiDocument;
    adapters = gateway.gateway.providers.registry.all().flatMap(({ adapter }) => (adapter ? [adapter] : []));
    expect(adapters).to.have.length(Object.keys(config.adapters).length);
  });
  after(async () => {
    await gateway.close();
    await receiver.close();
  });

  it('passes the strict rules of a public linter', async () => {
    const config = await createConfig({ extends: ['recommended-strict'], rules: lintRules });
    const source = JSON.stringify(document);
    const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config });
    expect(
      problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`),
    ).to.deep.equal([]);
  });

  it('describes every operation, and names a contact', () => {
    const bare = operationsOf(document).filter(([, , { description = '' }]) => description === '');
    expect(bare.map(([, path]) => path)).to.deep.equal([]);
    expect(document.info.contact).to.include.keys('url');
  });

  it('lists every served route, and no other', () => {
    const app = createApp({ ...gateway.gateway.httpDeps, health: { ready: async () => ({ ok: true, parts: {} }) } });
    // The portal is for people, not for programs.
    const served = routesOf(app.middleware).filter((route) => !/ \/(v2\/|portal\b)/.test(route));
    // Callbacks are not routes of the router. The h2h addresses by code are one route.
    const documented = operationsOf(document)
      .map(([method, path]) => `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`)
      .filter((route) => !route.includes('/callbacks/') && !/h2h\/\d+$/.test(route));
    expect(documented.toSorted()).to.deep.equal(served.toSorted());
  });

  it('lists every callback of the adapters and of the gateway itself, and no other', () => {
    const ofAdapters = adapters.flatMap(({ callbacks }) => callbacks.map(({ method, path }) => `${method} ${path}`));
    const documented = operationsOf(document).flatMap(([method, path]) =>
      path.startsWith('/callbacks/') ? [`${method} ${path.slice('/callbacks/'.length)}`] : [],
    );
    expect(documented).to.have.members([...ofAdapters, ...ownCallbacks]);
  });

  it('lists the content types and query parameters of incoming callbacks', () => {
    const wrong: string[] = [];
    const names = gateway.gateway.providers.registry.all().map(({ name }) => name);
    for (const { method, path, query, contentType } of names.flatMap(callbacksOfVectors)) {
      const operation = document.paths[path]![method.toLowerCase() as 'get' | 'post']!;
      const parameters = (operation.parameters ?? []).map((one) => ('name' in one ? one.name : ''));
      for (const name of new URLSearchParams(query).keys()) {
        if (!parameters.includes(name)) wrong.push(`${method} ${path}: ?${name}`);
      }
      if (method !== 'POST' || contentType === undefined) continue;
      const type = contentType.split(';')[0]!;
      if (Object.keys(operation.requestBody!.content).join() !== type) wrong.push(`${method} ${path}: ${type}`);
    }
    expect(wrong).to.deep.equal([]);
  });

  it('lists the h2h address of every provider with the body of its kind, and its narrower limits', () => {
    const bodyOf = (code: number): JsonSchema =>
      document.paths[`/payments/h2h/${code}`]!.post!.requestBody!.content['application/json']!.schema;
    for (const { manifest } of adapters) {
      const body = { card: 'CardOrder', billing: 'BillingOrder', token: 'TokenOrder', upi: 'UpiOrder' }[
        manifest.inputs[0]!
      ];
      expect(JSON.stringify(bodyOf(manifest.code)), manifest.title).to.include(body);
    }
    expect(JSON.stringify(bodyOf(27)))
      .to.include('BillingOrder')
      .and.include('[A-Za-z]{2}');
    expect(document.paths['/payments/h2h/27']!.post!.description).to.include('at most 50 characters');
  });

  it('lists every kind of error in responses, and every notification type', () => {
    const { INVALID_WEBHOOK_SIGNATURE: _, WEBHOOK_TIMEOUT: __, ...answered } = errorKinds;
    for (const { code } of Object.values(answered)) expect(document.components.schemas).to.have.property(code);
    expect(Object.keys(document.webhooks)).to.have.members(Object.keys(notificationTypes));
    expect(Object.keys(document.webhooks)).to.have.length(20);
  });

  it('has examples that match their schemas, and one for every body and JSON response', () => {
    // A form ignores unknown members. A response has none.
    const ofRequests = createValidators(document, { assertsUris: true });
    const validate = createValidators(close(document) as OpenApiDocument, { assertsUris: true });
    const found = [...mediaOf(document)];
    for (const { pointer, media, isOpen } of found) {
      const examples = examplesOf(document, media);
      if (isOpen) expect(examples, pointer).not.to.deep.equal([]);
      for (const value of examples) {
        const judge = pointer.includes('/requestBody/') ? ofRequests : validate;
        expect(judge(`${pointer}/schema`, value), `${pointer} ${JSON.stringify(value)}`).to.equal(undefined);
      }
    }
    for (const [name, { examples = [] }] of Object.entries(document.components.schemas)) {
      for (const value of examples) expect(validate(`/components/schemas/${name}`, value), name).to.equal(undefined);
    }
    expect(found.length).to.be.greaterThan(100);
  });

  it('has example bodies that the service accepts', async () => {
    const { json } = await gateway.post('/payment-requests', { amount: 25.9, unit: 'EUR' });
    const { id } = json.paymentRequest;
    const posts = operationsOf(document).filter(
      ([method, path]) => method === 'POST' && !/callbacks|h2h\/\{|^\/pay\//.test(path),
    );
    for (const [, path, { requestBody }] of posts) {
      for (const body of examplesOf(document, requestBody!.content['application/json']!)) {
        const { json: answer, status, text } = await gateway.post(path.replace('{id}', String(id)), body);
        // A wrong form would be VAL00x. The result of the sandbox or of the payment's state does not matter here.
        expect(status === 200 || /^(PAY|NF|UPI002)/.test(answer.code), `${path} ${text}`).to.equal(true);
      }
    }
  });

  it('describes notifications as they are sent', async () => {
    for (const [number, type] of [
      ['4111111111111111', 'payment.succeeded'],
      ['4000000000009995', 'payment.failed'],
      ['4000000000003097', 'payment.pending'],
    ] as const) {
      const answer = await gateway.post('/payments/h2h/11', cardBody(number, 25.9, { notifyUrl: receiver.url }));
      const id = Number(answer.headers.get('x-payment-request-id'));
      const [{ body, headers, json } = expect.fail()] = await until(type, async () => {
        const received = receiver.ofPayment(id);
        return received.length > 0 && received;
      });
      expect(json.type).to.equal(type);
      gateway.judge.judgeNotification(body, new Headers(headers as Record<string, string>));
    }
  });

  it('describes the notice about an old version as it is sent', async () => {
    await gateway.gateway.access.owners.setDefaults('demo', { testNotifyUrl: receiver.url });
    await until('notified', async () => {
      await gateway.get('/payment-requests', { 'X-API-Version': '2.0' });
      return receiver.received.some(({ json }) => json.type === 'api.version.deprecated');
    });
    const { body, headers } = receiver.received.find(({ json }) => json.type === 'api.version.deprecated')!;
    gateway.judge.judgeNotification(body, new Headers(headers as Record<string, string>));
  });

  it('changes with the adapters: one that is off has no addresses', async () => {
    gateway.gateway.providers.registry.setState('upi', 'off');
    const { paths } = (await gateway.get('/openapi.json?all')).json as OpenApiDocument;
    gateway.gateway.providers.registry.setState('upi', 'on');
    expect(paths).not.to.have.any.keys('/payments/h2h/31', '/callbacks/upi');
    expect(paths).to.include.keys('/payments/h2h/11', '/payments/upi/{id}');
  });

  it('is used to validate requests and responses', () => {
    const judge = createJudge(document);
    const right = {
      method: 'GET',
      path: '/ready?x=1',
      requestHeaders: new Headers(),
      requestBody: undefined,
      status: 200,
      headers: new Headers({ 'X-Request-Id': 'r-1', 'Content-Type': 'application/json; charset=utf-8' }),
      body: '{"status":"ready","parts":{}}',
    };
    judge.judge(right);
    judge.judge({ ...right, method: 'HEAD', body: '' });
    for (const [what, wrong] of [
      [/no answer 201/, { ...right, status: 201 }],
      [/X-Request-Id is missing/, { ...right, headers: new Headers({ 'Content-Type': 'application/json' }) }],
      [/must match pattern/, { ...right, headers: new Headers({ 'X-Request-Id': 'a b' }) }],
      [/RateLimit-Limit is not in/, { ...right, headers: new Headers([...right.headers, ['RateLimit-Limit', '6']]) }],
      [/none of application\/json/, { ...right, headers: new Headers({ 'X-Request-Id': 'r-1' }) }],
      [/additional properties/, { ...right, body: '{"status":"ready","parts":{},"more":1}' }],
      [/allowed values/, { ...right, body: '{"status":"fine","parts":{}}' }],
      [/must be object/, { ...right, body: 'ready' }],
      [/must be 404/, { ...right, path: '/nowhere' }],
      [/must be 404/, { ...right, path: '/v2/ready' }],
      [/must be 404/, { ...right, method: 'DELETE' }],
      [/no NF001 here/, { ...right, status: 500, headers: problemHeaders, body: '{"code":"NF001"}' }],
    ] as const) {
      expect(() => judge.judge(wrong), String(what)).to.throw(what);
    }
  });
});

const problemHeaders = new Headers({ 'X-Request-Id': 'r-1', 'Content-Type': 'application/problem+json' });

function operationsOf({ paths }: OpenApiDocument): [method: 'GET' | 'POST', path: string, operation: Operation][] {
  return Object.entries(paths).flatMap(([path, item]) =>
    verbsOf(item).map(([verb, one]) => [verb, path, one] as const),
  ) as ['GET' | 'POST', string, Operation][];
}

function verbsOf({ get, post }: PathItem): ['GET' | 'POST', Operation][] {
  return [
    ...(get ? [['GET', get] as ['GET', Operation]] : []),
    ...(post ? [['POST', post] as ['POST', Operation]] : []),
  ];
}

interface Layered {
  readonly router?: {
    readonly stack: readonly { readonly path: string | RegExp; readonly methods: readonly string[] }[];
  };
}

/** `GET /payment-requests/{}`: every route of the application, with unnamed parameters. */
function routesOf(middleware: readonly unknown[]): string[] {
  return middleware.flatMap((one) =>
    ((one as Layered).router?.stack ?? []).flatMap(({ path, methods }) =>
      methods
        .filter((method) => method !== 'HEAD')
        .map((method) => `${method} ${String(path).replaceAll(/[:*]\w+/g, '{}')}`),
    ),
  );
}

interface FoundMedia {
  readonly pointer: string;
  readonly media: MediaType;
  /** JSON of our own interface: it must have an example. */
  readonly isOpen: boolean;
}

function* mediaOf({ paths, webhooks }: OpenApiDocument): Generator<FoundMedia> {
  for (const [name, items] of Object.entries({ paths, webhooks })) {
    for (const [path, item] of Object.entries(items)) {
      const isOurs = !path.startsWith('/callbacks/') && !['/openapi.json', '/docs/postman.json'].includes(path);
      for (const [verb, { requestBody, responses }] of verbsOf(item)) {
        const at = `/${name}/${escapePointer(path)}/${verb.toLowerCase()}`;
        for (const [type, media] of Object.entries(requestBody?.content ?? {})) {
          const isOpen = isOurs && type.startsWith('application/json');
          yield { pointer: `${at}/requestBody/content/${escapePointer(type)}`, media, isOpen };
        }
        for (const [status, { content = {} }] of Object.entries(responses)) {
          for (const [type, media] of Object.entries(content)) {
            const pointer = `${at}/responses/${status}/content/${escapePointer(type)}`;
            yield { pointer, media, isOpen: isOurs && type === 'application/json' };
          }
        }
      }
    }
  }
}

function examplesOf({ components }: OpenApiDocument, { example, examples = {} }: MediaType): unknown[] {
  const named = Object.values(examples).map((one) =>
    '$ref' in one ? components.examples[one.$ref.replace('#/components/examples/', '')]! : one,
  );
  return [...(example === undefined ? [] : [example]), ...named.map(({ value }) => value)];
}

interface SampleCallback {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly contentType: string | undefined;
}

/** The callbacks of an adapter's vectors, at any depth. */
function callbacksOfVectors(adapter: string): SampleCallback[] {
  const file = join(root, 'adapters', adapter, 'fixtures/vectors.json');
  return [...callbacksIn(JSON.parse(readFileSync(file, 'utf8')))];
}

function* callbacksIn(value: unknown): Generator<SampleCallback> {
  if (typeof value !== 'object' || value === null) return;
  const { method, path, query = '', headers } = value as Partial<Record<string, unknown>>;
  if (typeof method === 'string' && typeof path === 'string' && path.startsWith('/callbacks/')) {
    const pairs = Array.isArray(headers) ? (headers as [string, string][]) : Object.entries(headers ?? {});
    const [, type] = pairs.find(([name]) => name.toLowerCase() === 'content-type') ?? [];
    yield { method, path, query: String(query), contentType: type === undefined ? undefined : String(type) };
  }
  for (const inner of Object.values(value)) yield* callbacksIn(inner);
}
