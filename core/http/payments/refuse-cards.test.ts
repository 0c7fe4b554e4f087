/** Tests the API of a service that accepts no card data (`http.refuseCardNumbers`). */
import { expect } from 'chai';
import { after, before, beforeEach, describe, it } from 'mocha';
import type { OpenApiDocument } from '../openapi/index.ts';
import { cardBody, endpoints, orderBody, payerBody, tokenBody } from '../testing/bodies.ts';
import { fieldOf, startGateway, type TestGateway } from '../testing/gateway.ts';

describe('the API of a service that accepts no card data', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway({ config: { refuseCardNumbers: true } });
  });
  beforeEach(() => gateway.reset());
  after(() => gateway.server.close(1000));

  for (const path of Object.keys(endpoints)) {
    it(`refuses a card in POST ${path} with its field and a cure, and repeats nothing of it`, async () => {
      const body = { ...orderBody, ...cardBody };
      const headers = { 'Idempotency-Key': path, 'X-Request-Id': 'r' };
      const { status, problem, text } = await gateway.send(path, { body, headers });
      expect([status, problem.code, problem.details['field']]).to.deep.equal([400, 'VAL002', 'number']);
      expect(problem.message).to.include('send the payer the link of the payment');
      for (const secret of [cardBody.number, cardBody.number.slice(-4), cardBody.cvv])
        expect(text).not.to.include(secret);
      expect(JSON.stringify(gateway.logLines)).not.to.include(cardBody.number.slice(0, 6));
      expect(gateway.calls.map(({ name }) => name)).to.deep.equal([]);
    });
  }

  it('refuses a card before it judges the Idempotency-Key, the provider and the rest of the body', async () => {
    const headers = { 'Idempotency-Key': 'x'.repeat(300) };
    expect(await fieldOf(gateway.send('/payments/h2h/99', { body: { cvv: '737' }, headers }))).to.deep.equal([
      'VAL002',
      'cvv',
    ]);
  });

  it('refuses a wallet, a card number in any text of a call that pays, and a card in an entry of a batch', async () => {
    const asked = async (path: string, body: object) => fieldOf(gateway.send(path, { body }));
    const order = { ...payerBody, ...orderBody };
    expect(await asked('/payments/h2h/27', { ...order, wallet: { eci: '05' } })).to.deep.equal(['VAL002', 'wallet']);
    const typed = { ...order, name: 'Zoe 4111 1111 1111 1111' };
    expect(await asked('/payments/h2h/27', typed)).to.deep.equal(['VAL002', 'name']);
    const batch = { paymentRequests: [orderBody, { ...orderBody, cvv: '737' }] };
    expect(await asked('/payment-requests/batch', batch)).to.deep.equal(['VAL002', 'paymentRequests.1.cvv']);
    expect(gateway.calls).to.deep.equal([]);
  });

  it('asks for no card where a card is the only input', async () => {
    for (const path of ['/payments/creditCard/10042', '/payments/h2h/11'])
      expect(await fieldOf(gateway.send(path, { body: { ...payerBody, ...orderBody } }))).to.deep.equal([
        'VAL002',
        'number',
      ]);
  });

  it('accepts payments without card data as before', async () => {
    for (const [code, body] of [
      [27, payerBody],
      [51, tokenBody],
    ] as const) {
      const { status } = await gateway.send(`/payments/h2h/${code}`, { body: { ...body, ...orderBody } });
      expect(status).to.equal(200);
    }
    const { status } = await gateway.send('/payment-requests', { body: orderBody });
    expect(status).to.equal(200);
  });

  for (const [what, query] of [
    ['complete', '?all'],
    ['merchants’', ''],
  ] as const) {
    it(`has neither calls nor bodies with card data in the ${what} OpenAPI document`, async () => {
      const { text } = await gateway.get(`/openapi.json${query}`);
      const document = JSON.parse(text) as OpenApiDocument;
      expect(document.paths).not.to.have.any.keys('/payments/creditCard/{id}', '/payments/h2h/11');
      expect(document.paths).to.include.all.keys('/payments/h2h/{id}', '/payments/upi/{id}');
      expect(document.components.schemas).not.to.have.any.keys('CardPayment', 'CardOrder', 'Wallet');
      expect(text).not.to.match(/payByCard|creditCard|CardOrder|"cvv":|4111111111111111/);
      // Every reference leads somewhere.
      for (const [, kind = '', name = ''] of text.matchAll(/"#\/components\/(\w+)\/([^"]+)"/g))
        expect(document.components[kind as keyof OpenApiDocument['components']], `${kind} ${name}`).to.have.property(
          name,
        );
    });
  }

  it('has neither in the reference and in the Postman collection', async () => {
    expect((await gateway.get('/docs/api/payByCard', { headers: { Accept: 'text/html' } })).status).to.equal(404);
    expect((await gateway.get('/docs/api', { headers: { Accept: 'text/html' } })).text).not.to.include('payByCard');
    const { status, text } = await gateway.get('/docs/postman.json');
    expect(status).to.equal(200);
    expect(text).not.to.match(/creditCard|4111111111111111/);
  });
});
