import type { AccountFinding } from '@paywright/contract';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { checkAccount } from './check-account.ts';
import { fakeActive } from './testing/fake-adapter.ts';

describe('checkAccount', () => {
  const check = async (found: readonly AccountFinding[], problem?: string) => {
    const kept: unknown[] = [];
    const findings = await checkAccount(
      {
        calls: { checkAccount: async () => found },
        onSilence: async () => undefined,
        evidence: { refusal: async () => undefined },
        keepReportedId: async (...shown) => {
          kept.push(shown);
          return problem;
        },
      },
      fakeActive(),
      [true, false],
    );
    return { kept, wrong: findings.flatMap(({ state, text }) => (state === 'wrong' ? [text] : [])) };
  };
  const right = { ok: true, finding: 'the account can accept payments', accountId: 'acct_7' };

  it('compares the id of each side with the known one', async () => {
    const { name } = fakeActive();
    const { kept, wrong } = await check([{ ok: true, finding: 'the key is accepted' }, right]);
    expect(kept).to.deep.equal([
      [name, true, 'acct_7'],
      [name, false, 'acct_7'],
    ]);
    expect(wrong).to.deep.equal([]);
  });

  it('fails if the provider names another account', async () => {
    const { wrong } = await check([right], 'it is another account');
    expect(wrong).to.have.length(2);
    expect(wrong[0]).to.match(/\(test\): it is another account$/);
  });

  it('keeps no id of a check that failed, or that shows none', async () => {
    expect((await check([{ ...right, ok: false }])).kept).to.deep.equal([]);
    expect((await check([{ ok: true, finding: 'the key is accepted' }])).kept).to.deep.equal([]);
  });
});
