import type { HttpReply } from '@paywright/contract';
import { reply } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { harness, error } from './messages.ts';

const { refund } = harness;

describe('refund at A', () => {
  const answer = (state: string, more: Readonly<Record<string, unknown>> = {}): HttpReply =>
    reply(200, {
      refund: {
        id: 'AR-1',
        txn: 'A-7H2K9Q',
        refundRef: 'GW-10042-1-R1',
        state,
        sum: { minor: 1000, cur: 'EUR' },
        ...more,
      },
    });

  for (const [name, given, expected] of [
    ['queued', answer('queued'), { outcome: 'pending', providerReference: 'AR-1' }],
    ['done', answer('done'), { outcome: 'succeeded', providerReference: 'AR-1' }],
    ['failed', answer('failed'), { outcome: 'failed', nothingCharged: true, providerReference: 'AR-1' }],
    ['409 NOT_CAPTURED', error(409, 'NOT_CAPTURED'), { outcome: 'failed', nothingCharged: true }],
    ['422 OVER_REFUND', error(422, 'OVER_REFUND'), { outcome: 'failed', nothingCharged: true }],
    ['422 INVALID', error(422, 'INVALID'), { outcome: 'failed', nothingCharged: true }],
    ['429', reply(429, ''), { outcome: 'failed', nothingCharged: true }],
    ['409 IN_PROGRESS', error(409, 'IN_PROGRESS'), { outcome: 'unknown' }],
    ['404', error(404, 'NO_SUCH'), { outcome: 'unknown' }],
    ['500', error(500, 'INTERNAL'), { outcome: 'unknown' }],
    ['another state', answer('lost'), { outcome: 'unknown', unknownStatus: 'lost' }],
    ['another refund', answer('done', { refundRef: 'GW-10042-1-R2' }), { outcome: 'unknown' }],
    ['another sum', answer('done', { sum: { minor: 1001, cur: 'EUR' } }), { outcome: 'unknown' }],
    ['a body that is not JSON', reply(200, 'ok'), { outcome: 'unknown' }],
  ] as const) {
    it(`reads ${name} as ${expected.outcome}`, async () => {
      const outcome = await refund(given);
      expect(outcome).to.include(expected);
      expect('nothingCharged' in outcome).to.equal('nothingCharged' in expected);
    });
  }
});
