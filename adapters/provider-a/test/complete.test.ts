import { reply } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { harness, charge, error } from './messages.ts';

const { complete, stored } = harness;

describe('complete at A', () => {
  it('returns the stored action again while the challenge is open', async () => {
    const action = { type: 'redirect', method: 'GET', url: 'https://a.example/c', transactionId: 'A-1' } as const;
    const open = error(409, 'STEP_UP_OPEN');
    const outcome = await complete(open, { kind: 'return' }, { ...stored, action });
    expect(outcome).to.deep.equal({ outcome: 'pending', providerReference: 'A-7H2K9Q', action });
  });

  it('leaves a charge in progress unknown if A asks to wait or another call is in progress', async () => {
    expect((await complete(reply(429, ''))).outcome).to.equal('unknown');
    expect((await complete(error(409, 'IN_PROGRESS'))).outcome).to.equal('unknown');
  });

  it('follows the answer of the call, with result N for a failed challenge', async () => {
    expect(await complete(reply(200, charge('OK')))).to.include({ outcome: 'succeeded' });
    expect(await complete(reply(200, charge('NO', { why: 'AUTH3DS' })))).to.include({
      decline: '05',
      threeDsResult: 'N',
    });
  });
});
