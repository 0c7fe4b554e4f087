import { defineRoute, malformed } from '@paywright/contract';
import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { accountRefOf, mainAccount } from '../providers/index.ts';
import { fakeActive } from '../providers/testing/fake-adapter.ts';
import { findUnusedAddresses } from './own-addresses.ts';
import { paidEvent, useCallbacks } from './testing/setup.ts';

const adapter = 'provider-1';
const route = defineRoute({
  path: 'fake',
  method: 'POST',
  caller: 'server',
  reports: 'payments',
  verifySignature: () => malformed('never called'),
  parseCallback: () => ({ events: [] }),
});

function accountsOf(count: number, accountHint?: () => undefined) {
  const callbacks = [{ ...route, ...(accountHint && { accountHint }) }];
  const active = fakeActive({ manifest: { name: adapter }, adapter: { callbacks } });
  const names = [mainAccount, ...Array.from({ length: count - 1 }, (_, n) => `a${n}`)];
  return names.map((account) => ({ ...active, account, ref: accountRefOf({ adapter, account }) }));
}

describe('findUnusedAddresses', () => {
  const inbox = useCallbacks();
  beforeEach(async () => inbox.clear());

  it('accepts 33 accounts, and any number whose callbacks name the account', async () => {
    expect(await findUnusedAddresses(accountsOf(33))).to.deep.equal([]);
    expect(await findUnusedAddresses(accountsOf(40, () => undefined))).to.deep.equal([]);
  });

  it('names the accounts beyond them until each has received a callback at its own address', async () => {
    const accounts = accountsOf(35);
    const connection = inbox.connection();
    const problem = (names: string) =>
      `provider-1: 35 accounts, but its callbacks do not name the account, and the shared address tries only 33. No callback has come to the addresses of ${names}: enter them at the provider`;
    const [both, last] = [problem('provider-1/a32, provider-1/a33'), problem('provider-1/a33')];
    expect(await findUnusedAddresses(accounts)).to.deep.equal([both]);
    const { receive } = inbox.create({ accounts: accounts.slice(1).map(({ account }) => account) });
    const send = async (path: string, by: string) =>
      receive({ events: [paidEvent(1, { dedupeKey: by })], by: [by] }, { path });
    await send('/callbacks/fake', 'a0');
    expect(await findUnusedAddresses(accounts, connection)).to.deep.equal([both]);
    expect(await send('/callbacks/fake/a32', 'a32')).to.equal('accepted');
    expect(await findUnusedAddresses(accounts, connection)).to.deep.equal([last]);
    expect(await send('/callbacks/fake/a33', 'a33')).to.equal('accepted');
    expect(await findUnusedAddresses(accounts, connection)).to.deep.equal([]);
  });

  it('counts the accounts that it does not name', async () => {
    const [problem] = await findUnusedAddresses(accountsOf(40));
    expect(problem).to.contain('provider-1/a32, provider-1/a33, provider-1/a34 and 4 others');
  });
});
