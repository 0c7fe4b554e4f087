import type { HttpReply } from '@paywright/contract';
import { firstRefund } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import wechatPay from '../index.ts';
import { context, now, payment, signedReply } from './helpers.ts';

const given = payment();
const stored = { ...given, method: 'ewallet_redirect', endedAt: now, action: { type: 'confirm', paymentId: 'x' } } as const;
const refund = { ...firstRefund, reference: `${given.reference}-R1`, money: { amount: '10', currency: 'CNY' } };

const found = {
  mchid: '1230000109',
  out_trade_no: given.reference,
  transaction_id: '4200001234202612021234567890',
  trade_state: 'SUCCESS',
  amount: { total: 2590, currency: 'CNY' },
};
const refunded = {
  refund_id: '50300001232026120212345678901',
  out_refund_no: refund.reference,
  out_trade_no: given.reference,
  status: 'SUCCESS',
  amount: { total: 2590, refund: 1000, currency: 'CNY' },
};

/** What each call makes of one answer: the outcome, or the result of a fetch. */
const calls = {
  async submit(reply: HttpReply) {
    return (await wechatPay.submit(given, context([reply]))).outcome;
  },
  async fetchStatus(reply: HttpReply) {
    return (await wechatPay.fetchStatus!(stored, context([reply]))).result;
  },
  async refund(reply: HttpReply) {
    return (await wechatPay.refund!(stored, refund, context([reply]))).outcome;
  },
};
const good = {
  submit: [signedReply(200, { code_url: 'weixin://wxpay/bizpayurl?pr=1' }), 'pending'],
  fetchStatus: [signedReply(200, found), 'events'],
  refund: [signedReply(200, refunded), 'succeeded'],
} as const;

function without({ headers, ...rest }: HttpReply, name: string): HttpReply {
  return { ...rest, headers: headers.filter(([key]) => key !== name) };
}

describe('answers of WeChat Pay', function () {
  // Some hundred signatures.
  this.timeout(20_000);

  for (const call of ['submit', 'fetchStatus', 'refund'] as const) {
    const [reply, believed] = good[call];
    const nothing = call === 'fetchStatus' ? 'no_information' : 'unknown';

    it(`to ${call} count only as they were signed`, async () => {
      expect(await calls[call](reply)).to.equal(believed);
      for (let at = 0; at < reply.body.length; at += 1) {
        const body = Buffer.from(reply.body);
        body[at]! ^= 1;
        expect(await calls[call]({ ...reply, body }), `byte ${at}`).to.equal(nothing);
      }
      for (const name of ['Timestamp', 'Nonce', 'Serial', 'Signature']) {
        expect(await calls[call](without(reply, `Wechatpay-${name}`)), name).to.equal(nothing);
      }
    });

    it(`to ${call} count only when they are fresh, and signed by a key that WeChat Pay has`, async () => {
      const value: unknown = JSON.parse(Buffer.from(reply.body).toString());
      for (const [seconds, expected] of [[300, believed], [301, nothing], [-300, believed], [-301, nothing]] as const) {
        const time = new Date(now.getTime() - seconds * 1000);
        expect(await calls[call](signedReply(200, value, { time })), String(seconds)).to.equal(expected);
      }
      // Its certificate is not among the options, and nobody answers for it.
      expect(await calls[call](signedReply(200, value, { at: 1 }))).to.equal(nothing);
    });
  }

  it('about another order, refund or sum are not believed', async () => {
    for (const other of [{ out_trade_no: 'GW-1-1' }, { mchid: '1230000110' }, { amount: undefined }]) {
      expect(await calls.fetchStatus(signedReply(200, { ...found, ...other }))).to.equal('no_information');
    }
    const others = [
      { out_refund_no: 'GW-1-1-R1' },
      { out_trade_no: 'GW-1-1' },
      { amount: { total: 2590, refund: 1001, currency: 'CNY' } },
      { amount: { total: 2591, refund: 1000, currency: 'CNY' } },
      { amount: { total: 2590, refund: 1000, currency: 'USD' } },
      { amount: { total: 2590, refund: 10.0, currency: 'CNY' } },
    ];
    for (const other of others) {
      expect(await calls.refund(signedReply(200, { ...refunded, ...other }))).to.equal('unknown');
    }
  });

  it('keep the refund of an unknown state open', async () => {
    const outcome = await wechatPay.refund!(stored, refund, context([signedReply(200, { ...refunded, status: 'ODD' })]));
    expect(outcome).to.deep.include({ outcome: 'pending', unknownStatus: 'ODD' });
  });

  it('that refuse our account raise an alarm', async () => {
    const table = [
      [401, 'SIGN_ERROR'],
      [400, 'APPID_MCHID_NOT_MATCH'],
      [400, 'MCH_NOT_EXISTS'],
      [403, 'NO_AUTH'],
    ] as const;
    for (const [status, code] of table) {
      const outcome = await wechatPay.submit(given, context([signedReply(status, { code, message: '' })]));
      expect(outcome, code).to.include({ outcome: 'failed', nothingCharged: true, misconfigured: true });
    }
  });

  it('to a repetition of a refund: a 500 is not taken for one that never arrived', async () => {
    const ctx = context([signedReply(500, { code: 'SYSTEM_ERROR', message: '' })]);
    const outcome = await wechatPay.refund!(stored, { ...refund, isRepetition: true }, ctx);
    expect([outcome.outcome, ctx.http.requests.map(({ method }) => method)]).to.deep.equal(['unknown', ['GET']]);
  });
});
