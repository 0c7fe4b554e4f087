import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { mongo } from 'mongoose';
import { openTestDatabase, type TestDatabase } from '../../access/testing/test-database.ts';
import {
  paymentRequestModel,
  type OutboxEntry,
  type PaymentRecord,
} from '../../../database/collections/payment-request.ts';
import { createPaymentStore, type PaymentStore } from './payment-store.ts';
import { createRelay } from './outbox.ts';
import { applyFacts } from '../state/apply-facts.ts';
import { outcomeFact } from '../state/apply-outcome.ts';
import { at, feeOf, newAttempt, paymentRecord } from '../testing/steps.ts';

const entry: OutboxEntry = { sequence: 1, type: 'payment.pending', at: at(0), body: '{}', requestId: 'r' };

describe('createPaymentStore', () => {
  let database: TestDatabase;
  /** Runs between the read and the write of a payment. */
  let beforeWrite: () => Promise<void>;
  let store: PaymentStore;
  let id = 20_000;
  before(async () => {
    database = await openTestDatabase();
    store = createPaymentStore({
      connection: database.here,
      renderBody: async (_, { type }, sequence) => {
        await beforeWrite();
        return JSON.stringify({ type, sequence });
      },
      wantedTypes: async (_, types) => types,
      firstTimeType: async () => 1,
      nextCheckAt: () => null,
      onStored: () => undefined,
      now: () => at(60),
    });
  });
  after(() => database.drop());

  async function insert(members: Partial<PaymentRecord>): Promise<PaymentRecord> {
    id += 1;
    const record = paymentRecord({ _id: id, notifyUrl: 'https://shop.example/hook', ...members });
    expect(await store.insert(record)).to.equal(record);
    return record;
  }

  const stored = async (_id: number) => paymentRequestModel(database.here).findById(_id).lean();

  it('leaves its notifications to the sweep, even if a relay emptied the outbox before the write', async () => {
    const record = await insert({ sequence: 1, outbox: [entry], outboxSince: at(1) });
    const relay = createRelay({
      connection: database.there,
      insert: async () => undefined,
      urlOf: async ({ notifyUrl }) => notifyUrl,
      now: () => at(120),
    });
    beforeWrite = () => relay.relay(record);
    await store.change(record._id, 'r', (current) => ({
      next: { ...current, notes: 'n' },
      notify: [{ type: 'payment.failed' }],
    }));
    const { outbox, outboxSince } = (await stored(record._id))!;
    expect(outbox.map(({ sequence }) => sequence)).to.deep.equal([2]);
    expect(outboxSince).to.be.instanceOf(Date);
    expect(await relay.sweep(0, 10)).to.equal(1);
    expect(await stored(record._id)).to.deep.include({ outbox: [], outboxSince: null });
  });

  it('repeats a step on the payment that another process stored', async () => {
    const record = await insert({});
    let times = 0;
    beforeWrite = async () => {
      times += 1;
      if (times === 1)
        await paymentRequestModel(database.there).updateOne({ _id: record._id }, { $inc: { version: 1 } });
    };
    const { changed } = await store.change(record._id, 'r', (current) => ({
      next: current,
      notify: [{ type: 'payment.failed' }],
    }));
    expect([changed, times]).to.deep.equal([true, 2]);
    expect((await stored(record._id))!.outbox).to.have.length(1);
  });

  it('uses the record in memory, and reads the payment again only after a conflict', async () => {
    const record = await insert({});
    beforeWrite = async () => undefined;
    const seen: number[] = [];
    const step = (current: PaymentRecord) => {
      seen.push(current.version);
      return { next: { ...current, notes: `seen ${current.version}` } };
    };
    await store.change(record, 'r', step);
    await store.change(record, 'r', step);
    expect(seen).to.deep.equal([1, 1, 2]);
    expect(await stored(record._id)).to.deep.include({ version: 3, notes: 'seen 2' });
  });

  it('reads the payment again before it reports no change of the record in memory', async () => {
    const record = await insert({});
    beforeWrite = async () => undefined;
    await store.change(record._id, 'r', (current) => ({ next: { ...current, notes: 'newer' } }));
    const { record: left, changed } = await store.change(record, 'r', () => undefined);
    expect([left.notes, changed]).to.deep.equal(['newer', false]);
  });

  for (const [what, isStored] of [
    ['before the change is stored', false],
    ['after the change is stored', true],
  ] as const) {
    it(`stores a change once if the connection fails ${what}, and retries until its deadline`, async () => {
      const record = await insert({ statusId: 1, attempts: [newAttempt(1)] });
      beforeWrite = async () => undefined;
      const { collection } = paymentRequestModel(database.here);
      const bulkWrite = collection.bulkWrite.bind(collection);
      let failures = 0;
      collection.bulkWrite = async (...given: Parameters<typeof bulkWrite>) => {
        failures += 1;
        if (isStored && failures === 1) {
          await bulkWrite(...given);
          // Another process writes before the retry.
          const other = { $set: { notes: 'others' }, $inc: { version: 1 } };
          await paymentRequestModel(database.there).updateOne({ _id: record._id }, other);
        }
        if (failures === 2) collection.bulkWrite = bulkWrite;
        throw new mongo.MongoNetworkError('connection closed');
      };
      const fact = outcomeFact(1, { outcome: 'succeeded', providerReference: 'p-1' }, at(60));
      const settle = async (until?: Date) =>
        store.change(record._id, 'r', (current) => applyFacts(current, [fact], feeOf), until);
      try {
        if (!isStored)
          expect(await settle().catch((error: unknown) => error)).to.be.instanceOf(mongo.MongoNetworkError);
        expect((await settle(at(61))).record.statusId).to.equal(2);
      } finally {
        collection.bulkWrite = bulkWrite;
      }
      const { statusId, logs, outbox, notes } = (await stored(record._id))!;
      expect([statusId, logs.length, outbox.length, notes]).to.deep.equal([2, 1, 1, isStored ? 'others' : null]);
    });
  }

  it('keeps a payment that a worker claimed due at the end of the lease', async () => {
    const record = await insert({ nextCheckAt: at(30) });
    beforeWrite = async () => undefined;
    const claim = { 'lease.token': 't1', 'lease.worker': 'w1', nextCheckAt: at(90) };
    await paymentRequestModel(database.there).updateOne({ _id: record._id }, { $set: claim });
    await store.change(record, 'r', (current) => ({ next: { ...current, notes: 'n' } }));
    const { notes, nextCheckAt, lease } = (await stored(record._id))!;
    expect([notes, nextCheckAt, lease.token]).to.deep.equal(['n', at(90), 't1']);
  });

  it('stores and changes many payments concurrently, each with its own result', async () => {
    beforeWrite = async () => undefined;
    const taken = await insert({});
    const given = Array.from({ length: 60 }, (_, index) => (index === 30 ? taken : newRecord()));
    const inserted = await Promise.all(given.map(async (record) => store.insert(record)));
    expect(inserted.map((result) => result === 'id_taken')).to.deep.equal(given.map((record) => record === taken));
    const changes = await Promise.all(
      given.flatMap((record) => [1, 2].map(async (n) => store.change(record, 'r', append(n)))),
    );
    expect(changes.every(({ changed }) => changed)).to.equal(true);
    const notes = await Promise.all(given.map(async ({ _id }) => (await stored(_id))!.notes));
    expect(notes.map((text) => text?.split(' ').toSorted().join(' '))).to.deep.equal(given.map(() => '1 2'));
  });

  const newRecord = (): PaymentRecord => paymentRecord({ _id: (id += 1) });
  const append = (n: number) => (current: PaymentRecord) => ({
    next: { ...current, notes: [current.notes, n].filter(Boolean).join(' ') },
  });

  it('returns id_taken if another process used the new id', async () => {
    const record = await insert({});
    expect(await store.insert(record)).to.equal('id_taken');
  });
});
