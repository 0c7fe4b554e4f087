import { expect } from 'chai';
import { describe, it } from 'mocha';
import { GatewayError } from '../../base/errors.ts';
import { notificationModel } from '../../database/collections/notification.ts';
import { useTestDatabase, notification, passTime, readRow, setUp } from './testing/setup.ts';

const hour = 3_600_000;
const scope = { ownerId: 7, environment: 'test' } as const;
const url = 'http://127.0.0.1:9/hook';

async function kindOf(promise: Promise<unknown>): Promise<string> {
  const error: unknown = await promise.catch((reason: unknown) => reason);
  return error instanceof GatewayError ? error.kind : String(error);
}

describe('createNotifications', () => {
  const db = useTestDatabase();

  function payments(count: number) {
    const start = Date.now() - hour;
    return Array.from({ length: count }, (_, at) =>
      notification(url, { paymentRequestId: 100 + at, createdAt: new Date(start + Math.floor(at / 3)) }),
    );
  }

  it('stores each id once, and leaves the first one unchanged', async () => {
    const { notifications } = setUp(db.connection);
    const [first, second] = [notification(url), notification(url, { sequence: 2 })];
    expect(await notifications.insert([])).to.equal(0);
    expect(await notifications.insert([first])).to.equal(1);
    expect(await notifications.insert([{ ...first, body: 'other' }, second])).to.equal(1);
    expect(await notifications.insert([first, second])).to.equal(0);
    expect(await readRow(db.connection, first.id)).to.deep.include({ body: first.body, state: 'waiting', tries: 0 });
  });

  it('rejects when a row cannot be stored', async () => {
    const { notifications } = setUp(db.connection);
    const known = notification(url);
    await notifications.insert([known]);
    const collMod = notificationModel(db.connection).collection.collectionName;
    await db.connection.db?.command({ collMod, validator: { requestId: { $ne: 'refused' } } });
    const refused = notification(url, { sequence: 2, requestId: 'refused' });
    const mixed: unknown = await notifications.insert([known, refused]).catch((reason: unknown) => reason);
    await db.connection.db?.command({ collMod, validator: {} });
    expect(mixed).to.be.instanceOf(Error);
  });

  it('shows the planned and the past attempts, not the body', async () => {
    const { notifications } = setUp(db.connection);
    const entry = notification(url);
    await notifications.insert([entry]);
    expect(await notifications.get({ ...scope, id: entry.id })).to.deep.equal({
      id: entry.id,
      type: 'payment.succeeded',
      paymentRequestId: entry.paymentRequestId,
      sequence: 1,
      url,
      state: 'waiting',
      createdAt: entry.createdAt,
      nextAttemptAt: (await readRow(db.connection, entry.id)).dueAt,
      attempts: [],
    });
  });

  it('shows an owner nothing of another owner, and a test key nothing of live mode', async () => {
    const { notifications } = setUp(db.connection);
    const entry = notification(url);
    await notifications.insert([entry]);
    for (const other of [{ ownerId: 8 }, { environment: 'live' as const }]) {
      const foreign = { ...scope, ...other };
      expect(await kindOf(notifications.get({ ...foreign, id: entry.id }))).to.equal('NOT_FOUND');
      expect(await kindOf(notifications.resend({ ...foreign, id: entry.id }))).to.equal('NOT_FOUND');
      expect((await notifications.list({ ...foreign, limit: 10 })).items).to.have.length(0);
      const span = { from: new Date(0), to: new Date(Date.now() + hour), state: 'waiting' as const };
      expect(await notifications.resendSpan({ ...foreign, ...span })).to.equal(0);
    }
  });

  it('pages newest first, each row once, whatever is added during paging', async () => {
    const { notifications } = setUp(db.connection);
    const entries = payments(10);
    await notifications.insert(entries);
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await notifications.list({ ...scope, limit: 4, ...(cursor === null ? {} : { cursor }) });
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor;
      await notifications.insert([notification(url, { paymentRequestId: 1000 + seen.length })]);
    } while (cursor !== null && seen.length < 50);
    const newestFirst = [...entries].sort(
      (a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : -1),
    );
    expect(seen).to.deep.equal(newestFirst.map(({ id }) => id));
  });

  it('returns no cursor after a full last page', async () => {
    const { notifications } = setUp(db.connection);
    await notifications.insert(payments(4));
    expect((await notifications.list({ ...scope, limit: 4 })).nextCursor).to.equal(null);
  });

  for (const cursor of ['', '!', 'bm90aGluZw', Buffer.from('12.').toString('base64url')]) {
    it(`refuses "${cursor}" as cursor`, async () => {
      const { notifications } = setUp(db.connection);
      expect(await kindOf(notifications.list({ ...scope, limit: 4, cursor }))).to.equal('INVALID_FORMAT');
    });
  }

  it('filters by payment request, state and type', async () => {
    const { notifications } = setUp(db.connection);
    await notifications.insert([
      notification(url, { paymentRequestId: 1 }),
      notification(url, { paymentRequestId: 1, sequence: 2, type: 'payment.refunded' }),
      notification(url, { paymentRequestId: 2 }),
    ]);
    await notificationModel(db.connection).updateOne({ _id: '2-1' }, { $set: { state: 'gone' }, $unset: { dueAt: 1 } });
    const ids = async (filter: object) => {
      const { items } = await notifications.list({ ...scope, limit: 10, ...filter });
      return items.map(({ id }) => id).sort();
    };
    expect(await ids({ paymentRequestId: 1 })).to.deep.equal(['1-1', '1-2']);
    expect(await ids({ state: 'gone' })).to.deep.equal(['2-1']);
    expect(await ids({ type: 'payment.refunded' })).to.deep.equal(['1-2']);
    expect(await ids({ state: 'waiting', type: 'payment.succeeded' })).to.deep.equal(['1-1']);
  });

  it('lists all notifications of one payment, in the order of their events', async () => {
    const { notifications } = setUp(db.connection);
    const ten = Array.from({ length: 10 }, (_, at) => notification(url, { paymentRequestId: 1, sequence: 10 - at }));
    await notifications.insert([...ten, notification(url, { paymentRequestId: 2 })]);
    const views = await notifications.forPayment(1);
    expect(views.map(({ sequence }) => sequence)).to.deep.equal([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  it('stores a notification that belongs to no payment', async () => {
    const { notifications } = setUp(db.connection);
    const deprecated = notification(url, {
      id: '7-version-2026-01-02',
      type: 'api.version.deprecated',
      paymentRequestId: null,
      sequence: null,
    });
    expect(await notifications.insert([deprecated])).to.equal(1);
    expect(await notifications.insert([deprecated])).to.equal(0);
    expect(await notifications.get({ ...scope, id: deprecated.id })).to.deep.include({ sequence: null });
  });

  it('says when the next row is due', async () => {
    const { notifications } = setUp(db.connection, { attemptDelaysSeconds: [3600] });
    expect(await notifications.nextDueAt()).to.equal(undefined);
    const sooner = notification(url, { sequence: 2 });
    await notifications.insert([sooner]);
    await passTime(db.connection, hour / 2);
    await notifications.insert([notification(url)]);
    const { dueAt: soon } = await readRow(db.connection, sooner.id);
    expect(await notifications.nextDueAt()).to.deep.equal(soon);
    const done = await notifications.deliverDue({ worker: 'w1' });
    expect(done).to.deep.include({ delivered: 0, failed: 0, nextDueAt: soon });
  });

  it('resends one on request: a new round, due now, with the earlier attempts kept', async () => {
    const { notifications } = setUp(db.connection, { attemptDelaysSeconds: [0, 0] });
    const entry = notification(url);
    await notifications.insert([entry]);
    await notifications.deliverDue({ worker: 'w1' });
    expect(await readRow(db.connection, entry.id)).to.deep.include({ state: 'exhausted', tries: 2 });
    const view = await notifications.resend({ ...scope, id: entry.id });
    expect(view).to.deep.include({ state: 'waiting' });
    expect(view.attempts).to.have.length(2);
    await notifications.deliverDue({ worker: 'w1' });
    const row = await readRow(db.connection, entry.id);
    expect(row).to.deep.include({ state: 'exhausted', tries: 2, round: 2 });
    expect(row.attempts).to.have.length(4);
  });

  it('resends a span of time: the exhausted ones, or those of the state that is named', async () => {
    const { notifications } = setUp(db.connection);
    const entries = payments(9);
    await notifications.insert(entries);
    const model = notificationModel(db.connection);
    const finished = (state: string, ids: string[]) =>
      model.updateMany({ _id: { $in: ids } }, { $set: { state, tries: 10, fresh: false }, $unset: { dueAt: 1 } });
    const ids = entries.map(({ id }) => id);
    await finished('exhausted', ids.slice(0, 6));
    await finished('delivered', ids.slice(6));
    const [from, to] = [entries[3]?.createdAt ?? new Date(), entries[6]?.createdAt ?? new Date()];

    expect(await notifications.resendSpan({ ...scope, from, to })).to.equal(3);
    const again = (await notifications.list({ ...scope, state: 'waiting', limit: 10 })).items;
    expect(again.map(({ id }) => id).sort()).to.deep.equal(ids.slice(3, 6).sort());
    expect(await readRow(db.connection, ids[3] ?? '')).to.deep.include({ tries: 0, round: 2 });

    const end = new Date(Date.now() + hour);
    expect(await notifications.resendSpan({ ...scope, from: to, to: end, state: 'delivered' })).to.equal(3);
  });

  it('keeps the latest 50 attempts of a row', async () => {
    const { notifications } = setUp(db.connection, { attemptDelaysSeconds: Array.from({ length: 60 }, () => 0) });
    const entry = notification('http://10.0.0.1/');
    await notifications.insert([entry]);
    await passTime(db.connection, hour);
    await notifications.deliverDue({ worker: 'w1' });
    const row = await readRow(db.connection, entry.id);
    expect(row).to.deep.include({ state: 'exhausted', tries: 60 });
    expect(row.attempts).to.have.length(50);
  });

  it('never reads the whole collection', async () => {
    const { notifications } = setUp(db.connection, { breakerFailures: 1 });
    await db.connection.db?.setProfilingLevel('all');
    const entries = [...payments(5), ...payments(3).map((entry) => ({ ...entry, id: `again-${entry.id}` }))];
    await notifications.insert(entries);
    expect(await notifications.deliverDue({ worker: 'w1' }))
      .to.have.property('failed')
      .above(0);
    await notifications.releaseWorker('w1');
    await notifications.nextDueAt();
    const { nextCursor } = await notifications.list({ ...scope, limit: 2 });
    await notifications.list({ ...scope, limit: 2, state: 'waiting', type: 'a', cursor: nextCursor ?? '' });
    await notifications.forPayment(100);
    await notifications.get({ ...scope, id: entries[0]?.id ?? '' });
    await notifications.resend({ ...scope, id: entries[0]?.id ?? '' });
    await notifications.resendSpan({ ...scope, from: new Date(0), to: new Date() });
    await db.connection.db?.setProfilingLevel('off');

    const { collectionName } = notificationModel(db.connection).collection;
    const ns = `${db.connection.name}.${collectionName}`;
    const profile = await db.connection.db?.collection('system.profile').find({ ns }).toArray();
    const plans = profile?.map(({ planSummary }) => String(planSummary)) ?? [];
    expect(plans.filter((plan) => plan.startsWith('IXSCAN'))).to.have.length.above(10);
    expect(plans.filter((plan) => plan.startsWith('COLLSCAN'))).to.deep.equal([]);
    // Only the few rows that were just claimed are sorted, and those are found by id.
    const sorted = profile?.filter(({ hasSortStage }) => hasSortStage === true) ?? [];
    expect(sorted.map(({ planSummary }) => String(planSummary))).to.satisfy((summaries: string[]) =>
      summaries.every((summary) => summary === 'IXSCAN { _id: 1 }'),
    );
  });
});
