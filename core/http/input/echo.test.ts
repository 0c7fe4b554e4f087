/**
 * Puts secrets into every body and makes the other fields invalid in turn. No answer and no log line may contain a
 * secret.
 */
import { expect } from 'chai';
import { after, before, beforeEach, describe, it } from 'mocha';
import { invalidField, notFound } from '../../base/errors.ts';
import { toEchoed } from './echo.ts';
import { endpoints } from '../testing/bodies.ts';
import type { Endpoint } from '../testing/bodies.ts';
import { startGateway } from '../testing/gateway.ts';
import type { Reply, TestGateway } from '../testing/gateway.ts';

const card = '4111111111111111';
/** Valid values and values that are too long for their field: both must stay hidden. */
const secrets: Readonly<Record<string, readonly unknown[]>> = {
  number: [card, 4111111111111111, `${card}marker-number`, [card], { marker: card }, 'marker'],
  cvv: ['marker-cvv', 4815162342, ['marker'], { marker: 1 }, 'mark'],
  token: [['marker-token'], 4815162342, { token: 'marker' }, ''],
  upiId: ['marker upi', ['marker'], 'marker@', 4815162342],
  code: ['marker'.repeat(20), 4815162342, ['marker']],
  wallet: ['marker', ['marker'], { authenticationValue: 4815162342 }, { authenticationValue: 'marker', xid: 1 }],
};
const leak = /marker|4111[ -]?1111|4815162342/;

describe('a secret in a request', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway();
  });
  beforeEach(() => gateway.reset());
  after(() => gateway.server.close(1000));

  function expectNoLeak({ text, headers }: Reply, what: string): void {
    expect(text, what).not.to.match(leak);
    expect(JSON.stringify([...headers]), what).not.to.match(leak);
    expect(JSON.stringify(gateway.logLines.splice(0)), what).not.to.match(leak);
  }

  for (const [path, body] of Object.entries(endpoints) as [Endpoint, Record<string, unknown>][]) {
    it(`is hidden by ${path}, whatever other field is wrong`, async () => {
      for (const [name, values] of Object.entries(secrets)) {
        for (const value of values) {
          const spoilt = { ...body, number: card, wallet: { authenticationValue: 'marker' }, [name]: value };
          for (const other of [...Object.keys(body), 'captureDelayHours', 'notes']) {
            const wrong = { ...spoilt, [other]: other === name ? value : [1] };
            expectNoLeak(await gateway.send(path, { body: wrong }), `${name}, ${other}`);
          }
        }
      }
    });
  }

  for (const [name, value] of [
    ['number', '4111111111111112'],
    ['expiration', '01/20'],
  ] as const) {
    it(`is not in a PAY002 about the ${name}, which names field and reason`, async () => {
      const body = { ...endpoints['/payments/h2h/11'], [name]: value };
      const reply = await gateway.send('/payments/h2h/11', { body });
      expect([reply.problem.code, reply.problem.details['field']]).to.deep.equal(['PAY002', name]);
      expect(reply.problem.details['reason']).to.be.a('string');
      expectNoLeak(reply, name);
    });
  }

  it('is hidden in UPI001', async () => {
    const reply = await gateway.send('/payments/upi/1', {
      body: { ...endpoints['/payments/upi/10042'], upiId: 'marker' },
    });
    expect([reply.problem.code, reply.problem.details]).to.deep.equal([
      'UPI001',
      { upiId: '[hidden]', expectedFormat: 'username@bankcode' },
    ]);
    expectNoLeak(reply, 'upiId');
  });

  it('is hidden if it is a card number in a wrong field, however it is written', async () => {
    for (const value of [
      card,
      Number(card),
      '4111 1111 1111 1111',
      '4111-1111-1111-1111',
      `my card is ${card}.`,
      [card],
    ]) {
      for (const field of ['phoneNumber', 'country', 'captureDelayHours']) {
        const reply = await gateway.send('/payments/h2h/11', {
          body: { ...endpoints['/payments/h2h/11'], [field]: value },
        });
        expect(reply.problem.code).to.equal('VAL002');
        expectNoLeak(reply, field);
      }
    }
  });

  it('is not repeated if it is a card number in a path, a parameter or a wrong unit', async () => {
    gateway.answers.payments.pay = async (_caller, id) => {
      throw notFound(`payment request ${id}`);
    };
    gateway.answers.payments.list = async (_caller, { cursor }) => {
      throw invalidField('cursor', cursor, 'must be another');
    };
    gateway.answers.payments.payH2h = async (_caller, _code, { unit }) => {
      throw invalidField('unit', unit, 'must be another');
    };
    const pay = '/payments/creditCard';
    for (const reply of [
      await gateway.send(`${pay}/${card}`, { body: endpoints['/payments/creditCard/10042'] }),
      await gateway.send(`/payment-requests?cursor=${card}`, { method: 'GET' }),
      await gateway.send('/payments/h2h/11', { body: { ...endpoints['/payments/h2h/11'], unit: card } }),
      await gateway.send('/payments/h2h/11', {
        body: endpoints['/payments/h2h/11'],
        headers: { 'Idempotency-Key': card.repeat(20).replaceAll('41', ' 41') },
      }),
    ]) {
      expect(reply.status).to.be.oneOf([400, 404]);
      expectNoLeak(reply, 'card');
    }
  });

  it('is hidden in the answer of a test callback, our own secrets and others', async () => {
    const body = {
      webhookSecret: 'marker',
      client_secret: 'marker',
      'api-key': 'marker',
      Authorization: 'marker',
      password: 'marker',
      note: 'my key is gk_test_marker',
      list: ['whsec_marker', 'Bearer marker'],
    };
    const json = await gateway.send('/callbacks/test/json', { key: null, body: { ...body, kept: 'kept' } });
    const form = await gateway.send('/callbacks/test/form', { key: null, body: 'password=marker&kept=kept' });
    for (const reply of [json, form]) {
      expect([reply.status, (reply.json['received'] as Record<string, unknown>)['kept']]).to.deep.equal([200, 'kept']);
      expectNoLeak(reply, 'secrets');
    }
  });

  for (const value of [
    '+4111111111111111',
    '41111111111111112',
    '0000000000000',
    '1'.repeat(40),
    'GW-10042-1',
    'Zoë',
  ]) {
    it(`is not seen in ${value}, which is no card number and is repeated`, () => {
      expect(toEchoed(value)).to.equal(value);
    });
  }
});
