import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { expectRefusal } from '../access/testing/expect-refusal.ts';
import { ana, auditDouble } from '../audit/testing/audit-double.ts';
import { inboxModel } from '../../database/collections/inbox-row.ts';
import { testEncrypter } from '../../base/testing/test-encrypter.ts';
import { createDeadLetters, type DeadLetters, type DeadLettersDeps } from './dead-letters.ts';
import { paidEvent, useCallbacks } from './testing/setup.ts';

const DAY_MS = 86_400_000;

describe('createDeadLetters', () => {
  const inbox = useCallbacks();
  const now = (): Date => new Date();
  afterEach(async () => inbox.clear());

  const createLetters = (deps: Partial<DeadLettersDeps> = {}): DeadLetters =>
    createDeadLetters({
      connection: inbox.connection(),
      encrypter: testEncrypter(),
      audit: auditDouble(),
      alarms: { resolve: async () => true },
      now,
      ...deps,
    });

  /** Creates a dead letter: a callback of an unknown payment, two days after it was received. */
  async function createDeadLetter(id = 5): Promise<string> {
    const { receive, callbacks } = inbox.create();
    await receive({ events: [paidEvent(id)] });
    const old = new Date(Date.now() - 2 * DAY_MS);
    await inboxModel(inbox.connection()).updateMany({}, { $set: { receivedAt: old, dueAt: new Date(0) } });
    await callbacks.drain(100);
    const [row] = await inbox.rows();
    expect(row).to.include({ state: 'dead_letter' });
    return row!._id;
  }

  it('lists dead letters with their reasons, and shows each message without its secrets', async () => {
    const { receive } = inbox.create();
    const id = await createDeadLetter();
    await receive({ events: 'unreadable' });
    const letters = createLetters();
    const all = await letters.list({ limit: 10 });
    expect(all.map(({ state, reason }) => ({ state, reason }))).to.deep.equal([
      { state: 'malformed', reason: 'its adapter could not read it' },
      { state: 'dead_letter', reason: 'no such payment is known yet' },
    ]);
    expect(await letters.list({ limit: 10, state: 'malformed' })).to.have.lengthOf(1);
    expect(await letters.list({ limit: 10, adapter: 'another' })).to.deep.equal([]);
    const { raw, events, paymentRequestIds } = await letters.get(id);
    expect(raw).to.include({ method: 'POST', path: '/callbacks/fake' });
    expect(raw?.body).to.include('"reference":"GW-5-1"');
    expect(paymentRequestIds).to.deep.equal([5]);
    expect(all[1]).to.deep.include({ unknownPaymentIds: [5], changes: ['unknown payment reference GW-5-1'] });
    expect(events[0]).to.include({ kind: 'payment', status: 'succeeded', amount: '10', paymentRequestId: 5 });
    await expectRefusal('NOT_FOUND', async () => letters.get('unknown'));
  });

  it('lists processed callbacks with what each changed, of all adapters and of one', async () => {
    const id = await inbox.createPending();
    const { receive, callbacks } = inbox.create();
    await receive({ events: [paidEvent(id)] });
    await receive({ events: [paidEvent(id, { amount: null, currency: null })] });
    await receive({ events: [paidEvent(id, { providerStatus: 'half-paid', dedupeKey: 'half' })] });
    await callbacks.drain(100);
    const letters = createLetters();
    const done = [
      `payment ${id}: nothing: the adapter does not know the status “half-paid”`,
      `payment ${id}: nothing: duplicate`,
      `payment ${id}: pending → paid`,
    ];
    const first = await letters.page({ state: 'done', limit: 2 });
    const next = await letters.page({ state: 'done', adapter: 'provider-1', limit: 2, cursor: first.nextCursor ?? '' });
    const found = [...first.items, ...next.items];
    expect(found.flatMap(({ changes }) => changes)).to.have.members(done);
    expect(found.flatMap(({ unknownPaymentIds }) => unknownPaymentIds)).to.deep.equal([]);
    expect((await letters.page({ state: 'done', adapter: 'another', limit: 2 })).items).to.deep.equal([]);
    expect((await letters.get(found[0]!.id)).events[0]!.change).to.be.oneOf(done);
  });

  it('applies a dead letter again once its cause is gone', async () => {
    const id = await inbox.createPending();
    const { receive, callbacks } = inbox.create();
    await receive({ events: [paidEvent(id)] });
    await inboxModel(inbox.connection()).updateMany({}, { $set: { state: 'dead_letter' }, $unset: { dueAt: '' } });
    const audit = auditDouble();
    const [row] = await inbox.rows();
    const resolved: string[] = [];
    const alarms = { resolve: async (alarm: string) => resolved.push(alarm) > 0 };
    await createLetters({ audit, alarms }).requeue(ana, row!._id, 'it is there now');
    expect(resolved).to.deep.equal([`callback_dead_letter:callback:${row!._id}`]);
    await callbacks.drain(100);
    expect(await inbox.payment(id)).to.include({ statusId: 2 });
    expect(audit.actions).to.deep.equal([
      {
        act: 'callback.requeue',
        subject: { type: 'callback', id: row!._id },
        reason: 'it is there now',
        plan: { adapter: 'provider-1' },
      },
    ]);
    await expectRefusal('PAYMENT_NOT_PAYABLE', async () => createLetters().requeue(ana, row!._id));
  });

  it('reads a malformed callback again with the present adapter', async () => {
    const id = await inbox.createPending();
    const { receive, callbacks } = inbox.create();
    await receive({ events: 'unreadable' });
    const [row] = await inbox.rows();
    const still = createLetters({ rereading: { read: async () => ({ refused: 'malformed' }) } });
    const refusal = await expectRefusal('PAYMENT_NOT_PAYABLE', async () => still.requeue(ana, row!._id));
    expect(refusal.message).to.match(/^provider-1 still cannot read callback .+: malformed$/);
    const event = { ...paidEvent(id), status: 'succeeded' } as const;
    await createLetters({ rereading: { read: async () => ({ events: [event] }) } }).requeue(ana, row!._id);
    await callbacks.drain(100);
    expect(await inbox.payment(id)).to.include({ statusId: 2 });
  });

  it('discards a dead letter for good, with the reason', async () => {
    const id = await createDeadLetter();
    const { receive, callbacks } = inbox.create();
    const letters = createLetters();
    await letters.discard(ana, id, 'it was a test of theirs');
    expect(await letters.list({ limit: 10 })).to.deep.equal([]);
    const { state, events, discardedAt } = await letters.get(id);
    expect(state).to.equal('done');
    expect(discardedAt).to.be.instanceOf(Date);
    const { items } = await letters.page({ limit: 10, state: 'discarded' });
    expect(items.map((one) => [one.id, one.reason])).to.deep.equal([[id, 'discarded: it was a test of theirs']]);
    expect(events[0]).to.include({ state: 'refused', note: 'discarded: it was a test of theirs' });
    expect(await receive({ events: [paidEvent(5)] })).to.equal('duplicate');
    expect(await callbacks.drain(100)).to.equal(0);
    await expectRefusal('PAYMENT_NOT_PAYABLE', async () => letters.discard(ana, id, 'again'));
  });
});
