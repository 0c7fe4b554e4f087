import { expect } from 'chai';
import { describe, it } from 'mocha';
import providerC from '../index.ts';
import { harness, answered, challenge, tds } from './messages.ts';

const { submission } = harness;

const outcomeOf = async (given: ReturnType<typeof challenge>) =>
  (await answered(given, (ctx) => providerC.submit(submission, ctx))).result;

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
    it(`redirects the payer to the issuer for ${changes.c_step}`, async () => {
      expect(await outcomeOf(challenge(changes))).to.deep.equal({
        outcome: 'pending',
        providerReference: '700000000000000181',
        action: { type: 'redirect', method: 'POST', url: 'https://acs.example/x?y=1', fields, transactionId: tds },
      });
    });
  }

  for (const [name, changes] of [
    ['no step', {}],
    ['an unknown step', { c_step: 'dance' }],
    ['no creq', { c_step: 'creq' }],
    ['an empty creq', { c_step: 'creq', c_creq: '' }],
    ['a pareq for a creq', { c_step: 'creq', c_pareq: 'x' }],
    ['no address', { c_step: 'method', c_acs: undefined }],
    ['an address that is not a web address', { c_step: 'method', c_acs: 'javascript:1' }],
    ['a transaction that is no UUID', { c_step: 'method', c_tds: 'x' }],
  ] as const) {
    it(`calls a challenge with ${name} unknown, and keeps its id`, async () => {
      const result = await outcomeOf(challenge(changes));
      expect(result).to.include({ outcome: 'unknown', providerReference: '700000000000000181' });
      expect(result).not.to.have.property('action');
    });
  }
});
