import type { CompletionStep, StoredPayment } from '@paywright/contract';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import providerC from '../index.ts';
import { harness, answer, answered, challenge, error, tds, unreadable } from './messages.ts';

const { options, stored, unanswered } = harness;

describe('complete at C', () => {
  const posted = (field: 'cres' | 'PaRes' | 'threeDSMethodData', value: string): CompletionStep => ({
    kind: '3ds',
    field,
    value,
    transactionId: tds,
    hint: 'N',
  });
  const complete = (given: ReturnType<typeof answer>, step: CompletionStep, payment: StoredPayment = stored) =>
    answered(given, (ctx) => providerC.complete!(payment, step, ctx));
  const waiting = (fields: Readonly<Record<string, string>>): StoredPayment => ({
    ...stored,
    action: { type: 'redirect', method: 'POST', url: 'https://acs.example', fields, transactionId: tds },
  });

  for (const [step, payment, name, value] of [
    [posted('cres', 'eyJ9'), stored, 'c_cres', 'eyJ9'],
    [posted('PaRes', 'eJx+/='), stored, 'c_pares', 'eJx+/='],
    [posted('threeDSMethodData', 'eyJ9'), stored, 'c_method', 'done'],
    [{ kind: 'return' }, waiting({ creq: 'x', threeDSSessionData: 't' }), 'c_cres', 'done'],
    [{ kind: 'return' }, waiting({ PaReq: 'x', TermUrl: 'u', MD: 't' }), 'c_pares', 'done'],
    [{ kind: 'return' }, waiting({ threeDSMethodData: 'x' }), 'c_method', 'done'],
  ] as const) {
    const by = step.kind === '3ds' ? step.field : step.kind;
    it(`reports ${by} with ${name}, and follows the answer, not the hint`, async () => {
      const { result, sent, requests } = await complete(answer(), step, payment);
      expect(requests[0]).to.include({ method: 'POST', path: '/v1/payments/complete' });
      expect(Object.keys(sent)).to.deep.equal(['c_key', 'c_ref', 'c_id', name, 'c_hash']);
      expect(sent[name]).to.equal(value);
      const shown = name === 'c_cres' ? { threeDs: 'authenticated' } : {};
      expect(result).to.deep.equal({ outcome: 'succeeded', providerReference: '700000000000000181', ...shown });
    });
  }

  it('may lead to the challenge, and ends with the answer', async () => {
    const step = posted('threeDSMethodData', 'x');
    const next = await complete(challenge({ c_step: 'creq', c_creq: 'CREQ' }), step);
    expect(next.result).to.have.nested.property('action.transactionId', tds);
    const failed = await complete(answer({ c_state: 'failure', c_why: 'auth_failed', c_auth: 'N' }), step);
    expect(failed.result).to.include({ outcome: 'failed', decline: '05', threeDsResult: 'N' });
    expect((await complete(error(503, 'closed'), step)).result).to.include({ nothingCharged: true });
  });

  it('stays unknown if C asks to wait', async () => {
    const { result } = await complete(error(429, 'slow_down'), posted('cres', 'x'));
    expect(result).to.include({ outcome: 'unknown' }).and.not.have.property('nothingCharged');
  });

  for (const [name, given] of unreadable) {
    it(`treats ${name} as unknown`, async () => {
      expect((await complete(given, posted('cres', 'x'))).result.outcome).to.equal('unknown');
    });
  }

  it('sends no request if step, id or account is unknown', async () => {
    const elsewhere = { ...stored, money: { amount: '25.9', currency: 'USD' } };
    for (const [step, payment] of [
      [{ kind: 'return' }, stored],
      [{ kind: 'return' }, waiting({ c_key: options.accounts[0]!.key })],
      [{ kind: 'code', code: '123' }, stored],
      [posted('cres', 'x'), unanswered],
      [posted('cres', 'x'), elsewhere],
    ] as const) {
      const { result, requests } = await complete(answer(), step, payment);
      expect([result.outcome, requests.length]).to.deep.equal(['unknown', 0]);
    }
  });
});
