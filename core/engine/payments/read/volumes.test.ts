import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { after, afterEach, before, describe, it } from 'mocha';
import pino from 'pino';
import { DAY, HOUR, MINUTE } from '../../../base/async/time.ts';
import { connectDatabase, type Database } from '../../../database/connect.ts';
import { chargedAmount, type Attempt } from '../../../database/collections/attempt.ts';
import { paymentRequestModel } from '../../../database/collections/payment-request.ts';
import { volumeModel } from '../../../database/collections/volume.ts';
import { toDecimal } from '../../../database/decimals.ts';
import { testDatabaseUri } from '../../../database/testing/test-database-uri.ts';
import { createReadAttention } from './attention.ts';
import { countVolumes, readVolumes, sumVolumes, type VolumeSum } from './volumes.ts';

const now = new Date('2026-11-27T10:25:00Z');
const ago = (ms: number): Date => new Date(now.getTime() - ms);

describe('a database with payments', () => {
  let database: Database;
  let nextId = 1;
  before(async () => {
    const uri = testDatabaseUri(`volumes_${randomUUID().slice(0, 8)}`);
    database = await connectDatabase(uri, { log: pino({ level: 'silent' }) });
  });
  afterEach(async () => {
    await paymentRequestModel(database.connection).collection.deleteMany({});
    await volumeModel(database.connection).deleteMany({});
  });
  after(async () => {
    await database.connection.dropDatabase();
    await database.close();
  });

  const deps = () => ({ connection: database.connection, adapters: ['provider-a', 'provider-b'], now: () => now });

  async function store(attempts: readonly object[], more: object = {}): Promise<number> {
    const id = nextId++;
    const plain = { adapter: 'provider-a', outcome: 'succeeded', currency: 'EUR', cancelled: false, received: null };
    const record = {
      _id: id,
      ownerId: 7,
      environment: 'live',
      unit: 'EUR',
      createdAt: ago(HOUR),
      statusId: 2,
      refunds: [],
      reportedRefunds: [],
      refundTotals: [],
      disputeStages: [],
      attempts: attempts.map((one, at) => ({ ...plain, n: at + 1, reference: `GW-${id}-${at + 1}`, ...one })),
      ...more,
    };
    await paymentRequestModel(database.connection).collection.insertOne(record as never);
    return id;
  }

  const total = async (): Promise<unknown> => {
    const { slots } = await readVolumes(deps(), ago(7 * DAY));
    const rows = slots.flatMap((slot) => slot.rows);
    return Object.fromEntries(
      sumVolumes(rows, ({ environment, adapter, currency }) => `${environment} ${adapter} ${currency}`),
    );
  };

  describe('readVolumes', () => {
    it('adds up exactly, by mode, adapter and currency, whether a slot is counted or not', async () => {
      const [old, recent] = [ago(DAY), ago(MINUTE)];
      await store([{ amount: toDecimal('0.10'), settledAt: old }]);
      await store([{ amount: toDecimal('0.20'), settledAt: old }]);
      await store([{ amount: toDecimal('5'), settledAt: recent, currency: 'JPY' }]);
      await store([{ amount: toDecimal('7'), settledAt: recent }], { environment: 'test' });
      await store([
        { amount: toDecimal('1'), settledAt: old, outcome: 'failed' },
        { amount: toDecimal('1'), settledAt: old, outcome: 'failed', decline: '51' },
        { amount: toDecimal('1'), settledAt: old, outcome: 'failed', cancelled: true },
        { amount: toDecimal('1'), settledAt: recent, adapter: 'provider-b' },
      ]);
      // Reserved money counts with the part that was captured.
      await store([
        { amount: toDecimal('9'), capture: { amount: toDecimal('4') }, settledAt: recent, adapter: 'provider-b' },
      ]);
      await store([{ amount: toDecimal('100'), settledAt: ago(9 * DAY) }]);
      const wanted = {
        'live provider-a EUR': { succeeded: 2, failed: 2, declined: 1, amount: '0.3' },
        'live provider-a JPY': { succeeded: 1, failed: 0, declined: 0, amount: '5' },
        'live provider-b EUR': { succeeded: 2, failed: 0, declined: 0, amount: '5' },
        'test provider-a EUR': { succeeded: 1, failed: 0, declined: 0, amount: '7' },
      };
      let runs = 0;
      for (let isLeft = true; isLeft; runs += 1) isLeft = (await countVolumes(deps())).more;
      expect(runs).to.be.greaterThan(1);
      expect(await total()).to.deep.equal(wanted);
      expect(await countVolumes(deps())).to.deep.equal({ done: 0, more: false });
      const { countedTo } = await readVolumes(deps(), ago(DAY));
      expect(countedTo).to.deep.equal(now);
    });

    it('counts the captured part of reserved money, however it was reported', async () => {
      const capture = (state: string) => ({ amount: '4', state }) as Attempt['capture'];
      const captured = (...amounts: readonly string[]): Partial<Attempt> => ({
        captures: amounts.map((amount, at) => ({ subReference: `c${at}`, amount })),
      });
      const all: readonly Partial<Attempt>[] = [
        captured('5.10', '2'),
        { capturedTotal: '7.5' },
        { ...captured('3'), capturedTotal: '8' },
        { ...captured('30'), capturedTotal: '25' },
        { ...captured('3'), capture: capture('succeeded') },
        { ...captured('3'), capture: capture('requested') },
      ];
      const stored = ({ amount, ...more }: { readonly amount: string }) => ({ ...more, amount: toDecimal(amount) });
      for (const { captures, capture: own, ...more } of all)
        await store([
          {
            ...more,
            amount: toDecimal('20'),
            settledAt: ago(MINUTE),
            ...(captures && { captures: captures.map(stored) }),
            ...(own && { capture: stored(own) }),
          },
        ]);
      while ((await countVolumes(deps())).more);
      const byHand = all.map((one) => chargedAmount({ amount: '20', ...one } as Attempt));
      expect(byHand).to.deep.equal(['7.1', '7.5', '8', '20', '4', '3']);
      expect(await total()).to.deep.equal({
        'live provider-a EUR': { succeeded: 6, failed: 0, declined: 0, amount: '49.6' },
      });
    });

    it('says up to when payments are counted while the past is still being counted', async () => {
      await store([{ amount: toDecimal('1'), settledAt: ago(10 * DAY) }]);
      await countVolumes(deps());
      const { countedTo } = await readVolumes(deps(), ago(14 * DAY));
      expect(ago(0).getTime() - countedTo.getTime()).to.be.greaterThan(13 * DAY);
    });
  });

  describe('countVolumes', () => {
    it('forgets an attempt of a slot that is not over yet if it belongs to a later slot now', async () => {
      const amount = toDecimal('3');
      const id = await store([{ amount, outcome: 'failed', settledAt: ago(MINUTE) }]);
      while ((await countVolumes(deps())).more);
      expect(await total()).to.deep.equal({
        'live provider-a EUR': { succeeded: 0, failed: 1, declined: 0, amount: '0' },
      });
      const { collection } = paymentRequestModel(database.connection);
      const later = new Date(now.getTime() + 10 * MINUTE);
      const success = { 'attempts.0.outcome': 'succeeded', 'attempts.0.settledAt': later };
      await collection.updateOne({ _id: id as never }, { $set: success });
      await countVolumes({ ...deps(), now: () => new Date(later.getTime() + 20 * MINUTE) });
      expect(await total()).to.deep.equal({
        'live provider-a EUR': { succeeded: 1, failed: 0, declined: 0, amount: '3' },
      });
    });

    it('counts the slots that are not over only while attempts are settled, and exactly once they are over', async () => {
      const amount = toDecimal('3');
      const { collection } = paymentRequestModel(database.connection);
      const countAt = async (minute: number) => countVolumes({ ...deps(), now: () => ago(-minute * MINUTE) });
      const counted = async (): Promise<unknown> => {
        const [{ succeeded, failed }] = Object.values((await total()) as object) as [VolumeSum];
        return { succeeded, failed };
      };
      await store([{ amount, settledAt: ago(4 * MINUTE) }]);
      while ((await countVolumes(deps())).more);
      expect(await counted()).to.deep.equal({ succeeded: 1, failed: 0 });
      // A change that no attempt's settledAt shows: only a new count would see it.
      await collection.updateMany({}, { $set: { 'attempts.0.outcome': 'failed' } });
      await countAt(2);
      expect(await counted(), 'nothing was settled since').to.deep.equal({ succeeded: 1, failed: 0 });
      await store([{ amount, settledAt: ago(-2 * MINUTE) }]);
      await countAt(3);
      expect(await counted(), 'an attempt was settled').to.deep.equal({ succeeded: 1, failed: 1 });
      await collection.updateMany({}, { $set: { 'attempts.0.outcome': 'succeeded' } });
      await countAt(20);
      expect(await counted(), 'the slots are over').to.deep.equal({ succeeded: 2, failed: 0 });
    });

    it('keeps the slots that it counted before it failed', async () => {
      while ((await countVolumes(deps())).more);
      const soon = new Date(now.getTime() + 15 * MINUTE);
      let looks = 0;
      const failing = (): Date => {
        looks += 1;
        // The third look is that of the slots that are not over.
        if (looks === 3) throw new Error('stopped');
        return soon;
      };
      const failed = await countVolumes({ ...deps(), now: failing }).catch((error: unknown) => error);
      expect(failed).to.be.instanceOf(Error);
      const { countedTo } = await readVolumes({ ...deps(), now: () => new Date(soon.getTime() + HOUR) }, ago(DAY));
      expect(countedTo).to.deep.equal(new Date('2026-11-27T10:30:00Z'));
    });
  });

  describe('createReadAttention', () => {
    it('finds refunds without an answer, open disputes and payments that are pending for long', async () => {
      const refund = { n: 1, attempt: 1, reference: 'R1', amount: toDecimal('10.5'), providerReference: null };
      const requestedAt = ago(2 * MINUTE);
      const lost = await store([{ amount: toDecimal('20'), settledAt: ago(HOUR) }], {
        problems: ['refund_pending'],
        refunds: [{ ...refund, state: 'unknown', requestedAt }],
      });
      await store([{ amount: toDecimal('20'), settledAt: ago(HOUR) }], {
        problems: ['refund_pending'],
        refunds: [{ ...refund, state: 'pending', requestedAt }],
      });
      const disputed = await store([{ amount: toDecimal('30'), settledAt: ago(HOUR) }], {
        problems: ['dispute_open'],
        disputeStages: [{ attempt: 1, subReference: 'CASE-7', stage: 'opened', amount: null, order: null }],
        logs: [{ at: ago(MINUTE), transactionId: 'CASE-7', details: { respondBy: ago(-DAY).toISOString() } }],
      });
      const open = { amount: toDecimal('40'), outcome: 'open', authorisedAt: null, settledAt: null };
      const long = { statusId: 1, createdAt: ago(2 * DAY) };
      const pending = await store([{ ...open, openedAt: ago(2 * DAY) }], long);
      await store([{ ...open, openedAt: ago(2 * DAY), authorisedAt: ago(DAY) }], long);
      await store([{ ...open, openedAt: ago(HOUR) }], long);
      const found = await createReadAttention(database.connection, () => now)();
      expect(found.map(({ what, paymentId, reference, money }) => [what, paymentId, reference, money])).to.deep.equal([
        ['refund_unanswered', lost, 'R1', { amount: '10.5', currency: 'EUR' }],
        ['dispute_open', disputed, 'CASE-7', { amount: '30', currency: 'EUR' }],
        ['pending_long', pending, `GW-${pending}-1`, { amount: '40', currency: 'EUR' }],
      ]);
      const [{ since, deadline } = {}] = found.filter(({ what }) => what === 'dispute_open');
      expect([since, deadline]).to.deep.equal([ago(MINUTE), ago(-DAY)]);
    });
  });
});
