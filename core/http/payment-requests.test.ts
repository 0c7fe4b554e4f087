import { stringifyExact } from '@gateway/contract';
import { expect } from 'chai';
import { after, before, beforeEach, describe, it } from 'mocha';
import { GatewayError, notFound } from '../errors.ts';
import type { Notifications } from '../notifications/index.ts';
import type { ReportRow } from './deps.ts';
import { notificationExample } from './openapi/answer-examples.ts';
import { cardBody, endpoints, orderBody, payerBody } from './testing/bodies.ts';
import { now, paymentView, publicUrl, startGateway } from './testing/gateway.ts';
import type { TestGateway } from './testing/gateway.ts';

const notification = { ...notificationExample(publicUrl), id: '10042-1' };
const caller = { ownerId: 7, environment: 'test', requestId: 'r' } as const;
const noOrder = { referenceId: null, notifyUrl: null, successUrl: null, failureUrl: null, originDomain: null };

describe('http: what services are asked', () => {
  let gateway: TestGateway;
  const told: unknown[] = [];
  const rows: ReportRow[] = [];
  before(async () => {
    gateway = await startGateway({ deps: { notifications: createDesk(told), reports: { payments: reportOf } } });
  });
  beforeEach(() => {
    gateway.reset();
    told.length = rows.length = 0;
  });
  after(() => gateway.server.close(1000));

  async function* reportOf(...args: readonly unknown[]): AsyncGenerator<ReportRow> {
    told.push(args[1]);
    yield* rows;
  }
  const get = (path: string, options = {}) => gateway.send(path, { method: 'GET', ...options });
  const fieldOf = async (reply: ReturnType<typeof get>) => {
    const { problem } = await reply;
    return [problem.code, problem.details['field']];
  };

  it('h2h hands over code, order and payer as sent', async () => {
    const browserInfo = { userAgent: 'x', javaEnabled: false, strange: 1 };
    const order = { ...orderBody, referenceId: 'r-1', notifyUrl: 'https://shop.example/n', successUrl: null };
    const extras = { captureDelayHours: 7, is3ds: true, isSandbox: false, ipAddress: '::1', wallet: { eci: '05' } };
    const body = { ...cardBody, ...order, ...extras, browserInfo };
    await gateway.send('/payments/h2h/11?transaction3dsId=x', { body, headers: { 'X-Request-Id': 'r' } });
    const [code, given, input] = gateway.askedOnly('payH2h');
    expect(gateway.calls[0]!.args[0]).to.deep.equal(caller);
    expect(code).to.equal(11);
    expect(given).to.deep.equal({
      ...noOrder,
      amount: '25.9',
      unit: 'EUR',
      referenceId: 'r-1',
      notifyUrl: order.notifyUrl,
    });
    expect(input).to.deep.include({
      kind: 'card',
      payer: { ...payerBody, ipAddress: '::1' },
      card: { number: cardBody.number, expiration: '12/30', expiryMonth: '12', expiryYear: '2030', cvv: '737' },
      browserInfo: { userAgent: 'x', javaEnabled: false },
      wallet: { eci: '05' },
      captureDelayHours: 7,
      is3ds: true,
      isSandbox: false,
    });
    expect(Object.keys((input as { body: object }).body)).to.have.members(Object.keys(body));
  });

  it('every input kind has its own form, and members that were not sent are absent', async () => {
    for (const [code, kind, member] of [
      [27, 'billing', {}],
      [51, 'token', { token: 'tok_marker_51' }],
      [31, 'upi', { upiId: 'marker.user@upi' }],
    ] as const) {
      gateway.reset();
      const { body } = { body: endpoints[`/payments/h2h/${code}`] };
      await gateway.send(`/payments/h2h/${code}`, { body: { ...body, is3ds: false, card: 1, cvv: null } });
      const { body: _, ...input } = gateway.askedOnly('payH2h')[2] as Record<string, unknown>;
      expect(input).to.deep.equal({ kind, payer: { ...payerBody, ipAddress: null }, is3ds: false, ...member });
    }
  });

  it('a live key makes a live caller', async () => {
    await gateway.send('/payment-requests', { body: orderBody, key: 'live' });
    expect(gateway.calls[0]!.args[0]).to.include({ environment: 'live' });
  });

  it('creditCard and upi pay the payment request in the path; transaction3dsId resumes', async () => {
    await gateway.send('/payments/creditCard/10042', { body: cardBody });
    await gateway.send('/payments/upi/10043', { body: endpoints['/payments/upi/10042'] });
    await gateway.send('/payments/creditCard/10044?transaction3dsId=5f6b%201', { body: cardBody });
    expect(gateway.calls.map(({ name, args }) => [name, args[1]])).to.deep.equal([
      ['pay', 10042],
      ['pay', 10043],
      ['resume', 10044],
    ]);
    expect(gateway.calls[2]!.args[2]).to.equal('5f6b 1');
    const twice = gateway.send('/payments/creditCard/10044?transaction3dsId=a&transaction3dsId=b', { body: cardBody });
    expect(await fieldOf(twice)).to.deep.equal(['VAL002', 'transaction3dsId']);
  });

  it('a month is good until it ends by UTC', async () => {
    for (const [expiration, code] of [
      ['11/26', undefined],
      ['10/26', 'PAY002'],
      ['12/25', 'PAY002'],
      ['13/30', 'PAY002'],
      ['00/30', 'PAY002'],
      ['1/30', 'PAY002'],
      ['12/2030', 'PAY002'],
      ['12-30', 'PAY002'],
    ] as const) {
      const { problem } = await gateway.send('/payments/creditCard/1', { body: { ...cardBody, expiration } });
      expect(problem.code, expiration).to.equal(code);
    }
  });

  it('an upiId is username@bankcode', async () => {
    for (const [upiId, code] of [
      ['success@upi', undefined],
      ['Jo.do-e_1@ok-bank', undefined],
      ['success', 'UPI001'],
      ['@upi', 'UPI001'],
      ['a@', 'UPI001'],
      ['a@b@c', 'UPI001'],
      ['a b@upi', 'UPI001'],
    ] as const) {
      const { problem } = await gateway.send('/payments/upi/1', {
        body: { ...endpoints['/payments/upi/10042'], upiId },
      });
      expect(problem.code, upiId).to.equal(code);
    }
  });

  it('a member code goes to the payment request in the path', async () => {
    await gateway.send('/payments/cardMemberConfirm/10042', { body: { paymentId: 'A-1', code: '0123' } });
    expect(gateway.askedOnly('confirm')).to.deep.equal([10042, 'A-1', '0123']);
  });

  describe('POST /payment-requests', () => {
    it('hands over what may be given, and nothing that is ours', async () => {
      const given = { recipientName: 'R', payerCountry: 'DE', notes: 'N', payerName: 'P', payerEmail: 'p@example.com' };
      const client = { name: 'A', email: 'a@example.com', address: 'B', phone: 'C', memberId: 'D' };
      const ours = { id: 'x', logs: 1, paymentRequestStatusId: 99, clientId: [], feeAmount: '1', link: null };
      const body = { ...orderBody, ...given, client, clientEmail: 'flat@example.com', targetAccountTypeId: 2, ...ours };
      await gateway.send('/payment-requests?unknown=1', { body });
      expect(gateway.askedOnly('create')[0]).to.deep.equal({
        ...noOrder,
        amount: '25.9',
        unit: 'EUR',
        ...given,
        client: { ...client, email: 'flat@example.com' },
        targetAccountTypeId: 2,
        kycApplicantId: null,
        send: false,
      });
    });

    it('the query beats the body', async () => {
      const body = { ...orderBody, targetAccountTypeId: 1, clientEmail: 'a@example.com' };
      await gateway.send('/payment-requests?send=true&accountType=3&applicantId=a%20b', { body });
      const asked = { send: true, targetAccountTypeId: 3, kycApplicantId: 'a b' };
      expect(gateway.askedOnly('create')[0]).to.include(asked);
    });

    for (const query of [
      'send=yes',
      'send=',
      'send=true&send=true',
      'accountType=4',
      'accountType=1.0',
      'accountType=-1',
      'applicantId=%00',
      'applicantId=%FF',
      'applicantId=%ED%A0%80',
      'applicantId=a&applicantId=b',
    ]) {
      it(`?${query} is VAL002`, async () => {
        const reply = gateway.send(`/payment-requests?${query}`, {
          body: { ...orderBody, clientEmail: 'a@example.com' },
        });
        expect(await fieldOf(reply)).to.deep.equal(['VAL002', query.split('=')[0]]);
      });
    }

    it('to send the link to what is no address, or to several, is VAL002', async () => {
      for (const [body, field] of [
        [{ clientEmail: 'nobody' }, 'clientEmail'],
        [{ clientEmail: 'a@x.example, b@x.example' }, 'clientEmail'],
        [{ clientEmail: 'a@x.example\r\nBcc: b@x.example' }, 'clientEmail'],
        [{ clientEmail: '', payerEmail: 'nobody' }, 'payerEmail'],
      ] as const) {
        const { problem } = await gateway.send('/payment-requests?send=true', { body: { ...orderBody, ...body } });
        expect([problem.code, problem.details['field']]).to.deep.equal(['VAL002', field]);
      }
    });

    it('to send the link to nobody is VAL001 clientEmail', async () => {
      const { problem } = await gateway.send('/payment-requests?send=true', {
        body: { ...orderBody, clientEmail: '' },
      });
      expect([problem.code, problem.details]).to.deep.equal(['VAL001', { missingFields: ['clientEmail'] }]);
      for (const to of [{ client: { email: 'a@example.com' } }, { payerEmail: 'a@example.com' }]) {
        const { status } = await gateway.send('/payment-requests?send=true', { body: { ...orderBody, ...to } });
        expect(status).to.equal(200);
      }
    });
  });

  it('a refund is of an amount, or of what is left', async () => {
    for (const [body, amount] of [
      [{ amount: 1.5 }, '1.5'],
      [{}, undefined],
      [undefined, undefined],
    ] as const) {
      gateway.reset();
      await gateway.send('/payment-requests/10042/refund', { body });
      expect(gateway.askedOnly('refund')).to.deep.equal([10042, amount]);
    }
    for (const amount of [0, -1, '1', null, 1e-19]) {
      expect(await fieldOf(gateway.send('/payment-requests/1/refund', { body: { amount } }))).to.deep.equal([
        'VAL002',
        'amount',
      ]);
    }
  });

  it('refund needs payments:write, cancel requests:write', async () => {
    const codes = ['refund', 'cancel'].map(async (what) => {
      const { problem, status } = await gateway.send(`/payment-requests/1/${what}`, { key: 'writer' });
      return problem.code ?? status;
    });
    expect(await Promise.all(codes)).to.deep.equal(['AUTH002', 200]);
  });

  it('reading is JSON whatever Accept, and needs requests:read', async () => {
    const view = JSON.parse(stringifyExact(paymentView())) as unknown;
    for (const [path, json] of [
      ['/payment-requests/10042', view],
      [
        '/payment-requests/10042/timeline',
        { items: [{ at: now.toISOString(), kind: 'transition', from: 0, to: 1, cause: 'submitted' }] },
      ],
      ['/payment-requests', { items: [view], nextCursor: 'next' }],
    ] as const) {
      const reply = await get(path, { headers: { Accept: 'text/plain' }, key: 'reader' });
      expect([reply.status, reply.json], path).to.deep.equal([200, json]);
      expect((await get(path, { key: 'writer' })).problem.code).to.equal('AUTH002');
      expect((await get(`/v2${path}`)).status).to.equal(200);
    }
  });

  it('what belongs to another is NF001, without the headers of a payment request', async () => {
    gateway.answers.payments.get = async () => {
      throw notFound('payment request 10042');
    };
    const { status, problem, headers } = await get('/payment-requests/10042');
    expect([status, problem.code, headers.has('location')]).to.deep.equal([404, 'NF001', false]);
  });

  it('a list is filtered and paged as the query says', async () => {
    await get('/payment-requests');
    await get(
      '/payment-requests?status=0&referenceId=a%2Bb&clientId=9&providerId=59&methodId=20&limit=100&cursor=c&x=1',
    );
    await get('/payment-requests?createdFrom=2026-01-31&createdTo=2026-02-01T12:30:00%2B02:00');
    await get('/payment-requests?createdFrom=2026-02-01T12:30:00.5+0200&createdTo=2026-02-01T12:30');
    expect(gateway.calls.map(({ args }) => args[1])).to.deep.equal([
      { limit: 20 },
      { status: 0, referenceId: 'a+b', clientId: 9, providerId: 59, methodId: 20, limit: 100, cursor: 'c' },
      { createdFrom: new Date('2026-01-31T00:00:00Z'), createdTo: new Date('2026-02-01T10:30:00Z'), limit: 20 },
      { createdFrom: new Date('2026-02-01T10:30:00.5Z'), createdTo: new Date('2026-02-01T12:30:00Z'), limit: 20 },
    ]);
  });

  for (const [parameter, ...values] of [
    ['status', '6', '-1', 'paid', '', '01', '1.0'],
    ['clientId', '0', 'x', '99999999999999999999'],
    ['providerId', '10', '19', '20', '60'],
    ['methodId', '12', '21'],
    ['limit', '0', '101', 'all'],
    ['createdFrom', '2026-02-30', 'today', '2026-1-1', '2026-01-01T25:00Z', '2026-01-01T10:00+99:00', '', '1'],
    ['createdTo', '2026-13-01'],
    ['referenceId', '%00'],
  ] as const) {
    it(`a ${parameter} of ${values.join(', ')} is VAL002`, async () => {
      for (const value of values) {
        expect(await fieldOf(get(`/payment-requests?${parameter}=${value}`)), value).to.deep.equal([
          'VAL002',
          parameter,
        ]);
      }
    });
  }

  it('all wrong parameters are named', async () => {
    const { problem } = await get('/payment-requests?limit=0&status=x');
    expect(problem.details['errors']).to.deep.equal([
      { field: 'status', value: 'x', message: 'must be a whole number from 0 to 5' },
      { field: 'limit', value: '0', message: 'must be a whole number from 1 to 100' },
    ]);
  });

  describe('POST /payment-requests/batch', () => {
    const batch = (paymentRequests: unknown) => gateway.send('/payment-requests/batch', { body: { paymentRequests } });

    it('gives each entry its own result, in its place', async () => {
      let id = 100;
      gateway.answers.payments.create = async (_caller, { unit }) => {
        if (unit === 'USD') throw new GatewayError('IDEMPOTENCY_CONFLICT', 'no');
        if (unit === 'GBP') throw new Error('away');
        return paymentView((id += 1));
      };
      const { status, json } = await batch([
        orderBody,
        {},
        { ...orderBody, unit: 1 },
        5,
        { ...orderBody, unit: 'USD' },
        { ...orderBody, unit: 'GBP' },
      ]);
      const results = json['results'] as { index: number; id?: number; error?: { code: string; instance: string } }[];
      expect(status).to.equal(200);
      expect(results.map(({ index, id: made, error }) => [index, made ?? error?.code])).to.deep.equal([
        [0, 101],
        [1, 'VAL001'],
        [2, 'VAL002'],
        [3, 'VAL002'],
        [4, 'IDEM001'],
        [5, 'SYS001'],
      ]);
      expect(results[1]!.error!.instance).to.equal('/payment-requests/batch#/paymentRequests/1');
    });

    it('takes none to 500 entries, in a list', async () => {
      expect((await batch([])).json).to.deep.equal({ results: [] });
      expect((await batch(Array.from({ length: 500 }, () => orderBody))).json['results']).to.have.length(500);
      for (const [entries, code] of [
        [Array(501).fill(orderBody), 'VAL002'],
        ['x', 'VAL002'],
        [null, 'VAL002'],
        [undefined, 'VAL001'],
      ] as const) {
        expect((await batch(entries)).problem.code).to.equal(code);
      }
    });

    it('is kept for its Idempotency-Key only when it made something', async () => {
      const send = (entries: unknown[], key: string) =>
        gateway.send('/payment-requests/batch', {
          body: { paymentRequests: entries },
          headers: { 'Idempotency-Key': key },
        });
      for (const [entries, replayed] of [
        [[{}, orderBody], 'true'],
        [[{}], null],
      ] as const) {
        await send([...entries], `b${replayed}`);
        expect((await send([...entries], `b${replayed}`)).headers.get('idempotent-replayed')).to.equal(replayed);
      }
    });
  });

  describe('notifications', () => {
    const whose = { ownerId: 7, environment: 'test' };

    it('are listed', async () => {
      const { json } = await get(
        '/notifications?paymentRequestId=10042&state=exhausted&type=payment.failed&limit=5&cursor=c',
      );
      expect(json).to.deep.equal({ items: [notification], nextCursor: null });
      expect(told).to.deep.equal([
        { ...whose, paymentRequestId: 10042, state: 'exhausted', type: 'payment.failed', limit: 5, cursor: 'c' },
      ]);
      for (const query of ['state=gone%20', 'limit=0', 'paymentRequestId=x']) {
        expect((await fieldOf(get(`/notifications?${query}`)))[0]).to.equal('VAL002');
      }
    });

    it('are sent again one by one, with a body or without', async () => {
      const plain = await gateway.send('/notifications/10042-1/resend');
      const json = await gateway.send('/notifications/10042-1/resend', {
        body: {},
        headers: { Accept: 'application/json' },
      });
      expect([plain.text, json.json]).to.deep.equal(['OK', { result: 'OK', notification }]);
      expect((await gateway.send('/notifications/unknown/resend')).problem.code).to.equal('NF001');
    });

    it('are sent again for a span of time, of query or body, or all of them', async () => {
      const from = '2026-01-01T00:00:00Z';
      const json = await gateway.send('/notifications/resend', {
        body: { from, to: '2026-01-02' },
        headers: { Accept: 'application/json' },
      });
      await gateway.send(`/notifications/resend?from=${from}&to=2026-01-02`);
      await gateway.send('/notifications/resend');
      expect(json.json).to.deep.equal({ result: 'OK', resent: 3 });
      const span = { ...whose, from: new Date(from), to: new Date('2026-01-02') };
      expect(told).to.deep.equal([span, span, { ...whose, from: new Date(0), to: now }]);
      for (const body of [{ from: 1 }, { from: 'x' }, { from: '2026-01-02', to: '2026-01-01' }]) {
        expect(await fieldOf(gateway.send('/notifications/resend', { body }))).to.deep.equal(['VAL002', 'from']);
      }
    });

    it('need their scopes', async () => {
      expect((await gateway.send('/notifications/resend', { key: 'reader' })).problem.code).to.equal('AUTH002');
      expect((await get('/notifications', { key: 'writer' })).problem.code).to.equal('AUTH002');
    });
  });

  describe('GET /reports/payments', () => {
    const row = {
      day: '2026-11-20',
      providerId: 11,
      methodId: 1,
      currency: 'EUR',
      status: 2,
      count: 3,
      amount: '77.70',
    };

    it('is JSON, or CSV for those who ask', async () => {
      rows.push(row, { ...row, currency: 'A,"B' });
      const json = await get('/reports/payments?from=2026-11-01&to=2026-11-20');
      const csv = await get('/reports/payments', { headers: { Accept: 'text/csv' } });
      expect(json.json).to.deep.equal({ items: rows });
      expect(csv.headers.get('content-type')).to.equal('text/csv; charset=utf-8');
      expect(csv.text).to.equal(
        'day,providerId,methodId,currency,status,count,amount\r\n' +
          '2026-11-20,11,1,EUR,2,3,77.70\r\n2026-11-20,11,1,"A,""B",2,3,77.70\r\n',
      );
      expect(told).to.deep.equal([
        { from: '2026-11-01', to: '2026-11-20' },
        { from: '2026-10-23', to: '2026-11-21' },
      ]);
    });

    it('is empty where nothing was paid, and VAL002 for what is no day', async () => {
      expect((await get('/reports/payments')).json).to.deep.equal({ items: [] });
      for (const query of ['from=2026-02-29', 'from=2026-11-20T00:00:00Z', 'from=2026-11-02&to=2026-11-01']) {
        expect(await fieldOf(get(`/reports/payments?${query}`)), query).to.deep.equal(['VAL002', 'from']);
      }
    });
  });
});

function createDesk(told: unknown[]): Pick<Notifications, 'list' | 'resend' | 'resendSpan'> {
  const { createdAt, nextAttemptAt, ...rest } = notification;
  const attempts = rest.attempts.map(({ at, ...attempt }) => ({ ...attempt, at: new Date(at) }));
  const view = { ...rest, state: 'delivered' as const, attempts, createdAt: new Date(createdAt), nextAttemptAt };
  return {
    async list(query) {
      told.push(query);
      return { items: [view], nextCursor: null };
    },
    async resend({ id }) {
      if (id !== view.id) throw notFound('the notification');
      return view;
    },
    async resendSpan(span) {
      told.push(span);
      return 3;
    },
  };
}
