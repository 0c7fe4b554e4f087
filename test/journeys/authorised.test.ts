/**
 * Authorised payments: captured in full or in part, released, and the state that an adapter keeps between the calls.
 */
import type { Outcome, StoredPayment } from '@paywright/contract';
import { expect } from 'chai';
import { after, before, beforeEach, describe, it } from 'mocha';
import type { LoadedAdapter } from '../../core/engine/providers/index.ts';
import { fakeActive } from '../../core/engine/providers/testing/fake-adapter.ts';
import { until } from '../../core/base/testing/until.ts';
import { cardBody } from '../support/bodies.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { startGateway, type Answer, type TestGateway } from '../support/start-gateway.ts';
import { makeDue, toTestPayment, type TestPayment } from '../support/scenarios.ts';

type Adapter = ReturnType<typeof fakeActive>['adapter'];
const code = 58;
const marker = 'kept-by-the-adapter';

describe('an authorised payment', () => {
  let gateway: TestGateway;
  let receiver: Receiver;
  /** Calls of the adapter and its answers. */
  let calls: { call: string; payment: StoredPayment; amount?: string; reference?: string }[];
  let answers: { capture: () => Outcome; release: () => Outcome };

  const adapter: Partial<Adapter> = {
    submit: async ({ reference }) => {
      return { outcome: 'pending', authorised: true, providerReference: `R-${reference}`, adapterState: { marker } };
    },
    capture: async (payment, { money, reference }) => {
      calls.push({ call: 'capture', payment, amount: money.amount, reference });
      return answers.capture();
    },
    void: async (payment) => {
      calls.push({ call: 'void', payment });
      return answers.release();
    },
    refund: async (payment, { money, reference }) => {
      calls.push({ call: 'refund', payment, amount: money.amount, reference });
      return { outcome: 'succeeded' };
    },
    fetchStatus: async () => ({ result: 'waiting' }),
  };

  before(async () => {
    receiver = await startReceiver();
    gateway = await startGateway({ adapters: [] });
    const manifest = {
      name: 'reserves',
      code,
      reconcile: { stepsSeconds: [0], thenEverySeconds: 60, giveUpAfterSeconds: 600 },
    };
    const { registry } = gateway.gateway.providers;
    registry.replace([
      ...(registry.all() as LoadedAdapter[]),
      fakeActive({ manifest, adapter }),
      fakeActive({ manifest: { name: 'by-itself', code: 57 }, adapter: { submit: adapter.submit! } }),
    ]);
  });
  after(async () => {
    await gateway.close();
    await receiver.close();
  });
  beforeEach(() => {
    calls = [];
    answers = { capture: () => ({ outcome: 'succeeded' }), release: () => ({ outcome: 'succeeded' }) };
  });

  async function authorise(provider = code): Promise<TestPayment> {
    const body = cardBody('4111111111111111', 25.9, { notifyUrl: receiver.url });
    const payment = toTestPayment(gateway, await gateway.post(`/payments/h2h/${provider}`, body));
    expect(payment.answer.status, payment.answer.text).to.equal(200);
    await payment.waitForStatus(1);
    return payment;
  }
  const post = async ({ id }: TestPayment, what: string, body?: unknown): Promise<Answer> =>
    gateway.post(`/payment-requests/${id}/${what}`, body);
  const waitForNotifications = async ({ id }: TestPayment, ...types: string[]) =>
    until(`notified of ${types.join()}`, async () => {
      const sent = receiver.ofPayment(id).map(({ json }) => json.type as string);
      return types.every((type) => sent.includes(type));
    });

  it('is reported to the merchant, and captured in full', async () => {
    const payment = await authorise();
    await waitForNotifications(payment, 'payment.pending', 'payment.authorised');
    expect(await payment.view()).to.include({ paymentRequestStatusId: 1, isAuthorised: true });
    const captured = await post(payment, 'capture');
    expect(captured.status, captured.text).to.equal(200);
    expect(captured.json.paymentRequest).to.include({
      paymentRequestStatusId: 2,
      grossAmount: 25.9,
      isAuthorised: false,
    });
    expect(calls).to.have.length(1);
    expect(calls[0]).to.include({ call: 'capture', amount: '25.9', reference: `GW-${payment.id}-1-C` });
    await waitForNotifications(payment, 'payment.succeeded');
    const again = await post(payment, 'capture');
    expect([again.status, again.json.code]).to.deep.equal([400, 'PAY004']);
  });

  it('is captured in part: the captured amount is paid, and refunds are limited to it', async () => {
    const payment = await authorise();
    const captured = await post(payment, 'capture', { amount: 10.5 });
    expect(captured.json.paymentRequest).to.include({ paymentRequestStatusId: 2, amount: 25.9, grossAmount: 10.5 });
    const tooMuch = await post(payment, 'refund', { amount: 10.51 });
    expect([tooMuch.json.code, tooMuch.json.details.field]).to.deep.equal(['VAL002', 'amount']);
    const refunded = await post(payment, 'refund');
    expect(refunded.json.paymentRequest.paymentRequestStatusId).to.equal(4);
  });

  it('accepts only an amount up to the authorised one', async () => {
    const payment = await authorise();
    for (const amount of [25.91, 0, 10.001]) {
      const refused = await post(payment, 'capture', { amount });
      expect([refused.status, refused.json.code, refused.json.details.field]).to.deep.equal([400, 'VAL002', 'amount']);
    }
    expect(calls).to.deep.equal([]);
  });

  it('can be neither captured nor cancelled when the adapter does not support it', async () => {
    const payment = await authorise(57);
    for (const what of ['capture', 'cancel']) expect((await post(payment, what)).json.code, what).to.equal('PAY004');
  });

  it('stays authorised when the provider refuses the capture, and shows the reason', async () => {
    const payment = await authorise();
    answers.capture = () => ({ outcome: 'failed', nothingCharged: true, reason: 'too late for that' });
    const refused = await post(payment, 'capture');
    expect([refused.json.code, refused.json.message]).to.deep.equal([
      'PAY004',
      'the provider refused the capture: too late for that',
    ]);
    expect((await payment.view()).paymentRequestStatusId).to.equal(1);
    answers.capture = () => ({ outcome: 'succeeded' });
    expect((await post(payment, 'capture')).json.paymentRequest.paymentRequestStatusId).to.equal(2);
    // Under the first name the provider would repeat its refusal.
    expect(calls.map(({ reference }) => reference)).to.deep.equal([`GW-${payment.id}-1-C`, `GW-${payment.id}-1-C2`]);
  });

  it('is pending without a readable answer, and the capture is repeated under its reference', async () => {
    const payment = await authorise();
    answers.capture = () => ({ outcome: 'unknown' });
    const { status, json } = await post(payment, 'capture', { amount: 7 });
    expect([status, json.paymentRequest.paymentRequestStatusId]).to.deep.equal([200, 1]);
    expect((await post(payment, 'capture')).json.code).to.equal('PAY004');
    answers.capture = () => ({ outcome: 'succeeded' });
    await makeDue(payment);
    expect(await payment.waitForStatus(2)).to.include({ grossAmount: 7 });
    expect(new Set(calls.map(({ reference, amount }) => `${reference} ${amount}`))).to.deep.equal(
      new Set([`GW-${payment.id}-1-C 7`]),
    );
  });

  it('is released by a cancel', async () => {
    const payment = await authorise();
    const cancelled = await post(payment, 'cancel');
    expect([cancelled.status, cancelled.json.paymentRequest.paymentRequestStatusId]).to.deep.equal([200, 5]);
    expect(calls.map(({ call }) => call)).to.deep.equal(['void']);
    await waitForNotifications(payment, 'payment.expired');
    expect((await post(payment, 'capture')).json.code).to.equal('PAY004');
  });

  it('is captured or released, never both', async () => {
    const payment = await authorise();
    const [one, other] = await Promise.all([post(payment, 'capture'), post(payment, 'cancel')]);
    expect([one.status, other.status]).to.have.members([200, 400]);
    expect(calls).to.have.length(1);
  });

  it("returns the adapter's own state to the adapter, and shows it to no one else", async () => {
    const payment = await authorise();
    await post(payment, 'capture');
    await post(payment, 'refund', { amount: 1 });
    expect(calls.map(({ call, payment }) => [call, payment.adapterState])).to.deep.equal([
      ['capture', { marker }],
      ['refund', { marker }],
    ]);
    const stored = await gateway.gateway.connection.collection('paymentRequests').find().toArray();
    const { text } = await gateway.get(`/payment-requests/${payment.id}/timeline`);
    for (const shown of [JSON.stringify(stored), text, JSON.stringify(await payment.view()), gateway.logged.join('\n')])
      expect(shown).not.to.include(marker);
    expect(stored.every(({ attempts }) => attempts[0].adapterState)).to.equal(true);
  });
});
