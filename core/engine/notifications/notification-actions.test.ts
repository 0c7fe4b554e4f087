import { expect } from 'chai';
import { before, describe, it } from 'mocha';
import { expectRefusal } from '../access/testing/expect-refusal.ts';
import { ana, auditDouble } from '../audit/testing/audit-double.ts';
import { notificationModel, type NotificationState } from '../../database/collections/notification.ts';
import { ownerModel } from '../../database/collections/owner.ts';
import { createNotificationActions, resendCountText, type NotificationActions } from './notification-actions.ts';
import { createNotificationSearch, type NotificationSearch } from './search.ts';
import { notification, setUp, useTestDatabase } from './testing/setup.ts';

const url = 'https://shop.example/n';

describe('createNotificationActions', () => {
  const database = useTestDatabase();
  const audit = auditDouble();
  let actions: NotificationActions;
  before(async () => {
    actions = createNotificationActions({ connection: database.connection, audit });
    // More owners than one group.
    const owners = Array.from({ length: 250 }, (_, at) => ({ _id: at + 1, name: `owner ${at + 1}` }));
    await ownerModel(database.connection).collection.insertMany(owners as never);
  });

  /** Stores `count` notifications of an owner, a second apart. */
  async function keep(ownerId: number, count: number, state: NotificationState): Promise<void> {
    const entries = Array.from({ length: count }, (_, at) =>
      notification(url, { ownerId, paymentRequestId: ownerId * 10_000 + at, createdAt: new Date(at * 1000) }),
    );
    await setUp(database.connection).notifications.insert(entries);
    const which = { ownerId };
    await notificationModel(database.connection).updateMany(which, { $set: { state }, $unset: { dueAt: '' } });
  }
  const find = async (query: Omit<NotificationSearch, 'limit'>, limit = 100): Promise<string[]> =>
    (await createNotificationSearch(database.connection)({ ...query, limit })).items.map(({ id }) => id);

  it('finds notifications by owner, state, type, payment and time, page by page', async () => {
    await keep(1, 3, 'exhausted');
    await keep(250, 2, 'delivered');
    expect(await find({ ownerId: 1 })).to.deep.equal(['10002-1', '10001-1', '10000-1']);
    expect(await find({ state: 'delivered' })).to.deep.equal(['2500001-1', '2500000-1']);
    expect(await find({ type: 'payment.failed' })).to.deep.equal([]);
    expect(await find({ paymentRequestId: 10_001 })).to.deep.equal(['10001-1']);
    expect(await find({ from: new Date(1000), to: new Date(2000) })).to.have.members(['10001-1', '2500001-1']);
    expect(await find({ environment: 'live' })).to.deep.equal([]);
    const search = createNotificationSearch(database.connection);
    const seen: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = await search({ limit: 2, ...(cursor !== undefined && { cursor }) });
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor;
    }
    expect(seen).to.have.lengthOf(5).and.to.have.members(['10002-1', '10001-1', '10000-1', '2500001-1', '2500000-1']);
  });

  it('resends one notification, or all that match, and nothing else', async () => {
    await keep(2, 1200, 'exhausted');
    await keep(3, 1, 'exhausted');
    const filter = { ownerId: 2, state: 'exhausted', to: new Date(1_100_000) } as const;
    const progress: number[] = [];
    expect(await actions.count(filter)).to.equal(1100);
    expect(await actions.resendAll(ana, filter, (soFar) => progress.push(soFar))).to.equal(1100);
    expect(progress).to.deep.equal([500, 1000, 1100]);
    expect(await actions.count({ state: 'exhausted' })).to.equal(101);
    const { connection } = database;
    const hasty = createNotificationActions({ connection, audit, countedAtMost: 50 });
    expect(await hasty.count({ state: 'exhausted' })).to.equal(50);
    expect([3, 100_000, 100_001].map(resendCountText)).to.deep.equal(['3', '100000', 'more than 100,000']);
    await actions.resend(ana, '30000-1');
    expect(await find({ state: 'waiting', ownerId: 3 })).to.deep.equal(['30000-1']);
    expect(audit.actions.map(({ act }) => act)).to.deep.equal(['notifications.resend', 'notification.resend']);
    await expectRefusal('NOT_FOUND', async () => actions.resend(ana, 'unknown'));
  });
});
