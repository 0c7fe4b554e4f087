import { reply } from '@paywright/contract/testing';
import { refuseSubmission, type Submission } from '@paywright/contract';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import providerD from '../index.ts';
import { harness, answer, error, open, otherMoney, page, unreadable } from './messages.ts';

const { recordCall, submit, submission } = harness;

describe('submit at D', () => {
  for (const [code, outcome] of [
    ['0000', { outcome: 'succeeded' }],
    ['0099', { outcome: 'succeeded' }],
    ['0116', { outcome: 'failed', decline: '51' }],
    ['0399', { outcome: 'failed', decline: '05', declineText: '0399', unknownStatus: '0399' }],
    ['9912', { outcome: 'failed', decline: '05' }],
    ['0184', { outcome: 'failed', decline: '05', threeDsResult: 'N' }],
    ['9915', { outcome: 'pending' }],
    ['9970', { outcome: 'pending' }],
    ['9997', { outcome: 'pending' }],
    ['0400', { outcome: 'pending', unknownStatus: '0:0400' }],
    ['8001', { outcome: 'pending', unknownStatus: '0:8001' }],
  ] as const) {
    it(`reads ${code} as ${outcome.outcome}`, async () => {
      expect(await submit(answer({ D_Code: code }))).to.deep.equal({
        providerReference: '90071992547409931001',
        ...outcome,
      });
    });
  }

  it('keeps D’s text of a decline, and the issuer’s text of a failed 3D Secure', async () => {
    expect(await submit(answer({ D_Code: '0121', D_Text: 'limit' }))).to.include({
      decline: '61',
      declineText: 'limit',
    });
    expect(await submit(answer({ D_Code: '0184', D_Secure: '3', D_Text: 'wrong%20code' }))).to.include({
      threeDsResult: 'N',
      acsResponse: 'wrong code',
    });
  });

  it('redirects the payer to the page', async () => {
    const action = { type: 'redirect', method: 'GET', url: page };
    const providerReference = '90071992547409931001';
    expect(await submit(answer(open))).to.deep.equal({ outcome: 'pending', providerReference, action });
    const local = 'http://127.0.0.1:7/d/page/9';
    expect(await submit(answer({ ...open, D_Page: encodeURIComponent(local) }))).to.deep.include({
      action: { ...action, url: local },
    });
  });

  for (const D_Page of [undefined, '', 'page', 'javascript%3Aalert(1)', 'http%3A%2F%2Fpay.provider-d.example%2F9']) {
    it(`is unknown with the page ${D_Page}`, async () => {
      expect((await submit(answer({ ...open, D_Page }))).outcome).to.equal('unknown');
    });
  }

  it('is unknown for another operation', async () => {
    for (const [D_Op, D_Code] of ['3 0000', '7 0000', '3 0190', '9 8000', '9 0000'].map((pair) => pair.split(' '))) {
      expect(await submit(answer({ D_Op, D_Code }))).to.include({
        outcome: 'pending',
        unknownStatus: `${D_Op}:${D_Code}`,
      });
    }
  });

  it('accepts zeros before its sum', async () => {
    expect((await submit(answer({ D_Sum: '0002590' }))).outcome).to.equal('succeeded');
  });

  for (const [what, given] of [...unreadable, ...otherMoney]) {
    it(`is unknown after ${what}`, async () => {
      const outcome = await submit(given);
      expect(outcome.outcome).to.equal('unknown');
      expect(outcome).not.to.have.any.keys('decline', 'nothingCharged', 'action');
    });
  }

  for (const [status, code] of [
    [400, 'bad_member'],
    [401, 'bad_signature'],
    [401, 'bad_shop'],
    [429, 'slow_down'],
    [429, ''],
    [500, 'not_started'],
    [503, 'closed'],
  ] as const) {
    it(`charges nothing after ${status} ${code}`, async () => {
      const outcome = await submit(error(status, code));
      expect(outcome).to.include({ outcome: 'failed', nothingCharged: true }).and.not.have.property('decline');
      expect('misconfigured' in outcome).to.equal(status === 401);
    });
  }

  it('is declined if the shop may not accept it', async () => {
    expect(await submit(error(422, 'not_payable'))).to.deep.equal({
      outcome: 'failed',
      decline: '57',
      declineText: 'for people',
    });
  });

  it('sends the merchant’s values, and an address only if there is one', async () => {
    const send = async (payment: Submission<'billing'>) => {
      const { requests } = await recordCall(answer(open), (ctx) => providerD.submit(payment, ctx));
      const form = new URLSearchParams(String(requests[0]!.body));
      return Buffer.from(form.get('d_data')!, 'base64').toString();
    };
    expect(await send(submission)).not.to.contain('D_Ip');
    const payer = { ...submission.payer, name: '', ipAddress: '' };
    expect(await send({ ...submission, payer }))
      .to.contain('"D_Name":""')
      .and.contain('"D_Ip":""');
    expect(await send({ ...submission, money: { amount: '0', currency: 'EUR' } })).to.contain('"D_Sum":"0"');
  });

  for (const money of [
    { amount: '10000000000000', currency: 'EUR' },
    { amount: '25.901', currency: 'EUR' },
    { amount: '25', currency: 'RUB' },
  ]) {
    it(`refuses ${money.amount} ${money.currency} before any request`, async () => {
      const payment = { ...submission, money };
      const { result, requests } = await recordCall(
        answer(),
        async (ctx) => refuseSubmission(providerD.manifest, payment) ?? providerD.submit(payment, ctx),
      );
      expect(result).to.include({ outcome: 'failed', nothingCharged: true });
      expect(requests).to.deep.equal([]);
    });
  }
});

describe('a refusal of a field', () => {
  for (const [name, field] of [['for people', 'body']] as const) {
    it(`names ${field} for ${name}`, async () => {
      const refusal = reply(400, { d_error: 'bad_member', d_text: name });
      expect(await harness.submit(refusal)).to.include({ nothingCharged: true, refusedField: field });
    });
  }
});
