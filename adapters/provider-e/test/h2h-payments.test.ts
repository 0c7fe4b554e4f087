import type { HttpReply, StoredPayment } from '@gateway/contract';
import { scriptedHttp, scriptedProvider } from '@gateway/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import providerE from '../index.ts';
import {
  ask,
  callback,
  claimsOf,
  errorOf,
  faultOf,
  h2hStored,
  h2hSubmission,
  now,
  options,
  reply,
  replyOf,
  seconds,
  submit,
  tokenOf,
  xmlStored,
  type Claims,
} from './helpers.ts';

const sale = (changes: Claims = {}): HttpReply => reply(200, tokenOf(claimsOf({ orig: undefined, ...changes })));
const complete = (answer: HttpReply, payment: StoredPayment = h2hStored) =>
  ask(answer, (provider) => providerE.complete!(payment, { kind: 'code', code: '246810' }, provider));

describe('what E answers to a host-to-host payment', () => {
  const providerReference = '900719925474099301';
  for (const [rc, expected] of [
    ['0000', { outcome: 'succeeded' }],
    ['2000', { outcome: 'pending' }],
    ['2001', { outcome: 'pending', action: { type: 'confirm', paymentId: providerReference } }],
    ['2002', { outcome: 'pending', authorised: true }],
    ['2003', { outcome: 'unknown', unknownWord: '2003' }],
    ['4055', { outcome: 'failed', decline: '05' }],
    ['4061', { outcome: 'failed', decline: '61' }],
    ['4090', { outcome: 'failed', decline: '05', declineText: '4090', unknownWord: '4090' }],
    ['40', { outcome: 'unknown', unknownWord: '40' }],
    ['7000', { outcome: 'unknown', unknownWord: '7000' }],
  ] as const) {
    it(`reads ${rc} as ${expected.outcome}`, async () => {
      expect(await submit(sale({ rc: `"${rc}"` }), h2hSubmission)).to.deep.equal({ providerReference, ...expected });
    });
  }

  it('takes the sum by its value, and a claim more', async () => {
    expect((await submit(sale({ sum: '2590e-2', orig: 'null' }), h2hSubmission)).outcome).to.equal('succeeded');
  });

  for (const [name, answer] of [
    ['another reference', sale({ inv: '"GW-10042-2"' })],
    ['another sum', sale({ sum: '25.91' })],
    ['another currency', sale({ cur: '"USD"' })],
    ['another account', sale({ acct: '"OTHER"' })],
    ['a refund', reply(200, callback({ op: '"refund"', orig: '1' }))],
    ['a stale token', sale({ iat: String(seconds - 601) })],
    ['a claim too few', sale({ why: undefined })],
    ['a wrong MAC', reply(200, tokenOf(claimsOf(), undefined, [{ kid: 'k1', secret: options.h2hKeys[1]!.secret }]))],
    ['no token', reply(200, '{}')],
    ['XML', reply(200, replyOf())],
    ['201', { ...sale(), status: 201 }],
    ['409', errorOf(409, 'IN_WORK', 'yes')],
    ['500 that does not know', errorOf(500, 'INTERNAL', 'unknown')],
    ['500 that says no otherwise', errorOf(500, 'INTERNAL', false)],
    ['500 in XML', reply(500, faultOf('INTERNAL', 'no'))],
  ] as const) {
    it(`takes ${name} as unknown`, async () => {
      const outcome = await submit(answer, h2hSubmission);
      expect(outcome.outcome).to.equal('unknown');
      expect(outcome).not.to.have.any.keys('decline', 'nothingCharged', 'action', 'providerReference');
    });
  }
});

describe('what E answers to a member code', () => {
  it('takes the answer as that of a payment', async () => {
    expect(await complete(sale())).to.include({ outcome: 'succeeded' });
    expect(await complete(sale({ rc: '"4055"' }))).to.include({ outcome: 'failed', decline: '05' });
    expect(await complete(sale({ rc: '"2002"' }))).to.include({ outcome: 'pending', authorised: true });
    expect(await complete(sale({ inv: '"GW-1-1"' }))).to.include({ outcome: 'unknown' });
    expect(await complete(errorOf(503, 'CLOSED', 'no'))).to.include({ outcome: 'failed', nothingCharged: true });
  });

  it('ends nothing when E asks to wait', async () => {
    const outcome = await complete(errorOf(429, 'TOO_MANY', 'no'));
    expect(outcome).to.deep.equal({ outcome: 'unknown', reason: 'E asks to wait' });
  });

  it('takes the number from the action where it knows no other', async () => {
    const { providerReference, ...bare } = h2hStored;
    const payment = { ...bare, action: { type: 'confirm', paymentId: providerReference! } } as const;
    expect(await complete(sale(), payment)).to.include({ outcome: 'succeeded' });
  });

  it('asks nothing for another step, or without a number of E', async () => {
    const { providerReference: _, ...bare } = h2hStored;
    const http = scriptedHttp([]);
    const provider = scriptedProvider({ options, now, http });
    expect((await providerE.complete!(h2hStored, { kind: 'return' }, provider)).outcome).to.equal('unknown');
    expect((await providerE.complete!(bare, { kind: 'code', code: '1' }, provider)).outcome).to.equal('unknown');
    expect((await providerE.complete!(xmlStored, { kind: 'code', code: '1' }, provider)).outcome).to.equal('unknown');
    expect(http.requests).to.deep.equal([]);
  });
});
