import { stringifyExact } from '@paywright/contract';
import { expect } from 'chai';
import { after, before, beforeEach, describe, it } from 'mocha';
import { GatewayError, notFound } from '../../base/errors.ts';
import { cardBody, orderBody } from '../testing/bodies.ts';
import { fieldOf, now, paymentView, startGateway } from '../testing/gateway.ts';
import { webhookSecrets } from '../testing/gateway.ts';
import type { TestGateway } from '../testing/gateway.ts';
import type { HttpDeps } from '../deps.ts';

const noOrder = { referenceId: null, notifyUrl: null, successUrl: null, failureUrl: null, originDomain: null };

describe('http: payment requests', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway();
  });
  beforeEach(() => gateway.reset());
  after(() => gateway.server.close(1000));

  it('a live key makes a live caller', async () => {
    await gateway.send('/payment-requests', { body: orderBody, key: 'live' });
    expect(gateway.calls[0]!.args[0]).to.include({ environment: 'live' });
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
        expiresAt: null,
        expiresAtText: null,
        send: false,
      });
    });

    for (const [expiresAt, at, text] of [
      ['2026-11-22T12:00:00Z', '2026-11-22T12:00:00Z', '2026-11-22T12:00:00Z'],
      ['2026-11-22T12:00:00.25+02:00', '2026-11-22T10:00:00.25Z', '2026-11-22T12:00:00.25+02:00'],
      // Answers show whole times: what is not one is spelled by us.
      ['2026-12-01', '2026-12-01T00:00:00Z', null],
      ['2026-12-01T12:00', '2026-12-01T12:00:00Z', null],
      [null, null, null],
    ] as const) {
      it(`takes ${expiresAt} for the time at which it expires`, async () => {
        await gateway.send('/payment-requests', { body: { ...orderBody, expiresAt } });
        const given = { expiresAt: at && new Date(at), expiresAtText: text };
        expect(gateway.askedOnly('create')[0]).to.deep.include(given);
      });
    }

    for (const [expiresAt, rule] of [
      [now.toISOString(), 'must be in the future'],
      ['2020-01-01', 'must be in the future'],
      [new Date(now.getTime() + 8760 * 3_600_000 + 1).toISOString(), 'must be at most 8760 hours ahead'],
      ['tomorrow', 'must be a day or time of ISO 8601'],
      ['2027-02-30T00:00:00Z', 'must be a day or time of ISO 8601'],
      ['', 'must be a day or time of ISO 8601'],
      [1_800_000_000, 'must be text'],
    ] as const) {
      it(`an expiry of ${JSON.stringify(expiresAt)} is VAL002 expiresAt`, async () => {
        const { problem } = await gateway.send('/payment-requests', { body: { ...orderBody, expiresAt } });
        expect([problem.code, problem.details['field']]).to.deep.equal(['VAL002', 'expiresAt']);
        expect(problem.message).to.include(rule);
      });
    }

    it('names every wrong field, the time among them', async () => {
      const body = { ...orderBody, expiresAt: '2020-01-01', notes: 'x'.repeat(513) };
      const { problem } = await gateway.send('/payment-requests', { body });
      const errors = problem.details['errors'] as readonly { readonly field: string }[];
      expect(errors.map(({ field }) => field)).to.have.members(['notes', 'expiresAt']);
    });

    it('says which parameters of the query it does not know', async () => {
      const headers = { Accept: 'application/json' };
      for (const [query, ...warnings] of [
        ['send=false&applicantId=a&accountType=1'],
        ['sent=true', { field: 'sent', message: 'is an unknown query parameter, and ignored: did you mean send?' }],
        ['%C3%BC=1', { field: '[hidden]', message: 'is an unknown query parameter, and ignored' }],
      ] as const) {
        const { status, json } = await gateway.send(`/payment-requests?${query}`, { body: orderBody, headers });
        expect([status, json['warnings'] ?? []], query).to.deep.equal([200, warnings]);
      }
      const paid = await gateway.send('/payments/creditCard/10042?transaction3dsid=x', { body: cardBody });
      expect(paid.headers.get('X-Gateway-Warning')).to.equal(
        'transaction3dsid is an unknown query parameter; and ignored: did you mean transaction3dsId?',
      );
    });

    it('accepts and says what was surely not meant, in the answer and in headers, also when it is replayed', async () => {
      const body = { ...orderBody, note: 'x', notes: 'card 4111111111111111', referenceId: '4111111111111111' };
      gateway.answers.payments = { warningsOf: () => [{ field: 'notifyUrl', message: 'will not be called, ever…' }] };
      const headers = { Accept: 'application/json', 'Idempotency-Key': 'warned' };
      for (const replayed of [null, 'true']) {
        const { status, json, headers: given } = await gateway.send('/payment-requests', { body, headers });
        expect([status, given.get('Idempotent-Replayed')]).to.deep.equal([200, replayed]);
        expect(json['warnings']).to.deep.equal([
          { field: 'note', message: 'is unknown and ignored: did you mean notes?' },
          {
            field: 'referenceId',
            message: 'looks like a card number: it is kept as given, and masked in logs and mail',
          },
          { field: 'notes', message: 'held a card number, which is masked' },
          { field: 'notifyUrl', message: 'will not be called, ever…' },
        ]);
        expect(given.get('X-Gateway-Warning'))
          .to.include('notes held a card number; which is masked')
          .and.include('ever?');
      }
      const asked = gateway.askedOnly('create')[0];
      expect(asked).to.include({ notes: 'card 411111…1111', referenceId: '4111111111111111' });
      const text = await gateway.send('/payment-requests', { body });
      expect([text.text, text.headers.has('X-Gateway-Warning')]).to.deep.equal(['OK', true]);
    });

    it('says nothing of a body without anything to say', async () => {
      const { json, headers } = await gateway.send('/payment-requests', {
        body: orderBody,
        headers: { Accept: 'application/json' },
      });
      expect([Object.hasOwn(json, 'warnings'), headers.get('X-Gateway-Warning')]).to.deep.equal([false, null]);
    });

    it('bounds what it says: 20 warnings, 5 headers', async () => {
      const strange = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`strange${n}`, n]));
      const { json, headers } = await gateway.send('/payment-requests', {
        body: { ...orderBody, ...strange },
        headers: { Accept: 'application/json' },
      });
      expect(json['warnings']).to.have.length(20);
      expect(headers.get('X-Gateway-Warning')!.split(', ')).to.have.length(5);
    });

    it('says it of each entry of a batch', async () => {
      const paymentRequests = [orderBody, { ...orderBody, notes: '5555 5555 5555 4444' }];
      const { json, headers } = await gateway.send('/payment-requests/batch', { body: { paymentRequests } });
      const warnings = [{ field: 'notes', message: 'held a card number, which is masked' }];
      expect(json['results']).to.deep.equal([
        { index: 0, id: 10042 },
        { index: 1, id: 10042, warnings },
      ]);
      expect(headers.get('X-Gateway-Warning')).to.match(/^paymentRequests\.1\.notes held/);
    });

    it('says which member of a refund it does not know: a misspelled amount gives all back', async () => {
      const { json } = await gateway.send('/payment-requests/10042/refund', {
        body: { amout: 1 },
        headers: { Accept: 'application/json' },
      });
      expect(json['warnings']).to.deep.equal([
        { field: 'amout', message: 'is unknown and ignored: did you mean amount?' },
      ]);
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

  it('a body of more than 10,000 JSON values is VAL002 body', async () => {
    const send = async (values: number) =>
      gateway.send('/payment-requests', { body: { ...orderBody, x: Array(values).fill(0) } });
    const room = 10_000 - 2 - Object.keys(orderBody).length;
    expect((await send(room)).status).to.equal(200);
    expect((await send(room + 1)).problem.message).to.match(/^body: not JSON: more than 10000 values/);
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
      const reply = await gateway.get(path, { headers: { Accept: 'text/plain' }, key: 'reader' });
      expect([reply.status, reply.json], path).to.deep.equal([200, json]);
      expect((await gateway.get(path, { key: 'writer' })).problem.code).to.equal('AUTH002');
      expect((await gateway.get(`/v2${path}`)).status).to.equal(200);
    }
  });

  it('what belongs to another is NF001, without the headers of a payment request', async () => {
    gateway.answers.payments.get = async () => {
      throw notFound('payment request 10042');
    };
    const { status, problem, headers } = await gateway.get('/payment-requests/10042');
    expect([status, problem.code, headers.has('location')]).to.deep.equal([404, 'NF001', false]);
  });

  it('a list is filtered and paged as the query says', async () => {
    await gateway.get('/payment-requests');
    await gateway.get(
      '/payment-requests?status=0&referenceId=a%2Bb&clientId=9&providerId=59&methodId=20&limit=100&cursor=c',
    );
    await gateway.get('/payment-requests?createdFrom=2026-01-31&createdTo=2026-02-01T12:30:00%2B02:00');
    await gateway.get('/payment-requests?createdFrom=2026-02-01T12:30:00.5+0200&createdTo=2026-02-01T12:30');
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
        expect(await fieldOf(gateway.get(`/payment-requests?${parameter}=${value}`)), value).to.deep.equal([
          'VAL002',
          parameter,
        ]);
      }
    });
  }

  it('a filter that nobody knows is VAL002: it would widen the list', async () => {
    for (const [query, field] of [
      ['statis=2', 'statis'],
      ['status=2&Status=3', 'Status'],
      ['__proto__=1', '__proto__'],
      [`${'x'.repeat(41)}=1`, '[hidden]'],
      ['4111111111111111=1', '[hidden]'],
      ['%C3%BC=1', '[hidden]'],
    ] as const) {
      expect(await fieldOf(gateway.get(`/payment-requests?${query}`)), query).to.deep.equal(['VAL002', field]);
    }
    expect(gateway.calls).to.deep.equal([]);
    const { problem } = await gateway.get('/payment-requests?statis=2&limit=0');
    expect(problem.details['errors']).to.deep.equal([
      { field: 'limit', value: '0', message: 'must be a whole number from 1 to 100' },
      {
        field: 'statis',
        value: '2',
        message:
          'is no parameter here: there are status, referenceId, clientId, providerId, methodId, createdFrom, createdTo, limit, cursor',
      },
    ]);
  });

  it('all wrong parameters are named', async () => {
    const { problem } = await gateway.get('/payment-requests?limit=0&status=x');
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

    it('counts its entries against ten times the limit of the key, and none that is larger than that', async () => {
      await batch([orderBody, orderBody]);
      expect(gateway.entries).to.deep.equal([['key_full', 6000, 2]]);
      const small = await startGateway({ deps: { access: accessWithLimit(1) } });
      const body = { paymentRequests: Array(11).fill(orderBody) };
      const { problem } = await small.send('/payment-requests/batch', { body, isJudged: false });
      await small.server.close(0);
      expect([problem.code, problem.details['field'], small.entries]).to.deep.equal(['VAL002', 'paymentRequests', []]);
      expect(small.calls).to.deep.equal([]);
    });

    it('takes 100 JSON values an entry, and 50,000 in all', async () => {
      const entry = (values: number) => ({ ...orderBody, x: Array(values).fill(0) });
      const room = 100 - 2 - Object.keys(orderBody).length;
      const { json } = await batch([entry(room), entry(room + 1)]);
      const [good, bad] = json['results'] as { id?: number; error?: { code: string; message: string } }[];
      expect(good?.id).to.be.a('number');
      expect(bad?.error).to.include({ code: 'VAL002', message: 'body: must hold at most 100 JSON values' });
      const { problem } = await batch([{ x: Array(50_001).fill(0) }]);
      expect([problem.code, problem.details['field']]).to.deep.equal(['VAL002', 'body']);
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
});

/** Every key is good, with a limit of its own. */
function accessWithLimit(limit: number): HttpDeps['access'] {
  const scopes = ['requests:write'] as const;
  return {
    authenticate: async () => ({ keyId: 'key_1', ownerId: 7, ownerName: 'Shop', environment: 'test', scopes, limit }),
    webhookSecrets: async () => webhookSecrets,
    logo: async () => undefined,
  };
}
