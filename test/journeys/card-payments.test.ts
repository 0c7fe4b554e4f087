import { expect } from 'chai';
import { describe, it } from 'mocha';
import { until } from '../../core/base/testing/until.ts';
import { cardBody } from '../support/bodies.ts';
import { startGateway, type TestGateway } from '../support/start-gateway.ts';

describe('a card payment with provider A', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway({ adapters: ['provider-a'] });
  });
  after(async () => gateway.close());

  it('is answered OK in plain text and is paid', async () => {
    const answer = await gateway.post('/payments/h2h/11', cardBody('4111111111111111', '25.90'), { Accept: '*/*' });
    expect(answer.text).to.equal('OK');
    const id = answer.headers.get('x-payment-request-id');
    const { json } = await gateway.get(`/payment-requests/${id}`);
    expect(json).to.include({
      paymentRequestStatusId: 2,
      amount: 25.9,
      transactionStatusId: 2,
      paymentProviderId: 11,
      cardBin: '411111',
    });
  });

  it('is declined with the texts of the specification', async () => {
    const answer = await gateway.post('/payments/h2h/11', cardBody('4000000000009995'));
    expect(answer.status).to.equal(400);
    const paymentRequestId = Number(answer.headers.get('x-payment-request-id'));
    expect(paymentRequestId).to.be.greaterThan(0);
    expect(answer.json).to.deep.include({
      code: 'PAY001',
      details: { declineCode: '51', declineReason: 'insufficient funds', paymentRequestId },
    });
  });

  it('is paid by callback when the answer was lost', async () => {
    const answer = await gateway.post('/payments/h2h/11', cardBody('4000000000006975'));
    expect(answer.status).to.equal(200);
    expect(answer.json.paymentRequest).to.include({ paymentRequestStatusId: 1 });
    const { id } = answer.json.paymentRequest;
    await until('paid', async () => (await gateway.get(`/payment-requests/${id}`)).json.paymentRequestStatusId === 2);
  });

  it("shows the provider's decline code when the callback does not sign it", async () => {
    const answer = await gateway.post('/payments/h2h/11', cardBody('4000000000003089'));
    const { id } = answer.json.paymentRequest;
    await until('failed and fetched', async () => {
      const { json } = await gateway.get(`/payment-requests/${id}/timeline`);
      return json.items.some(
        ({ kind, call }: { kind: string; call: string }) => kind === 'request' && call === 'fetchStatus',
      );
    });
    expect((await gateway.get(`/payment-requests/${id}`)).json).to.include({
      paymentRequestStatusId: 3,
      transactionStatusId: 3,
    });
  });

  it('completes 3D Secure in the payer’s browser', async () => {
    const answer = await gateway.post('/payments/h2h/11', cardBody('4000000000003220'));
    const { action, paymentRequest } = answer.json;
    expect(action).to.include({ type: 'redirect', method: 'GET' });
    const passed = await fetch(action.url, {
      method: 'POST',
      body: new URLSearchParams({ result: 'pass' }),
      redirect: 'manual',
    });
    const back = await fetch(passed.headers.get('location')!, { redirect: 'manual' });
    expect(back.status).to.equal(303);
    await until(
      'paid',
      async () => (await gateway.get(`/payment-requests/${paymentRequest.id}`)).json.paymentRequestStatusId === 2,
    );
  });

  it('is refunded in part, then in full', async () => {
    const paid = await gateway.post('/payments/h2h/11', cardBody('4111111111111111', '25.90'));
    const { id } = paid.json.paymentRequest;
    expect((await gateway.post(`/payment-requests/${id}/refund`, { amount: 5 })).status).to.equal(200);
    expect((await gateway.post(`/payment-requests/${id}/refund`, undefined)).status).to.equal(200);
    await until(
      'refunded',
      async () => (await gateway.get(`/payment-requests/${id}`)).json.paymentRequestStatusId === 4,
    );
  });
});
