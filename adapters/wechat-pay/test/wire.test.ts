/** Answers of WeChat Pay count only with a fresh signature, and only if they are about the request. */
import type { HttpReply } from '@paywright/contract';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import wechatPay from '../index.ts';
import { harness, signedReply } from './messages.ts';

const { now, stored, submit, fetchStatus, refund, recordCall, refundRequest } = harness;
const { reference } = stored;

const order = {
  mchid: '1230000109',
  out_trade_no: reference,
  transaction_id: stored.providerReference,
  trade_state: 'SUCCESS',
  amount: { total: 2590, currency: 'CNY' },
};
const refunded = {
  refund_id: '50300001232026120212345678901',
  out_refund_no: refundRequest.reference,
  out_trade_no: reference,
  transaction_id: stored.providerReference,
  status: 'SUCCESS',
  amount: { total: 2590, refund: 1000, currency: 'CNY' },
};

/** What each call makes of one answer. */
const calls = {
  submit: { read: async (reply: HttpReply) => (await submit(reply)).outcome, believed: 'pending', else: 'unknown' },
  fetchStatus: {
    read: async (reply: HttpReply) => (await fetchStatus(reply)).result,
    believed: 'events',
    else: 'no_information',
  },
  refund: { read: async (reply: HttpReply) => (await refund(reply)).outcome, believed: 'succeeded', else: 'unknown' },
} as const;
const values = { submit: { code_url: 'weixin://wxpay/bizpayurl?pr=1' }, fetchStatus: order, refund: refunded };

describe('signed answers', () => {
  for (const call of ['submit', 'fetchStatus', 'refund'] as const) {
    const { read, believed, else: otherwise } = calls[call];

    for (const [seconds, isBelieved] of [
      [300, true],
      [301, false],
      [-300, true],
      [-301, false],
    ] as const) {
      it(`${isBelieved ? 'believes' : 'does not believe'} an answer to ${call} that is ${seconds} s old`, async () => {
        const time = new Date(now.getTime() - seconds * 1000);
        expect(await read(signedReply(200, values[call], { time }))).to.equal(isBelieved ? believed : otherwise);
      });
    }

    it(`does not believe an answer to ${call} whose certificate cannot be downloaded`, async () => {
      expect(await read(signedReply(200, values[call], { by: 1 }))).to.equal(otherwise);
    });
  }

  for (const [what, members] of Object.entries({
    'another order': { out_trade_no: 'GW-1-1' },
    'another merchant': { mchid: '1230000110' },
    'a paid order without an amount': { amount: undefined },
    'a paid order without a transaction': { transaction_id: undefined },
  })) {
    it(`does not believe a status of ${what}`, async () => {
      expect(await calls.fetchStatus.read(signedReply(200, { ...order, ...members }))).to.equal('no_information');
    });
  }

  for (const [what, members] of Object.entries({
    'another refund': { out_refund_no: `${reference}-R2` },
    'another order': { out_trade_no: 'GW-1-1' },
    'another transaction': { transaction_id: '4200001234202612021234567891' },
    'another sum': { amount: { total: 2590, refund: 1001, currency: 'CNY' } },
    'another total': { amount: { total: 2591, refund: 1000, currency: 'CNY' } },
    'another currency': { amount: { total: 2590, refund: 1000, currency: 'USD' } },
  })) {
    it(`does not believe a refund of ${what}`, async () => {
      expect(await calls.refund.read(signedReply(200, { ...refunded, ...members }))).to.equal('unknown');
    });
  }

  it('keeps a refund with an unknown state open', async () => {
    expect(await refund(signedReply(200, { ...refunded, status: 'ODD' }))).to.deep.include({
      outcome: 'pending',
      unknownStatus: 'ODD',
    });
  });
});

describe('errors', () => {
  for (const [status, code] of [
    [401, 'SIGN_ERROR'],
    [400, 'APPID_MCHID_NOT_MATCH'],
    [400, 'MCH_NOT_EXISTS'],
    [404, 'MCH_NOT_EXISTS'],
    [403, 'NO_AUTH'],
  ] as const) {
    it(`reports ${status} ${code} as a fault of the configuration`, async () => {
      const outcome = await submit(signedReply(status, { code, message: '' }));
      expect(outcome).to.include({ outcome: 'failed', nothingCharged: true, misconfigured: true });
    });
  }

  it('does not send a refund again after an error that does not prove that it is unknown', async () => {
    const { result, requests } = await recordCall(signedReply(500, { code: 'SYSTEM_ERROR', message: '' }), (ctx) =>
      wechatPay.refund!(stored, { ...refundRequest, isRepetition: true }, ctx),
    );
    expect(result.outcome).to.equal('unknown');
    expect(requests.map(({ method }) => method)).to.deep.equal(['GET']);
  });
});
