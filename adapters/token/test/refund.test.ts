import { refuseRefund, type HttpReply } from '@paywright/contract';
import { reply } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import token from '../index.ts';
import { harness, error } from './messages.ts';

const { refund, refundRequest } = harness;

describe('refund at the vault', () => {
  const made = (status: number, more: Readonly<Record<string, unknown>> = {}): HttpReply =>
    reply(status, { refund: { id: 'rf_1', charge: 'ch_1', state: 'pending', minor: 1000, cur: 'EUR', ...more } });

  for (const [name, answer, expected] of [
    ['202 pending', made(202), { outcome: 'pending', providerReference: 'rf_1' }],
    ['200 succeeded', made(200, { state: 'succeeded' }), { outcome: 'succeeded', providerReference: 'rf_1' }],
    [
      '200 failed',
      made(200, { state: 'failed' }),
      { outcome: 'failed', nothingCharged: true, providerReference: 'rf_1' },
    ],
    [
      '200 reversed',
      made(200, { state: 'reversed' }),
      { outcome: 'failed', nothingCharged: true, providerReference: 'rf_1' },
    ],
    [
      '200 of a strange state',
      made(200, { state: 'odd' }),
      { outcome: 'pending', providerReference: 'rf_1', unknownStatus: 'odd' },
    ],
    [
      '422 too_much',
      error(422, 'too_much'),
      { outcome: 'failed', nothingCharged: true, reason: 'the vault answered 422 too_much' },
    ],
    [
      '422 of another code',
      error(422, 'token_deleted'),
      { outcome: 'failed', nothingCharged: true, reason: 'the vault answered 422 token_deleted' },
    ],
    [
      '429',
      error(429, 'throttled'),
      { outcome: 'failed', nothingCharged: true, reason: 'the vault answered 429 throttled' },
    ],
  ] as const) {
    it(`reads ${name}`, async () => expect(await refund(answer)).to.deep.equal(expected));
  }

  for (const [name, answer] of [
    ['409', error(409, 'key_reused')],
    ['422 without an error', reply(422)],
    ['500', reply(500)],
    ['402', made(402)],
    ['404', error(404, 'not_found')],
    ['another charge', made(202, { charge: 'ch_2' })],
    ['another amount', made(202, { minor: 999 })],
    ['another currency', made(202, { cur: 'USD' })],
    ['no id', made(202, { id: '' })],
    ['a body that is not JSON', reply(202, 'ok')],
  ] as const) {
    it(`treats ${name} as unknown`, async () => expect((await refund(answer)).outcome).to.equal('unknown'));
  }

  it('sends no request without the charge’s id', () => {
    expect(refuseRefund(token.manifest, {}, refundRequest)).to.include({ outcome: 'failed', nothingCharged: true });
  });
});
