/** A merchant follows a refund: in the answer, in the resource, in the timeline and in the notifications. */
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { until } from '../../core/base/testing/until.ts';
import { payer } from '../support/bodies.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { startGateway, type TestGateway } from '../support/start-gateway.ts';

interface Refund {
  readonly id: string;
  readonly amount: number;
  readonly status: string;
}

describe('a refund', () => {
  let gateway: TestGateway;
  let receiver: Receiver;
  before(async () => {
    receiver = await startReceiver();
    gateway = await startGateway({ adapters: ['token'] });
  });
  after(async () => {
    await gateway.close();
    await receiver.close();
  });

  async function pay(amount: number): Promise<number> {
    const body = { ...payer, token: 'tok_approved', amount, unit: 'EUR', notifyUrl: receiver.url };
    const { json } = await gateway.post('/payments/h2h/51', body);
    return json.paymentRequest.id as number;
  }
  async function read(id: number) {
    const { json } = await gateway.get(`/payment-requests/${id}`);
    const { refundedAmount, refundableAmount, disputedAmount, refunds } = json;
    return { sums: [refundedAmount, refundableAmount, disputedAmount], refunds: refunds as readonly Refund[] };
  }
  /** The notifications about the refund, once one of this type arrived. */
  async function notifiedOf(id: number, type: string): Promise<readonly { type: string; data: { refund: Refund } }[]> {
    const about = () => receiver.ofPayment(id).map(({ json }) => json as { type: string; data: { refund: Refund } });
    await until(`${type} arrived`, () => about().some((one) => one.type === type));
    return about().filter((one) => one.type.startsWith('payment.refund') || one.type.includes('_refunded'));
  }

  it('is announced if it fails later, and its amount is refundable again', async () => {
    const id = await pay(20);
    const { status, json } = await gateway.post(`/payment-requests/${id}/refund`, { amount: 1.58 });
    expect([status, json.result]).to.deep.equal([200, 'OK']);
    const [requested] = json.paymentRequest.refunds as readonly Refund[];
    expect(requested).to.include({ id: `GW-${id}-1-R1`, amount: 1.58, status: 'pending', charge: 1, doneDate: null });
    expect(json.paymentRequest).to.include({ refundedAmount: 0, refundableAmount: 18.42, disputedAmount: 0 });

    const notified = await notifiedOf(id, 'payment.refund_failed');
    expect(notified.map(({ type }) => type)).to.deep.equal(['payment.refund_failed']);
    const { sums, refunds } = await read(id);
    expect(sums).to.deep.equal([0, 20, 0]);
    expect(refunds).to.have.length(1);
    expect(refunds[0]).to.include({ id: requested!.id, amount: 1.58, status: 'failed' });
    expect(notified[0]!.data.refund).to.deep.equal(refunds[0]);

    const again = await gateway.post(`/payment-requests/${id}/refund`, { amount: 20 });
    expect(again.status).to.equal(200);
    const items = (await gateway.get(`/payment-requests/${id}/timeline`)).json.items as readonly Record<
      string,
      unknown
    >[];
    const about = items.filter(({ kind, refund }) => kind === 'event' && refund !== undefined);
    expect(about.map(({ refund }) => (refund as Refund).id)).to.include.members([requested!.id, `GW-${id}-1-R2`]);
  });

  it('is shown with its sums once it succeeds, in the list too', async () => {
    const id = await pay(20);
    await gateway.post(`/payment-requests/${id}/refund`, { amount: 5 });
    const [notified] = await notifiedOf(id, 'payment.partially_refunded');
    const { sums, refunds } = await read(id);
    expect(sums).to.deep.equal([5, 15, 0]);
    expect(refunds[0]).to.include({ id: `GW-${id}-1-R1`, amount: 5, status: 'succeeded', failureReason: null });
    expect(notified!.data.refund).to.include({ id: refunds[0]!.id, amount: 5, status: 'succeeded' });
    const { json } = await gateway.get('/payment-requests?limit=1');
    expect(json.items[0]).to.deep.include({ id, refundedAmount: 5, refundableAmount: 15, refunds });
  });

  it('is announced as reversed if its money comes back', async () => {
    const id = await pay(25.59);
    await gateway.post(`/payment-requests/${id}/refund`, {});
    const notified = await notifiedOf(id, 'payment.refund_reversed');
    const { sums, refunds } = await read(id);
    expect(sums).to.deep.equal([0, 25.59, 0]);
    expect(refunds.map(({ status, amount }) => [status, amount])).to.deep.equal([['reversed', 25.59]]);
    expect(notified.at(-1)!.data.refund).to.deep.equal(refunds[0]);
  });

  it('is refused in the answer, and not announced, if it asks for more than is left', async () => {
    const id = await pay(20);
    const refused = await gateway.post(`/payment-requests/${id}/refund`, { amount: 20.01 });
    expect(refused.json.code).to.equal('VAL002');
    expect(await read(id)).to.deep.equal({ sums: [0, 20, 0], refunds: [] });
  });
});
