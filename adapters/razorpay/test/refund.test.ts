import { refuseRefund, type HttpReply, type Outcome, type StoredPayment } from '@paywright/contract';
import { reply, scriptedHttp, claimOf } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import razorpay from '../index.ts';
import { harness, link, pageStored, refundOf, refusal } from './messages.ts';

const { refundRequest: request, stored, createContext } = harness;

const refund = (answers: readonly HttpReply[], payment = stored): Promise<Outcome> =>
  harness.refund(answers, request, payment);
const providerReference = 'rfnd_1';

describe('refund', () => {
  for (const [status, expected] of [
    ['pending', { outcome: 'pending' }],
    ['processed', { outcome: 'succeeded' }],
    [undefined, { outcome: 'pending' }],
    ['failed', { outcome: 'failed', nothingCharged: true, reason: 'the refund is failed' }],
    ['odd', { outcome: 'pending', unknownStatus: 'odd' }],
  ] as const) {
    it(`reads the status ${status}`, async () =>
      expect(await refund([reply(200, refundOf('', { status }))])).to.deep.equal({ ...expected, providerReference }));
  }

  for (const [name, answer, claim] of [
    [
      'too much',
      refusal(400, { description: 'The refund amount provided is greater than amount captured' }),
      'nothing charged',
    ],
    ['a limit', refusal(400, { reason: 'refund_limit_crossed' }), 'nothing charged'],
    ['a wrong key', refusal(401), 'misconfigured'],
    ['429', reply(429), 'nothing charged'],
    ['a first request still in progress', refusal(409), 'unknown'],
    [
      'another body under the key',
      refusal(400, { description: 'Different request with the same idempotency key has already been processed.' }),
      'unknown',
    ],
    ['a server error', refusal(500, { code: 'SERVER_ERROR' }), 'unknown'],
    ['another payment', reply(200, refundOf('processed', { payment_id: 'pay_2' })), 'unknown'],
    ['another amount', reply(200, refundOf('processed', { amount: 999 })), 'unknown'],
    ['another currency', reply(200, refundOf('processed', { currency: 'USD' })), 'unknown'],
    ['no id', reply(200, refundOf('processed', { id: '' })), 'unknown'],
    ['a page', reply(200, '<html>'), 'unknown'],
  ] as const) {
    it(`treats ${name} as ${claim}`, async () => expect(claimOf(await refund([answer]))).to.equal(claim));
  }

  it('sends a key of at least 10 characters, the same for a repetition', async () => {
    const http = scriptedHttp(() => reply(200, refundOf('pending')));
    const ctx = createContext([], { http });
    for (const isRepetition of [false, true]) await razorpay.refund!(stored, { ...request, isRepetition }, ctx);
    const [first, second] = http.requests;
    expect(first!.headers).to.include({ 'X-Refund-Idempotency': 'refund-GW-10042-1-R1' });
    expect(second).to.deep.equal(first);
  });

  it('refunds a payment at a page by the id of its payment', async () => {
    const http = scriptedHttp([reply(200, link('paid')), reply(200, refundOf('processed'))]);
    const outcome = await razorpay.refund!(pageStored, request, createContext([], { http }));
    expect(outcome).to.deep.equal({ outcome: 'succeeded', providerReference });
    expect(http.requests.map(({ path }) => path)).to.deep.equal([
      '/v1/payment_links/plink_1',
      '/v1/payments/pay_1/refund',
    ]);
  });

  for (const [name, answer, claim] of [
    ['no payer has paid yet', reply(200, link('created')), 'unknown'],
    ['another link is shown', reply(200, link('paid', { id: 'plink_2' })), 'unknown'],
    ['the link does not exist', refusal(400), 'nothing charged'],
  ] as const) {
    it(`sends no request if ${name}`, async () => expect(claimOf(await refund([answer], pageStored))).to.equal(claim));
  }

  it('sends no request without the payment, or with an amount that Razorpay refuses', async () => {
    const { providerReference: _known, ...nameless } = stored;
    expect(refuseRefund(razorpay.manifest, nameless as StoredPayment, request)).to.include({ nothingCharged: true });
    const money = { amount: '1.001', currency: 'KWD' };
    const none = await harness.refund([], { ...request, money }, pageStored);
    expect(none).to.include({ outcome: 'failed', nothingCharged: true });
  });
});
