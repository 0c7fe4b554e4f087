import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import fc from 'fast-check';
import { after, before, beforeEach, describe, it } from 'mocha';
import { until } from '../../base/testing/until.ts';
import { cardBody, endpoints, orderBody } from '../testing/bodies.ts';
import type { Endpoint } from '../testing/bodies.ts';
import { startGateway } from '../testing/gateway.ts';
import type { TestGateway } from '../testing/gateway.ts';
import { hangUpAfter, sendRaw, toChunked } from '../testing/raw-request.ts';

const create = '/payment-requests';
const json = { 'Content-Type': 'application/json' };

describe('the body of a merchant’s request', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway();
  });
  beforeEach(() => gateway.reset());
  after(() => gateway.server.close(1000));

  const text = JSON.stringify(orderBody);
  const nested = (depth: number) => `{"amount":1,"unit":"EUR","x":${'['.repeat(depth)}${']'.repeat(depth)}}`;

  for (const [what, body, field] of [
    ['malformed JSON', '{"amount":1,', 'body'],
    ['an empty body', '', 'body'],
    ['white space', ' \n', 'body'],
    ['an array', '[{"amount":1,"unit":"EUR"}]', 'body'],
    ['a text', '"OK"', 'body'],
    ['a number', '1', 'body'],
    ['null', 'null', 'body'],
    ['two values', `${text}${text}`, 'body'],
    ['a comment', `${text}//`, 'body'],
    ['a trailing comma', '{"amount":1,"unit":"EUR",}', 'body'],
    ['NaN', '{"amount":NaN,"unit":"EUR"}', 'body'],
    ['a member twice', '{"amount":1,"unit":"EUR","amount":2}', 'body'],
    ['a member twice, once escaped', '{"amount":1,"unit":"EUR","\\u0061mount":2}', 'body'],
    ['65 levels', nested(64), 'body'],
    ['100,000 levels', '['.repeat(100_000), 'body'],
    ['bytes that are not UTF-8', Buffer.from('{"amount":1,"unit":"\xe9"}', 'latin1'), 'body'],
    ['a raw line feed in a text', '{"amount":1,"unit":"E\nR"}', 'body'],
    ['NUL in a text', '{"amount":1,"unit":"E\\u0000R"}', 'unit'],
    ['half a surrogate pair', '{"amount":1,"unit":"\\ud800"}', 'unit'],
    ['the other half', '{"amount":1,"unit":"EUR","notes":"\\udc00x"}', 'notes'],
  ] as const) {
    it(`is refused with VAL002 ${field}: ${what}`, async () => {
      const { status, problem } = await gateway.send(create, { body });
      expect([status, problem.code, problem.details['field']]).to.deep.equal([400, 'VAL002', field]);
      expect(gateway.calls).to.deep.equal([]);
    });
  }

  it('is refused with VAL002 body and value null if it is missing', async () => {
    for (const headers of [{}, json]) {
      const { problem } = await gateway.send(create, { headers });
      expect([problem.code, problem.details['field'], problem.details['value']]).to.deep.equal([
        'VAL002',
        'body',
        null,
      ]);
    }
  });

  it('may have 64 levels, a byte order mark and unknown members', async () => {
    const unknown = '{"amount":1,"unit":"EUR","__proto__":{"notes":"x"},"constructor":1,"id":"x","\\u0000":"\\ud800"}';
    for (const body of [nested(63), `\uFEFF${text}`, unknown]) {
      expect((await gateway.send(create, { body })).status).to.equal(200);
    }
    expect(gateway.calls.at(-1)!.args[1]).to.deep.include({ amount: '1', notes: null });
  });

  for (const path of Object.keys(endpoints) as Endpoint[]) {
    it(`is read by ${path} as application/json and application/json-patch+json, with and without a charset`, async () => {
      for (const type of [
        'application/json',
        'application/json-patch+json',
        'Application/JSON; charset=UTF-8',
        'application/json;charset="utf-8"',
        'application/json;',
      ]) {
        const { status } = await gateway.send(path, { body: endpoints[path], headers: { 'Content-Type': type } });
        expect(status, type).to.equal(200);
      }
    });
  }

  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    'json',
    'application/jsonx',
    'application/json; charset=latin1',
    'application/vnd.api+json',
    '',
  ]) {
    it(`is refused with VAL002 Content-Type if the Content-Type is ${type || 'empty'}`, async () => {
      const { status, problem } = await gateway.send(create, { body: text, headers: { 'Content-Type': type } });
      expect([status, problem.code, problem.details['field'], problem.details['value']]).to.deep.equal([
        400,
        'VAL002',
        'Content-Type',
        type || null,
      ]);
    });
  }

  it('is refused with VAL002 Content-Type without a content type, also in chunks', async () => {
    const head = `POST ${create} HTTP/1.1\r\nHost: a\r\nX-API-Key: full\r\nConnection: close\r\n`;
    const lengthwise = await sendRaw(gateway.port, `${head}Content-Length: ${text.length}\r\n\r\n${text}`);
    const chunked = await sendRaw(
      gateway.port,
      `${head}Transfer-Encoding: chunked\r\n\r\n`,
      toChunked(Buffer.from(text), 5),
    );
    for (const { status, body } of [lengthwise, chunked])
      expect([status, body.includes('"field":"Content-Type"')]).to.deep.equal([400, true]);
  });

  it('is refused if it is compressed, whatever its expanded size', async () => {
    for (const bytes of [gzipSync(text), gzipSync(Buffer.alloc(50_000_000))]) {
      const headers = { 'Content-Encoding': 'gzip' };
      const { status, problem } = await gateway.send(create, { body: bytes, headers });
      expect([status, problem.code, problem.details['field']]).to.deep.equal([400, 'VAL002', 'Content-Encoding']);
    }
    const identity = await gateway.send(create, { body: text, headers: { 'Content-Encoding': 'identity' } });
    expect(identity.status).to.equal(200);
  });

  describe('of a large size', () => {
    const ofSize = (size: number) => text.padEnd(size, ' ');

    for (const [path, limit] of [
      [create, 102_400],
      ['/payment-requests/batch', 4_194_304],
    ] as const) {
      it(`is accepted by ${path} up to ${limit} bytes`, async () => {
        const full = await gateway.send(path, { body: ofSize(limit) });
        const over = await gateway.send(path, { body: ofSize(limit + 1), key: null });
        expect(full.problem.code).not.to.equal('REQ001');
        expect([over.status, over.problem.code, over.problem.details]).to.deep.equal([413, 'REQ001', { limit }]);
      });
    }

    it('is counted while its chunks arrive', async () => {
      const head = `POST ${create} HTTP/1.1\r\nHost: a\r\nX-API-Key: full\r\nConnection: close\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
      const fits = await sendRaw(gateway.port, head, toChunked(Buffer.from(ofSize(102_400)), 1000));
      const over = await sendRaw(gateway.port, head, toChunked(Buffer.from(ofSize(300_000)), 1000));
      expect([fits.status, over.status]).to.deep.equal([200, 413]);
      expect(over.body).to.include('REQ001');
      for (const other of ['X-Type: none', 'Content-Type: text/plain', 'Content-Type: x', 'Content-Encoding: gzip']) {
        const changed = head.replace('Content-Type: application/json', other);
        const reply = await sendRaw(gateway.port, changed, toChunked(Buffer.from(ofSize(300_000)), 1000));
        expect(reply.status, other).to.equal(413);
      }
    });

    it('does not prevent the next request on the same connection', async () => {
      const bytes = Buffer.alloc(200_000);
      const head = `POST ${create} HTTP/1.1\r\nHost: a\r\nX-API-Key: full\r\nContent-Type: application/json\r\n`;
      const next = 'GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
      for (const [length, body] of [
        [`Content-Length: ${bytes.length}`, bytes],
        ['Transfer-Encoding: chunked', toChunked(bytes, 50_000)],
      ] as const) {
        const reply = await sendRaw(gateway.port, `${head}${length}\r\n\r\n`, body, next);
        expect([reply.status, reply.body.includes('HTTP/1.1 200')], length).to.deep.equal([413, true]);
      }
    });

    it('has no effect if it breaks off, and the server continues', async () => {
      const head = `POST ${create} HTTP/1.1\r\nHost: a\r\nX-API-Key: full\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`;
      await hangUpAfter(gateway.port, head);
      await until('it is logged', () => gateway.logLines.some(({ status }) => status === 400));
      expect(gateway.logLines.map(({ level }) => level)).not.to.include(50);
      expect((await gateway.send(create, { body: orderBody })).status).to.equal(200);
      expect(gateway.calls).to.have.length(1);
    });
  });

  for (const path of ['/payment-requests/10042/refund', '/payment-requests/10042/cancel']) {
    it(`may be chunked and empty at ${path}, also without a content type`, async () => {
      const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nX-API-Key: full\r\nConnection: close\r\n`;
      for (const type of ['', 'Content-Type: text/plain\r\n']) {
        const { status } = await sendRaw(gateway.port, `${head}${type}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`);
        expect(status, type).to.equal(200);
      }
    });

    it(`may be missing, empty or an object at ${path}`, async () => {
      for (const options of [
        {},
        { headers: json },
        { body: '', headers: { 'Content-Type': 'text/plain' } },
        { body: {} },
      ]) {
        expect((await gateway.send(path, options)).status).to.equal(200);
      }
      const wrong = await gateway.send(path, { body: '[]' });
      expect([wrong.problem.code, wrong.problem.details['field']]).to.deep.equal(['VAL002', 'body']);
    });
  }

  it('is answered with 200 or one of our 400s, whatever JSON it is', async () => {
    const paths = fc.constantFrom(...(Object.keys(endpoints) as Endpoint[]));
    await fc.assert(
      fc.asyncProperty(
        paths,
        fc.jsonValue({ maxDepth: 3 }),
        fc.dictionary(
          fc.constantFrom(...Object.keys(cardBody), 'amount', 'wallet', 'client'),
          fc.jsonValue({ maxDepth: 2 }),
        ),
        async (path, value, members) => {
          for (const body of [JSON.stringify(value), JSON.stringify({ ...endpoints[path], ...members })]) {
            const { status, problem } = await gateway.send(path, { body });
            expect(status === 200 || (status === 400 && /^(VAL|PAY002|UPI001)/.test(problem.code)), body).to.equal(
              true,
            );
          }
        },
      ),
      { numRuns: 150 },
    );
  });
});
