import { reply } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import {
  harness,
  callback,
  claimsOf,
  errorOf,
  faultOf,
  h2hSubmission,
  order,
  ordered,
  replyOf,
  result,
  sale,
  sent,
  sum,
  tokenOf,
  xmlSubmission,
} from './messages.ts';

const { options, seconds, submit } = harness;

describe('a request to E', () => {
  it('escapes XML, leaves out a missing address, and says when to capture', async () => {
    const { request } = await sent({
      ...xmlSubmission,
      money: { amount: '1.5', currency: 'KWD' },
      captureDelayHours: 7,
      payer: { ...xmlSubmission.payer, name: `<"A" & 'B'>\t\r\n\u0000\u{1F600}`, city: '', state: ']]>' },
    });
    expect(String(request?.body)).to.equal(
      '<?xml version="1.0" encoding="UTF-8"?><pay:submit xmlns:pay="urn:provider-e:pay:1" acct="GWSHOP">' +
        '<order code="GW-10042-1" capture="7"><sum value="1500" cur="KWD" exp="3"/>' +
        '<card number="4111111111111111" month="03" year="2031" cvv="737"/>' +
        `<payer name="&lt;&quot;A&quot; &amp; 'B'&gt;&#9;&#13;&#10;\u{1F600}" email="ines.duarte@shop.example" phone="+351912345678"/>` +
        '<address street="Rua Augusta 12" city="" state="]]&gt;" postal="1100-053" country="PT"/></order></pay:submit>',
    );
  });

  for (const [currency, amount, written] of [
    ['EUR', '25.9', '25.90'],
    ['JPY', '1800', '1800'],
    ['KWD', '1.5', '1.500'],
    ['EUR', '0', '0.00'],
    ['EUR', '4035.03', '4035.03'],
  ] as const) {
    it(`writes ${amount} ${currency} as the number ${written} in a token`, async () => {
      const { request } = await sent({ ...h2hSubmission, money: { amount, currency }, captureDelayHours: 3 });
      const { token } = JSON.parse(String(request?.body)) as { token: string };
      expect(Buffer.from(token.split('.')[1]!, 'base64url').toString()).to.equal(
        `{"acct":"GWSHOP","inv":"GW-10042-1","sum":${written},"cur":"${currency}",` +
          '"card":{"no":"4111111111111111","exp":"0331","cvv":"737"},' +
          '"payer":{"name":"Ines Duarte","email":"ines.duarte@shop.example","phone":"+351912345678","ip":null},' +
          '"addr":{"street":"Rua Augusta 12","city":"Lisboa","state":"LX","zip":"1100-053","country":"PT"},' +
          `"delay":3,"iat":${seconds}}`,
      );
    });
  }

  it('is not sent for an amount that its currency cannot express, or without a card', async () => {
    for (const payment of [
      { ...xmlSubmission, money: { amount: '25.905', currency: 'EUR' } },
      { ...h2hSubmission, money: { amount: '1.5', currency: 'JPY' } },
      { ...xmlSubmission, money: { amount: '1'.repeat(17), currency: 'EUR' } },
    ]) {
      const { outcome, request } = await sent(payment);
      expect([outcome.outcome, 'nothingCharged' in outcome, request]).to.deep.equal(['failed', true, undefined]);
    }
  });
});

describe('the answer to an order', () => {
  for (const [attributes, expected] of [
    ['kind="CAPTURED"', { outcome: 'succeeded' }],
    ['kind="AUTHORISED"', { outcome: 'pending', authorised: true }],
    ['kind="SENT"', { outcome: 'pending' }],
    ['kind="REFUSED" why="LIMIT"', { outcome: 'failed', decline: '61' }],
    ['kind="REFUSED" why="MOON"', { outcome: 'failed', decline: '05', declineText: 'MOON', unknownStatus: 'MOON' }],
    ['kind="REFUSED"', { outcome: 'failed', decline: '05' }],
    ['kind="CANCELLED"', { outcome: 'unknown', unknownStatus: 'CANCELLED' }],
    ['kind="MOON"', { outcome: 'unknown', unknownStatus: 'MOON' }],
  ] as const) {
    it(`reads ${attributes} as ${expected.outcome}`, async () => {
      expect(await submit(ordered(attributes), xmlSubmission)).to.deep.equal({
        providerReference: 'E0000004711',
        ...expected,
      });
    });
  }

  it('is accepted as a replay, with another prefix, with another exponent, and with several results, of which the latest counts', async () => {
    const inside =
      result('seq="1" at="now" kind="SENT"') +
      result('kind="CAPTURED" seq="10" at="now"', sum('value="25900" cur="EUR" exp="3" dir="in"')) +
      result('kind="AUTHORISED" seq="9" at="now"') +
      result('kind="REFUND_SENT" seq="11" at="now"', sum('value="1" cur="EUR" exp="2" dir="out"'));
    const body = replyOf(order(inside, 'replayed="yes" code="GW-10042-1" txn="007"')).replaceAll('pay:', 'x:');
    expect(await submit(reply(200, `<!-- . -->${body}`), xmlSubmission)).to.deep.equal({
      outcome: 'succeeded',
      providerReference: '007',
    });
  });

  for (const [name, answer] of [
    ['another account', reply(200, replyOf(undefined, 'acct="OTHER"'))],
    ['no account', reply(200, replyOf(undefined, ''))],
    ['another order', reply(200, replyOf(order(undefined, 'code="GW-10042-2" txn="E1"')))],
    ['two orders', reply(200, replyOf(order() + order()))],
    ['no order', reply(200, replyOf(''))],
    ['no txn', reply(200, replyOf(order(undefined, 'code="GW-10042-1"')))],
    ['another amount', ordered('kind="CAPTURED"', sum('value="2591" cur="EUR" exp="2" dir="in"'))],
    ['another exponent', ordered('kind="CAPTURED"', sum('value="2590" cur="EUR" exp="3" dir="in"'))],
    ['another currency', ordered('kind="CAPTURED"', sum('value="2590" cur="USD" exp="2" dir="in"'))],
    ['a refusal with another amount', ordered('kind="REFUSED"', sum('value="1" cur="EUR" exp="2" dir="in"'))],
    ['no sum', ordered('kind="MOON"', '')],
    ['a refund', ordered('kind="REFUNDED"', sum('value="2590" cur="EUR" exp="2" dir="out"'))],
    ['a notice', reply(200, replyOf().replaceAll('pay:reply', 'pay:notice'))],
    ['no XML', reply(200, 'OK')],
    ['201', reply(201, replyOf())],
    ['409 CODE_REUSED', reply(409, faultOf('CODE_REUSED', 'yes'))],
    ['409 IN_WORK', reply(409, faultOf('IN_WORK', 'yes'))],
    ['a 500 that does not know whether it began', reply(500, faultOf('INTERNAL', 'unknown'))],
    ['a 500 with an unreadable answer about the start', reply(500, faultOf('INTERNAL', 'NO'))],
    ['a 500 without content', reply(500, '<pay:fault code="INTERNAL"/>')],
    ['400 in JSON', errorOf(400, 'BAD_REQUEST', 'no')],
    ['429 without a fault', reply(429)],
    ['a redirect', reply(302, '', [['Location', 'https://elsewhere.example']])],
  ] as const) {
    it(`is unknown: ${name}`, async () => {
      const outcome = await submit(answer, xmlSubmission);
      expect(outcome.outcome).to.equal('unknown');
      expect(outcome).not.to.have.any.keys('decline', 'nothingCharged', 'action');
    });
  }

  for (const [status, code] of [
    [400, 'BAD_REQUEST'],
    [401, 'ACCESS'],
    [422, 'NOT_POSSIBLE'],
    [429, 'TOO_MANY'],
    [500, 'INTERNAL'],
    [503, 'CLOSED'],
    [418, 'MOON'],
  ] as const) {
    it(`is failed and nothing charged for ${status} ${code} that has not begun, in both interfaces`, async () => {
      const reported = {
        outcome: 'failed',
        nothingCharged: true,
        reason: `E answered ${status} ${code}${code === 'ACCESS' ? ': check account, apiUser, apiPassword and h2hKeys' : ''}`,
        ...(code === 'ACCESS' ? { misconfigured: true } : {}),
        ...(code === 'BAD_REQUEST' ? { refusedField: 'body' } : {}),
      };
      expect(await submit(reply(status, faultOf(code, 'no')), xmlSubmission)).to.deep.equal(reported);
      expect(await submit(errorOf(status, code, 'no'), h2hSubmission)).to.deep.equal(reported);
    });
  }
});

describe('the answer to a host-to-host payment', () => {
  const providerReference = '900719925474099301';
  for (const [rc, expected] of [
    ['0000', { outcome: 'succeeded' }],
    ['2000', { outcome: 'pending' }],
    ['2001', { outcome: 'pending', action: { type: 'confirm', paymentId: providerReference } }],
    ['2002', { outcome: 'pending', authorised: true }],
    ['2003', { outcome: 'unknown', unknownStatus: '2003' }],
    ['4055', { outcome: 'failed', decline: '05' }],
    ['4061', { outcome: 'failed', decline: '61' }],
    ['4090', { outcome: 'failed', decline: '05', declineText: '4090', unknownStatus: '4090' }],
    ['40', { outcome: 'unknown', unknownStatus: '40' }],
    ['7000', { outcome: 'unknown', unknownStatus: '7000' }],
  ] as const) {
    it(`reads ${rc} as ${expected.outcome}`, async () => {
      expect(await submit(sale({ rc: `"${rc}"` }), h2hSubmission)).to.deep.equal({ providerReference, ...expected });
    });
  }

  it('is compared by the value of the amount, and may have an additional claim', async () => {
    expect((await submit(sale({ sum: '2590e-2', orig: 'null' }), h2hSubmission)).outcome).to.equal('succeeded');
  });

  for (const [name, answer] of [
    ['another reference', sale({ inv: '"GW-10042-2"' })],
    ['another sum', sale({ sum: '25.91' })],
    ['another currency', sale({ cur: '"USD"' })],
    ['another account', sale({ acct: '"OTHER"' })],
    ['a refund', reply(200, callback({ op: '"refund"', orig: '1' }))],
    ['a stale token', sale({ iat: String(seconds - 601) })],
    ['a missing claim', sale({ why: undefined })],
    ['a wrong MAC', reply(200, tokenOf(claimsOf(), undefined, [{ kid: 'k1', secret: options.h2hKeys[1]!.secret }]))],
    ['no token', reply(200, '{}')],
    ['XML', reply(200, replyOf())],
    ['201', { ...sale(), status: 201 }],
    ['409', errorOf(409, 'IN_WORK', 'yes')],
    ['a 500 that does not know whether it began', errorOf(500, 'INTERNAL', 'unknown')],
    ['a 500 with an unreadable answer about the start', errorOf(500, 'INTERNAL', false)],
    ['500 in XML', reply(500, faultOf('INTERNAL', 'no'))],
  ] as const) {
    it(`is unknown: ${name}`, async () => {
      const outcome = await submit(answer, h2hSubmission);
      expect(outcome.outcome).to.equal('unknown');
      expect(outcome).not.to.have.any.keys('decline', 'nothingCharged', 'action', 'providerReference');
    });
  }
});
