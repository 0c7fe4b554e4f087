import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { paidEvent, useCallbacks } from './testing/setup.ts';

/** The address of an account; without one, the address that all accounts share. */
const at = (account?: string) => ({ path: `/callbacks/fake${account === undefined ? '' : `/${account}`}` });

describe('callbacks of several accounts', () => {
  const inbox = useCallbacks();
  const accounts = ['eu', 'pt'];
  beforeEach(async () => inbox.clear());

  it('are stored with the account that proved them, and apply to its payments', async () => {
    const { receive, callbacks, logged } = inbox.create({ accounts });
    const id = await inbox.createPending({}, { account: 'eu' });
    const main = await inbox.createPending();
    expect(await receive({ events: [paidEvent(id)] }, at('eu'))).to.equal('accepted');
    expect(await receive({ events: [paidEvent(main)] }, at())).to.equal('accepted');
    expect((await inbox.rows()).map(({ account }) => account)).to.have.members(['eu', undefined]);
    await callbacks.drain(200);
    expect([(await inbox.payment(id)).statusId, (await inbox.payment(main)).statusId]).to.deep.equal([2, 2]);
    expect(logged.filter(({ alarm }) => alarm)).to.deep.equal([]);
  });

  for (const [proven, account] of [
    ['eu', 'pt'],
    ['eu', undefined],
    [undefined, 'eu'],
  ] as const) {
    it(`change nothing if ${proven ?? 'main'} proves an event about a payment of ${account ?? 'main'}`, async () => {
      const { receive, callbacks, logged } = inbox.create({ accounts });
      const id = await inbox.createPending({}, account === undefined ? {} : { account });
      const before = await inbox.payment(id);
      const events = [paidEvent(id), paidEvent(id, { mustFetch: true, dedupeKey: 'ping' })];
      for (const event of events) expect(await receive({ events: [event] }, at(proven))).to.equal('ignored');
      await callbacks.drain(200);
      expect(await inbox.payment(id)).to.deep.equal(before);
      expect((await inbox.rows()).map(({ state }) => state)).to.deep.equal(['done', 'done']);
      const subject = `adapter provider-1${proven === undefined ? '' : `/${proven}`}`;
      const alarms = logged.filter(({ alarm }) => alarm);
      expect(alarms.map(({ alarmKind, subject: about }) => [alarmKind, about])).to.deep.equal(
        events.map(() => ['callback_of_other_account', subject]),
      );
    });
  }

  it('find the payment of their own account by the provider’s id, which two accounts may share', async () => {
    const { receive, callbacks } = inbox.create({ accounts });
    const providerReference = 'P-shared';
    const eu = await inbox.createPending({}, { account: 'eu', providerReference });
    const pt = await inbox.createPending({}, { account: 'pt', providerReference });
    const event = paidEvent(eu, { reference: null, providerReference, dedupeKey: 'shared' });
    expect(await receive({ events: [event] }, at('eu'))).to.equal('accepted');
    await callbacks.drain(200);
    expect([(await inbox.payment(eu)).statusId, (await inbox.payment(pt)).statusId]).to.deep.equal([2, 1]);
    // The same identity at another account is another event.
    expect(await receive({ events: [event] }, at('pt'))).to.equal('accepted');
    await callbacks.drain(200);
    expect((await inbox.payment(pt)).statusId).to.equal(2);
  });

  it('change nothing if the event itself names another account than the one that proved it', async () => {
    const { receive, callbacks, logged } = inbox.create({ accounts, keys: { live: 'EU', test: 'EU' } });
    const [id, other] = [await inbox.createPending(), await inbox.createPending()];
    await receive({ events: [paidEvent(id, { accountKey: 'EU' }), paidEvent(other, { accountKey: 'PT' })] }, at());
    await callbacks.drain(200);
    expect([(await inbox.payment(id)).statusId, (await inbox.payment(other)).statusId]).to.deep.equal([2, 1]);
    expect(logged.filter(({ alarm }) => alarm).map(({ alarmKind }) => alarmKind)).to.deep.equal([
      'callback_of_other_account',
    ]);
  });

  it('are not found at the address of an account that does not exist, or of main', async () => {
    const { receive } = inbox.create({ accounts });
    for (const path of ['unknown', 'main']) expect(await receive({ events: [] }, at(path))).to.equal('undefined');
    expect(await inbox.rows()).to.deep.equal([]);
  });

  it('without proof ask the account of the payment, whatever the address is', async () => {
    const { receive, callbacks, logged } = inbox.create({ accounts });
    const id = await inbox.createPending({}, { account: 'pt' });
    for (const address of [at('eu'), at()])
      expect(await receive({ events: [paidEvent(id)], proof: 'none' }, address)).to.equal('accepted');
    await callbacks.drain(200);
    const { statusId, attempts } = await inbox.payment(id);
    expect([statusId, attempts[0]!.fetchesRequested]).to.deep.equal([1, 1]);
    expect(logged.filter(({ alarm }) => alarm)).to.deep.equal([]);
  });
});
