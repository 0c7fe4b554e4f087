import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { contractVersion, httpFailure } from '../index.ts';
import { realHttp } from '../testing/index.ts';

describe('HTTP to a sandbox', () => {
  const servers: Server[] = [];

  async function serve(listener: RequestListener): Promise<string> {
    const started = createServer(listener);
    servers.push(started);
    await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(started.address() as AddressInfo).port}`;
  }

  afterEach(async () => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });

  const failureOf = async (call: Promise<unknown>) =>
    httpFailure(await call.then(undefined, (error: unknown) => error));

  it('sends bytes and headers, and returns the whole answer', async () => {
    const base = await serve((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        response.writeHead(201, { 'X-Asked': `${request.method} ${request.url} ${String(request.headers['x-key'])}` });
        response.end(Buffer.concat(chunks));
      });
    });
    const body = Uint8Array.from([0, 255, 10]);
    const answer = await realHttp(`${base}/gate`).send({
      method: 'POST',
      path: '/x?y=1',
      headers: { 'X-Key': 'k' },
      body,
    });
    expect(answer.status).to.equal(201);
    expect(answer.headers).to.deep.include(['X-Asked', 'POST /gate/x?y=1 k']);
    expect([...answer.body]).to.deep.equal([0, 255, 10]);
  });

  it('sends a request with `to` to the address in that option', async () => {
    const [first, second] = [
      await serve((_, response) => response.end('first')),
      await serve((request, response) => response.end(`second ${request.url}`)),
    ];
    const http = realHttp(first, 2_000, { loginBaseUrl: `${second}/v1` });
    const textOf = async (to?: string): Promise<string> =>
      Buffer.from((await http.send({ method: 'GET', path: '/token', to })).body).toString();
    expect([await textOf(), await textOf('loginBaseUrl')]).to.deep.equal(['first', 'second /v1/token']);
    const error: unknown = await textOf('otherBaseUrl').catch((caught: unknown) => caught);
    expect(error).to.be.instanceOf(TypeError).and.have.property('message').that.contains('otherBaseUrl');
  });

  it('sends a User-Agent as core does, unless the request has one', async () => {
    const seen: unknown[] = [];
    const base = await serve((request, response) => {
      seen.push(request.headers['user-agent']);
      response.end();
    });
    const get = { method: 'GET', path: '/' } as const;
    await realHttp(base).send(get);
    await realHttp(base).send({ ...get, headers: { 'user-agent': 'Shop/1' } });
    expect(seen).to.deep.equal([`Paywright/${contractVersion}`, 'Shop/1']);
  });

  it('follows no redirect', async () => {
    const base = await serve((_, response) => response.writeHead(302, { Location: '/elsewhere' }).end());
    expect((await realHttp(base).send({ method: 'GET', path: '/' })).status).to.equal(302);
  });

  it('distinguishes a request that never left from one without an answer', async () => {
    const base = await serve((request) => request.socket.destroy());
    expect(await failureOf(realHttp(base).send({ method: 'GET', path: '/' }))).to.equal('no_answer');
    const cut = await serve((_, response) => {
      response.writeHead(200, { 'Content-Length': '10' }).write('half');
      setImmediate(() => response.destroy());
    });
    expect(await failureOf(realHttp(cut).send({ method: 'GET', path: '/' }))).to.equal('no_answer');
    expect(await failureOf(realHttp('http://127.0.0.1:1').send({ method: 'GET', path: '/' }))).to.equal('not_sent');
  });
});
