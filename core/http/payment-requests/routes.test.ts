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

describe('the payment requests API', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway();
  });
  beforeEach(() => gateway.reset());
  after(() => gateway.server.close(1000));

  it('calls the service in live mode for a live key', async () => {
    await gateway.send('/payment-requests', { body: orderBody, key: 'live' });
    expect(gateway.calls[0]!.args[0]).to.include({ environment: 'live' });
  });

  describe('POST /payment-requests', () => {
    it('passes on the members that a merchant may set, and none that the service sets', async () => {
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
      // Answers show complete times, so the service spells out a time that is not complete.
      ['2026-12-01', '2026-12-01T00:00:00Z', null],
      ['2026-12-01T12:00', '2026-12-01T12:00:00Z', null],
      [null, null, null],
    ] as const) {
      it(`accepts ${expiresAt} as the expiry`, async () => {
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
      it(`answers VAL002 expiresAt for ${JSON.stringify(expiresAt)}`, async () => {
        const { problem } = await gateway.send('/payment-requests', { body: { ...orderBody, expiresAt } });
        expect([problem.code, problem.details['field']]).to.deep.equal(['VAL002', 'expiresAt']);
        expect(problem.message).to.include(rule);
      });
    }

    it('names every wrong field, including the time', async () => {
      const body = { ...orderBody, expiresAt: '2020-01-01', notes: 'x'.repeat(513) };
      const { problem } = await gateway.send('/payment-requests', { body });
      const errors = problem.details['errors'] as readonly { readonly field: string }[];
      expect(errors.map(({ field }) => field)).to.have.members(['notes', 'expiresAt']);
    });

    it('warns of unknown query parameters', async () => {
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

    it('accepts likely mistakes and warns of them, in the answer and in headers, also in a replay', async () => {
      const body = { ...orderBody, note: 'x', notes: 'card 4111111111111111', referenceId: '4111111111111111' };
      gateway.answers.payments = {
        warningsOf: async () => [{ field: 'notifyUrl', message: 'will not be called, ever…' }],
      };
      const headers = { Accept: 'application/json', 'Idempotency-Key': 'warned' };
      for (const replayed of [null, 'true']) {
        const { status, json, headers: given } = await gateway.send('/payment-requests', { body, headers });
        expect([status, given.get('Idempotent-Replayed')]).to.deep.equal([200, replayed]);
        expect(json['warnings']).to.deep.equal([
          { field: 'note', message: 'is unknown and ignored: did you mean notes?' },
          {
            field: 'referenceId',
            message: 'looks like a card number: it is stored as given, and masked in logs and mail',
          },
          { field: 'notes', message: 'contained a card number, which is masked' },
          { field: 'notifyUrl', message: 'will not be called, ever…' },
        ]);
        expect(given.get('X-Gateway-Warning'))
          .to.include('notes contained a card number; which is masked')
          .and.include('ever?');
      }
      const asked = gateway.askedOnly('create')[0];
      expect(asked).to.include({ notes: 'card 411111…1111', referenceId: '4111111111111111' });
      const text = await gateway.send('/payment-requests', { body });
      expect([text.text, text.headers.has('X-Gateway-Warning')]).to.deep.equal(['OK', true]);
    });

    it('has no warnings for a body without mistakes', async () => {
      const { json, headers } = await gateway.send('/payment-requests', {
        body: orderBody,
        headers: { Accept: 'application/json' },
      });
      expect([Object.hasOwn(json, 'warnings'), headers.get('X-Gateway-Warning')]).to.deep.equal([false, null]);
    });

    it('limits warnings to 20, and headers to 5', async () => {
      const strange = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`strange${n}`, n]));
      const { json, headers } = await gateway.send('/payment-requests', {
        body: { ...orderBody, ...strange },
        headers: { Accept: 'application/json' },
      });
      expect(json['warnings']).to.have.length(20);
      expect(headers.get('X-Gateway-Warning')!.split(', ')).to.have.length(5);
    });

    it('warns for each entry of a batch', async () => {
      const paymentRequests = [orderBody, { ...orderBody, notes: '5555 5555 5555 4444' }];
      const { json, headers } = await gateway.send('/payment-requests/batch', { body: { paymentRequests } });
      const warnings = [{ field: 'notes', message: 'contained a card number, which is masked' }];
      expect(json['results']).to.deep.equal([
        { index: 0, id: 10042 },
        { index: 1, id: 10042, warnings },
      ]);
      expect(headers.get('X-Gateway-Warning')).to.match(/^paymentRequests\.1\.notes contained/);
    });

    it('seeks the nearest known name for 20 unknown members of a batch', async () => {
      const misspelled = { ...orderBody, noteS: '', units: '', Amount: 1 };
      const { json } = await gateway.send('/payment-requests/batch', {
        body: { paymentRequests: Array.from({ length: 100 }, () => misspelled) },
      });
      const messages = (json['results'] as { warnings: { message: string }[] }[]).flatMap(({ warnings }) =>
        warnings.map(({ message }) => message),
      );
      expect(messages).to.have.length(300);
      expect(messages.filter((message) => message.includes('did you mean'))).to.have.length(20);
    });

    it('warns of an unknown member of a refund: a misspelled amount would refund everything', async () => {
      const { json } = await gateway.send('/payment-requests/10042/refund', {
        body: { amout: 1 },
        headers: { Accept: 'application/json' },
      });
      expect(json['warnings']).to.deep.equal([
        { field: 'amout', message: 'is unknown and ignored: did you mean amount?' },
      ]);
    });

    it('prefers the query to the body', async () => {
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
      it(`answers VAL002 for ?${query}`, async () => {
        const reply = gateway.send(`/payment-requests?${query}`, {
          body: { ...orderBody, clientEmail: 'a@example.com' },
        });
        expect(await fieldOf(reply)).to.deep.equal(['VAL002', query.split('=')[0]]);
      });
    }

    it('answers VAL002 if the link would be mailed to an invalid address, or to several', async () => {
      for (const [body, field] of [
        [{ clientEmail: 'no-address' }, 'clientEmail'],
        [{ clientEmail: 'a@x.example, b@x.example' }, 'clientEmail'],
        [{ clientEmail: 'a@x.example\r\nBcc: b@x.example' }, 'clientEmail'],
        [{ clientEmail: '', payerEmail: 'no-address' }, 'payerEmail'],
      ] as const) {
        const { problem } = await gateway.send('/payment-requests?send=true', { body: { ...orderBody, ...body } });
        expect([problem.code, problem.details['field']]).to.deep.equal(['VAL002', field]);
      }
    });

    it('answers VAL001 clientEmail if there is no address for the link', async () => {
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

  it('refunds an amount, or everything that is left', async () => {
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

  it('answers VAL002 body for more than 10,000 JSON values', async () => {
    const send = async (values: number) =>
      gateway.send('/payment-requests', { body: { ...orderBody, x: Array(values).fill(0) } });
    const left = 10_000 - 2 - Object.keys(orderBody).length;
    expect((await send(left)).status).to.equal(200);
    expect((await send(left + 1)).problem.message).to.match(/^body: not JSON: more than 10000 values/);
  });

  it('requires payments:write for a refund and requests:write for a cancellation', async () => {
    const codes = ['refund', 'cancel'].map(async (what) => {
      const { problem, status } = await gateway.send(`/payment-requests/1/${what}`, { key: 'writer' });
      return problem.code ?? status;
    });
    expect(await Promise.all(codes)).to.deep.equal(['AUTH002', 200]);
  });

  it('answers reads as JSON for any Accept, and requires requests:read', async () => {
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

  it('answers NF001 for a payment request of another owner, without its headers', async () => {
    gateway.answers.payments.get = async () => {
      throw notFound('payment request 10042');
    };
    const { status, problem, headers } = await gateway.get('/payment-requests/10042');
    expect([status, problem.code, headers.has('location')]).to.deep.equal([404, 'NF001', false]);
  });

  it('filters and pages a list by the query', async () => {
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
    it(`answers VAL002 for ${parameter}: ${values.join(', ')}`, async () => {
      for (const value of values) {
        expect(await fieldOf(gateway.get(`/payment-requests?${parameter}=${value}`)), value).to.deep.equal([
          'VAL002',
          parameter,
        ]);
      }
    });
  }

  it('answers VAL002 for an unknown filter, which would widen the list', async () => {
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
          'is an unknown parameter; the parameters are status, referenceId, clientId, providerId, methodId, providerAccount, createdFrom, createdTo, limit, cursor',
      },
    ]);
  });

  it('names all wrong parameters', async () => {
    const { problem } = await gateway.get('/payment-requests?limit=0&status=x');
    expect(problem.details['errors']).to.deep.equal([
      { field: 'status', value: 'x', message: 'must be a whole number from 0 to 5' },
      { field: 'limit', value: '0', message: 'must be a whole number from 1 to 100' },
    ]);
  });

  describe('POST /payment-requests/batch', () => {
    const batch = (paymentRequests: unknown) => gateway.send('/payment-requests/batch', { body: { paymentRequests } });

    it('gives each entry its own result, in the same order', async () => {
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

    it('counts its entries against ten times the limit of the key, and refuses more than that without counting', async () => {
      await batch([orderBody, orderBody]);
      expect(gateway.entries).to.deep.equal([['key_full', 6000, 2]]);
      const small = await startGateway({ deps: { access: accessWithLimit(1) } });
      const body = { paymentRequests: Array(11).fill(orderBody) };
      const { problem } = await small.send('/payment-requests/batch', { body, isJudged: false });
      await small.server.close(0);
      expect([problem.code, problem.details['field'], small.entries]).to.deep.equal(['VAL002', 'paymentRequests', []]);
      expect(small.calls).to.deep.equal([]);
    });

    it('accepts 100 JSON values per entry, and 50,000 in total', async () => {
      const entry = (values: number) => ({ ...orderBody, x: Array(values).fill(0) });
      const left = 100 - 2 - Object.keys(orderBody).length;
      const { json } = await batch([entry(left), entry(left + 1)]);
      const [good, bad] = json['results'] as { id?: number; error?: { code: string; message: string } }[];
      expect(good?.id).to.be.a('number');
      expect(bad?.error).to.include({ code: 'VAL002', message: 'body: must have at most 100 JSON values' });
      const { problem } = await batch([{ x: Array(50_001).fill(0) }]);
      expect([problem.code, problem.details['field']]).to.deep.equal(['VAL002', 'body']);
    });

    it('accepts a list of 0 to 500 entries', async () => {
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

    it('keeps its answer under the Idempotency-Key only if it created something', async () => {
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

/** Accepts every key, with this limit. */
function accessWithLimit(limit: number): HttpDeps['access'] {
  const scopes = ['requests:write'] as const;
  return {
    authenticate: async () => ({ keyId: 'key_1', ownerId: 7, ownerName: 'Shop', environment: 'test', scopes, limit }),
    webhookSecrets: async () => webhookSecrets,
    logo: async () => undefined,
  };
}
