import { empty, page, seeOther } from '@paywright/contract';
import { expect } from 'chai';
import { after, before, beforeEach, describe, it } from 'mocha';
import { until } from '../../base/testing/until.ts';
import { now, startGateway } from '../testing/gateway.ts';
import type { TestGateway } from '../testing/gateway.ts';
import { hangUpAfter, sendRaw, toChunked } from '../testing/raw-request.ts';

/** Every byte there is, and what parsers stumble over. */
const binary = Buffer.concat([
  Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)),
  Buffer.from('\r\n\r\n%00+&=;{"a":1}\uFEFF'),
]);

describe('http: callbacks', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway();
  });
  beforeEach(() => gateway.reset());
  after(() => gateway.server.close(1000));

  it('hands over bytes, headers, query and path exactly as they came', async () => {
    const head =
      'POST /callbacks/providerX//a/../%41?b=%zz&a=1+2&a=&%00?#x HTTP/1.1\r\nHost: pay.example\r\nX-Sign: one\r\nx-SIGN: two\r\n' +
      `Content-Type: application/x-www-form-urlencoded; charset=latin1\r\nContent-Encoding: gzip\r\nConnection: close\r\nContent-Length: ${binary.length}\r\nX-Request-Id: rq-1\r\n\r\n`;
    const {
      status,
      head: answer,
      body,
    } = await sendRaw(gateway.port, head, binary.subarray(0, 10), binary.subarray(10));
    expect([status, body]).to.deep.equal([200, '[taken]']);
    expect(answer).to.include('X-Request-Id: rq-1').and.include('Cache-Control: no-store');
    const [{ path, raw, requestId } = expect.fail()] = gateway.callbacks;
    expect([path, requestId]).to.deep.equal(['providerX//a/../%41', 'rq-1']);
    expect(Buffer.from(raw.body).equals(binary)).to.equal(true);
    expect({ ...raw, body: null, headers: null }).to.deep.equal({
      method: 'POST',
      path: '/callbacks/providerX//a/../%41',
      query: 'b=%zz&a=1+2&a=&%00?#x',
      remoteAddress: '127.0.0.1',
      receivedAt: now,
      body: null,
      headers: null,
    });
    expect(raw.headers.slice(1, 4)).to.deep.equal([
      ['X-Sign', 'one'],
      ['x-SIGN', 'two'],
      ['Content-Type', 'application/x-www-form-urlencoded; charset=latin1'],
    ]);
  });

  it('takes a body in chunks, one that is empty, one that waits for 100 Continue, and an absolute address', async () => {
    const head = 'Host: a\r\nConnection: close\r\n';
    await sendRaw(
      gateway.port,
      `POST /callbacks/a HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\n`,
      toChunked(binary, 7),
    );
    await sendRaw(gateway.port, `GET http://pay.example/callbacks/b?q HTTP/1.1\r\n${head}\r\n`);
    const waiting = await sendRaw(
      gateway.port,
      `POST /callbacks/c HTTP/1.1\r\n${head}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n`,
      'ok',
    );
    expect(waiting.head).to.match(/^HTTP\/1.1 100 Continue/);
    expect(
      gateway.callbacks.map(({ path, raw }) => [path, raw.method, raw.query, Buffer.from(raw.body).toString('latin1')]),
    ).to.deep.equal([
      ['a', 'POST', '', binary.toString('latin1')],
      ['b', 'GET', 'q', ''],
      ['c', 'POST', '', 'ok'],
    ]);
  });

  it('takes 1 MiB and not one byte more, also in chunks', async () => {
    const size = 1_048_576;
    const full = await gateway.send('/callbacks/a', { body: Buffer.alloc(size), key: null });
    const over = await gateway.send('/callbacks/a', { body: Buffer.alloc(size + 1), key: null });
    const head = 'POST /callbacks/a HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n';
    const chunked = await sendRaw(gateway.port, head, toChunked(Buffer.alloc(size + 1), 65_536));
    expect([full.status, over.status, over.problem.code, chunked.status]).to.deep.equal([200, 413, 'REQ001', 413]);
    expect(gateway.callbacks).to.have.length(1);
  });

  it('answers what is larger than its route takes as the route does', async () => {
    const full = await gateway.send('/callbacks/small', { body: Buffer.alloc(1000), key: null });
    const over = await gateway.send('/callbacks/small', { body: Buffer.alloc(1001), key: null });
    expect([full.status, over.status, over.text]).to.deep.equal([200, 400, 'too_large']);
    expect(gateway.callbacks).to.have.length(1);
  });

  it('answers one that is not admitted before its size is judged, and without waiting for its body', async () => {
    const head = 'POST /callbacks/unwanted HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 2000000\r\n\r\n';
    const { status, body } = await sendRaw(gateway.port, head);
    expect([status, body, gateway.callbacks]).to.deep.equal([503, 'try later', []]);
  });

  it('a callback that ends half way is not received', async () => {
    await hangUpAfter(gateway.port, 'POST /callbacks/a HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhalf');
    await until('it is logged', () => gateway.logLines.some(({ status }) => status !== undefined));
    expect(gateway.callbacks).to.deep.equal([]);
    expect(gateway.logLines.map(({ level }) => level)).not.to.include(50);
  });

  it('answers the bytes, status and headers of the adapter, and nothing else', async () => {
    gateway.answers.acknowledgement = {
      status: 202,
      headers: { 'Content-Type': 'text/xml', 'X-Sign': 's' },
      body: '<ok>é</ok>',
    };
    const xml = await gateway.send('/callbacks/a', { key: null });
    expect([xml.status, xml.text, xml.headers.get('content-type'), xml.headers.get('x-sign')]).to.deep.equal([
      202,
      '<ok>é</ok>',
      'text/xml',
      's',
    ]);
    gateway.answers.acknowledgement = { status: 200, body: '' };
    const nothing = await gateway.send('/callbacks/a', { key: null });
    expect([nothing.text, nothing.headers.get('content-type'), nothing.headers.get('content-length')]).to.deep.equal([
      '',
      null,
      '0',
    ]);
    gateway.answers.acknowledgement = empty(204);
    expect((await gateway.send('/callbacks/a', { key: null })).status).to.equal(204);
  });

  it('redirects a browser, without a referrer', async () => {
    gateway.answers.acknowledgement = seeOther('https://gateway.example/pay/10042');
    const { status, headers, text } = await gateway.send('/callbacks/3ds', { key: null, body: 'cres=x' });
    expect([status, text, headers.get('location')]).to.deep.equal([303, '', 'https://gateway.example/pay/10042']);
    expect([headers.get('cache-control'), headers.get('referrer-policy')]).to.deep.equal(['no-store', 'no-referrer']);
    expect(gateway.callbacks[0]!.path).to.equal('3ds');
  });

  for (const status of [200, 400, 403, 404, 410, 503]) {
    it(`a page of our own for ${status} repeats nothing of the request`, async () => {
      gateway.answers.acknowledgement = page(status, { 'Retry-After': '5' });
      const reply = await gateway.send('/callbacks/a?x=marker', { key: null, body: 'marker' });
      expect([reply.status, reply.headers.get('content-type'), reply.headers.get('retry-after')]).to.deep.equal([
        status,
        'text/html; charset=utf-8',
        '5',
      ]);
      expect(reply.text)
        .to.match(/^<!doctype html>.*<h1>/s)
        .and.not.include('marker');
      expect(reply.headers.get('content-security-policy'))
        .to.match(/default-src 'none'.*form-action 'none'/)
        .and.not.include('script');
    });
  }

  it('an unknown address is NF001, and a receiver that breaks is 503, so that the provider sends again', async () => {
    gateway.answers.acknowledgement = undefined;
    const unknown = await gateway.send('/callbacks/nobody', { key: null });
    expect([unknown.status, unknown.problem.code]).to.deep.equal([404, 'NF001']);
    const broken = await startGateway({
      deps: {
        callbacks: {
          admit: async () => ({ maxBodyBytes: 1000, isStranger: true }),
          receive: () => Promise.reject(new Error('broken')),
          refuse: () => undefined,
        },
      },
    });
    const { status, headers } = await broken.send('/callbacks/a', { key: null });
    expect([status, headers.get('retry-after'), broken.logLines.some(({ level }) => level === 50)]).to.deep.equal([
      503,
      '5',
      true,
    ]);
    await broken.server.close(1000);
  });

  it('is answered try later by its route, unread, while the database does not answer', async () => {
    gateway.answers.isAnswering = false;
    const reply = await gateway.send('/callbacks/small', { key: null, body: 'x', isJudged: false });
    gateway.answers.isAnswering = true;
    expect([reply.text, gateway.callbacks.length]).to.deep.equal(['no_database', 0]);
  });

  it('is answered try later by its route, unread, while this host does not fit the others', async () => {
    gateway.answers.isFenced = true;
    const reply = await gateway.send('/callbacks/small', { key: null, body: 'x', isJudged: false });
    gateway.answers.isFenced = false;
    expect([reply.text, gateway.callbacks.length]).to.deep.equal(['host_fenced', 0]);
  });

  for (const [trustedProxies, forwarded, address] of [
    [0, '192.0.2.1', '127.0.0.1'],
    [1, '203.0.113.9, 192.0.2.1', '192.0.2.1'],
    [2, '198.51.100.7, 203.0.113.9,192.0.2.1', '203.0.113.9'],
    [1, undefined, '127.0.0.1'],
    [1, '::ffff:192.0.2.1', '192.0.2.1'],
    [1, '2001:db8::1', '2001:db8::1'],
  ] as const) {
    it(`behind ${trustedProxies} proxies with X-Forwarded-For ${forwarded ?? 'absent'} the sender is ${address}`, async () => {
      const behind = await startGateway({ config: { trustedProxies } });
      await behind.send('/callbacks/a', { key: null, headers: { 'X-Forwarded-For': forwarded ?? null } });
      await behind.server.close(1000);
      expect(behind.callbacks[0]!.raw.remoteAddress).to.equal(address);
    });
  }

  it('the log names the route only where it is one, and has one line of what was received: the domain’s', async () => {
    await gateway.send('/callbacks/providerX', { key: null });
    gateway.answers.acknowledgement = { status: 401, body: null };
    await gateway.send('/callbacks/providerX', { key: null });
    gateway.answers.acknowledgement = undefined;
    await gateway.send('/callbacks/made-up', { key: null });
    expect(gateway.logLines.map(({ route, status }) => [route, status])).to.deep.equal([
      ['/callbacks/providerX', 401],
      ['/callbacks/*', 404],
    ]);
  });
});
