import type { HttpReply } from '@paywright/contract';
import { reply } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import {
  harness,
  claimsOf,
  errorOf,
  faultOf,
  h2hStored,
  order,
  replyOf,
  result,
  tokenOf,
  xmlStored,
  type Claims,
} from './messages.ts';

const { now, seconds, fetchStatus } = harness;

describe('the answer to a status request', () => {
  const noOrder = [reply(404, faultOf('NO_ORDER', 'no')), errorOf(404, 'NO_ORDER', 'no')] as const;
  const transaction = (changes: Claims): string =>
    claimsOf({ acct: undefined, inv: undefined, iat: undefined, ...changes });
  const trans = (list: readonly string[], changes: Claims = {}): HttpReply =>
    reply(
      200,
      tokenOf(
        `{"acct":"GWSHOP","inv":${changes['inv'] ?? '"GW-10042-1"'},"trans":[${list.join(',')}],"iat":${changes['iat'] ?? seconds}}`,
      ),
    );

  it('proves that E never received the order once the submission has ended, and not before', async () => {
    for (const [payment, answer] of [
      [xmlStored, noOrder[0]],
      [h2hStored, noOrder[1]],
    ] as const) {
      expect((await fetchStatus(answer, payment)).result).to.equal('nothing_charged');
      expect((await fetchStatus(answer, { ...payment, endedAt: now })).result).to.equal('nothing_charged');
      expect((await fetchStatus(answer, { ...payment, endedAt: null })).result).to.equal('no_information');
    }
  });

  for (const [name, answer, payment] of [
    ['a 404 that is not E’s', reply(404), xmlStored],
    ['404 with another code', reply(404, faultOf('CLOSED', 'no')), xmlStored],
    ['a 404 that has begun', reply(404, faultOf('NO_ORDER', 'yes')), xmlStored],
    ['another status with that code', reply(400, faultOf('NO_ORDER', 'no')), xmlStored],
    ['401', reply(401, faultOf('ACCESS', 'no')), xmlStored],
    ['another order', reply(200, replyOf(order(undefined, 'code="GW-1-1" txn="E1"'))), xmlStored],
    ['a malformed result', reply(200, replyOf(order(result() + result('kind="X" seq="0" at="now"')))), xmlStored],
    ['a 404 that is not E’s, h2h', reply(404), h2hStored],
    ['404 in XML, h2h', noOrder[0], h2hStored],
    ['another reference, h2h', trans([transaction({})], { inv: '"GW-1-1"' }), h2hStored],
    ['no transaction, h2h', trans([]), h2hStored],
    ['a transaction without its sale, h2h', trans([transaction({ orig: undefined })]), h2hStored],
    ['a stale answer, h2h', trans([transaction({})], { iat: '1' }), h2hStored],
    ['503, h2h', errorOf(503, 'CLOSED', 'no'), h2hStored],
  ] as const) {
    it(`gives no information: ${name}`, async () =>
      expect((await fetchStatus(answer, payment)).result).to.equal('no_information'));
  }

  it('shows a payment that waits for the member code', async () => {
    const report = await fetchStatus(trans([transaction({ rc: '"2001"' })]), h2hStored);
    expect(report.result === 'events' && report.events[0]?.action).to.deep.equal({
      type: 'confirm',
      paymentId: '900719925474099301',
    });
    const later = await fetchStatus(trans([transaction({ rc: '"2000"' })]), h2hStored);
    expect(later.result === 'events' && later.events[0]).not.to.have.property('action');
  });
});
