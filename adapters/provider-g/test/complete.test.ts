import type { CompletionStep, HttpReply, Outcome } from '@paywright/contract';
import { scriptedHttp } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import providerG from '../index.ts';
import {
  harness,
  challenge,
  chargeReply,
  errorReply,
  plaintextOf,
  reference,
  txn,
  unverified,
  unclear,
} from './messages.ts';

const { stored, createContext, unanswered } = harness;

describe('complete', () => {
  const cres: CompletionStep = { kind: '3ds', field: 'cres', value: 'eyJ0', transactionId: challenge.id, hint: 'Y' };
  const complete = (answer: HttpReply, payment = stored, step: CompletionStep = cres): Promise<Outcome> =>
    harness.complete(answer, step, payment);

  it('sends the result exactly as the browser brought it', async () => {
    const http = scriptedHttp([chargeReply('PAID')]);
    await providerG.complete!(stored, cres, createContext([], { http }));
    expect(http.requests[0]).to.include({ method: 'POST', path: `/v1/charges/${txn}/complete` });
    expect(JSON.stringify(plaintextOf(http.requests[0]!.body))).to.equal(
      JSON.stringify({ mid: 'M1000427', g_txn: txn, gw_ref: reference, cres: 'eyJ0' }),
    );
  });

  it("reads only G's answer, whatever the hint says", async () => {
    expect(await complete(chargeReply('PAID'), stored, { ...cres, hint: 'N' })).to.include({
      outcome: 'succeeded',
      threeDs: 'authenticated',
    });
    const failed = await complete(chargeReply('UNPAID', { why: 'SECURE_FAILED' }));
    expect(failed).to.include({ outcome: 'failed', decline: '05', threeDsResult: 'N' });
  });

  for (const [what, answer] of [
    ...unverified,
    ...unclear,
    ['422 NOT_READY', errorReply(422, 'NOT_READY', true)],
    ['422 BAD_CRES', errorReply(422, 'BAD_CRES', true)],
    // A charge in progress may still be completed: another request loses nothing.
    ['429 SLOW_DOWN', errorReply(429, 'SLOW_DOWN', false)],
    ['503 CLOSED', errorReply(503, 'CLOSED', false)],
    ['an answer about another charge', chargeReply('PAID', { g_txn: '1' })],
  ] as const) {
    it(`leaves the charge unknown after ${what}`, async () => {
      const outcome = await complete(answer);
      expect(outcome.outcome).to.equal('unknown');
      expect(outcome).not.to.have.property('nothingCharged');
    });
  }

  it('sends no request without G’s id', async () => {
    expect((await complete(chargeReply('PAID'), unanswered)).outcome).to.equal('unknown');
  });

  it('sends no request without a cres: the same challenge waits, with a new token', async () => {
    const { url, creq, id: transactionId } = challenge;
    const fields = { creq, threeDSSessionData: 'an older token' };
    const action = { type: 'redirect', method: 'POST', url, fields, transactionId } as const;
    for (const step of [{ kind: 'return' }, { ...cres, field: 'PaRes' }, { kind: 'code', code: '1' }] as const) {
      expect(await providerG.complete!({ ...stored, action }, step, createContext())).to.deep.equal({
        outcome: 'pending',
        providerReference: txn,
        action: { ...action, fields: { creq, threeDSSessionData: 'the-token' } },
      });
    }
    expect((await providerG.complete!(stored, { kind: 'return' }, createContext())).outcome).to.equal('unknown');
  });
});
