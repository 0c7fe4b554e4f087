import { expect } from 'chai';
import { describe, it } from 'mocha';
import {
  errorOf,
  faultOf,
  h2hSubmission,
  order,
  ordered,
  reply,
  replyOf,
  result,
  submit,
  sum,
  xmlSubmission,
} from './helpers.ts';

describe('what E answers to an order', () => {
  for (const [attributes, expected] of [
    ['kind="CAPTURED"', { outcome: 'succeeded' }],
    ['kind="AUTHORISED"', { outcome: 'pending', authorised: true }],
    ['kind="SENT"', { outcome: 'pending' }],
    ['kind="REFUSED" why="LIMIT"', { outcome: 'failed', decline: '61' }],
    ['kind="REFUSED" why="MOON"', { outcome: 'failed', decline: '05', declineText: 'MOON', unknownWord: 'MOON' }],
    ['kind="REFUSED"', { outcome: 'failed', decline: '05' }],
    ['kind="CANCELLED"', { outcome: 'unknown', unknownWord: 'CANCELLED' }],
    ['kind="MOON"', { outcome: 'unknown', unknownWord: 'MOON' }],
  ] as const) {
    it(`reads ${attributes} as ${expected.outcome}`, async () => {
      expect(await submit(ordered(attributes), xmlSubmission)).to.deep.equal({
        providerReference: 'E0000004711',
        ...expected,
      });
    });
  }

  it('takes a replay, another prefix, a sum with another exponent, and the latest of several results', async () => {
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
    ['a refusal of another amount', ordered('kind="REFUSED"', sum('value="1" cur="EUR" exp="2" dir="in"'))],
    ['no sum', ordered('kind="MOON"', '')],
    ['a refund', ordered('kind="REFUNDED"', sum('value="2590" cur="EUR" exp="2" dir="out"'))],
    ['a notice', reply(200, replyOf().replaceAll('pay:reply', 'pay:notice'))],
    ['no XML', reply(200, 'OK')],
    ['201', reply(201, replyOf())],
    ['409 CODE_REUSED', reply(409, faultOf('CODE_REUSED', 'yes'))],
    ['409 IN_WORK', reply(409, faultOf('IN_WORK', 'yes'))],
    ['500 that does not know', reply(500, faultOf('INTERNAL', 'unknown'))],
    ['500 that says no otherwise', reply(500, faultOf('INTERNAL', 'NO'))],
    ['500 that says nothing', reply(500, '<pay:fault code="INTERNAL"/>')],
    ['400 in JSON', errorOf(400, 'BAD_REQUEST', 'no')],
    ['429 without words', reply(429)],
    ['a redirect', reply(302, '', [['Location', 'https://elsewhere.example']])],
  ] as const) {
    it(`takes ${name} as unknown`, async () => {
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
    it(`takes ${status} ${code} that has not begun as failed, nothing charged, in both interfaces`, async () => {
      const told = {
        outcome: 'failed',
        nothingCharged: true,
        reason: `E answered ${status} ${code}${code === 'ACCESS' ? ': check account, apiUser, apiPassword and h2hKeys' : ''}`,
        ...(code === 'ACCESS' ? { misconfigured: true } : {}),
      };
      expect(await submit(reply(status, faultOf(code, 'no')), xmlSubmission)).to.deep.equal(told);
      expect(await submit(errorOf(status, code, 'no'), h2hSubmission)).to.deep.equal(told);
    });
  }
});
