import { readFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import { httpFailure, ProviderCallError, replyHeader, type HttpRequest, type ProviderHttp } from '@paywright/contract';
import { expect } from 'chai';
import { after, afterEach, before, describe, it } from 'mocha';
import nock from 'nock';
import { holdTimers } from '../../../base/testing/hold-timers.ts';
import { createCircuitBreaker } from './circuit-breaker.ts';
import {
  createHttpAgents,
  createProviderHttp,
  ProviderHttpError,
  type Exchange,
  type ProviderHttpOptions,
} from './provider-http.ts';

const post: HttpRequest = { method: 'POST', path: '/pay?x=1', headers: { 'X-Key': 'secret' }, body: 'né' };
const get: HttpRequest = { method: 'GET', path: '/state' };
const at = new Date('2026-11-21T09:00:00Z');

describe('createProviderHttp', () => {
  const agents = createHttpAgents();
  const servers: net.Server[] = [];
  const sockets = new Set<net.Socket>();
  let exchanges: Exchange[] = [];
  let slept: number[] = [];

  // Another test file may have activated nock's sockets. These tests use real sockets.
  before(() => nock.restore());
  after(() => nock.activate());
  after(() => agents.close());
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    await Promise.all(servers.splice(0).map(async (server) => new Promise((done) => server.close(done))));
    exchanges = [];
    slept = [];
  });

  async function listen(server: net.Server): Promise<number> {
    servers.push(server);
    server.on('connection', (socket: net.Socket) => sockets.add(socket.on('error', () => undefined)));
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    return (server.address() as net.AddressInfo).port;
  }
  const serve = async (answer: http.RequestListener): Promise<number> => listen(http.createServer(answer));
  /** A server that answers any request with these bytes, and then ends or resets the connection. */
  const serveBytes = async (bytes: string, end: 'end' | 'resetAndDestroy' = 'end'): Promise<number> =>
    listen(
      net.createServer((socket) => {
        socket.once('data', () => socket.write(bytes, () => socket[end]()));
      }),
    );
  const httpTo = (port: number, setup: Partial<ProviderHttpOptions> = {}): ProviderHttp =>
    createProviderHttp({
      baseUrl: `http://127.0.0.1:${port}/base`,
      call: 'submit',
      agents,
      timeoutMs: 5000,
      now: () => at,
      sleep: async (ms) => void slept.push(ms),
      transcript: (exchange) => exchanges.push(exchange),
      ...setup,
    });
  async function failure(reply: Promise<unknown>): Promise<ProviderCallError> {
    const error: unknown = await reply.catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(ProviderHttpError);
    return error as ProviderCallError;
  }
  async function closedPort(): Promise<number> {
    const server = net.createServer();
    const port = await listen(server);
    await new Promise((done) => servers.pop()!.close(done));
    return port;
  }

  it('sends nothing after its deadline, on a new connection and on a kept connection', async () => {
    let seen = 0;
    const port = await serve((_, response) => {
      seen += 1;
      response.end('ok');
    });
    // The process is paused after it decided to send, and before it is connected.
    let deadlinePassed = false;
    const paused = httpTo(port, { deadlinePassed: () => deadlinePassed });
    const late = paused.send(post);
    deadlinePassed = true;
    expect(httpFailure(await late.catch((error: unknown) => error))).to.equal('not_sent');
    expect(seen).to.equal(0);
    deadlinePassed = false;
    expect((await paused.send(post)).status).to.equal(200);
    const again = paused.send(post);
    deadlinePassed = true;
    expect(httpFailure(await again.catch((error: unknown) => error))).to.equal('not_sent');
    expect(seen).to.equal(1);
  });

  it('fails as not sent while the breaker is open, which any answer closes and which ignores bugs', async () => {
    let time = 0;
    const breaker = createCircuitBreaker({ failures: 2, coolOffMs: 1000, now: () => new Date(time) });
    const down = httpTo(await closedPort(), { breaker });
    expect(await failure(down.send(get))).to.include({ failure: 'not_sent' });
    await httpTo(await serve((_, response) => response.writeHead(500).end()), { breaker }).send(get);
    for (let times = 0; times < 2; times += 1) await failure(down.send(get));
    const { failure: sort, message } = await failure(down.send(get));
    expect([sort, message]).to.deep.equal(['not_sent', 'not called: its last 2 exchanges failed']);
    time = 1000;
    const buggy = httpTo(await serve((_, response) => response.end()), {
      breaker,
      transcript: () => {
        throw new TypeError('a bug');
      },
    });
    expect(await buggy.send(get).catch((error: unknown) => error)).to.be.instanceOf(TypeError);
    expect([breaker.failures, breaker.isOpen()]).to.deep.equal([2, false]);
  });

  it('sends the request below the base address, and returns the whole answer', async () => {
    let seen: unknown;
    const port = await serve((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { method, url, headers } = request;
        seen = [
          method,
          url,
          headers['x-key'],
          headers['content-length'],
          headers.host,
          Buffer.concat(chunks).toString(),
        ];
        response
          .writeHead(
            201,
            [
              ['Set-Cookie', 'a'],
              ['Set-Cookie', 'b'],
              ['X-One', '1'],
            ].flat(),
          )
          .end('done');
      });
    });
    const reply = await httpTo(port).send(post);
    expect(seen).to.deep.equal(['POST', '/base/pay?x=1', 'secret', '3', `127.0.0.1:${port}`, 'né']);
    expect(reply.status).to.equal(201);
    expect(reply.headers.filter(([name]) => name === 'Set-Cookie').map(([, value]) => value)).to.deep.equal(['a', 'b']);
    expect(Buffer.from(reply.body).toString()).to.equal('done');
  });

  it('sends User-Agent with the version of the gateway, unless the request has one in any spelling', async () => {
    const seen: unknown[] = [];
    const port = await serve((request, response) => {
      seen.push(request.rawHeaders.filter((_, at, all) => /^user-agent$/i.test(all[at - 1] ?? '')));
      response.end();
    });
    const { version } = JSON.parse(readFileSync(new URL('../../../../../package.json', import.meta.url), 'utf8')) as {
      readonly version: string;
    };
    await httpTo(port).send(get);
    await httpTo(port).send({ ...get, headers: { 'user-agent': 'Shop/1' } });
    expect(seen).to.deep.equal([[`Paywright/${version}`], ['Shop/1']]);
  });

  it('keeps a transcript without query, headers and bodies', async () => {
    const port = await serve((_, response) => response.end('an answer'));
    await httpTo(port).send(post);
    expect(exchanges).to.have.length(1);
    expect(exchanges[0]).to.deep.include({ call: 'submit', method: 'POST', path: '/base/pay', status: 200, at });
    expect(Object.keys(exchanges[0]!).sort()).to.deep.equal(['at', 'call', 'method', 'ms', 'path', 'status']);
    await failure(httpTo(await closedPort()).send(post));
    expect(Object.keys(exchanges[1]!).sort()).to.deep.equal(['at', 'call', 'failure', 'method', 'ms', 'path']);
  });

  it('sends the length of a body, even without a body', async () => {
    const lengths: (string | undefined)[] = [];
    const port = await serve((request, response) => {
      lengths.push(request.headers['content-length']);
      response.end();
    });
    await httpTo(port).send({ method: 'POST', path: '/', headers: { 'content-length': '77' } });
    await httpTo(port).send({ method: 'PUT', path: '/', body: new Uint8Array([1, 2]) });
    await httpTo(port).send(get);
    expect(lengths).to.deep.equal(['0', '2', undefined]);
  });

  it('follows no redirect, and returns an error page as an answer', async () => {
    const port = await serve((request, response) => {
      if (request.url === '/base/pay?x=1') response.writeHead(302, { Location: '/elsewhere' }).end();
      else response.writeHead(502, { 'Content-Type': 'text/html' }).end('<h1>Bad gateway</h1>');
    });
    expect(replyHeader(await httpTo(port).send(post), 'location')).to.equal('/elsewhere');
    expect(await httpTo(port).send(get)).to.include({ status: 502 });
    expect(exchanges.map(({ status }) => status)).to.deep.equal([302, 502]);
  });

  it('stays on its host for any path', async () => {
    const paths: unknown[] = [];
    const port = await serve((request, response) => {
      paths.push(request.url);
      response.end();
    });
    await httpTo(port).send({ method: 'GET', path: '//other.example/x' });
    await httpTo(port, { baseUrl: `http://127.0.0.1:${port}` }).send({ method: 'GET', path: '//other.example/x' });
    expect(paths).to.deep.equal(['/base//other.example/x', '//other.example/x']);
  });

  for (const [what, request] of [
    ['a path without a slash', { ...post, path: 'pay' }],
    ['a path with a space', { ...post, path: '/a b' }],
    ['a header with a line break', { ...post, headers: { 'X-Key': 'secret\r\nX: y' } }],
    ['a header name with a colon', { ...post, headers: { 'secret:': 'x' } }],
  ] as const) {
    it(`sends nothing for ${what}`, async () => {
      const error = await failure(httpTo(1).send(request));
      expect(error.failure).to.equal('not_sent');
      expect(error.message).not.to.contain('secret');
      expect(exchanges).to.deep.equal([]);
    });
  }

  it('fails as not sent for a refused connection, an unknown host name and failed TLS', async () => {
    expect(await failure(httpTo(await closedPort()).send(post))).to.include({ failure: 'not_sent' });
    expect((await failure(httpTo(0, { baseUrl: 'http://unknown.invalid' }).send(post))).failure).to.equal('not_sent');
    const port = await serveBytes('this is no TLS\r\n');
    const error = await failure(httpTo(port, { baseUrl: `https://127.0.0.1:${port}` }).send(post));
    expect(error.failure).to.equal('not_sent');
    expect(error.message).to.match(/^the provider was not reached: [A-Z_]+$/);
  });

  for (const [what, bytes, end] of [
    ['resets after reading', '', 'resetAndDestroy'],
    ['closes after reading', '', 'end'],
    ['cuts the body', 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf', 'end'],
    ['resets in the body', 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf', 'resetAndDestroy'],
    ['cuts the chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n', 'end'],
    ['does not speak HTTP', 'hello\r\n\r\n', 'end'],
    ['wants another protocol', 'HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n', 'end'],
  ] as const) {
    it(`gets no answer from a server that ${what}`, async () => {
      const error = await failure(httpTo(await serveBytes(bytes, end)).send(post));
      expect(error.failure).to.equal('no_answer');
      expect(error.message).to.match(/^the provider gave no answer: /);
      expect(exchanges.map((exchange) => exchange.failure)).to.deep.equal(['no_answer']);
    });
  }

  it('fails if the server resets before it reads', async () => {
    const port = await listen(net.createServer((socket) => socket.resetAndDestroy()));
    const { failure: sorted } = await failure(httpTo(port).send(post));
    // The reset may arrive before the connection is reported. Then nothing was sent.
    expect(sorted).to.be.oneOf(['no_answer', 'not_sent']);
  });

  it('accepts a body that ends with the connection', async () => {
    const reply = await httpTo(await serveBytes('HTTP/1.0 200 OK\r\n\r\nall of it')).send(post);
    expect(Buffer.from(reply.body).toString()).to.equal('all of it');
  });

  it('limits the time of headers and body together', async () => {
    for (const bytes of ['', 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf']) {
      const timers = holdTimers();
      try {
        const server = net.createServer((socket) => {
          socket.once('data', () => socket.write(bytes, () => timers.endAll()));
        });
        const error = await failure(httpTo(await listen(server), { timeoutMs: 60 }).send(post));
        expect(error).to.include({
          failure: 'no_answer',
          message: 'the provider gave no answer: no answer within 60 ms',
        });
      } finally {
        timers.restore();
      }
    }
  });

  it('ends with its call, and refuses later requests', async () => {
    const call = new AbortController();
    const port = await listen(net.createServer((socket) => socket.once('data', () => call.abort(new Error('over')))));
    const { signal } = call;
    expect((await failure(httpTo(port, { signal }).send(post))).failure).to.equal('no_answer');
    const error = await failure(httpTo(port, { signal }).send(post));
    expect(error).to.include({ failure: 'not_sent', message: 'the provider was not called: over' });
    expect(exchanges).to.have.length(1);
  });

  it('limits the size of an answer', async () => {
    const port = await serve((_, response) => response.end(Buffer.alloc(1001)));
    expect((await httpTo(port, { maxBytes: 1001 }).send(post)).body).to.have.length(1001);
    const error = await failure(httpTo(port, { maxBytes: 1000 }).send(post));
    expect(error).to.include({ failure: 'no_answer' });
    expect(error.message).to.contain('more than 1000 bytes');
  });

  describe('on a kept connection that the server has closed', () => {
    /** Answers the first request of a connection and resets it at the second. */
    async function serveOncePerConnection(): Promise<{ port: number; connections: () => number }> {
      let connections = 0;
      const port = await listen(
        net.createServer((socket) => {
          connections += 1;
          socket.once('data', () => {
            socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
            socket.once('data', () => socket.resetAndDestroy());
          });
        }),
      );
      return { port, connections: () => connections };
    }

    it('gets no answer to a POST', async () => {
      const { port, connections } = await serveOncePerConnection();
      await httpTo(port).send(post);
      expect((await failure(httpTo(port).send(post))).failure).to.equal('no_answer');
      expect(connections()).to.equal(1);
    });

    it('repeats a GET on a new connection', async () => {
      const { port, connections } = await serveOncePerConnection();
      await httpTo(port).send(get);
      expect(await httpTo(port).send(get)).to.include({ status: 200 });
      expect(connections()).to.equal(2);
    });
  });

  describe('answered 429', () => {
    async function serveLimited(
      retryAfter: string | undefined,
      times = 1,
    ): Promise<{ port: number; bodies: string[] }> {
      const bodies: string[] = [];
      const port = await serve((request, response) => {
        let body = '';
        request.on('data', (chunk: Buffer) => (body += chunk.toString()));
        request.on('end', () => {
          bodies.push(body);
          if (bodies.length > times) return response.end('at last');
          return response.writeHead(429, retryAfter === undefined ? {} : { 'Retry-After': retryAfter }).end();
        });
      });
      return { port, bodies };
    }

    for (const [retryAfter, waits] of [
      ['1', 1000],
      ['5', 5000],
      ['0', 0],
      ['Sat, 21 Nov 2026 09:00:04 GMT', 4000],
    ] as const) {
      it(`waits for "Retry-After: ${retryAfter}" and repeats the same request once`, async () => {
        const { port, bodies } = await serveLimited(retryAfter);
        expect(await httpTo(port).send(post)).to.include({ status: 200 });
        expect(slept).to.deep.equal([waits]);
        expect(bodies).to.deep.equal(['né', 'né']);
        expect(exchanges.map(({ status }) => status)).to.deep.equal([429, 200]);
      });
    }

    for (const retryAfter of ['6', 'Sat, 21 Nov 2026 09:00:06 GMT', 'soon', undefined]) {
      it(`returns the 429 for Retry-After ${retryAfter}`, async () => {
        const { port, bodies } = await serveLimited(retryAfter);
        expect(await httpTo(port).send(post)).to.include({ status: 429 });
        expect(bodies).to.have.length(1);
      });
    }

    it('repeats no more than once', async () => {
      const { port, bodies } = await serveLimited('1', 5);
      expect(await httpTo(port).send(post)).to.include({ status: 429 });
      expect(bodies).to.have.length(2);
    });

    it('returns the 429 if the call ends during the wait', async () => {
      const { port, bodies } = await serveLimited('1');
      const call = new AbortController();
      const sleep = async (): Promise<void> => call.abort();
      expect(await httpTo(port, { signal: call.signal, sleep }).send(post)).to.include({ status: 429 });
      expect(bodies).to.have.length(1);
    });

    it('returns the 429 if the time limit is too short for the wait', async () => {
      const { port, bodies } = await serveLimited('5');
      const timers = holdTimers();
      try {
        const http = createProviderHttp({
          baseUrl: `http://127.0.0.1:${port}`,
          call: 'submit',
          agents,
          now: () => at,
          timeoutMs: 200,
          // The 429 has arrived, and the wait has started.
          transcript: () => void setImmediate(() => timers.endAll()),
        });
        expect(await http.send(post)).to.include({ status: 429 });
        expect(bodies).to.have.length(1);
      } finally {
        timers.restore();
      }
    });
  });

  it('does not end the process if its failure is not awaited', async () => {
    const unhandled: unknown[] = [];
    const listener = (reason: unknown): number => unhandled.push(reason);
    process.on('unhandledRejection', listener);
    const port = await closedPort();
    let recorded: (() => void) | undefined;
    const seen = new Promise<void>((done) => (recorded = done));
    void httpTo(port, { transcript: () => recorded?.() }).send(post);
    await seen;
    await new Promise((done) => setImmediate(done));
    process.off('unhandledRejection', listener);
    expect(unhandled).to.deep.equal([]);
  });

  it('uses requests that nock can intercept', async () => {
    nock.activate();
    try {
      const scope = nock('https://a.example')
        .post('/base/pay?x=1', 'né')
        .matchHeader('x-key', 'secret')
        .reply(200, 'ok');
      const sending = httpTo(0, { baseUrl: 'https://a.example/base' });
      expect(await sending.send(post)).to.include({ status: 200 });
      expect(scope.isDone()).to.equal(true);
      nock('https://a.example').post('/base/pay?x=1').replyWithError('unreachable');
      const failed: unknown = await sending.send(post).catch((error: unknown) => error);
      expect(httpFailure(failed)).to.equal('not_sent');
    } finally {
      nock.cleanAll();
      nock.restore();
    }
  });
});
