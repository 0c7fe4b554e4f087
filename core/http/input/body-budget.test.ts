import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { startGateway, type TestGateway } from '../testing/gateway.ts';
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
