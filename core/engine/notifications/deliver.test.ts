import { createServer } from 'node:net';
import type { Socket } from 'node:net';
import { expect } from 'chai';
import { after, afterEach, describe, it } from 'mocha';
import { until } from '../../base/testing/until.ts';
import { createConnections } from './connections.ts';
import { deliver } from './deliver.ts';
import type { Delivery } from './deliver.ts';
import { createTargetGuard } from './target-guard.ts';
import type { Resolve } from './target-guard.ts';
import { endAfterHead } from './testing/end-after-head.ts';
import { closed, listen, startReceiver } from './testing/receiver.ts';
import type { Answer, Receiver } from './testing/receiver.ts';

const body = Buffer.from('{"name":"Zoë"}');
const connections = createConnections();
const open: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

async function receiver(answer: Answer, where: { port?: number; host?: string } = {}): Promise<Receiver> {
  const started = await startReceiver(answer, where);
  open.push(() => started.close());
  return started;
}

/** A TCP server, for receivers that break the rules of HTTP. */
async function rawReceiver(onRequest: (socket: Socket, data: Buffer) => void, isKept = false): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket[isKept ? 'on' : 'once']('data', (data) => onRequest(socket, data));
  });
  const port = await listen(server);
  open.push(async () => {
    for (const socket of sockets) socket.destroy();
    await closed(server);
  });
  return `http://127.0.0.1:${port}/`;
}

function attempt(
  url: string,
  more: { resolve?: Resolve; timeoutMs?: number; signal?: AbortSignal; allowed?: string[]; body?: Buffer } = {},
): Promise<Delivery> {
  const { resolve, timeoutMs = 5000, signal, allowed = ['127.0.0.1/32'] } = more;
  const guard = createTargetGuard({ allowedPrivateNetworks: allowed, ...(resolve ? { resolve } : {}) });
  const headers = { 'webhook-id': '7-1' };
  return deliver({
    url,
    headers,
    body: more.body ?? body,
    timeoutMs,
    guard,
    connections,
    ...(signal ? { signal } : {}),
  });
}

describe('deliver', () => {
  after(() => connections.close());

  for (const status of [200, 201, 202, 204, 299]) {
    it(`treats ${status} as delivered`, async () => {
      const { url, received } = await receiver((answer) => answer.writeHead(status).end());
      expect(await attempt(url)).to.deep.include({ outcome: 'delivered', status, error: null });
      expect(received).to.have.length(1);
    });
  }

  it('returns the beginning of the text that the receiver answered, of a failure and of a success', async () => {
    const page = `<h1>No such shop</h1> card 4111111111111111 ${'x'.repeat(100_000)}`;
    const { url } = await receiver((answer, count) =>
      answer.writeHead(count === 1 ? 500 : 200, { 'content-type': 'text/html' }).end(page),
    );
    for (const outcome of ['failed', 'delivered']) {
      const delivery = await attempt(url);
      expect(delivery.outcome).to.equal(outcome);
      expect(delivery.answer)
        .to.have.lengthOf(500)
        .and.to.match(/^<h1>No such shop<\/h1> card \[hidden\] xxx/);
    }
  });

  it('returns the text that arrived before the time limit', async () => {
    const { url } = await receiver((answer) => void answer.writeHead(200, { 'content-type': 'text/plain' }).write('O'));
    expect(await attempt(url, { timeoutMs: 300 })).to.include({ outcome: 'failed', code: 'WH002', answer: 'O' });
  });

  it('sends one POST with the exact bytes, path and headers', async () => {
    const { url, port, received } = await receiver((answer) => answer.end('OK'));
    await attempt(url);
    const [request] = received;
    expect(request).to.deep.include({ method: 'POST', path: '/hook?tenant=7', body });
    expect(request?.headers).to.deep.include({
      host: `127.0.0.1:${port}`,
      'content-type': 'application/json',
      'content-length': `${body.length}`,
      'user-agent': 'Paywright',
      'webhook-id': '7-1',
    });
  });

  for (const status of [400, 401, 404, 429, 500, 503]) {
    it(`treats ${status} as failed`, async () => {
      const { url } = await receiver((answer) => answer.writeHead(status, { 'retry-after': '7' }).end());
      const delivery = await attempt(url);
      expect(delivery).to.deep.include({ outcome: 'failed', status, retryAfter: '7', error: `answered ${status}` });
      expect(delivery).to.not.have.property('code');
    });
  }

  it('treats 410 as gone', async () => {
    const { url } = await receiver((answer) => answer.writeHead(410).end());
    expect(await attempt(url)).to.deep.include({ outcome: 'gone', status: 410 });
  });

  for (const status of [301, 302, 303, 307, 308]) {
    it(`does not follow ${status}`, async () => {
      const target = await receiver((answer) => answer.end());
      const { url } = await receiver((answer) => answer.writeHead(status, { location: target.url }).end());
      expect(await attempt(url)).to.deep.include({ outcome: 'failed', status });
      expect(target.received).to.have.length(0);
    });
  }

  it('ends at the time limit if no answer comes', async () => {
    const { url } = await receiver(() => undefined);
    const delivery = await attempt(url, { timeoutMs: 150 });
    expect(delivery).to.deep.include({ outcome: 'failed', status: null, code: 'WH002' });
    expect(delivery.error).to.equal('no complete answer within 0.15 s');
    expect(delivery.ms).to.be.at.least(140);
  });

  it('ends at the time limit if the answer comes byte by byte, although its status is 200', async () => {
    const { url } = await receiver((answer) => {
      const drip = setInterval(() => answer.write('.'), 20);
      answer.on('close', () => clearInterval(drip));
    });
    const delivery = await endAfterHead(async () => attempt(url, { timeoutMs: 200 }));
    expect(delivery).to.deep.include({ outcome: 'failed', status: 200, code: 'WH002' });
    expect(delivery.error).to.equal('no complete answer within 0.2 s');
  });

  it('ends at the time limit if the headers come byte by byte', async () => {
    const url = await rawReceiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const drip = setInterval(() => socket.write('x: y\r\n'), 20);
      socket.on('close', () => clearInterval(drip));
    });
    const delivery = await attempt(url, { timeoutMs: 200 });
    expect(delivery).to.deep.include({ outcome: 'failed', status: null, code: 'WH002' });
    expect(delivery.ms).to.be.at.least(190);
  });

  it('ends at the time limit if the name is never resolved', async () => {
    const resolve: Resolve = () => new Promise(() => undefined);
    const delivery = await attempt('http://merchant.test/', { resolve, timeoutMs: 100 });
    expect(delivery).to.deep.include({ outcome: 'failed', status: null, code: 'WH002' });
  });

  it('reads at most 64 kB of an endless answer', async () => {
    let written = 0;
    const { url } = await receiver((answer) => {
      const chunk = Buffer.alloc(16 * 1024, 'x');
      const pour = () => {
        while (!answer.destroyed && answer.write(chunk)) written += chunk.length;
      };
      answer.on('drain', pour).on('error', () => undefined);
      pour();
    });
    expect(await attempt(url)).to.deep.include({ outcome: 'delivered', status: 200 });
    expect(written).to.be.below(16 * 1024 * 1024);
  });

  for (const [what, bytes, expected] of [
    [
      'ends early',
      'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc',
      { status: 200, error: 'the answer ended early' },
    ],
    ['ends within a chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab', { status: 200 }],
    ['is not HTTP', 'SSH-2.0-OpenSSH_9.2\r\n', { status: null, error: /not HTTP/ }],
    ['is empty', '', { status: null, error: /ECONNRESET/ }],
    [
      'wants another protocol',
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
      { error: /ended without/ },
    ],
    ['has an endless head', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}`, { status: null }],
  ] as const) {
    it(`treats an answer that ${what} as no answer`, async () => {
      const delivery = await attempt(await rawReceiver((socket) => socket.end(bytes)));
      expect(delivery).to.deep.include({ outcome: 'failed', code: 'WH002' });
      if ('status' in expected) expect(delivery.status).to.equal(expected.status);
      if ('error' in expected) expect(delivery.error).to.match(new RegExp(expected.error));
    });
  }

  it('accepts an answer that comes before the body is sent, after which the connection closes', async () => {
    const url = await rawReceiver((socket) => {
      socket.write('HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
      socket.on('drain', () => socket.destroy()).end();
    });
    const delivery = await attempt(url, { body: Buffer.alloc(8 * 1024 * 1024, ' ') });
    expect(delivery).to.deep.include({ outcome: 'failed', status: 413, error: 'answered 413' });
  });

  it('reports a refused connection, without the address', async () => {
    const down = await startReceiver(() => undefined);
    await down.close();
    const delivery = await attempt(down.url);
    expect(delivery).to.deep.include({ outcome: 'failed', status: null, code: 'WH002' });
    expect(delivery.error).to.equal('the connection failed (ECONNREFUSED)');
  });

  it('reports a name that does not resolve', async () => {
    const error = Object.assign(new Error('getaddrinfo ENOTFOUND secret-name.test'), { code: 'ENOTFOUND' });
    const delivery = await attempt('http://secret-name.test/', { resolve: () => Promise.reject(error) });
    expect(delivery).to.deep.include({ outcome: 'failed', status: null, code: 'WH002' });
    expect(delivery.error).to.equal('the host name could not be resolved (ENOTFOUND)');
  });

  it('sends nothing to an address that is not public', async () => {
    const { url, received } = await receiver((answer) => answer.end());
    const delivery = await attempt(url, { allowed: [] });
    expect(delivery).to.deep.include({ outcome: 'failed', status: null, error: 'the host has no public address' });
    expect(delivery).to.not.have.property('code');
    expect(received).to.have.length(0);
  });

  it('connects to the address that was checked, under the name of the URL, whatever the name resolves to later', async () => {
    const checked = await receiver((answer) => answer.end());
    const other = await receiver((answer) => answer.end(), { port: checked.port, host: '127.0.0.2' });
    let asked = 0;
    const rebinding: Resolve = () => {
      asked += 1;
      const addresses = asked === 1 ? ['127.0.0.2', '127.0.0.1'] : ['127.0.0.2'];
      return Promise.resolve(addresses.map((address) => ({ address, family: 4 })));
    };
    const url = `http://merchant.test:${checked.port}/`;
    expect(await attempt(url, { resolve: rebinding })).to.deep.include({ outcome: 'delivered' });
    expect(asked).to.equal(1);
    expect(other.received).to.have.length(0);
    expect(checked.received[0]?.headers.host).to.equal(`merchant.test:${checked.port}`);
  });

  it('tries the next checked address if one does not answer', async () => {
    const { port, received } = await receiver((answer) => answer.end());
    const addresses = ['127.0.0.3', '127.0.0.1'].map((address) => ({ address, family: 4 }));
    const url = `http://merchant.test:${port}/`;
    const delivery = await attempt(url, { resolve: () => Promise.resolve(addresses), allowed: ['127.0.0.0/8'] });
    expect(delivery).to.deep.include({ outcome: 'delivered' });
    expect(received).to.have.length(1);
  });

  it('names the host in the TLS handshake, and reports a failed one', async () => {
    let hello = '';
    const url = await rawReceiver((socket, data) => {
      hello = data.toString('latin1');
      socket.end('no TLS here\r\n');
    });
    const resolve: Resolve = () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]);
    const delivery = await attempt(url.replace('http://127.0.0.1', 'https://merchant.test'), { resolve });
    expect(hello).to.contain('merchant.test');
    expect(delivery).to.deep.include({ outcome: 'failed', status: null, code: 'WH002' });
    expect(delivery.error).to.match(/^TLS failed/);
  });

  it('ends when it is cut off', async () => {
    const cut = new AbortController();
    const { url, received } = await receiver(() => cut.abort());
    expect(await attempt(url, { signal: cut.signal })).to.deep.include({ outcome: 'cut', status: null });
    expect(received).to.have.length(1);
    expect(await attempt(url, { signal: cut.signal })).to.deep.include({ outcome: 'cut' });
    expect(received).to.have.length(1);
  });

  describe('over a reused connection', () => {
    const answer = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nOK';
    const resolvingTo =
      (address: string): Resolve =>
      () =>
        Promise.resolve([{ address, family: 4 }]);

    /** Answers the first request of each connection. The test decides what happens to the others. */
    async function receiverOfTwo(onSecond: (socket: Socket) => void) {
      const requests: Socket[] = [];
      const url = await rawReceiver((socket) => {
        if (requests.includes(socket)) onSecond(socket);
        else socket.write(answer);
        requests.push(socket);
      }, true);
      return { url, requests };
    }

    it('reuses the connection, whatever the receiver answered before', async () => {
      const ports = new Set<number | undefined>();
      const { url } = await receiver((given, count) => {
        ports.add(given.socket?.remotePort);
        given.writeHead(count === 1 ? 200 : 500).end('x'.repeat(60_000));
      });
      expect(await attempt(url)).to.deep.include({ outcome: 'delivered' });
      expect(await attempt(url)).to.deep.include({ outcome: 'failed', status: 500 });
      expect(await attempt(url)).to.deep.include({ outcome: 'failed', status: 500 });
      expect(ports).to.have.property('size', 1);
    });

    it('resolves the name each time, and sends to the present address, never to one that is not allowed', async () => {
      const first = await receiver((given) => given.end());
      const second = await receiver((given) => given.end(), { port: first.port, host: '127.0.0.2' });
      const url = `http://merchant.test:${first.port}/`;
      const allowed = ['127.0.0.1/32', '127.0.0.2/32'];
      const to = async (address: string) => attempt(url, { resolve: resolvingTo(address), allowed });
      expect(await to('127.0.0.1')).to.deep.include({ outcome: 'delivered' });
      expect(await to('127.0.0.2')).to.deep.include({ outcome: 'delivered' });
      expect([first.received.length, second.received.length]).to.deep.equal([1, 1]);
      expect(await to('127.0.0.3')).to.deep.include({ outcome: 'failed', error: 'the host has no public address' });
      expect(await to('127.0.0.1')).to.deep.include({ outcome: 'delivered' });
      expect([first.received.length, second.received.length]).to.deep.equal([2, 1]);
    });

    it('sends once more if the receiver closes the connection at that moment', async () => {
      const { url, requests } = await receiverOfTwo((socket) => socket.resetAndDestroy());
      await attempt(url);
      expect(await attempt(url)).to.deep.include({ outcome: 'delivered' });
      expect(requests).to.have.length(3);
      expect(new Set(requests)).to.have.property('size', 2);
    });

    it('repeats at most once, however many connections are open', async () => {
      let isUp = true;
      const requests: Socket[] = [];
      const url = await rawReceiver((socket) => {
        requests.push(socket);
        if (!isUp) return socket.destroy();
        if (requests.length === 3) for (const each of requests) each.write(answer);
        return undefined;
      }, true);
      await Promise.all([attempt(url), attempt(url), attempt(url)]);
      isUp = false;
      expect(await attempt(url)).to.deep.include({ outcome: 'failed', status: null, code: 'WH002' });
      expect(requests).to.have.length(5);
    });

    for (const [what, bytes] of [
      ['has started', 'HTTP/1.1 200 OK\r\nContent-'],
      ['is not HTTP', 'What do you want?\r\n\r\n'],
    ] as const) {
      it(`does not repeat if the answer ${what}`, async () => {
        const { url, requests } = await receiverOfTwo((socket) => socket.end(bytes));
        await attempt(url);
        expect(await attempt(url)).to.deep.include({ outcome: 'failed', status: null, code: 'WH002' });
        expect(requests).to.have.length(2);
      });
    }

    it('ends at the time limit, and closes the connection', async () => {
      let isClosed = false;
      const { url, requests } = await receiverOfTwo((socket) => socket.on('close', () => (isClosed = true)));
      await attempt(url);
      const late = await attempt(url, { timeoutMs: 150 });
      expect(late).to.deep.include({ outcome: 'failed', timedOut: true, error: 'no complete answer within 0.15 s' });
      expect(await attempt(url)).to.deep.include({ outcome: 'delivered' });
      await until('the connection of the late attempt is closed', () => isClosed);
      expect(requests).to.have.length(3);
    });

    it('keeps no connection whose request was not read to its end', async () => {
      let receiving: Socket | undefined;
      let isClosed = false;
      const url = await rawReceiver((socket) => {
        receiving = socket.pause().on('close', () => (isClosed = true));
        socket.write('HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n');
      });
      const large = Buffer.alloc(32 * 1024 * 1024, ' ');
      expect(await attempt(url, { body: large })).to.deep.include({ outcome: 'failed', status: 413 });
      receiving?.resume();
      await until('the connection is closed', () => isClosed);
      expect(receiving?.bytesRead).to.be.below(large.length);
    });
  });
});
