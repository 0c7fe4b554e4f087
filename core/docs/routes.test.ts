import Koa from 'koa';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { createOpenApi } from '../app.ts';
import type { AdapterEntry } from '../http/deps.ts';
import { createKeylessBudgets, startServer, type RequestState, type RunningServer } from '../http/index.ts';
import { config, now } from '../http/testing/gateway.ts';
import { sendRaw } from '../http/testing/raw-request.ts';
import { docsRoutes } from './routes.ts';

const paths = ['/openapi.json', '/docs/postman.json', '/docs', '/docs/errors', '/docs/api'] as const;

describe('the documents of the documentation', () => {
  let server: RunningServer;
  let adapters: readonly AdapterEntry[] = [];
  let rendered = 0;
  before(async () => {
    const app = new Koa<RequestState>();
    const routes = docsRoutes({
      config,
      now: () => now,
      adapters: () => adapters,
      keyless: createKeylessBudgets({ now: () => now }),
      createDocument(facts) {
        rendered += 1;
        return createOpenApi(facts);
      },
    });
    app.use(routes.routes());
    server = await startServer(app, { host: '127.0.0.1', port: 0 });
  });
  after(() => server.close(0));

  /** The answer with its header fields in lower case, and its body as it was sent. */
  async function get(path: string, headers = ''): Promise<{ head: string; body: string }> {
    const head = `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${headers}\r\n`;
    return sendRaw(server.port, head);
  }
  const etagOf = (head: string): string => /^etag: (.*)\r$/im.exec(`${head}\r\n`)![1]!;

  for (const path of paths) {
    it(`are compressed, and answer 304 to a client that has them: ${path}`, async () => {
      const plain = await get(path);
      const response = await fetch(`http://127.0.0.1:${server.port}${path}`);
      expect(response.headers.get('content-encoding')).to.equal('gzip');
      expect(await response.text()).to.have.length.above(1000);
      expect(Number(response.headers.get('content-length'))).to.be.below(plain.body.length / 3);
      const etag = etagOf(plain.head);
      expect([etag, response.headers.get('cache-control')]).to.deep.equal([response.headers.get('etag'), 'no-cache']);
      expect(plain.head).to.match(/^vary: (accept, )?accept-encoding\r$/im);
      const same = await get(path, `If-None-Match: ${etag}\r\nAccept-Encoding: gzip\r\n`);
      expect([same.head.slice(0, 12), same.body, etagOf(same.head)]).to.deep.equal(['HTTP/1.1 304', '', etag]);
      const changed = await get(path, 'If-None-Match: W/"other"\r\n');
      expect([changed.head.slice(0, 12), changed.body]).to.deep.equal(['HTTP/1.1 200', plain.body]);
    });
  }

  it('are rendered once, and again when an adapter changes', async () => {
    for (const path of paths) await get(path);
    expect(rendered).to.equal(1);
    const before = etagOf((await get('/openapi.json')).head);
    adapters = [{ state: 'on', adapter: { manifest: adapter, callbacks: [] } }];
    const { head } = await get('/openapi.json');
    expect([rendered, etagOf(head) === before]).to.deep.equal([2, false]);
  });
});

const adapter = { title: 'Provider X', code: 59, inputs: ['card'], currencies: 'any' } as const;
