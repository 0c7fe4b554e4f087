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
/** A field that only a provider can refuse. */
const wrongUnit = invalidField('unit', 'EUR', 'not a unit that this provider takes').details;

describe('a request with an Idempotency-Key', () => {
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
  /** Makes the call fail, as a provider does (the payment request exists) or before the provider is called. */
  const failWith = (kind: ErrorKind, { isAsked, ourOwn = false }: { isAsked: boolean; ourOwn?: boolean }) => {
    gateway.answers.payments.payH2h = async (caller) => {
      if (isAsked) await caller.operation?.bindPayment(10042);
      const details = kind === 'INVALID_FORMAT' ? wrongUnit : explainErrors(config)[kind].example;
      throw new GatewayError(kind, 'words', { details, paymentRequestId: 10042, isProviderAnswer: isAsked && !ourOwn });
    };
  };

  it('gets the same answer again after it was processed', async () => {
    const first = await pay();
    const second = await pay();
    expect([first.text, second.text]).to.deep.equal(['OK', 'OK']);
    expect([first, second].map(({ headers }) => headers.get('idempotent-replayed'))).to.deep.equal([null, 'true']);
    expect(second.headers.get('x-payment-request-id')).to.equal('10042');
    expect(second.headers.get('location')).to.equal('/payment-requests/10042');
    expect(gateway.calls).to.have.length(1);
  });

  it('stores no card number that a refused field contains', async () => {
    const { details } = invalidField('city', 'Lisbon 4111 1111 1111 1111', 'the provider refuses this value');
    gateway.answers.payments.payH2h = async () => {
      throw new GatewayError('INVALID_FORMAT', 'city', { details, paymentRequestId: 10042, isProviderAnswer: true });
    };
    const answers = [await pay(), await pay()].map(({ text }) => JSON.parse(text) as { readonly details: object });
    const [stored] = [...idempotency.records].filter(([name]) => name === `key ${key}`);
    expect(JSON.stringify(stored)).to.contain('[hidden]').and.not.to.contain('4111');
    expect(answers[1]!.details).to.deep.equal(answers[0]!.details);
  });

  it('is answered from the payment if another run did the work in the meantime, and the answer is kept', async () => {
    gateway.answers.payments.payH2h = async () => {
      throw new GatewayError('IDEMPOTENCY_CONFLICT', 'another request took over', { paymentRequestId: 10042 });
    };
    const first = await pay();
    expect([first.status, first.text, first.headers.get('idempotent-replayed')]).to.deep.equal([200, 'OK', 'true']);
    expect((await pay()).text).to.equal('OK');
    expect(gateway.calls.map(({ name }) => name)).to.deep.equal(['payH2h', 'currentAnswer']);
  });

  it('is refused if another run took over and has not finished the work, and then answered from the payment', async () => {
    gateway.answers.isApplied = false;
    gateway.answers.payments.payH2h = async (caller) => {
      await caller.operation?.bindPayment(10042);
      throw new GatewayError('IDEMPOTENCY_CONFLICT', 'another request took over');
    };
    expect((await pay()).problem.code).to.equal('IDEM001');
    // It is still the same operation.
    gateway.answers.isApplied = true;
    gateway.answers.payments = {};
    expect((await pay()).text).to.equal('OK');
    expect(gateway.calls.map(({ name }) => name)).to.deep.equal(['payH2h', 'currentAnswer']);
  });

  it('gets the stored answer in the format of the new Accept, with all digits', async () => {
    await pay();
    const { text, headers } = await pay({ headers: { Accept: 'application/json' } });
    expect(text).to.include('{"result":"OK","paymentRequest":{"id":10042,"amount":25.90,');
    expect(headers.get('content-type')).to.equal('application/json; charset=utf-8');
    expect((await pay()).text).to.equal('OK');
  });

  it('is the same request under /v2, with another order of members, spelling of a number, or cvv', async () => {
    await pay();
    const { cvv: _, ...rest } = endpoints[path];
    const body = JSON.stringify({ cvv: '999', ...rest }).replace('25.9', '25.90');
    for (const same of [await pay({ body }), await pay({ path: `/v2${path}` })]) {
      expect(same.headers.get('idempotent-replayed')).to.equal('true');
    }
  });

  it('gets IDEM001 if it differs, also if its body is wrong or no JSON', async () => {
    await pay();
    for (const body of [{ ...endpoints[path], name: 'X' }, { ...endpoints[path], name: 1 }, '{', '']) {
      expect((await pay({ body })).problem.code, JSON.stringify(body)).to.equal('IDEM001');
    }
    expect((await pay({ path: `${path}?a=1` })).problem.code).to.equal('IDEM001');
    expect((await pay({ path: '/payments/creditCard/1' })).problem.code).to.equal('IDEM001');
  });

  it('gets IDEM001 while the first request is still running', async () => {
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
    it(`gets ${kind} again, because it is an outcome, and the service is not called again`, async () => {
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
    it(`is processed again after ${kind} before the provider call`, async () => {
      failWith(kind, { isAsked: false });
      await pay();
      gateway.answers.payments = {};
      const again = await pay();
      expect([again.text, again.headers.has('idempotent-replayed')]).to.deep.equal(['OK', false]);
    });
  }

  it('is processed again after a form error, so that it can be corrected under the same key', async () => {
    expect((await pay({ body: {} })).problem.code).to.equal('VAL001');
    expect((await pay()).text).to.equal('OK');
  });

  for (const kind of ['PAYMENT_NOT_PAYABLE', 'INVALID_CARD'] as const) {
    it(`gets ${kind} again if it is the provider’s answer`, async () => {
      failWith(kind, { isAsked: true });
      const [first, second] = [await pay(), await pay()];
      expect([first.problem.code, second.problem.code]).to.deep.equal([errorKinds[kind].code, errorKinds[kind].code]);
      expect(gateway.calls).to.have.length(1);
    });
  }

  it('is processed again after our own refusal, even if the payment request exists', async () => {
    failWith('PAYMENT_NOT_PAYABLE', { isAsked: true, ourOwn: true });
    expect((await pay()).problem.code).to.equal('PAY004');
    gateway.answers.payments = {};
    expect((await pay()).text).to.equal('OK');
  });

  it('is processed again after PAY005, even if the payment request exists: nothing was charged', async () => {
    failWith('PROVIDER_UNAVAILABLE', { isAsked: true, ourOwn: true });
    await pay();
    gateway.answers.payments = {};
    expect((await pay()).text).to.equal('OK');
  });

  it('never starts the payment again after an internal error behind the provider call', async () => {
    gateway.answers.payments.payH2h = async (caller) => {
      await caller.operation?.bindPayment(10042);
      throw new Error('the database is away');
    };
    expect((await pay()).problem.code).to.equal('SYS001');
    gateway.answers.payments = {};
    expect((await pay()).text).to.equal('OK');
    expect(gateway.calls.map(({ name }) => name)).to.deep.equal(['payH2h', 'currentAnswer']);
  });

  describe('whose first run died', () => {
    beforeEach(async () => {
      gateway.answers.payments.payH2h = async (caller) => {
        await caller.operation?.bindPayment(10077);
        throw new Error('killed');
      };
      await pay();
      idempotency.lose(`key ${key}`);
    });

    it('is answered from the payment request, and the answer is kept', async () => {
      const second = await pay();
      expect([second.text, second.headers.get('x-payment-request-id')]).to.deep.equal(['OK', '10077']);
      expect(gateway.calls.map(({ name }) => name)).to.deep.equal(['payH2h', 'currentAnswer']);
      await pay();
      expect(gateway.calls).to.have.length(2);
    });

    it('is refused if the payment failed, and the refusal is kept', async () => {
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

  it('is replayed at every POST of a merchant', async () => {
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

  it('is refused unless the key has 1 to 255 characters', async () => {
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
