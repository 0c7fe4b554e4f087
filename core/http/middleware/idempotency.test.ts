import { expect } from 'chai';
import { after, before, beforeEach, describe, it } from 'mocha';
import { errorKinds, GatewayError, invalidField } from '../../base/errors.ts';
import type { ErrorKind } from '../../base/errors.ts';
import { explainErrors } from '../openapi/index.ts';
import { endpoints, orderBody } from '../testing/bodies.ts';
import { config, paidAnswer, startGateway } from '../testing/gateway.ts';
import type { TestGateway } from '../testing/gateway.ts';
import { createIdempotencyDouble } from '../testing/idempotency-double.ts';
import type { IdempotencyDouble } from '../testing/idempotency-double.ts';

const path = '/payments/h2h/11';
/** What only a provider finds wrong. */
const wrongUnit = invalidField('unit', 'EUR', 'not a unit that this provider takes').details;

describe('http: Idempotency-Key', () => {
  let gateway: TestGateway;
  let idempotency: IdempotencyDouble;
  let key = 0;
  before(async () => {
    idempotency = createIdempotencyDouble();
    gateway = await startGateway({ deps: { idempotency } });
  });
  beforeEach(() => {
    gateway.reset();
    key += 1;
  });
  after(() => gateway.server.close(1000));

  const pay = (options: { body?: unknown; headers?: Record<string, string>; path?: string } = {}) =>
    gateway.send(options.path ?? path, {
      body: options.body ?? endpoints[path],
      headers: { 'Idempotency-Key': `key ${key}`, ...options.headers },
    });
  /** Fails the call, as a provider would (the payment request exists) or before it was asked. */
  const failWith = (kind: ErrorKind, { isAsked, ourOwn = false }: { isAsked: boolean; ourOwn?: boolean }) => {
    gateway.answers.payments.payH2h = async (caller) => {
      if (isAsked) await caller.operation?.bindPayment(10042);
      const details = kind === 'INVALID_FORMAT' ? wrongUnit : explainErrors(config)[kind].example;
      throw new GatewayError(kind, 'words', { details, paymentRequestId: 10042, isProviderAnswer: isAsked && !ourOwn });
    };
  };

  it('the same request again is answered the same, once done', async () => {
    const first = await pay();
    const second = await pay();
    expect([first.text, second.text]).to.deep.equal(['OK', 'OK']);
    expect([first, second].map(({ headers }) => headers.get('idempotent-replayed'))).to.deep.equal([null, 'true']);
    expect(second.headers.get('x-payment-request-id')).to.equal('10042');
    expect(second.headers.get('location')).to.equal('/payment-requests/10042');
    expect(gateway.calls).to.have.length(1);
  });

  it('is answered from the payment where another run of it did it meanwhile, and kept', async () => {
    gateway.answers.payments.payH2h = async () => {
      throw new GatewayError('IDEMPOTENCY_CONFLICT', 'another request took over', { paymentRequestId: 10042 });
    };
    const first = await pay();
    expect([first.status, first.text, first.headers.get('idempotent-replayed')]).to.deep.equal([200, 'OK', 'true']);
    expect((await pay()).text).to.equal('OK');
    expect(gateway.calls.map(({ name }) => name)).to.deep.equal(['payH2h', 'currentAnswer']);
  });

  it('is refused where another run of it took over and has not begun to do it', async () => {
    gateway.answers.isApplied = false;
    gateway.answers.payments.payH2h = async () => {
      throw new GatewayError('IDEMPOTENCY_CONFLICT', 'another request took over');
    };
    expect((await pay()).problem.code).to.equal('IDEM001');
  });

  it('the answer is presented for the new Accept, digits and all', async () => {
    await pay();
    const { text, headers } = await pay({ headers: { Accept: 'application/json' } });
    expect(text).to.include('{"result":"OK","paymentRequest":{"id":10042,"amount":25.90,');
    expect(headers.get('content-type')).to.equal('application/json; charset=utf-8');
    expect((await pay()).text).to.equal('OK');
  });

  it('/v2, the order of members, spelling of a number and the cvv make no other request', async () => {
    await pay();
    const { cvv: _, ...rest } = endpoints[path];
    const body = JSON.stringify({ cvv: '999', ...rest }).replace('25.9', '25.90');
    for (const same of [await pay({ body }), await pay({ path: `/v2${path}` })]) {
      expect(same.headers.get('idempotent-replayed')).to.equal('true');
    }
  });

  it('with another request, also one whose form is wrong or no JSON: IDEM001', async () => {
    await pay();
    for (const body of [{ ...endpoints[path], name: 'X' }, { ...endpoints[path], name: 1 }, '{', '']) {
      expect((await pay({ body })).problem.code, JSON.stringify(body)).to.equal('IDEM001');
    }
    expect((await pay({ path: `${path}?a=1` })).problem.code).to.equal('IDEM001');
    expect((await pay({ path: '/payments/creditCard/1' })).problem.code).to.equal('IDEM001');
  });

  it('while the first is still running: IDEM001', async () => {
    let end = (): void => {};
    gateway.answers.payments.payH2h = () =>
      new Promise((resolve) => {
        end = () => resolve(paidAnswer(10042));
      });
    const first = pay();
    while (!idempotency.records.has(`key ${key}`)) await gateway.send('/health', { method: 'GET' });
    const second = await pay();
    while (gateway.calls.length === 0) await gateway.send('/health', { method: 'GET' });
    end();
    expect([second.problem.code, (await first).text, (await pay()).text]).to.deep.equal(['IDEM001', 'OK', 'OK']);
  });

  for (const kind of ['CARD_DECLINED', 'THREEDS_FAILED', 'UPI_TRANSACTION_FAILED'] as const) {
    it(`${kind} is an outcome: answered again, and the service is not called again`, async () => {
      failWith(kind, { isAsked: false });
      const to = kind.startsWith('UPI') ? '/payments/h2h/31' : path;
      const first = await pay({ path: to, body: endpoints[to], headers: { 'X-Request-Id': 'first' } });
      const second = await pay({ path: to, body: endpoints[to], headers: { 'X-Request-Id': 'second' } });
      expect(second.status).to.equal(errorKinds[kind].status);
      expect(second.json).to.deep.equal({ ...first.json, requestId: 'second' });
      expect(second.headers.get('x-payment-request-id')).to.equal('10042');
      expect(second.headers.get('idempotent-replayed')).to.equal('true');
      expect(gateway.calls).to.have.length(1);
    });
  }

  for (const kind of [
    'PAYMENT_NOT_PAYABLE',
    'INVALID_CARD',
    'PROVIDER_UNAVAILABLE',
    'INTERNAL_ERROR',
    'NOT_FOUND',
    'INVALID_FORMAT',
  ] as const) {
    it(`${kind} from before the provider is called is forgotten`, async () => {
      failWith(kind, { isAsked: false });
      await pay();
      gateway.answers.payments = {};
      const again = await pay();
      expect([again.text, again.headers.has('idempotent-replayed')]).to.deep.equal(['OK', false]);
    });
  }

  it('a form error is forgotten, so that it can be mended under the same key', async () => {
    expect((await pay({ body: {} })).problem.code).to.equal('VAL001');
    expect((await pay()).text).to.equal('OK');
  });

  for (const kind of ['PAYMENT_NOT_PAYABLE', 'INVALID_CARD'] as const) {
    it(`${kind} after the provider was called is its answer, and kept`, async () => {
      failWith(kind, { isAsked: true });
      const [first, second] = [await pay(), await pay()];
      expect([first.problem.code, second.problem.code]).to.deep.equal([errorKinds[kind].code, errorKinds[kind].code]);
      expect(gateway.calls).to.have.length(1);
    });
  }

  it('what we refuse ourselves is forgotten even when the payment request was named already', async () => {
    failWith('PAYMENT_NOT_PAYABLE', { isAsked: true, ourOwn: true });
    expect((await pay()).problem.code).to.equal('PAY004');
    gateway.answers.payments = {};
    expect((await pay()).text).to.equal('OK');
  });

  it('PAY005 is forgotten even then: nothing was charged', async () => {
    failWith('PROVIDER_UNAVAILABLE', { isAsked: true, ourOwn: true });
    await pay();
    gateway.answers.payments = {};
    expect((await pay()).text).to.equal('OK');
  });

  it('a fault of our own after the provider was called never starts the payment anew', async () => {
    gateway.answers.payments.payH2h = async (caller) => {
      await caller.operation?.bindPayment(10042);
      throw new Error('the database is away');
    };
    expect((await pay()).problem.code).to.equal('SYS001');
    gateway.answers.payments = {};
    expect((await pay()).text).to.equal('OK');
    expect(gateway.calls.map(({ name }) => name)).to.deep.equal(['payH2h', 'currentAnswer']);
  });

  describe('when the first run died', () => {
    beforeEach(async () => {
      gateway.answers.payments.payH2h = async (caller) => {
        await caller.operation?.bindPayment(10077);
        throw new Error('killed');
      };
      await pay();
      idempotency.lose(`key ${key}`);
    });

    it('the answer comes from the payment request, and is kept', async () => {
      const second = await pay();
      expect([second.text, second.headers.get('x-payment-request-id')]).to.deep.equal(['OK', '10077']);
      expect(gateway.calls.map(({ name }) => name)).to.deep.equal(['payH2h', 'currentAnswer']);
      await pay();
      expect(gateway.calls).to.have.length(2);
    });

    it('a payment that failed is the refusal, and is kept', async () => {
      const details = explainErrors(config).CARD_DECLINED.example;
      const refusal = new GatewayError('CARD_DECLINED', 'declined', { details, paymentRequestId: 10077 });
      gateway.answers.currentAnswer = async () => {
        throw refusal;
      };
      for (const { problem, headers } of [await pay(), await pay()]) {
        expect(problem.code).to.equal('PAY001');
        expect(headers.get('x-payment-request-id')).to.equal('10077');
      }
      expect(gateway.calls).to.have.length(2);
    });
  });

  it('is taken by every POST of a merchant', async () => {
    for (const [post, body] of [
      ['/payment-requests', orderBody],
      ['/payment-requests/batch', { paymentRequests: [orderBody] }],
      ['/payment-requests/1/refund', undefined],
      ['/payment-requests/1/cancel', undefined],
      ...Object.entries(endpoints),
    ] as const) {
      const headers = { 'Idempotency-Key': `every ${post}` };
      await gateway.send(post, { body, headers });
      const second = await gateway.send(post, { body, headers });
      expect([second.status, second.headers.get('idempotent-replayed')], post).to.deep.equal([200, 'true']);
    }
  });

  it('must be 1 to 255 characters', async () => {
    for (const [given, status] of [
      ['k', 200],
      ['k'.repeat(255), 200],
      ['k'.repeat(256), 400],
      ['', 400],
    ] as const) {
      expect((await pay({ headers: { 'Idempotency-Key': given } })).status, given).to.equal(status);
    }
  });
});
