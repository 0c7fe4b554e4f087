import { stringifyExact } from '@paywright/contract';
import { expect } from 'chai';
import { after, before, beforeEach, describe, it } from 'mocha';
import { errorKinds, GatewayError } from '../../base/errors.ts';
import type { ErrorKind } from '../../base/errors.ts';
import { explainErrors } from '../openapi/index.ts';
import { valueOf } from '../../base/metrics/testing/read-page.ts';
import { cardBody, endpoints, orderBody } from '../testing/bodies.ts';
import { config, now, paymentView, publicUrl, startGateway, paidAnswer } from '../testing/gateway.ts';
import type { TestGateway } from '../testing/gateway.ts';

describe('an answer of the API', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway();
  });
  beforeEach(() => gateway.reset());
  after(() => gateway.server.close(1000));

  const h2h = (options = {}) => gateway.send('/payments/h2h/11', { body: endpoints['/payments/h2h/11'], ...options });

  /** Errors that no payments service throws: they are found earlier, or never answered. Here the double throws them. */
  const isStrange = (kind: ErrorKind): boolean =>
    /^(UNAUTHORIZED|FORBIDDEN|UNSUPPORTED|PAYLOAD|RATE_LIMIT|UNAVAILABLE|INVALID_WEBHOOK|WEBHOOK)/.test(kind);

  for (const kind of Object.keys(errorKinds) as ErrorKind[]) {
    const { code, status, title } = errorKinds[kind];
    it(`has both sets of members and the status ${status} for ${code}`, async () => {
      const details = explainErrors(config)[kind].example;
      gateway.answers.payments.payH2h = async () => {
        throw new GatewayError(kind, 'what and how', { details, paymentRequestId: 10077 });
      };
      const path = code.startsWith('UPI') ? '/payments/h2h/31' : '/payments/h2h/11';
      const headers = { 'X-Request-Id': 'order-1.2_3' };
      const isJudged = !isStrange(kind) && !code.startsWith('VAL');
      const reply = await gateway.send(path, { body: endpoints[path], headers, isJudged });
      expect(reply.status).to.equal(status);
      expect(reply.headers.get('content-type')).to.equal('application/problem+json');
      expect(reply.json).to.deep.equal({
        type: `${publicUrl}/docs/errors#${code}`,
        title,
        status,
        detail: 'what and how',
        instance: path,
        error: kind,
        message: 'what and how',
        code,
        details: { ...details, paymentRequestId: 10077 },
        timestamp: now.toISOString(),
        requestId: 'order-1.2_3',
      });
      expect(reply.headers.get('x-request-id')).to.equal('order-1.2_3');
      expect(reply.headers.get('x-payment-request-id')).to.equal('10077');
      expect(reply.headers.get('location')).to.equal('/payment-requests/10077');
    });
  }

  it('is SYS001 for an unexpected error: it reveals nothing, and the log has the stack', async () => {
    gateway.answers.payments.payH2h = async () => {
      throw new TypeError('connection to 10.0.0.7 refused');
    };
    const { status, text, problem } = await h2h();
    expect([status, problem.code, problem.details]).to.deep.equal([500, 'SYS001', {}]);
    expect(text).not.to.include('10.0.0.7');
    const [line] = gateway.logLines.filter(({ level }) => level === 50);
    expect(line).to.have.nested.property('err.stack').that.includes('connection to 10.0.0.7 refused');
    expect(line).to.include({ requestId: problem.requestId });
  });

  it('is counted by its error code', async () => {
    const counted = async () =>
      (await valueOf(gateway.metrics, 'gateway_http_problems_total', { code: 'RATE001' })) ?? 0;
    const before = await counted();
    gateway.answers.remaining = 0;
    await h2h();
    await gateway.send('/nowhere');
    expect(await counted()).to.equal(before + 1);
  });

  it('has the headers of its error, and details {} if the kind has none', async () => {
    gateway.answers.remaining = 0;
    const { headers, problem } = await h2h();
    expect([headers.get('retry-after'), headers.get('ratelimit-remaining')]).to.deep.equal(['42', '0']);
    expect(problem.details).to.deep.equal({ limit: 600, window: '1m', retryAfter: 42 });
    expect((await gateway.send('/nowhere')).problem.details).to.deep.equal({});
  });

  for (const [accept, isJson] of [
    [null, false],
    ['*/*', false],
    ['text/plain', false],
    ['application/*', false],
    ['application/json', true],
    ['application/json, text/plain, */*', true],
    ['text/html, Application/JSON; charset=utf-8; q=0.1', true],
    ['application/json;q=0, text/plain', false],
    ['application/problem+json', false],
    ['application/jsonlines', false],
  ] as const) {
    it(`is ${isJson ? 'the payment request' : 'OK'} for Accept: ${accept ?? 'none'}`, async () => {
      const action = { type: 'confirm', paymentId: 'A-1' } as const;
      gateway.answers.payments.payH2h = async () => paidAnswer(10042, action);
      const reply = await h2h({ headers: accept === null ? {} : { Accept: accept } });
      expect(reply.status).to.equal(200);
      expect(reply.headers.get('x-payment-request-id')).to.equal('10042');
      expect(reply.headers.get('location')).to.equal('/payment-requests/10042');
      if (isJson) {
        const paymentRequest = JSON.parse(stringifyExact(paymentView(10042))) as unknown;
        expect(reply.json).to.deep.equal({ result: 'OK', paymentRequest, action });
      } else {
        expect([reply.headers.get('content-type'), reply.text]).to.deep.equal(['text/plain; charset=utf-8', 'OK']);
      }
    });
  }

  it('keeps the digits of an amount: nothing converts it to a double', async () => {
    const { text } = await h2h({ headers: { Accept: 'application/json' } });
    expect(text).to.include('"amount":25.90,');
  });

  it('has no action for a new payment request', async () => {
    const { json } = await gateway.send('/payment-requests', {
      body: orderBody,
      headers: { Accept: 'application/json' },
    });
    expect(json).to.include({ result: 'OK', action: null });
  });

  for (const given of ['', 'a b', 'ä', 'x'.repeat(129), 'a,b', '"a"']) {
    it(`does not repeat an X-Request-Id of ${JSON.stringify(given.slice(0, 8))}…`, async () => {
      const latin1 = Buffer.from(given).toString('latin1');
      const { headers, problem } = await gateway.send('/nowhere', { headers: { 'X-Request-Id': latin1 } });
      expect(headers.get('x-request-id')).to.match(/^[0-9a-f-]{36}$/);
      expect(problem.requestId).to.equal(headers.get('x-request-id'));
    });
  }

  it('forbids caching, type guessing and framing', async () => {
    for (const path of ['/health', '/nowhere', '/payments/h2h/11', '/callbacks/test/text']) {
      const { headers } = await gateway.send(path, { method: path.startsWith('/pay') ? 'POST' : 'GET', key: null });
      expect(headers.get('cache-control'), path).to.equal('no-store');
      expect(headers.get('x-content-type-options'), path).to.equal('nosniff');
      expect(headers.get('referrer-policy'), path).to.equal('no-referrer');
      expect(headers.get('x-frame-options'), path).to.equal('DENY');
      expect(headers.get('strict-transport-security'), path).to.equal('max-age=31536000');
      expect(headers.get('content-security-policy'), path).to.include("default-src 'none'");
    }
  });

  it('has one log line, without query, body, header or unknown path', async () => {
    await gateway.send('/payments/creditCard/10042?transaction3dsId=marker-q', { body: cardBody });
    await gateway.send('/marker-path', { headers: { 'X-Marker': 'marker-header' } });
    // A random id, a time and a process id may contain any digits.
    const kept = gateway.logLines.map(({ requestId, ms, time: _time, pid: _pid, hostname: _hostname, ...line }) => {
      expect(requestId).to.be.a('string');
      expect(ms).to.be.a('number');
      return line;
    });
    const lines = kept.map(({ method, route, status, paymentRequestId, keyId }) => {
      return { method, route, status, paymentRequestId, keyId };
    });
    expect(lines).to.deep.equal([
      { method: 'POST', route: '/payments/creditCard/:id', status: 200, paymentRequestId: 10042, keyId: 'key_full' },
      { method: 'POST', route: 'none', status: 404, paymentRequestId: undefined, keyId: undefined },
    ]);
    expect(JSON.stringify(kept)).not.to.match(/marker|4111|737/);
  });

  it('needs no key for GET /health and GET /ready, which says only yes or no without a key', async () => {
    expect((await gateway.send('/health', { method: 'GET', key: null })).json).to.deep.equal({ status: 'ok' });
    gateway.answers.ready = { ok: true, parts: { database: 'up' }, warnings: ['acme: its host does not resolve'] };
    const up = await gateway.send('/ready', { method: 'GET', key: null });
    expect([up.status, up.json]).to.deep.equal([200, { status: 'ready' }]);
    gateway.answers.ready = { ok: false, parts: { database: 'down' } };
    for (const key of [null, 'wrong'] as const) {
      const down = await gateway.send('/ready', { method: 'GET', key });
      expect([down.status, down.json]).to.deep.equal([503, { status: 'not ready' }]);
    }
  });

  it('names the part that is down at GET /ready to a caller with a key', async () => {
    gateway.answers.ready = { ok: true, parts: { database: 'up' } };
    const up = await gateway.send('/ready', { method: 'GET' });
    expect([up.status, up.json]).to.deep.equal([200, { status: 'ready', parts: { database: 'up' } }]);
    gateway.answers.ready = { ok: true, parts: { database: 'up' }, warnings: ['acme: its host does not resolve'] };
    const warned = await gateway.send('/ready', { method: 'GET' });
    expect(warned.status).to.equal(200);
    expect(warned.json)
      .to.include({ status: 'ready' })
      .and.have.deep.property('warnings', gateway.answers.ready.warnings);
    gateway.answers.ready = { ok: false, parts: { database: 'down' } };
    const down = await gateway.send('/ready', { method: 'GET' });
    expect([down.status, down.json]).to.deep.equal([503, { status: 'not ready', parts: { database: 'down' } }]);
  });

  describe('to a named API version', () => {
    const old = ['deprecation', 'sunset', 'warning', 'link'];

    for (const path of ['/payments/h2h/11', '/v2/payments/h2h/11']) {
      it(`is served by ${path} for 2.1, named or not`, async () => {
        for (const headers of [{}, { 'X-API-Version': '2.1' }]) {
          const reply = await gateway.send(path, { body: endpoints['/payments/h2h/11'], headers });
          expect(reply.status).to.equal(200);
          expect(old.filter((name) => reply.headers.has(name))).to.deep.equal([]);
        }
        expect(gateway.notices).to.deep.equal([]);
      });
    }

    it('is served for 2.0, names the end of support, and notifies the owner', async () => {
      const reply = await h2h({ headers: { 'X-API-Version': '2.0' } });
      expect([reply.status, reply.text]).to.deep.equal([200, 'OK']);
      expect(old.map((name) => reply.headers.get(name))).to.deep.equal([
        '@1705276800',
        'Sun, 30 Jun 2024 23:59:59 GMT',
        '299 - "API version 2.0 is past its support since 2024-06-30: use 2.1"',
        `<${publicUrl}/docs#versions>; rel="deprecation"`,
      ]);
      const documentation = `${publicUrl}/docs#versions`;
      const notice = { ownerId: 7, version: '2.0', supportEnded: '2024-06-30', successor: '2.1', documentation };
      expect(gateway.notices).to.deep.equal([notice]);
    });

    it('marks 2.0 as deprecated in a refusal too, but an unknown key notifies no owner', async () => {
      const reply = await h2h({ key: 'wrong', headers: { 'X-API-Version': '2.0' } });
      expect([reply.problem.code, reply.headers.has('sunset'), gateway.notices]).to.deep.equal(['AUTH001', true, []]);
    });

    for (const version of ['1.5', '1.5.2', '2', '2.1.0', '3.0', 'v2.1', '']) {
      it(`is VER001 for ${version || 'an empty version'}`, async () => {
        const { status, problem } = await h2h({ headers: { 'X-API-Version': version } });
        expect([status, problem.code, problem.details]).to.deep.equal([400, 'VER001', { supported: ['2.1', '2.0'] }]);
      });
    }
  });

  it('has the rate limit of the key, also in errors', async () => {
    for (const [key, status] of [
      ['full', 200],
      ['reader', 403],
    ] as const) {
      const { headers, ...reply } = await h2h({ key });
      const names = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'];
      expect([reply.status, ...names.map((name) => headers.get(name))]).to.deep.equal([status, '600', '599', '42']);
    }
    expect((await h2h({ key: null })).headers.has('ratelimit-limit')).to.equal(false);
  });
});
