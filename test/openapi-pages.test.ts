/** The pages of the documentation, and the links in responses that lead to them. */
import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { declineReasons } from '@paywright/contract';
import { errorKinds } from '../core/base/errors.ts';
import type { OpenApiDocument } from '../core/http/index.ts';
import { publicUrl, startGateway } from '../core/http/testing/gateway.ts';
import type { Reply, TestGateway } from '../core/http/testing/gateway.ts';

describe('the API documentation', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway();
  });
  after(() => gateway.server.close(1000));

  const get = async (path: string): Promise<Reply> => gateway.send(path, { method: 'GET', key: null });
  /** The page of an address, and whether the page has the anchor. */
  const visit = async (address: string): Promise<{ page: Reply; hasAnchor: boolean }> => {
    const { pathname, hash } = new URL(address);
    const page = await get(pathname);
    return { page, hasAnchor: hash === '' || page.text.includes(`id="${hash.slice(1)}"`) };
  };

  it('is served without a key, and the document is OpenAPI 3.1', async () => {
    const { json, headers } = await get('/openapi.json');
    expect(json).to.include({ openapi: '3.1.0' });
    expect(headers.get('content-type')).to.equal('application/json; charset=utf-8');
    for (const path of ['/docs', '/docs/errors']) {
      const { status, headers: answered } = await get(path);
      expect([status, answered.get('content-type')], path).to.deep.equal([200, 'text/html; charset=utf-8']);
    }
  });

  it('is the redirect target of the bare address, also below a path prefix', async () => {
    const { status, headers } = await get('/');
    expect([status, headers.get('location')]).to.deep.equal([302, 'docs']);
  });

  it('loads nothing from other sites, and its content security policy allows nothing else', async () => {
    const { text, headers } = await get('/docs');
    const addresses = [...text.matchAll(/(?:src|href)="([^"#]*)/g)].map(([, address = '']) => address).filter(Boolean);
    expect(addresses).to.include.members(['openapi.json', 'docs/postman.json', 'docs/errors']);
    for (const address of addresses.filter((one) => one !== 'data:,')) {
      expect(address).not.to.match(/^(\w+:)?\/\//);
      const { status, headers: answered } = await get(`/${address}`);
      expect([status, answered.get('x-content-type-options')], address).to.deep.equal([200, 'nosniff']);
    }
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).to.include("default-src 'none'").and.not.include('script-src');
    expect(policy).not.to.match(/unsafe|https?:|\*|self/);
    // The page's only style is the one that the policy names.
    const styles = [...text.matchAll(/<style>(.*?)<\/style>/gs)].map(([, style = '']) => style);
    expect(styles.map((style) => policy.includes(createHash('sha256').update(style).digest('base64')))).to.deep.equal([
      true,
    ]);
    expect(text).not.to.match(/<script|\son\w+=|\sstyle=/);
  });

  it('shows every call, notification, schema and example of the document, and every link has an anchor', async () => {
    const { text } = await get('/docs');
    const document = (await get('/openapi.json?all')).json as unknown as OpenApiDocument;
    const operations = [...Object.values(document.paths), ...Object.values(document.webhooks)].flatMap(
      ({ get: read, post }) => [read, post].flatMap((operation) => (operation ? [operation.operationId] : [])),
    );
    const { schemas, examples } = document.components;
    const places = [
      ...operations,
      ...Object.keys(schemas).map((name) => `schema-${name}`),
      ...Object.keys(examples).map((name) => `example-${name}`),
    ];
    for (const place of places) expect(text.split(` id="${place}"`), place).to.have.length(2);
    const links = [...text.matchAll(/href="#([^"]+)"/g)].map(([, place = '']) => place);
    for (const place of new Set(links)) expect(text.split(` id="${place}"`), place).to.have.length(2);
  });

  it('shows the merchant’s calls first and callbacks separately', async () => {
    const { text } = await get('/docs');
    const at = ['For merchants', 'payByCard', 'createPaymentRequest', 'For payers, providers', 'callback_3ds'].map(
      (place) => text.indexOf(place),
    );
    expect(at)
      .to.deep.equal(at.toSorted((left, right) => left - right))
      .and.not.include(-1);
  });

  it('serves no files', async () => {
    for (const file of ['swagger-ui.css', 'index.html', '..%2fpackage.json', '__proto__', '']) {
      const { status, problem } = await get(`/docs/assets/${file}`);
      expect([status, problem.code], file).to.deep.equal([404, 'NF001']);
    }
  });

  it('has an anchor for the type of every problem', async () => {
    for (const { code, title } of Object.values(errorKinds)) {
      const { page, hasAnchor } = await visit(`${publicUrl}/docs/errors#${code}`);
      expect([page.status, hasAnchor], code).to.deep.equal([200, true]);
      expect(page.text).to.include(title);
    }
    const { problem } = await gateway.send('/nowhere');
    expect((await visit(problem.type)).hasAnchor).to.equal(true);
    const { text } = await get('/docs/errors');
    for (const [code, words] of Object.entries(declineReasons))
      expect(text).to.include(`<code>${code}</code> ${words}`);
  });

  it('is where the headers and the notice of a deprecated version lead', async () => {
    const { headers } = await gateway.send('/payment-requests', {
      body: { amount: 1, unit: 'EUR' },
      headers: { 'X-API-Version': '2.0' },
    });
    const [, address = ''] = /<([^>]+)>/.exec(headers.get('link') ?? '') ?? [];
    expect(address).to.equal(`${publicUrl}/docs#versions`);
    expect(gateway.notices).to.have.deep.nested.property('[0].documentation', address);
    const { page, hasAnchor } = await visit(address);
    expect([page.status, hasAnchor]).to.deep.equal([200, true]);
    expect(page.text).to.include('2.0').and.include('2024-06-30');
  });
});
