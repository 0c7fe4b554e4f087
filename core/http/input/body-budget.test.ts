import { EventEmitter, once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import type { GatewayError } from '../../base/errors.ts';
import { holdTimers, type HeldTimers } from '../../base/testing/hold-timers.ts';
import { until } from '../../base/testing/until.ts';
import { cardBody } from '../testing/bodies.ts';
import { startGateway, type TestGateway } from '../testing/gateway.ts';
import { pageDetails, plainPage } from '../testing/pay-page.ts';
import { createBodyBudget } from './body-budget.ts';

describe('the memory budget for bodies', () => {
  const request = (headers: Readonly<Record<string, string>>) => ({ headers }) as unknown as IncomingMessage;
  const response = () => Object.assign(new EventEmitter(), { closed: false }) as unknown as ServerResponse;

  it('reserves the declared size, or else the limit, until the answer was sent; refuses with SYS002 beyond', async () => {
    const budget = createBodyBudget(100);
    const [first, second] = [response(), response()];
    await budget.reserve(request({ 'content-length': '60' }), first, 80);
    await budget.reserve(request({}), response(), 80); // This request has no body.
    let isIn = false;
    const waiting = budget.reserve(request({ 'transfer-encoding': 'chunked' }), second, 80).then(() => (isIn = true));
    const late = budget.reserve(request({ 'content-length': '90' }), response(), 90).catch((error: unknown) => error);
    await Promise.resolve();
    expect(isIn).to.equal(false);
    first.emit('close');
    await waiting;
    expect(await late)
      .to.include({ kind: 'UNAVAILABLE' })
      .and.have.deep.property('headers', { 'Retry-After': '5' });
    second.emit('close');
    await budget.reserve(request({ 'content-length': '500' }), response(), 500); // Larger than the whole budget: admitted only alone.
  });
});

describe('the share of unknown senders', () => {
  const held = { 'content-length': '100' };
  const request = { headers: held } as unknown as IncomingMessage;

  /** A budget of 800 bytes with bodies of 100: 800 for known senders, 400 for unknown ones, 100 per address. */
  function createFull() {
    const budget = createBodyBudget(800);
    const order: string[] = [];
    const responses = new Map<string, EventEmitter>();
    const reserve = async (name: string, stranger?: string): Promise<void> => {
      const response = Object.assign(new EventEmitter(), { closed: false });
      await budget.reserve(request, response as unknown as ServerResponse, 100, stranger);
      responses.set(name, response);
      order.push(name);
    };
    return {
      reserve,
      end: (name: string) => void responses.get(name)!.emit('close'),
      order,
    };
  }
  let timers: HeldTimers;
  beforeEach(() => void (timers = holdTimers()));
  afterEach(() => timers.restore());

  it('keeps capacity for other senders, however many bodies one address sends', async () => {
    const { reserve, end, order } = createFull();
    const flood = Array.from({ length: 64 }, async (_, n) =>
      reserve(`a${n}`, '192.0.2.1').catch(({ kind }: GatewayError) => kind),
    );
    await Promise.all([reserve('b', '192.0.2.2'), reserve('known')]);
    expect(order).to.deep.equal(['a0', 'b', 'known']);
    end('a0');
    await flood[1];
    expect(order.at(-1)).to.equal('a1');
    timers.endAll();
    expect((await Promise.all(flood)).filter((kind) => kind === 'UNAVAILABLE')).to.have.length(62);
  });

  it('keeps half for known senders, however many addresses send', async () => {
    const { reserve, order } = createFull();
    const flood = Array.from({ length: 64 }, async (_, n) =>
      reserve(`${n}`, `192.0.2.${n}`).catch(({ kind }: GatewayError) => kind),
    );
    await Promise.all(['a', 'b', 'c', 'd'].map(async (name) => reserve(name)));
    expect(order).to.deep.equal(['0', '1', '2', '3', 'a', 'b', 'c', 'd']);
    timers.endAll();
    await Promise.all(flood);
  });

  it('counts an IPv6 network as one address, and is free again after all answers were sent', async () => {
    const { reserve, end, order } = createFull();
    for (let times = 1; times <= 3; times += 1) {
      await reserve(`first ${times}`, '2001:db8::1');
      const second = reserve(`second ${times}`, '2001:db8::2');
      await reserve(`other ${times}`, '2001:db8:0:1::1');
      expect(order.at(-1)).to.equal(`other ${times}`);
      end(`first ${times}`);
      await second;
      end(`second ${times}`);
      end(`other ${times}`);
    }
  });

  it('serves addresses in turn, and known senders first', async () => {
    const { reserve, end, order } = createFull();
    await Promise.all(Array.from({ length: 4 }, async (_, n) => reserve(`${n}`, `192.0.2.${n}`)));
    await Promise.all(['a', 'b', 'c', 'd'].map(async (name) => reserve(name)));
    const waiting = [reserve('4', '192.0.2.4'), reserve('5', '192.0.2.5'), reserve('e')];
    end('0');
    await waiting[2];
    end('a');
    await waiting[0];
    end('1');
    await waiting[1];
    expect(order.slice(8)).to.deep.equal(['e', '4', '5']);
  });
});

describe('a body that never arrives', () => {
  const bodies = 70;
  const sockets: Socket[] = [];
  let gateway: TestGateway;
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await gateway.server.close(0);
  });

  const page = { ...plainPage, state: 'created', details: pageDetails } as const;
  for (const [title, path, limitBytes] of [
    ['a callback route', '/callbacks/a', 1_048_576],
    ['a test callback', '/callbacks/test/json', 8192],
    ['a payer’s page', '/pay/1?k=key', 102_400],
  ] as const) {
    it(`leaves capacity for a merchant at the same address and for other senders when one sender sends many to ${title}`, async () => {
      gateway = await startGateway({ config: { trustedProxies: 1, bodyBudgetBytes: 64 * limitBytes } });
      gateway.answers.page = page;
      const [headers, others] = ['198.51.100.7', '192.0.2.1'].map((address) => ({ 'X-Forwarded-For': address }));
      let refused = 0;
      const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 198.51.100.7\r\nContent-Length: ${limitBytes}\r\n\r\n`;
      for (let n = 0; n < bodies; n += 1) {
        const socket = connect(gateway.port, '127.0.0.1');
        sockets.push(socket);
        socket.on('error', () => undefined).once('data', () => (refused += 1));
        socket.write(head);
      }
      await until('some were refused', () => refused > 0);
      const paid = await gateway.send('/payments/creditCard/1', { body: cardBody, headers: headers! });
      const called = await gateway.send('/callbacks/a', { body: Buffer.alloc(4096), key: null, headers: others! });
      expect([paid.status, called.status]).to.deep.equal([200, 200]);
    });
  }

  it('is not limited to the share for an address that has sent a genuine callback', async () => {
    gateway = await startGateway({ config: { bodyBudgetBytes: 8192 } });
    const statuses: number[] = [];
    for (const name of ['known', 'a']) {
      const socket = connect(gateway.port, '127.0.0.1');
      sockets.push(socket);
      const head = 'HTTP/1.1\r\nHost: a\r\nContent-Length: 1024\r\nExpect: 100-continue\r\n\r\n';
      socket.write(`POST /callbacks/${name} ${head}`);
      await once(socket, 'data'); // The request has arrived.
      const { status } = await gateway.send(`/callbacks/${name}`, { body: Buffer.alloc(1024), key: null });
      statuses.push(status);
    }
    expect(statuses).to.deep.equal([200, 503]);
  });
});

describe('a body without a valid key', () => {
  let gateway: TestGateway;
  const sockets: Socket[] = [];
  before(async () => {
    gateway = await startGateway();
  });
  after(async () => {
    for (const socket of sockets) socket.destroy();
    await gateway.server.close(0);
  });

  it('is refused before it is read: 80 bodies of 4 MiB use no memory', async () => {
    const size = 4 * 1_048_576;
    const body = Buffer.alloc(size - 1, 0x20); // Without the last byte: a server that reads the whole body would wait.
    const head = `POST /payment-requests/batch HTTP/1.1\r\nHost: a\r\nX-API-Key: wrong\r\nContent-Length: ${size}\r\n\r\n`;
    const before = process.memoryUsage().rss;
    const statuses = await Promise.all(
      Array.from({ length: 80 }, async () => {
        const socket = connect(gateway.port, '127.0.0.1');
        sockets.push(socket);
        socket.on('error', () => undefined);
        socket.write(head);
        socket.write(body);
        return new Promise((resolve) => socket.once('data', (data: Buffer) => resolve(data.toString().slice(9, 12))));
      }),
    );
    // Each address may send 60 wrong keys a minute.
    expect(statuses).to.have.members([...Array<string>(60).fill('401'), ...Array<string>(20).fill('429')]);
    expect((process.memoryUsage().rss - before) / 1_048_576).to.be.lessThan(160);
  });
});
