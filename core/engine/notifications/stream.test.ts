import { expect } from 'chai';
import { after, before, beforeEach, describe, it } from 'mocha';
import { ensureCollections } from '../../database/collections.ts';
import { notificationModel } from '../../database/collections/notification.ts';
import { streamedEventModel } from '../../database/collections/streamed-event.ts';
import { HOUR, SECOND } from '../../base/async/time.ts';
import { openTestDatabase, type TestDatabase } from '../access/testing/test-database.ts';
import { createStreamStore, listen, streamOnly, type ListenedEvent } from './stream.ts';
import { toRow, type NewNotification } from './new-notification.ts';

describe('listen', () => {
  let database: TestDatabase;
  before(async () => {
    database = await openTestDatabase();
    await ensureCollections(database.here, { warn: () => undefined }, [streamedEventModel, notificationModel]);
  });
  after(async () => database.drop());
  beforeEach(async () => {
    await streamedEventModel(database.here).deleteMany({});
    await notificationModel(database.here).deleteMany({});
  });

  const event = (sequence: number, createdAt: Date, url = streamOnly): NewNotification => ({
    id: `5-${sequence}`,
    ownerId: 7,
    environment: 'test',
    paymentRequestId: 5,
    sequence,
    type: 'payment.succeeded',
    url,
    body: '{}',
    createdAt,
    requestId: 'r',
  });
  const store = () => createStreamStore(database.here, () => new Date());

  /** The first `count` events since then. */
  async function take(count: number, since: Date): Promise<readonly ListenedEvent[]> {
    const found: ListenedEvent[] = [];
    const stopping = new AbortController();
    const after = `${since.getTime()}.0-0`;
    for await (const one of listen(database.here, { ownerId: 7, after, signal: stopping.signal, pollMs: 1 })) {
      if (one) found.push(one);
      if (found.length === count) stopping.abort();
    }
    return found;
  }

  it('yields events without an address; the store passes on the others', async () => {
    const at = new Date();
    const others = await store().keep([event(1, at), event(2, at, 'https://shop.example/hook'), event(3, at)]);
    expect(others.map(({ id }) => id)).to.deep.equal(['5-2']);
    await store().keep([event(1, at)]);
    expect((await take(2, at)).map(({ id }) => id)).to.deep.equal(['5-1', '5-3']);
  });

  it('yields each event once, however many happen at the same moment', async () => {
    const at = new Date();
    const ids = Array.from({ length: 450 }, (_, index) => index + 1);
    await store().keep(ids.map((sequence) => event(sequence, at)));
    const found = await take(450, at);
    expect(new Set(found.map(({ id }) => id)).size).to.equal(450);
  });

  it('yields all to a listener that comes back late, although a kept event is newer than many that were sent', async () => {
    const now = Date.now();
    const sent = Array.from({ length: 450 }, (_, index) =>
      // Two events per moment, so that pages end between them.
      event(index + 1, new Date(now - HOUR + Math.floor(index / 2) * SECOND), 'https://shop.example/hook'),
    );
    await notificationModel(database.here).insertMany(sent.map(toRow));
    await store().keep([event(1000, new Date(now))]);
    const found = (await take(451, new Date(now - 2 * HOUR))).map(({ id }) => id);
    expect(found.slice(0, 450)).to.have.members(sent.map(({ id }) => id));
    expect(found.at(-1)).to.equal('5-1000');
  });

  it('yields an earlier event that is written later', async () => {
    const at = new Date();
    const found: string[] = [];
    const stopping = new AbortController();
    await store().keep([event(2, at)]);
    const after = `${at.getTime() - 20_000}.0-0`;
    for await (const one of listen(database.here, { ownerId: 7, after, signal: stopping.signal, pollMs: 1 })) {
      if (one) found.push(one.id);
      if (found.length === 1) await store().keep([event(1, new Date(at.getTime() - 5000))]);
      if (found.length === 2) stopping.abort();
    }
    expect(found).to.deep.equal(['5-2', '5-1']);
  });
});
