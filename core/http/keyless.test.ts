import { expect } from 'chai';
import { after, before, beforeEach, describe, it } from 'mocha';
import type { Portal } from '../portal/index.ts';
import type { OpenApiDocument } from './openapi/index.ts';
import { startGateway, type TestGateway } from './testing/gateway.ts';

const requests = 'requests of an address without an API key';
const wrongKeys = 'requests of an address with a wrong API key';

describe('a request without a valid API key', () => {
  const counted: string[] = [];
  let isAllowed = true;
  let gateway: TestGateway;
  const countOne = (budget: string, limit: number, name: string): boolean => {
    counted.push(`${budget}: ${limit} ${name}`);
    return isAllowed;
  };
  before(async () => {
    gateway = await startGateway({ deps: { countOne } });
  });
  beforeEach(() => {
    gateway.reset();
    isAllowed = true;
  });
  after(() => gateway.server.close(0));

  async function send(
    method: string,
    path: string,
    { key = null, ...more }: { key?: 'wrong' | 'full' | null; body?: string; headers?: Record<string, string> } = {},
  ): Promise<{ readonly counts: readonly string[]; readonly code: string; readonly status: number }> {
    counted.length = 0;
    const { status, problem } = await gateway.send(path, { method, key, ...more });
    return { counts: [...counted], code: problem.code, status };
  }

  const address = '127.0.0.1';
  const large = { body: 'x'.repeat(200_000) };
  for (const [method, path, what, more] of [
    ['GET', '/', 302, {}],
    ['GET', '/openapi.json', 200, {}],
    ['GET', '/docs', 200, {}],
    ['GET', '/docs/postman.json', 200, {}],
    ['GET', '/docs/errors', 200, {}],
    ['GET', '/pay/assets/none.js', 'NF001', {}],
    ['POST', '/callbacks/test/json', 200, { body: '{}' }],
    ['POST', '/callbacks/test/form', 200, { body: 'a=1' }],
    ['GET', '/callbacks/test/text', 200, {}],
    ['POST', '/callbacks/unknown', 'NF001', { body: '{}' }],
    ['GET', '/nowhere', 'NF001', {}],
    ['POST', '/health', 'NF001', {}],
    ['GET', '/payments/h2h/11', 'NF001', {}],
    ['POST', '/payments/h2h/x', 'NF001', {}],
    ['GET', '/v2/payment-requests/x', 'NF001', {}],
    ['POST', '/payment-requests', 'REQ001', large],
    ['POST', '/callbacks/test/json', 'REQ001', large],
  ] as const) {
    it(`counts for its address: ${method} ${path} ${what}`, async () => {
      gateway.answers.acknowledgement = undefined;
      const { counts, code, status } = await send(method, path, more);
      expect([typeof what === 'number' ? status : code, counts]).to.deep.equal([what, [`${requests}: 600 ${address}`]]);
      isAllowed = false;
      const refused = await send(method, path, more);
      expect([refused.status, refused.code]).to.deep.equal([429, 'RATE001']);
    });
  }

  for (const path of ['/portal', '/portal/open', '/portal/assets/none.css', '/portal/secret']) {
    it(`counts for its address in the portal: ${path}`, async () => {
      const deps = { countOne, portal: { open: async () => undefined } as unknown as Portal };
      const other = await startGateway({ deps });
      const method = path === '/portal/secret' ? 'POST' : 'GET';
      const visit = async (): Promise<number> =>
        (await other.send(path, { method, key: null, isJudged: false })).status;
      counted.length = 0;
      expect(await visit()).to.be.oneOf([403, 404]);
      expect(counted[0]).to.equal(`${requests}: 600 ${address}`);
      isAllowed = false;
      expect(await visit()).to.equal(429);
      await other.server.close(0);
    });
  }

  it('counts for its address at each route of the document that needs no key', async () => {
    const { paths } = (await gateway.get('/openapi.json?all', { key: null })).json as unknown as OpenApiDocument;
    const uncounted: string[] = [];
    for (const [path, { get, post }] of Object.entries(paths)) {
      for (const [method, operation] of [['GET', get] as const, ['POST', post] as const]) {
        if (!operation?.security?.every((one) => Object.keys(one).length === 0) && !path.includes('/test/')) continue;
        if (!operation) continue;
        const { counts } = await send(method, path.replaceAll(/\{\w+\}/g, '1'));
        if (counts.length === 0) uncounted.push(path);
      }
    }
    // The engine counts callbacks of adapters: see receive.test.ts.
    const others = uncounted.filter((path) => !path.startsWith('/callbacks/') || path.startsWith('/callbacks/test/'));
    expect(others).to.deep.equal(['/health', '/ready']);
  });

  it('counts a missing or wrong key in a budget of its own, also at test callbacks', async () => {
    const wrong = `${wrongKeys}: 60 ${address}`;
    for (const key of [null, 'wrong'] as const)
      expect(await send('GET', '/payment-requests', { key })).to.deep.include({ counts: [wrong], code: 'AUTH001' });
    const more = { body: '{}', headers: { 'X-Webhook-Signature': '00' } };
    const { counts } = await send('POST', '/callbacks/test/json', { key: 'wrong', ...more });
    expect(counts).to.deep.equal([`${requests}: 600 ${address}`, wrong]);
  });

  it('is not counted if it has a valid key', async () => {
    expect((await send('GET', '/payment-requests', { key: 'full' })).counts).to.deep.equal([]);
    isAllowed = false;
    expect((await send('GET', '/payment-requests', { key: 'full' })).status).to.equal(200);
  });
});
