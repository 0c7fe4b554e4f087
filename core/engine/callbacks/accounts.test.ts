import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { listRefused } from './refused-list.ts';
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

  it('apply if their account was removed while they waited in the inbox', async () => {
    const { receive } = inbox.create({ accounts });
    const id = await inbox.createPending({}, { account: 'eu' });
    expect(await receive({ events: [paidEvent(id)] }, at('eu'))).to.equal('accepted');
    const { callbacks, logged } = inbox.create({ accounts: ['pt'] });
    await callbacks.drain(200);
    expect((await inbox.payment(id)).statusId).to.equal(2);
    expect((await inbox.rows()).map(({ state }) => state)).to.deep.equal(['done']);
    expect(logged.filter(({ alarm }) => alarm)).to.deep.equal([]);
  });

  it('of a new account are refused by a host that has not seen it, and applied by it once another host took one', async () => {
    const [late, early] = [inbox.create({ accounts: [] }), inbox.create({ accounts: ['eu'] })];
    const id = await inbox.createPending({}, { account: 'eu' });
    // The provider repeats a callback that was not found.
    expect(await late.receive({ events: [paidEvent(id)] }, at('eu'))).to.equal('undefined');
    // The proof of main, which this host tries at the shared address, has no effect on payments of other accounts.
    expect(await late.receive({ events: [paidEvent(id, { dedupeKey: 'shared' })] }, at())).to.equal('accepted');
    await late.callbacks.drain(200);
    expect((await inbox.payment(id)).statusId).to.equal(1);
    expect(await early.receive({ events: [paidEvent(id)] }, at('eu'))).to.equal('accepted');
    await late.callbacks.drain(200);
    expect((await inbox.payment(id)).statusId).to.equal(2);
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

  const otherAccount = ['callback_of_other_account'];
  const alarmsOf = (logged: readonly Readonly<Record<string, unknown>>[]) =>
    logged.filter(({ alarm }) => alarm).map(({ alarmKind }) => alarmKind);

  it('are proven at the bare address by the account whose secret fits', async () => {
    const { receive, callbacks, logged } = inbox.create({ accounts });
    const id = await inbox.createPending({}, { account: 'pt' });
    expect(await receive({ events: [paidEvent(id)], by: ['pt'] }, at())).to.equal('accepted');
    expect((await inbox.rows()).map(({ account, sharedWith }) => [account, sharedWith])).to.deep.equal([
      ['pt', undefined],
    ]);
    await callbacks.drain(200);
    expect([(await inbox.payment(id)).statusId, alarmsOf(logged)]).to.deep.equal([2, []]);
  });

  it('are refused at the address of an account whose secret does not fit', async () => {
    const { receive } = inbox.create({ accounts });
    const id = await inbox.createPending({}, { account: 'pt' });
    const answer = await receive({ events: [paidEvent(id)], by: ['pt'] }, at('eu'));
    expect([answer, await inbox.rows()]).to.deep.equal(['invalid_signature', []]);
  });

  it('whose proof needs a call are proven by the account of the payment that they name, otherwise by main alone', async () => {
    const { receive, callbacks, logged } = inbox.create({ accounts, needsCall: true });
    const [id, unknown] = [await inbox.createPending({}, { account: 'pt' }), 4_242_424_242];
    const by = ['main', 'eu', 'pt'];
    expect(await receive({ events: [paidEvent(id)], by }, at())).to.equal('accepted');
    expect(await receive({ events: [paidEvent(unknown)], by }, at())).to.equal('accepted');
    expect(await receive({ events: [paidEvent(unknown)], by: ['pt'] }, at())).to.equal('invalid_signature');
    expect((await inbox.rows()).map(({ account }) => account)).to.have.members(['pt', undefined]);
    await callbacks.drain(200);
    expect([(await inbox.payment(id)).statusId, alarmsOf(logged)]).to.deep.equal([2, []]);
  });

  it('are tried at the bare address for main and 32 others, and no more', async () => {
    const many = Array.from({ length: 40 }, (_, n) => `a${n}`);
    const { receive } = inbox.create({ accounts: many });
    const answers = ['main', 'a0', 'a31', 'a32', 'a39'].map(async (account) =>
      receive({ events: [paidEvent(1, { dedupeKey: account })], by: [account] }, at()),
    );
    expect(await Promise.all(answers)).to.deep.equal([
      'accepted',
      'accepted',
      'accepted',
      'invalid_signature',
      'invalid_signature',
    ]);
    const own = { events: [paidEvent(1, { dedupeKey: 'own' })], by: ['a39'] };
    expect(await receive(own, at('a39'))).to.equal('accepted');
  });

  describe('with a hint', () => {
    it('are tried for the accounts with that key only, however many there are', async () => {
      const many = Array.from({ length: 40 }, (_, n) => `a${n}`);
      const { receive, callbacks } = inbox.create({ accounts: many, hasHint: true });
      const id = await inbox.createPending({}, { account: 'a39' });
      const message = { events: [paidEvent(id)], by: ['a39'] };
      expect(await receive({ ...message, names: 'A39' }, at())).to.equal('accepted');
      await callbacks.drain(200);
      expect((await inbox.payment(id)).statusId).to.equal(2);
    });

    it('of one account and the proof of another are refused', async () => {
      const { receive } = inbox.create({ accounts, hasHint: true });
      const answers = ['EU', 'MAIN'].map(async (names) => receive({ events: [paidEvent(1)], by: ['pt'], names }, at()));
      expect(await Promise.all(answers)).to.deep.equal(['invalid_signature', 'invalid_signature']);
      expect(await inbox.rows()).to.deep.equal([]);
    });

    it('of an account that does not exist are refused as a wrong proof, and listed with the reason', async () => {
      const { receive, callbacks } = inbox.create({ accounts, hasHint: true });
      const message = { events: [paidEvent(1)], by: ['main', 'eu', 'pt'], names: 'UNKNOWN' };
      expect(await receive(message, at())).to.equal('invalid_signature');
      expect(await inbox.rows()).to.deep.equal([]);
      await callbacks.close();
      const listed = await listRefused(inbox.connection(), 'provider-1');
      expect(listed.map(({ reason }) => reason)).to.include('proof (it names an unknown account)');
    });

    it('that cannot be read are tried as without a hint', async () => {
      const { receive } = inbox.create({ accounts, hasHint: true });
      expect(await receive({ events: [paidEvent(1)], by: ['pt'] }, at())).to.equal('accepted');
    });

    it('prove nothing at the address of another account', async () => {
      const { receive } = inbox.create({ accounts, hasHint: true });
      const message = { events: [paidEvent(1)], by: ['pt'], names: 'PT' };
      expect(await receive(message, at('eu'))).to.equal('invalid_signature');
    });

    it('are not read while the adapter has one account', async () => {
      const { receive } = inbox.create({ hasHint: true });
      expect(await receive({ events: [paidEvent(1)], names: 'UNKNOWN' }, at())).to.equal('accepted');
    });
  });

  describe('that share a secret', () => {
    const by = ['eu', 'pt'];

    it('belong to the account of the payment that the callback names', async () => {
      const { receive, callbacks, logged } = inbox.create({ accounts });
      const ids = [await inbox.createPending({}, { account: 'eu' }), await inbox.createPending({}, { account: 'pt' })];
      for (const id of ids) expect(await receive({ events: [paidEvent(id)], by }, at())).to.equal('accepted');
      expect((await inbox.rows()).map(({ account, sharedWith }) => [account, sharedWith])).to.deep.equal([
        ['eu', ['pt']],
        ['eu', ['pt']],
      ]);
      await callbacks.drain(200);
      const paid = await Promise.all(ids.map(async (id) => (await inbox.payment(id)).statusId));
      expect([paid, alarmsOf(logged)]).to.deep.equal([[2, 2], []]);
    });

    it('belong to the account that the message names, and to no other that has the secret', async () => {
      const { receive, callbacks, logged } = inbox.create({ accounts });
      const [eu, pt] = [
        await inbox.createPending({}, { account: 'eu' }),
        await inbox.createPending({}, { account: 'pt' }),
      ];
      const named = { accountKey: 'PT' };
      expect(await receive({ events: [paidEvent(pt, named)], by }, at())).to.equal('accepted');
      expect(await receive({ events: [paidEvent(eu, named)], by }, at())).to.equal('ignored');
      await callbacks.drain(200);
      expect([(await inbox.payment(pt)).statusId, (await inbox.payment(eu)).statusId]).to.deep.equal([2, 1]);
      expect(alarmsOf(logged)).to.deep.equal(otherAccount);
    });

    it('are ignored with an alarm if neither account is that of the payment', async () => {
      const { receive, callbacks, logged } = inbox.create({ accounts });
      const id = await inbox.createPending();
      const before = await inbox.payment(id);
      expect(await receive({ events: [paidEvent(id)], by }, at())).to.equal('ignored');
      await callbacks.drain(200);
      expect([await inbox.payment(id), alarmsOf(logged)]).to.deep.equal([before, otherAccount]);
    });

    it('are ignored with an alarm if the message names an account that does not have the secret', async () => {
      const { receive, callbacks, logged } = inbox.create({ accounts });
      const id = await inbox.createPending();
      const before = await inbox.payment(id);
      expect(await receive({ events: [paidEvent(id, { accountKey: 'MAIN' })], by }, at())).to.equal('ignored');
      await callbacks.drain(200);
      expect([await inbox.payment(id), alarmsOf(logged)]).to.deep.equal([before, otherAccount]);
    });

    it('wait for a payment whose id at the provider is not known yet', async () => {
      const { receive, callbacks, logged } = inbox.create({ accounts });
      const event = paidEvent(1, { reference: null, providerReference: 'P-late', dedupeKey: 'late' });
      expect(await receive({ events: [event], by }, at())).to.equal('accepted');
      await callbacks.drain(200);
      const id = await inbox.createPending({}, { account: 'pt', providerReference: 'P-late' });
      await inbox.makeDue();
      await callbacks.drain(200);
      expect([(await inbox.payment(id)).statusId, alarmsOf(logged)]).to.deep.equal([2, []]);
    });

    it('are kept for both accounts if they cannot be read', async () => {
      const { receive } = inbox.create({ accounts });
      expect(await receive({ events: 'unreadable', by }, at())).to.equal('malformed');
      const [row] = await inbox.rows();
      expect([row!.account, row!.sharedWith]).to.deep.equal(['eu', ['pt']]);
    });
  });

  describe('in a batch that names several accounts', () => {
    const send = async (itemsBy: readonly (readonly string[])[], names = ['EU', 'PT']) => {
      const { receive, callbacks, logged } = inbox.create({ accounts, hasHint: true });
      const ids = [await inbox.createPending({}, { account: 'eu' }), await inbox.createPending({}, { account: 'pt' })];
      const message = { events: ids.map((id) => paidEvent(id)), itemsBy, names };
      const answer = await receive(message, at());
      const repeated = await receive(message, at());
      await callbacks.drain(200);
      const statuses = await Promise.all(ids.map(async (id) => (await inbox.payment(id)).statusId));
      return { answer, repeated, statuses, alarms: alarmsOf(logged) };
    };

    it('are verified and applied item by item, each by its own account', async () => {
      const { answer, repeated, statuses, alarms } = await send([['eu'], ['pt']]);
      expect([answer, repeated, statuses, alarms]).to.deep.equal(['accepted', 'duplicate', [2, 2], []]);
      expect((await inbox.rows()).map(({ account }) => account)).to.have.members(['eu', 'pt']);
    });

    it('are refused for an item that no account proves, while the other items count', async () => {
      const { answer, repeated, statuses, alarms } = await send([['eu'], []]);
      expect([answer, repeated]).to.deep.equal(['invalid_signature', 'invalid_signature']);
      expect([statuses, alarms]).to.deep.equal([[2, 1], []]);
    });

    it('are refused for an item of an account that this process does not know yet', async () => {
      const { answer, statuses } = await send([['eu'], ['new']], ['EU', 'NEW']);
      expect([answer, statuses]).to.deep.equal(['invalid_signature', [2, 1]]);
    });

    it('change nothing for an item that an account proves about a payment of another', async () => {
      const { answer, statuses, alarms } = await send([['eu'], ['eu']]);
      expect([answer, statuses, alarms]).to.deep.equal(['accepted', [2, 1], otherAccount]);
    });
  });
});
