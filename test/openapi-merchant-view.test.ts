/** The view of the OpenAPI document that merchants and their code generators read. */
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { loadConfig } from '../config/load-config.ts';
import type { OpenApiDocument } from '../core/http/index.ts';
import { close, createValidators } from '../core/http/testing/judge-exchanges.ts';
import type { JsonSchema } from '../core/http/openapi/json-schema.ts';
import type { Operation } from '../core/http/openapi/model.ts';
import { notificationTypes } from '../core/http/notifications/webhooks.ts';
import { root, startGateway, type TestGateway } from './support/start-gateway.ts';

describe('the merchant’s view of the OpenAPI document', () => {
  let gateway: TestGateway;
  let view: OpenApiDocument;
  let complete: OpenApiDocument;
  before(async () => {
    const { config } = await loadConfig({ env: { GATEWAY_ENV: 'development' }, root });
    gateway = await startGateway({ adapters: Object.keys(config.adapters) });
    view = (await gateway.get('/openapi.json')).json;
    complete = (await gateway.get('/openapi.json?all')).json;
  });
  after(async () => gateway.close());

  it('has the calls that need a key, one for all providers, and every notification', () => {
    const isKeyed = (one: Operation | undefined): boolean =>
      (one?.security ?? []).some((way) => 'apiKey' in way) && !one!.tags.includes('Callbacks');
    const keyed = Object.entries(complete.paths).filter(([, { get, post }]) => isKeyed(get) || isKeyed(post));
    const expected = keyed.map(([path]) => path).filter((path) => !/h2h\/\d/.test(path));
    expect(Object.keys(view.paths)).to.have.members(expected);
    expect(Object.keys(view.paths).filter((path) => /callbacks|pay\/|health|ready|docs|^\/$/.test(path))).to.deep.equal(
      [],
    );
    expect(Object.keys(view.webhooks)).to.have.members(Object.keys(notificationTypes));
    expect(view.tags.map(({ name }) => name)).to.deep.equal(view['x-tagGroups'].flatMap(({ tags }) => tags));
  });

  it('describes every provider that is on in the call for all providers', () => {
    const { description = '' } = view.paths['/payments/h2h/{id}']!.post!;
    const codes = Object.keys(complete.paths).flatMap((path) => /h2h\/(\d+)$/.exec(path)?.[1] ?? []);
    expect(codes).to.have.length.above(10);
    for (const code of codes) expect(description).to.match(new RegExp(`^- \`${code}\` .*\`\\w+Order\``, 'm'));
    expect(description).to.match(/^- `27` .*at most 50 characters/m);
  });

  it('passes the strict rules of a public linter without exception', async () => {
    const config = await createConfig({ extends: ['recommended-strict'] });
    const problems = await lintFromString({ source: JSON.stringify(view), absoluteRef: 'openapi.json', config });
    expect(
      problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`),
    ).to.deep.equal([]);
  });

  it('has one schema for all errors, and an example of each kind that an answer may have', () => {
    const validate = createValidators(close(view) as OpenApiDocument, { assertsUris: true });
    for (const operation of operationsOf(view)) {
      for (const [status, { content }] of Object.entries(operation.responses)) {
        const { schema, examples = {} } = content?.['application/problem+json'] ?? {};
        if (!schema) continue;
        expect(schema).to.deep.equal({ $ref: '#/components/schemas/Problem' });
        const codes = Object.keys(examples);
        expect(codes, `${operation.operationId} ${status}`).to.have.length.above(0);
        for (const code of codes) {
          const { value } = view.components.examples[code]!;
          expect(value).to.include({ code, status: Number(status) });
          expect(validate('/components/schemas/Problem', value), code).to.equal(undefined);
        }
      }
    }
    const { Problem, ProblemDetails } = view.components.schemas;
    const { code, type } = Problem!.properties!;
    expect(code!.description).to.include('PAY001 ').and.include('IDEM001 ');
    expect(ProblemDetails!.properties).to.include.keys('declineCode', 'missingFields', 'errors', 'paymentRequestId');
    expect(type).to.not.have.any.keys('const', 'pattern');
  });

  it('names the public address first, which clients use without further setup', async () => {
    const [first, versioned, relative] = view.servers.map(({ url }) => url);
    expect([first, versioned, relative]).to.deep.equal([gateway.url, `${gateway.url}/v2`, '/']);
    for (const base of [first, versioned]) expect((await fetch(`${base}/payment-requests`)).status).to.equal(401);
    const ofPath = complete.paths['/health']!.servers!.map(({ url }) => url);
    expect(ofPath).to.deep.equal([gateway.url, '/']);
  });

  it('is written as code generators read it', () => {
    for (const { operationId, summary, responses } of operationsOf(view)) {
      const [first, ...others] = Object.keys(responses['200']?.content ?? {});
      if (others.length > 0) expect(first, operationId).to.equal('application/json');
      expect(summary).to.match(/^[A-Za-z]/);
    }
    expect(view.components.schemas).not.to.have.any.keys('Client');
    for (const schema of schemasIn(view)) {
      const text = JSON.stringify(schema);
      if (schema.pattern !== undefined) expect(schema.type, text).to.include('string');
      if (typeof schema.enum?.[0] === 'number')
        expect(schema['x-enum-varnames'], text).to.have.length(schema.enum.length);
      expect(schema, text).not.to.have.any.keys('writeOnly');
      expect(schema.anyOf?.some(isNull), text).not.to.equal(true);
      if (schema.oneOf?.some(isNull)) expect(view.components.schemas['Action']).to.deep.equal(schema);
      expect(schema.description ?? '', text).to.not.match(/^As given/);
    }
  });

  it('has a named schema for the body of each notification', () => {
    for (const [type, { post }] of Object.entries(view.webhooks)) {
      const { schema, example } = post!.requestBody!.content['application/json']!;
      expect(schema.$ref, type).to.match(/^#\/components\/schemas\/\w+Notification$/);
      const { properties } = view.components.schemas[schema.$ref!.split('/').at(-1)!]!;
      expect(properties!['type']!.enum).to.include(type);
      expect(example).to.include({ type });
    }
  });

  it('has an own example of the idempotency key for every call that writes', () => {
    const examples = operationsOf(view).flatMap(({ parameters = [] }) =>
      parameters.flatMap((one) => ('name' in one && one.name === 'Idempotency-Key' ? [one.example] : [])),
    );
    const writing = Object.values(view.paths).filter(({ post }) => post);
    expect(examples).to.have.length(writing.length);
    expect(new Set(examples).size).to.equal(writing.length);
  });
});

function operationsOf({ paths }: OpenApiDocument): Operation[] {
  return Object.values(paths).flatMap(({ get, post }) => [get, post].flatMap((one) => (one ? [one] : [])));
}

function isNull({ type }: JsonSchema): boolean {
  return type === 'null';
}

/** Every object of the document that may be a schema, at any depth. */
function* schemasIn(part: unknown): Generator<JsonSchema> {
  if (typeof part !== 'object' || part === null) return;
  yield part;
  for (const [name, inner] of Object.entries(part)) if (!/^(examples?|not)$/.test(name)) yield* schemasIn(inner);
}
