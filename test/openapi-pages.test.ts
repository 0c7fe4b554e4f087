/** The pages of the documentation, and what stands in answers and points to them. */
import { createHash } from 'node:crypto';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { declineReasons, errorKinds } from '../core/errors.ts';
import { publicUrl, startGateway } from '../core/http/testing/gateway.ts';
import type { Reply, TestGateway } from '../core/http/testing/gateway.ts';

describe('the pages of the documentation', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway();
  });
  after(() => gateway.server.close(1000));

  const get = async (path: string): Promise<Reply> => gateway.send(path, { method: 'GET', key: null });
  /** What an address names: the page, and on it the place. */
  const visit = async (address: string): Promise<{ page: Reply; hasPlace: boolean }> => {
    const { pathname, hash } = new URL(address);
    const page = await get(pathname);
    return { page, hasPlace: hash === '' || page.text.includes(`id="${hash.slice(1)}"`) };
  };

  it('are served without a key, and the document is OpenAPI 3.1', async () => {
    const { json, headers } = await get('/openapi.json');
    expect(json).to.include({ openapi: '3.1.0' });
    expect(headers.get('content-type')).to.equal('application/json; charset=utf-8');
    for (const path of ['/docs', '/docs/errors']) {
      const { status, headers: answered } = await get(path);
      expect([status, answered.get('content-type')], path).to.deep.equal([200, 'text/html; charset=utf-8']);
    }
  });

  it('take nothing from elsewhere, and their policy allows nothing else', async () => {
    const { text, headers } = await get('/docs');
    const addresses = [...text.matchAll(/(?:src|href)="([^"#]*)/g)].map(([, address = '']) => address).filter(Boolean);
    expect(addresses).to.include('docs/assets/swagger-ui-bundle.js');
    for (const address of addresses) {
      expect(address).not.to.match(/^(\w+:)?\/\//);
      const { status, headers: answered } = await get(`/${address}`);
      expect([status, answered.get('x-content-type-options')], address).to.deep.equal([200, 'nosniff']);
    }
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).to.include("default-src 'none'").and.include("script-src 'self';").and.include("connect-src 'self'");
    expect(policy).not.to.match(/unsafe|https?:|\*/);
    // The only style in the page is the one that the policy names; there is no script in it.
    const styles = [...text.matchAll(/<style>(.*?)<\/style>/gs)].map(([, style = '']) => style);
    expect(styles.map((style) => policy.includes(createHash('sha256').update(style).digest('base64')))).to.deep.equal([
      true,
    ]);
    expect(text).not.to.match(/<script>|\son\w+=|\sstyle=/);
  });

  it('render the document from here, and ask no public validator', async () => {
    const { text, headers } = await get('/docs/assets/start.js');
    expect(headers.get('content-type')).to.equal('text/javascript; charset=utf-8');
    const asked: Record<string, unknown>[] = [];
    runInNewContext(text, { SwaggerUIBundle: (settings: Record<string, unknown>) => asked.push(settings) });
    const [settings = {}] = asked;
    expect(settings).to.include({ url: 'openapi.json', dom_id: '#interface', validatorUrl: null });
    expect((await get('/docs')).text).to.include('<div id="interface">');
  });

  it('give no other file', async () => {
    for (const file of ['index.html', 'package.json', '..%2fpackage.json', '%2e%2e/package.json', '__proto__', '']) {
      const { status, problem } = await get(`/docs/assets/${file}`);
      expect([status, problem.code], file).to.deep.equal([404, 'NF001']);
    }
  });

  it('are where a problem’s type leads, for every kind of error', async () => {
    for (const { code, title } of Object.values(errorKinds)) {
      const { page, hasPlace } = await visit(`${publicUrl}/docs/errors#${code}`);
      expect([page.status, hasPlace], code).to.deep.equal([200, true]);
      expect(page.text).to.include(title);
    }
    const { problem } = await gateway.send('/nowhere');
    expect((await visit(problem.type)).hasPlace).to.equal(true);
    const { text } = await get('/docs/errors');
    for (const [code, words] of Object.entries(declineReasons))
      expect(text).to.include(`<code>${code}</code> ${words}`);
  });

  it('are where a deprecated version’s answer and notice lead', async () => {
    const { headers } = await gateway.send('/payment-requests', {
      body: { amount: 1, unit: 'EUR' },
      headers: { 'X-API-Version': '2.0' },
    });
    const [, address = ''] = /<([^>]+)>/.exec(headers.get('link') ?? '') ?? [];
    expect(address).to.equal(`${publicUrl}/docs#versions`);
    expect(gateway.notices).to.have.deep.nested.property('[0].documentation', address);
    const { page, hasPlace } = await visit(address);
    expect([page.status, hasPlace]).to.deep.equal([200, true]);
    expect(page.text).to.include('2.0').and.include('2024-06-30');
  });
});
