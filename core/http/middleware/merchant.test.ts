import { expect } from 'chai';
import { after, before, beforeEach, describe, it } from 'mocha';
import { GatewayError, notFound } from '../../base/errors.ts';
import { cardBody } from '../testing/bodies.ts';
import { paymentView, startGateway } from '../testing/gateway.ts';
import type { PaymentRequestView } from '../../engine/payments/types/answer.ts';
import type { SendOptions, TestGateway } from '../testing/gateway.ts';

interface Request extends SendOptions {
  path: string;
  key: NonNullable<SendOptions['key']>;
  body: unknown;
  headers: Record<string, string>;
}

/** Each fault makes one thing wrong, in the order of the checks. */
const faults: readonly (readonly [
  what: string,
  code: string,
  spoil: (request: Request, gateway: TestGateway) => void,
])[] = [
  ['an unknown path', 'NF001', (request) => (request.path = `/v1${request.path}`)],
  ['a body too large', 'REQ001', (request) => (request.body = { name: 'x'.repeat(110_000) })],
  ['a wrong key', 'AUTH001', (request) => (request.key = 'wrong')],
  ['a full minute', 'RATE001', (_request, { answers }) => (answers.remaining = 0)],
  ['a version that is not served', 'VER001', ({ headers }) => (headers['X-API-Version'] = '1.5')],
  ['a missing scope', 'AUTH002', (request) => (request.key = request.key === 'wrong' ? 'wrong' : 'reader')],
  [
    'a wrong Idempotency-Key',
    'VAL002 Idempotency-Key',
    ({ headers }) => (headers['Idempotency-Key'] = 'k'.repeat(256)),
  ],
  ['a missing field', 'VAL001', (request) => (request.body = { ...(request.body as object), email: undefined })],
  ['a wrong field', 'VAL002 country', (request) => (request.body = { ...(request.body as object), country: 'DEU' })],
  [
    'a card that fails Luhn',
    'PAY002',
    (request) => (request.body = { ...(request.body as object), number: '4111111111111112' }),
  ],
  [
    'a payment request that does not exist',
    'NF001',
    ({ path }, { answers }) =>
      (answers.payments.pay = async () => {
        throw notFound(path);
      }),
  ],
];

describe('the order of checks', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway();
  });
  beforeEach(() => gateway.reset());
  after(() => gateway.server.close(1000));

  async function send(spoilers: readonly (typeof faults)[number][]): Promise<string> {
    const request: Request = { path: '/payments/creditCard/10042', key: 'full', body: cardBody, headers: {} };
    for (const [, , spoil] of spoilers) spoil(request, gateway);
    const { problem } = await gateway.send(request.path, request);
    const field = problem.code === 'VAL002' ? ` ${String(problem.details['field'])}` : '';
    return problem.code + field;
  }

  for (const [at, first] of faults.entries()) {
    it(`answers ${first[1]} for ${first[0]}, whatever later check would fail`, async () => {
      expect(await send([first])).to.equal(first[1]);
      for (const second of faults.slice(at + 1)) {
        gateway.reset();
        expect(await send([first, second]), `with ${second[0]}`).to.equal(first[1]);
      }
    });
  }

  it('answers RATE001 to the 61st wrong key of an address in a minute, but not to a valid key', async () => {
    const other = await startGateway();
    const send = async (key: 'wrong' | 'full') => other.get('/payment-requests', { key, isJudged: false });
    for (let n = 1; n <= 60; n += 1) expect((await send('wrong')).problem.code).to.equal('AUTH001');
    const refused = await send('wrong');
    expect([refused.problem.code, refused.headers.get('retry-after')]).to.deep.equal(['RATE001', '60']);
    expect((await send('full')).status).to.equal(200);
    await other.server.close(0);
  });

  it('counts an address once, whichever port and spelling a proxy writes', async () => {
    const behind = await startGateway({ config: { trustedProxies: 1 } });
    const send = async (address: string): Promise<string> =>
      (await behind.send('/payments/creditCard/1', { key: 'wrong', headers: { 'X-Forwarded-For': address } })).problem
        .code;
    const spellings = (n: number): string =>
      [`198.51.100.22:${1024 + n}`, '::ffff:198.51.100.22', `[::ffff:198.51.100.22]:${n + 1}`][n % 3]!;
    for (let n = 0; n < 60; n += 1) expect(await send(spellings(n))).to.equal('AUTH001');
    for (let n = 0; n < 3; n += 1) expect(await send(spellings(n)), spellings(n)).to.equal('RATE001');
    expect(await send('198.51.100.23')).to.equal('AUTH001');
    await behind.server.close(0);
  });

  it('answers SYS002 to merchants and 503 to payers while the database does not answer, without a query', async () => {
    gateway.answers.isDatabaseUp = false;
    const reply = await gateway.get('/payment-requests');
    expect([reply.status, reply.problem.code, reply.headers.get('retry-after')]).to.deep.equal([503, 'SYS002', '5']);
    expect((await gateway.get('/pay/1?k=x', { isJudged: false })).status).to.equal(503);
    expect((await gateway.get('/health')).status).to.equal(200);
    expect(gateway.calls).to.deep.equal([]);
  });

  it('starts no work while the host is fenced, and continues to serve reads', async () => {
    gateway.answers.isFenced = true;
    const refused = await gateway.send('/payment-requests', { body: { amount: 1, unit: 'EUR' } });
    expect([refused.status, refused.problem.code, refused.headers.get('retry-after')]).to.deep.equal([
      503,
      'SYS002',
      '5',
    ]);
    expect((await gateway.get('/pay/1?r=x', { isJudged: false })).status).to.equal(503);
    expect(gateway.calls).to.deep.equal([]);
    expect((await gateway.get('/payment-requests')).status).to.equal(200);
    expect((await gateway.get('/health')).status).to.equal(200);
  });

  it('refuses a read that waits when the database stops answering, and lets a POST in progress continue', async () => {
    let answerBoth!: (view: PaymentRequestView) => void;
    const hanging = new Promise<PaymentRequestView>((resolve) => (answerBoth = resolve));
    const started = new Promise<void>((resolve) => {
      const start = async (): Promise<PaymentRequestView> => {
        if (gateway.calls.length === 2) resolve();
        return hanging;
      };
      gateway.answers.payments = { get: start, create: start };
    });
    const read = gateway.get('/payment-requests/10042');
    const made = gateway.send('/payment-requests', { body: { amount: 1, unit: 'EUR' } });
    await started;
    gateway.loseDatabase();
    expect((await read).problem.code).to.equal('SYS002');
    answerBoth(paymentView());
    expect((await made).status).to.equal(200);
  });

  it('answers NF001 for an unknown path if everything is wrong', async () => {
    expect(await send(faults)).to.equal('NF001');
  });

  it('checks the state last, and names the payment request in the refusal', async () => {
    gateway.answers.payments.pay = async () => {
      throw new GatewayError('PAYMENT_NOT_PAYABLE', 'paid already');
    };
    const { status, problem, headers } = await gateway.send('/payments/creditCard/10042', { body: cardBody });
    expect([status, problem.code, headers.get('x-payment-request-id'), headers.get('location')]).to.deep.equal([
      400,
      'PAY004',
      '10042',
      '/payment-requests/10042',
    ]);
  });

  it('names the payment request of the path in a refused form, if it exists', async () => {
    const refused = async (): Promise<(string | null)[]> => {
      const { problem, headers } = await gateway.send('/payments/creditCard/10042', { body: {} });
      return [problem.code, headers.get('x-payment-request-id'), headers.get('location')];
    };
    expect(await refused()).to.deep.equal(['VAL001', null, null]);
    gateway.answers.payments.exists = async (_caller, id) => id === 10042;
    expect(await refused()).to.deep.equal(['VAL001', '10042', '/payment-requests/10042']);
  });

  for (const [method, path] of [
    ['GET', '/payments/h2h/11'],
    ['PUT', '/payments/h2h/11'],
    ['DELETE', '/payment-requests/10042'],
    ['POST', '/payment-requests/10042'],
    ['OPTIONS', '/payment-requests'],
    ['POST', '/health'],
    ['PUT', '/pay/10042'],
    ['POST', '/callbacks/test/text'],
    ['GET', '/callbacks/test/json'],
    ['POST', '/'],
    ['GET', '//'],
    ['POST', '/payments'],
    ['POST', '/payments/h2h/11/'],
    ['POST', '/payments/creditcard/10042'],
    ['POST', '/v1/payments/h2h/11'],
    ['POST', '/v2/v2/payments/h2h/11'],
    ['GET', '/v2/health'],
    ['POST', '/%'],
    ['POST', '/payments/h2h/%E0%A4%A'],
  ] as const) {
    it(`answers NF001 without a key for ${method} ${path}`, async () => {
      const { status, problem } = await gateway.send(path, { method, key: null });
      expect([status, problem.code]).to.deep.equal([404, 'NF001']);
    });
  }

  for (const id of ['abc', '1.5', '007', '0x10', '1e3', '%31%20', '99999999999999999999', 'null']) {
    it(`answers NF001 before every other check for the id ${id}, which is no integer`, async () => {
      for (const path of [
        '/payments/h2h/',
        '/payments/creditCard/',
        '/payments/upi/',
        '/payments/cardMemberConfirm/',
      ]) {
        const { problem } = await gateway.send(path + id, { body: {} });
        expect(problem.code, path).to.equal('NF001');
      }
    });
  }

  it('answers NF001 for an impossible integer id, but only after the form was accepted', async () => {
    for (const id of ['0', '-5', '9223372036854775807']) {
      const wrong = await gateway.send(`/payments/creditCard/${id}`, { body: { ...cardBody, country: 'DEU' } });
      const right = await gateway.send(`/payments/creditCard/${id}`, { body: cardBody });
      expect([wrong.problem.code, right.problem.code], id).to.deep.equal(['VAL002', 'NF001']);
    }
    expect(gateway.calls).to.deep.equal([]);
  });

  it('answers NF001 after the key check for a provider code that no adapter has', async () => {
    for (const code of ['12', '0', '99', '-1']) {
      const { problem } = await gateway.send(`/payments/h2h/${code}`, { body: '{' });
      const without = await gateway.send(`/payments/h2h/${code}`, { body: '{', key: null });
      expect([problem.code, without.problem.code], code).to.deep.equal(['NF001', 'AUTH001']);
    }
  });
});
