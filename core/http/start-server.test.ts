import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { Agent, get, request, type IncomingMessage } from 'node:http';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { expect } from 'chai';
import Koa from 'koa';
import { afterEach, describe, it } from 'mocha';
import { until } from '../base/testing/until.ts';
import { readRaw } from './input/read-raw.ts';
import { ListenError, startServer } from './start-server.ts';
import type { RunningServer, WhyDropped } from './start-server.ts';
import type { RequestState } from './state.ts';
import { sendRaw } from './testing/raw-request.ts';

describe('startServer', () => {
  const open: RunningServer[] = [];
  afterEach(async () => {
    await Promise.all(open.splice(0).map((server) => server.close(0)));
  });

  async function start(app: Koa<RequestState>, port = 0): Promise<RunningServer> {
    const server = await startServer(app, { host: '127.0.0.1', port });
    open.push(server);
    return server;
  }

  /** An app that answers only after `letGo`. */
  function createWaitingApp() {
    let letGo = (): void => {};
    let arrived = (): void => {};
    const hasArrived = new Promise<void>((resolve) => (arrived = resolve));
    const app = new Koa<RequestState>();
    app.use(async (ctx) => {
      arrived();
      await new Promise<void>((resolve) => (letGo = resolve));
      ctx.body = 'done';
    });
    return { app, hasArrived, letGo: () => letGo() };
  }

  it('chooses a free port for 0, and returns it', async () => {
    const app = new Koa<RequestState>();
    app.use((ctx) => void (ctx.body = 'here'));
    const { port } = await start(app);
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).to.equal('here');
  });

  it('explains a busy port in one sentence', async () => {
    const busy = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => busy.once('listening', resolve));
    const { port } = busy.address() as AddressInfo;
    const error = await start(new Koa(), port).catch((reason: unknown) => reason);
    busy.close();
    expect(error).to.be.instanceOf(ListenError);
    expect((error as Error).message).to.equal(
      `port ${port} of 127.0.0.1 is in use: stop the program that uses it, or set PORT to another port`,
    );
  });

  it('explains a foreign host in one sentence', async () => {
    const error = await startServer(new Koa(), { host: '192.0.2.1', port: 0 }).catch((reason: unknown) => reason);
    expect((error as Error).message).to.include('192.0.2.1 is not an address of this machine');
  });

  it('answers a malformed HTTP request with a problem', async () => {
    const { port } = await start(createWaitingApp().app);
    const line = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n';
    for (const [request, code] of [
      ['no request at all\r\n\r\n', 'VAL002'],
      [`${line}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`, 'VAL002'],
      [`${line}X-Long: ${'x'.repeat(20_000)}\r\n\r\n`, 'REQ001'],
    ] as const) {
      const { head, body, status } = await sendRaw(port, request);
      const problem = JSON.parse(body) as {
        readonly code: string;
        readonly requestId: string;
        readonly status: number;
      };
      expect([problem.code, problem.status]).to.deep.equal([code, status]);
      expect(head).to.include(`X-Request-Id: ${problem.requestId}`).and.include('application/problem+json');
    }
  });

  it('answers a complete request normally, whatever garbage follows', async () => {
    const { app, hasArrived, letGo } = createWaitingApp();
    const { port } = await start(app);
    const reply = sendRaw(port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n', '}}}\r\n\r\n');
    await hasArrived;
    // The garbage is read before the answer: a later connection was served in the meantime.
    await sendRaw(port, 'garbage\r\n\r\n');
    letGo();
    const { status, body } = await reply;
    expect([status, body]).to.deep.equal([200, 'done']);
  });

  it('accepts a request with any Expect header', async () => {
    const app = new Koa<RequestState>();
    app.use((ctx) => void (ctx.body = 'here'));
    const { port } = await start(app);
    const { body } = await sendRaw(port, 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nExpect: miracles\r\n\r\n');
    expect(body).to.include('here');
  });

  it('lets a running request finish on close, refuses new ones, and closes idle connections', async () => {
    const { app, hasArrived, letGo } = createWaitingApp();
    const server = await start(app);
    const agent = new Agent({ keepAlive: true });
    const answer = new Promise<string>((resolve, reject) => {
      get({ host: '127.0.0.1', port: server.port, agent }, (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.on('end', () => resolve(text));
      }).on('error', reject);
    });
    await hasArrived;
    const closed = server.close(60_000);
    const refused = await fetch(`http://127.0.0.1:${server.port}/`).catch(() => 'refused');
    letGo();
    expect([refused, await answer]).to.deep.equal(['refused', 'done']);
    await closed; // This resolves before the grace period ends, because the idle connection was closed.
    agent.destroy();
  });

  describe('with pipelined requests', () => {
    async function startCounting() {
      const begun: string[] = [];
      const dropped: WhyDropped[] = [];
      let letGo = (): void => {};
      const gate = new Promise<void>((resolve) => (letGo = resolve));
      const app = new Koa<RequestState>();
      app.use(async (ctx) => {
        begun.push(ctx.path);
        if (ctx.path === '/slow') await gate;
        ctx.body = ctx.path;
      });
      const onDropped = (why: WhyDropped): void => void dropped.push(why);
      const { port } = await startServer(app, { host: '127.0.0.1', port: 0, onDropped }).then((server) => {
        open.push(server);
        return server;
      });
      return { port, begun, dropped, letGo: () => letGo() };
    }
    const get = (path: string, more = ''): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n${more}\r\n`;
    const paths = (count: number): string[] => Array.from({ length: count }, (_, at) => `/${at}`);

    it('begins eight of a thousand, answers these in order, and closes the connection', async () => {
      const { port, begun, dropped, letGo } = await startCounting();
      const reply = sendRaw(
        port,
        get('/slow') +
          paths(999)
            .map((path) => get(path))
            .join(''),
      );
      // Another connection is served in the meantime.
      await sendRaw(port, get('/other', 'Connection: close\r\n'));
      expect(begun.filter((path) => path !== '/other')).to.have.length(8);
      letGo();
      const { head, body } = await reply;
      const answers = `${head}\r\n\r\n${body}`;
      expect([...answers.matchAll(/\n(\/[a-z\d]+)/g)].map(([, path]) => path)).to.deep.equal(['/slow', ...paths(7)]);
      expect([begun.length, dropped]).to.deep.equal([9, ['pipelining']]);
    });

    it('answers all of eight, and of many that follow each other', async () => {
      const { port, begun, dropped } = await startCounting();
      const last = get('/last', 'Connection: close\r\n');
      const { body } = await sendRaw(
        port,
        paths(7)
          .map((path) => get(path))
          .join('') + last,
      );
      expect(body).to.match(/\/last$/);
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      for (const path of paths(20)) {
        const [response] = (await once(request({ host: '127.0.0.1', port, agent, path }).end(), 'response')) as [
          IncomingMessage,
        ];
        expect(response.resume().statusCode).to.equal(200);
        await once(response, 'end');
      }
      agent.destroy();
      expect([begun.length, dropped]).to.deep.equal([28, []]);
    });

    it('parses only nine of thousands that arrive in one read', async () => {
      const { port, letGo } = await startCounting();
      const parsed: number[] = [];
      const count = (): void => void parsed.push(1);
      subscribe('http.server.request.start', count);
      try {
        const reply = sendRaw(port, get('/slow') + get('/').repeat(1500));
        await sendRaw(port, get('/other', 'Connection: close\r\n'));
        letGo();
        await reply;
      } finally {
        unsubscribe('http.server.request.start', count);
      }
      expect(parsed).to.have.length(10);
    });

    it('reads bodies in which header ends are frequent, also after a pause because of an unread answer', async () => {
      const lengths: number[] = [];
      const app = new Koa<RequestState>();
      app.use(async (ctx) => {
        lengths.push((await readRaw(ctx.req, 1_000_000)).length);
        ctx.body = 'x'.repeat(8_000_000);
      });
      const { port } = await start(app);
      const post = (body: string, more = ''): string =>
        `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n${more}\r\n${body}`;
      const parts = '--part\r\n\r\n'.repeat(100);
      const socket = connect(port, '127.0.0.1');
      socket.write(post(parts));
      await until('the first body has arrived', () => lengths.length === 1);
      socket.write(post(parts).repeat(3) + post(parts, 'Connection: close\r\n'));
      // The answer to a later connection comes after the server has read these requests.
      await sendRaw(port, post('a', 'Connection: close\r\n'));
      let received = 0;
      socket.on('data', (data: Buffer) => (received += data.length));
      await once(socket, 'close');
      expect(lengths.filter((length) => length > 1)).to.deep.equal(Array.from({ length: 5 }, () => parts.length));
      expect(received).to.be.greaterThan(40_000_000);
    });

    it('begins none after the answer that closes the connection', async () => {
      const { port, begun } = await startCounting();
      const { body } = await sendRaw(port, get('/one', 'Connection: close\r\n') + get('/two') + get('/three'));
      expect([body, begun]).to.deep.equal(['/one', ['/one']]);
    });
  });

  describe('with limits', () => {
    const bounds = { maxConnections: 10, maxConnectionsPerAddress: 2, maxRequestsPerConnection: 2, trustedProxies: 0 };
    async function startBounded(trustedProxies: number, changes: Partial<typeof bounds> = {}) {
      let dropped = 0;
      const app = new Koa<RequestState>();
      app.use((ctx) => void (ctx.body = 'here'));
      const onDropped = () => (dropped += 1);
      const connections = { ...bounds, ...changes, trustedProxies };
      const server = await startServer(app, { host: '127.0.0.1', port: 0, connections, onDropped });
      open.push(server);
      return { port: server.port, dropped: () => dropped };
    }
    const request = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

    async function keepOpen(port: number): Promise<Socket> {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.write(request);
      await new Promise((resolve) => socket.once('data', resolve).once('close', resolve));
      return socket;
    }

    it('closes an excess connection of one address, and accepts one again after another closed', async () => {
      const { port, dropped } = await startBounded(0);
      const [first, second, third] = [await keepOpen(port), await keepOpen(port), await keepOpen(port)];
      expect([first.destroyed, second.destroyed, dropped()]).to.deep.equal([false, false, 1]);
      expect(third.destroyed).to.equal(true);
      first.destroy();
      let next: Socket | undefined;
      for (let at = 0; at < 100 && (next?.destroyed ?? true); at += 1) next = await keepOpen(port);
      expect(next?.destroyed).to.equal(false);
      second.destroy();
      next?.destroy();
    });

    it('does not count a refused connection that the other side keeps open', async () => {
      const { port } = await startBounded(0);
      const halfOpen = Array.from({ length: 2 }, () => connect({ port, host: '127.0.0.1', allowHalfOpen: true }));
      for (const socket of halfOpen) {
        socket.write('garbage\r\n\r\n');
        socket.resume();
        await once(socket, 'end');
      }
      const next = await until(
        'a connection is accepted',
        async () => {
          const socket = await keepOpen(port);
          return socket.destroyed ? undefined : socket;
        },
        5000,
      );
      expect(halfOpen.map(({ writable }) => writable)).to.deep.equal([true, true]);
      for (const socket of [next, ...halfOpen]) socket.destroy();
    });

    it('closes a connection after its maximum number of requests', async () => {
      const { port } = await startBounded(0);
      const { head, body } = await sendRaw(port, request, request);
      expect(head).to.include('Connection: keep-alive');
      expect(body).to.include('Connection: close');
    });

    it('serves other connections of an address that pipelines too many requests again and again', async () => {
      const { port, dropped } = await startBounded(0, { maxConnectionsPerAddress: 100, maxRequestsPerConnection: 100 });
      const last = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
      const kept = await keepOpen(port);
      for (let at = 0; at < 30; at += 1) {
        const flood = sendRaw(port, request.repeat(1000)).catch(() => undefined);
        expect((await sendRaw(port, last)).status).to.equal(200);
        kept.write(request);
        expect(String(await once(kept, 'data'))).to.include('200 OK');
        await flood;
      }
      expect(dropped()).to.equal(30);
      kept.destroy();
    });

    it('limits only all connections together behind trusted proxies', async () => {
      const { port, dropped } = await startBounded(1);
      const sockets = await Promise.all(Array.from({ length: 11 }, async () => keepOpen(port)));
      expect([sockets.filter(({ destroyed }) => destroyed).length, dropped()]).to.deep.equal([1, 1]);
      for (const socket of sockets) socket.destroy();
    });
  });

  describe('with short time limits', function () {
    // By default Node waits a minute for headers.
    this.timeout(30_000);
    const [short, long] = [200, 600_000];
    /** Sends single bytes, so that the connection is never idle. Returns the answer after the connection was closed. */
    async function dribble(port: number, head: string): Promise<string> {
      const socket = connect(port, '127.0.0.1');
      let answer = '';
      socket.on('error', () => undefined).on('data', (data: Buffer) => (answer += data.toString()));
      socket.write(head);
      const dribbling = setInterval(() => socket.write('x'), 10);
      await once(socket, 'close');
      clearInterval(dribbling);
      return answer;
    }

    for (const [what, limits, head] of [
      ['slow headers', { headersTimeout: short, requestTimeout: long }, 'GET / HTTP/1.1\r\nX-Long: '],
      [
        'a slow body',
        { headersTimeout: short, requestTimeout: short },
        'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n',
      ],
    ] as const) {
      it(`cuts off ${what}, and gives the reason`, async () => {
        const app = new Koa<RequestState>();
        app.silent = true;
        app.use(async (ctx) => void (await readRaw(ctx.req, 1_000_000)));
        const arrival = { ...limits, connectionsCheckingInterval: 50 };
        const server = await startServer(app, { host: '127.0.0.1', port: 0, arrival });
        open.push(server);
        const answer = await dribble(server.port, head);
        expect(answer).to.include('VAL002').and.include('did not arrive in time');
      });
    }
  });

  it('cuts off requests that have not finished within the grace period', async () => {
    const { app, hasArrived } = createWaitingApp();
    const server = await start(app);
    const answer = fetch(`http://127.0.0.1:${server.port}/`).catch(() => 'cut');
    await hasArrived;
    await server.close(10);
    expect(await answer).to.equal('cut');
  });
});
