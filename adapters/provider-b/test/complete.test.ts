import type { HttpReply, StoredPayment } from '@paywright/contract';
import { reply } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import providerB from '../index.ts';
import { harness, answer, problem, sent } from './messages.ts';

const { complete, unanswered, recordCall, stored } = harness;

/** A payment whose id only the action names. */
const waiting: StoredPayment = { ...unanswered, action: { type: 'confirm', paymentId: '8812009' } };

const confirm = (given: HttpReply) => complete(given, { kind: 'code', code: '123456' });

describe('complete at B', () => {
  const action = { type: 'confirm', paymentId: '8812003' } as const;
  const pending = { outcome: 'pending', providerReference: '8812003' } as const;

  for (const [what, given, expected] of [
    ['taken', answer('taken'), pending],
    [
      'declined',
      answer('declined', { code: '230' }),
      { outcome: 'failed', providerReference: '8812003', decline: '05' },
    ],
    ['problem 140', problem('140', { left: '2' }), { ...pending, action, codeRefused: true }],
  ] as const) {
    it(`reads ${what}`, async () => {
      expect(await confirm(given)).to.deep.equal(expected);
    });
  }

  for (const [what, given] of [
    ['problem 141', problem('141')],
    ['problem 101, because the sale is in progress', problem('101', { field: 'code' })],
    ['problem 102', problem('102')],
    ['a wrong code of another payment', problem('140', { gw_ref: 'GW-10042-2' })],
    ['kind code', answer('code')],
    ['another transaction', answer('declined', { b_txn: '8812004', code: '230' })],
    ['another reference', answer('taken', { gw_ref: 'GW-10042-2' })],
    ['a cut answer', reply(200, 'kind=taken\n&b_txn=8812003\n')],
    ['a 400', reply(400)],
    ['a 429', reply(429)],
    ['a 500', reply(500)],
  ] as const) {
    it(`treats ${what} as unknown`, async () => {
      const outcome = await confirm(given);
      expect(outcome.outcome).to.equal('unknown');
      expect(outcome).to.not.have.any.keys('nothingCharged', 'decline', 'action', 'codeRefused');
    });
  }

  it('sends a request only with an id and a code', async () => {
    for (const [payment, step] of [
      [unanswered, { kind: 'code', code: '1' }],
      [stored, { kind: 'return' }],
    ] as const) {
      const { result, requests } = await recordCall([], (ctx) => providerB.complete!(payment, step, ctx));
      expect(result.outcome).to.equal('unknown');
      expect(requests).to.deep.equal([]);
    }
  });

  it('uses the id of the action if nothing else names it', async () => {
    const fields = await sent((ctx) => providerB.complete!(waiting, { kind: 'code', code: '123456' }, ctx));
    expect(fields.get('b_txn')).to.equal('8812009');
  });
});
