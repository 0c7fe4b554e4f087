import type { CompletionStep, StoredPayment } from '@gateway/contract';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import providerC from '../index.ts';
import { answer, answered, error, options, stored, submission, unreadable, type Fields } from './helpers.ts';

const tds = '5F6B1f0e-9f0a-4d8e-8c55-0b1a2f6f7c11';
const challenge = (changes: Fields) =>
  answer({ c_state: 'challenge', c_acs: 'https://acs.example/x?y=1', c_tds: tds, ...changes });
const outcomeOf = async (given: ReturnType<typeof answer>) =>
  (await answered(given, (provider) => providerC.submit(submission, provider))).result;

describe('3D Secure', () => {
  const token = 'M2RzMS4xMDA0Mi4x';
  const wayBack = 'https://gateway.example/callbacks/3ds';
  const method = `{"threeDSServerTransID":"${tds}","threeDSMethodNotificationURL":"${wayBack}?t=${token}"}`;

  for (const [changes, fields] of [
    [
      { c_step: 'creq', c_creq: 'CREQ' },
      { creq: 'CREQ', threeDSSessionData: token },
    ],
    [
      { c_step: 'pareq', c_pareq: 'PAREQ' },
      { PaReq: 'PAREQ', TermUrl: wayBack, MD: token },
    ],
    [{ c_step: 'method' }, { threeDSMethodData: Buffer.from(method).toString('base64url') }],
  ] as const) {
    it(`sends the payer to the issuer for ${changes.c_step}`, async () => {
      expect(await outcomeOf(challenge(changes))).to.deep.equal({
        outcome: 'pending',
        providerReference: '700000000000000181',
        action: { type: 'redirect', method: 'POST', url: 'https://acs.example/x?y=1', fields, transactionId: tds },
      });
    });
  }

  for (const [name, changes] of [
    ['no step', {}],
    ['a step that nobody knows', { c_step: 'dance' }],
    ['no creq', { c_step: 'creq' }],
    ['an empty creq', { c_step: 'creq', c_creq: '' }],
    ['a pareq for a creq', { c_step: 'creq', c_pareq: 'x' }],
    ['no address', { c_step: 'method', c_acs: undefined }],
    ['an address that is none of the web', { c_step: 'method', c_acs: 'javascript:1' }],
    ['a transaction that is no UUID', { c_step: 'method', c_tds: 'x' }],
  ] as const) {
    it(`calls a challenge with ${name} unknown, and keeps its id`, async () => {
      const result = await outcomeOf(challenge(changes));
      expect(result).to.include({ outcome: 'unknown', providerReference: '700000000000000181' });
      expect(result).not.to.have.property('action');
    });
  }
});

describe('the completion', () => {
  const posted = (field: 'cres' | 'PaRes' | 'threeDSMethodData', value: string): CompletionStep => ({
    kind: '3ds',
    field,
    value,
    transactionId: tds,
    hint: 'N',
  });
  const complete = (given: ReturnType<typeof answer>, step: CompletionStep, payment: StoredPayment = stored) =>
    answered(given, (provider) => providerC.complete!(payment, step, provider));
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
    it(`tells of ${by} with ${name}, and takes the answer whatever the hint was`, async () => {
      const { result, sent, requests } = await complete(answer(), step, payment);
      expect(requests[0]).to.include({ method: 'POST', path: '/v1/payments/complete' });
      expect(Object.keys(sent)).to.deep.equal(['c_key', 'c_ref', 'c_id', name, 'c_hash']);
      expect(sent[name]).to.equal(value);
      expect(result).to.deep.equal({ outcome: 'succeeded', providerReference: '700000000000000181' });
    });
  }

  it('may lead on to the challenge, and ends by the answer', async () => {
    const step = posted('threeDSMethodData', 'x');
    const next = await complete(challenge({ c_step: 'creq', c_creq: 'CREQ' }), step);
    expect(next.result).to.have.nested.property('action.transactionId', tds);
    const failed = await complete(answer({ c_state: 'failure', c_why: 'auth_failed', c_auth: 'N' }), step);
    expect(failed.result).to.include({ outcome: 'failed', decline: '05', threeDsResult: 'N' });
    expect((await complete(error(503, 'closed'), step)).result).to.include({ nothingCharged: true });
  });

  it('stays unknown where C asks to wait', async () => {
    const { result } = await complete(error(429, 'slow_down'), posted('cres', 'x'));
    expect(result).to.include({ outcome: 'unknown' }).and.not.have.property('nothingCharged');
  });

  for (const [name, given] of unreadable) {
    it(`takes ${name} as unknown`, async () => {
      expect((await complete(given, posted('cres', 'x'))).result.outcome).to.equal('unknown');
    });
  }

  it('asks nothing where no step, id or account is known', async () => {
    const { providerReference: _, ...nameless } = stored;
    const elsewhere = { ...stored, money: { amount: '25.9', currency: 'USD' } };
    for (const [step, payment] of [
      [{ kind: 'return' }, stored],
      [{ kind: 'return' }, waiting({ c_key: options.accounts[0]!.key })],
      [{ kind: 'code', code: '123' }, stored],
      [posted('cres', 'x'), nameless],
      [posted('cres', 'x'), elsewhere],
    ] as const) {
      const { result, requests } = await complete(answer(), step, payment);
      expect([result.outcome, requests.length]).to.deep.equal(['unknown', 0]);
    }
  });
});
