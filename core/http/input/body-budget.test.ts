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

describe('the budget of bodies', () => {
  const request = (headers: Readonly<Record<string, string>>) => ({ headers }) as unknown as IncomingMessage;
  const response = () => Object.assign(new EventEmitter(), { closed: false }) as unknown as ServerResponse;

  it('reserves what is declared, or else the limit, until the answer has left; what finds no room is SYS002', async () => {
    const budget = createBodyBudget(100);
    const [first, second] = [response(), response()];
    await budget.reserve(request({ 'content-length': '60' }), first, 80);
    await budget.reserve(request({}), response(), 80); // It has no body.
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
    await budget.reserve(request({ 'content-length': '500' }), response(), 500); // Larger than all: alone.
  });
});

describe('the share of strangers', () => {
  const held = { 'content-length': '100' };
  const request = { headers: held } as unknown as IncomingMessage;

  /** A budget of 800 bytes, and bodies of 100: 800 of who is known, 400 of strangers, 100 of an address. */
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

  it('leaves the room of others alone, however many bodies an address sends', async () => {
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

  it('leaves half to who is known, however many addresses send', async () => {
    const { reserve, order } = createFull();
    const flood = Array.from({ length: 64 }, async (_, n) =>
      reserve(`${n}`, `192.0.2.${n}`).catch(({ kind }: GatewayError) => kind),
    );
    await Promise.all(['a', 'b', 'c', 'd'].map(async (name) => reserve(name)));
    expect(order).to.deep.equal(['0', '1', '2', '3', 'a', 'b', 'c', 'd']);
    timers.endAll();
    await Promise.all(flood);
  });

  it('is of a network of IPv6, and whole again once all has left', async () => {
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

  it('gives addresses their turns, those who are known before them', async () => {
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

describe('bodies that never come', () => {
  const bodies = 70;
  const sockets: Socket[] = [];
  let gateway: TestGateway;
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await gateway.server.close(0);
  });

  const page = { ...plainPage, state: 'created', details: pageDetails } as const;
  for (const [title, path, limitBytes] of [
    ['a callback’s address', '/callbacks/a', 1_048_576],
    ['one for callbacks to try out', '/callbacks/test/json', 8192],
    ['a payer’s page', '/pay/1?k=key', 102_400],
  ] as const) {
    it(`of one sender, to ${title}, leave room for a merchant beside it and for other senders`, async () => {
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
      await until('some found no room', () => refused > 0);
      const paid = await gateway.send('/payments/creditCard/1', { body: cardBody, headers: headers! });
      const called = await gateway.send('/callbacks/a', { body: Buffer.alloc(4096), key: null, headers: others! });
      expect([paid.status, called.status]).to.deep.equal([200, 200]);
    });
  }

  it('of an address that has proven a callback have no share', async () => {
    gateway = await startGateway({ config: { bodyBudgetBytes: 8192 } });
    const statuses: number[] = [];
    for (const name of ['known', 'a']) {
      const socket = connect(gateway.port, '127.0.0.1');
      sockets.push(socket);
      const head = 'HTTP/1.1\r\nHost: a\r\nContent-Length: 1024\r\nExpect: 100-continue\r\n\r\n';
      socket.write(`POST /callbacks/${name} ${head}`);
      await once(socket, 'data'); // It has arrived.
      const { status } = await gateway.send(`/callbacks/${name}`, { body: Buffer.alloc(1024), key: null });
      statuses.push(status);
    }
    expect(statuses).to.deep.equal([200, 503]);
  });
});

describe('a body without a right key', () => {
  let gateway: TestGateway;
  const sockets: Socket[] = [];
  before(async () => {
    gateway = await startGateway();
  });
  after(async () => {
    for (const socket of sockets) socket.destroy();
    await gateway.server.close(0);
  });

  it('is answered before it is read: 80 of 4 MiB take no memory', async () => {
    const size = 4 * 1_048_576;
    const body = Buffer.alloc(size - 1, 0x20); // All but the last byte: who reads it all would wait.
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
    // The budget of wrong keys ends at 60.
    expect(statuses).to.have.members([...Array<string>(60).fill('401'), ...Array<string>(20).fill('429')]);
    expect((process.memoryUsage().rss - before) / 1_048_576).to.be.lessThan(160);
  });
});
