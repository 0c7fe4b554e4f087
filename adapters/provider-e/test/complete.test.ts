import type { HttpReply, StoredPayment } from '@paywright/contract';
import { scriptedHttp } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import providerE from '../index.ts';
import { harness, errorOf, h2hStored, sale, xmlStored } from './messages.ts';

const { createContext, unanswered } = harness;

const complete = (answer: HttpReply, payment: StoredPayment = h2hStored) =>
  harness.complete(answer, { kind: 'code', code: '246810' }, payment);

describe('the answer to a member code', () => {
  it('is read like the answer to a payment', async () => {
    expect(await complete(sale())).to.include({ outcome: 'succeeded' });
    expect(await complete(sale({ rc: '"4055"' }))).to.include({ outcome: 'failed', decline: '05' });
    expect(await complete(sale({ rc: '"2002"' }))).to.include({ outcome: 'pending', authorised: true });
    expect(await complete(sale({ inv: '"GW-1-1"' }))).to.include({ outcome: 'unknown' });
    expect(await complete(errorOf(503, 'CLOSED', 'no'))).to.include({ outcome: 'failed', nothingCharged: true });
  });

  it('is not final if E asks to wait', async () => {
    const outcome = await complete(errorOf(429, 'TOO_MANY', 'no'));
    expect(outcome).to.deep.equal({ outcome: 'unknown', reason: 'E asks to wait' });
  });

  it('is about the number in the action if no other number is known', async () => {
    const paymentId = h2hStored.providerReference!;
    const payment = { ...unanswered, action: { type: 'confirm', paymentId } } as const;
    expect(await complete(sale(), payment)).to.include({ outcome: 'succeeded' });
  });

  it('is not requested for another step, or without a number of E', async () => {
    const http = scriptedHttp([]);
    const ctx = createContext([], { http });
    expect((await providerE.complete!(h2hStored, { kind: 'return' }, ctx)).outcome).to.equal('unknown');
    expect((await providerE.complete!(unanswered, { kind: 'code', code: '1' }, ctx)).outcome).to.equal('unknown');
    expect((await providerE.complete!(xmlStored, { kind: 'code', code: '1' }, ctx)).outcome).to.equal('unknown');
    expect(http.requests).to.deep.equal([]);
  });
});
