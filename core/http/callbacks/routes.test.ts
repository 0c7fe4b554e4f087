import { acknowledgeBy, acknowledgeByDefault, empty, page, seeOther, text } from '@paywright/contract';
import { expect } from 'chai';
import { after, before, beforeEach, describe, it } from 'mocha';
import { until } from '../../base/testing/until.ts';
import { now, startGateway } from '../testing/gateway.ts';
import type { TestGateway } from '../testing/gateway.ts';
import { hangUpAfter, sendRaw, toChunked } from '../testing/raw-request.ts';

/** Every byte value, and sequences that parsers often misread. */
const binary = Buffer.concat([
  Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)),
  Buffer.from('\r\n\r\n%00+&=;{"a":1}\uFEFF'),
]);

describe('the callbacks API', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway();
  });
  beforeEach(() => gateway.reset());
  after(() => gateway.server.close(1000));

  it('passes on bytes, headers, query and path exactly as received', async () => {
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

  it('accepts a chunked body, an empty body, a body that waits for 100 Continue, and an absolute URL', async () => {
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

  it('accepts 1 MiB and refuses one byte more, also in chunks', async () => {
    const size = 1_048_576;
    const full = await gateway.send('/callbacks/a', { body: Buffer.alloc(size), key: null });
    const over = await gateway.send('/callbacks/a', { body: Buffer.alloc(size + 1), key: null });
    const head = 'POST /callbacks/a HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n';
    const chunked = await sendRaw(gateway.port, head, toChunked(Buffer.alloc(size + 1), 65_536));
    expect([full.status, over.status, over.problem.code, chunked.status]).to.deep.equal([200, 413, 'REQ001', 413]);
    expect(gateway.callbacks).to.have.length(1);
  });

  it('answers a body above the limit of its route as the route demands', async () => {
    const full = await gateway.send('/callbacks/small', { body: Buffer.alloc(1000), key: null });
    const over = await gateway.send('/callbacks/small', { body: Buffer.alloc(1001), key: null });
    expect([full.status, over.status, over.text]).to.deep.equal([200, 400, 'too_large']);
    expect(gateway.callbacks).to.have.length(1);
  });

  it('answers a callback that is not admitted before it checks the size, and without waiting for the body', async () => {
    const head = 'POST /callbacks/unwanted HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 2000000\r\n\r\n';
    const { status, body } = await sendRaw(gateway.port, head);
    expect([status, body, gateway.callbacks]).to.deep.equal([503, 'try later', []]);
  });

  it('does not pass on a callback whose body breaks off', async () => {
    await hangUpAfter(gateway.port, 'POST /callbacks/a HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhalf');
    await until('it is logged', () => gateway.logLines.some(({ status }) => status !== undefined));
    expect(gateway.callbacks).to.deep.equal([]);
    expect(gateway.logLines.map(({ level }) => level)).not.to.include(50);
  });

  it('answers with the bytes, status and headers of the adapter, and nothing else', async () => {
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

  it('answers a refused signature with WH001 if the adapter names no answer, and else as the adapter says', async () => {
    const refusedBy = async (acknowledge: typeof acknowledgeByDefault) => {
      gateway.answers.acknowledgement = acknowledge({ outcome: 'invalid_signature' });
      return gateway.send('/callbacks/a', { key: null });
    };
    for (const acknowledge of [acknowledgeByDefault, acknowledgeBy({ accepted: text('fine') })]) {
      const { status, headers, problem } = await refusedBy(acknowledge);
      expect([status, headers.get('content-type')]).to.deep.equal([401, 'application/problem+json']);
      expect(problem).to.include({ code: 'WH001', status: 401 }).and.have.property('requestId');
    }
    const own = await refusedBy(acknowledgeBy({ accepted: text('fine'), invalid_signature: text('no', 400) }));
    expect([own.status, own.text]).to.deep.equal([400, 'no']);
  });

  it('redirects a browser, without a referrer', async () => {
    gateway.answers.acknowledgement = seeOther('https://gateway.example/pay/10042');
    const { status, headers, text } = await gateway.send('/callbacks/3ds', { key: null, body: 'cres=x' });
    expect([status, text, headers.get('location')]).to.deep.equal([303, '', 'https://gateway.example/pay/10042']);
    expect([headers.get('cache-control'), headers.get('referrer-policy')]).to.deep.equal(['no-store', 'no-referrer']);
    expect(gateway.callbacks[0]!.path).to.equal('3ds');
  });

  for (const status of [200, 400, 403, 404, 410, 503]) {
    it(`repeats nothing of the request in our own page for ${status}`, async () => {
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

  it('answers NF001 for an unknown address, and 503 if the receiver fails, so that the provider retries', async () => {
    gateway.answers.acknowledgement = undefined;
    const unknown = await gateway.send('/callbacks/unknown', { key: null });
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

  it('answers try later for the route, without reading the body, while the database does not answer', async () => {
    gateway.answers.isDatabaseUp = false;
    const reply = await gateway.send('/callbacks/small', { key: null, body: 'x', isJudged: false });
    gateway.answers.isDatabaseUp = true;
    expect([reply.text, gateway.callbacks.length]).to.deep.equal(['no_database', 0]);
  });

  it('answers try later for the route, without reading the body, while this host is fenced', async () => {
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
    [1, '2001:0DB8:0::1', '2001:db8::1'],
    [1, '203.0.113.9:38242', '203.0.113.9'],
    [1, '[2001:db8::5]:443', '2001:db8::5'],
    [1, 'unknown', '127.0.0.1'],
    [1, '203.0.113.9, _hidden', '127.0.0.1'],
    [2, 'unknown, 192.0.2.1:80', '192.0.2.1'],
  ] as const) {
    it(`takes ${address} as the sender behind ${trustedProxies} proxies with X-Forwarded-For ${forwarded ?? 'absent'}`, async () => {
      const behind = await startGateway({ config: { trustedProxies } });
      await behind.send('/callbacks/a', { key: null, headers: { 'X-Forwarded-For': forwarded ?? null } });
      await behind.server.close(1000);
      expect(behind.callbacks[0]!.raw.remoteAddress).to.equal(address);
    });
  }

  it('logs the route only if it exists, and leaves the line about a received callback to the domain', async () => {
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
