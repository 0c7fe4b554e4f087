import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { endpointModel } from '../documents/endpoint.ts';
import type { Mail } from '../mail.ts';
import { HOUR } from '../time.ts';
import { enableEndpoint, listEndpoints, type Endpoint } from './endpoints.ts';
import { toTestEvent } from './test-event.ts';
import { ok, useReceivers, type Answer } from './testing/receiver.ts';
import { notification, passTime, readRow, setUp, useTestDatabase } from './testing/setup.ts';
import { noBrand } from '../access/index.ts';

const day = 24 * HOUR;
const fail: Answer = (answer) => answer.writeHead(500).end();

describe('an endpoint of a merchant', () => {
  const database = useTestDatabase();
  const start = useReceivers();
  let at: number;
  let mails: Mail[];
  beforeEach(() => {
    at = Date.now();
    mails = [];
  });
  afterEach(async () => endpointModel(database.connection).deleteMany({}));

  /** A worker whose clock is `at`, and an owner whose default address is this one. */
  function worker(defaultUrl: string | null = null) {
    const owner = {
      id: 7,
      name: 'Shop',
      email: 'ana@shop.example',
      reportingCurrency: null,
      notificationTypes: null,
      brand: noBrand,
    };
    return setUp(
      database.connection,
      { attemptDelaysSeconds: [0, 5] },
      {
        now: () => new Date(at),
        owners: {
          get: async () => ({
            ...owner,
            notifyUrls: { test: defaultUrl, live: null },
            listeningUntil: null,
            createdAt: new Date(0),
          }),
        },
        mailer: { send: async (mail) => void mails.push(mail), close: () => undefined },
      },
    );
  }
  type Worker = ReturnType<typeof worker>;

  const endpoints = async (): Promise<readonly Endpoint[]> => listEndpoints(database.connection);
  /** Makes a notification and sends all of its attempts; gives its state. */
  async function tell({ notifications }: Worker, url: string, payment: number): Promise<string> {
    const entry = notification(url, { paymentRequestId: payment });
    await notifications.insert([entry]);
    for (let attempts = 0; attempts < 2; attempts += 1) {
      // It is due by the worker's clock, which is days ahead of the database's here.
      await passTime(database.connection, 100 * day);
      await notifications.deliverDue({ worker: 'w1' });
    }
    return (await readRow(database.connection, entry.id)).state;
  }

  it('is known while it fails, and forgotten once one is delivered', async () => {
    let answer = fail;
    const receiver = await start((...given) => answer(...given));
    const one = worker();
    expect(await tell(one, receiver.url, 1)).to.equal('exhausted');
    const { origin } = new URL(receiver.url);
    expect((await endpoints()).map((endpoint) => [endpoint.origin, endpoint.disabledAt])).to.deep.equal([
      [origin, null],
    ]);
    answer = ok;
    expect(await tell(one, receiver.url, 2)).to.equal('delivered');
    expect(await endpoints()).to.deep.equal([]);
  });

  it('is disabled after five days of nothing but failures: the operator and the merchant are told once, and what comes is kept', async () => {
    const [receiver, other] = [await start(fail), await start(ok)];
    const one = worker(other.url);
    await tell(one, receiver.url, 1);
    at += 5 * day - 1;
    await tell(one, receiver.url, 2);
    expect((await endpoints())[0]?.disabledAt).to.equal(null);
    at += 1;
    await tell(one, receiver.url, 3);
    expect((await endpoints())[0]?.disabledAt).to.deep.equal(new Date(at));
    const attempts = receiver.received.length;
    expect(await tell(one, receiver.url, 4)).to.equal('exhausted');
    expect(await tell(one, receiver.url, 5)).to.equal('exhausted');
    expect(receiver.received, 'nothing is sent').to.have.length(attempts);
    await passTime(database.connection, 100 * day);
    await one.notifications.deliverDue({ worker: 'w1' });

    const kinds = one.lines.filter(({ alarm }) => alarm).map(({ alarmKind }) => alarmKind);
    expect(kinds.filter((kind) => kind === 'endpoint_disabled')).to.have.length(1);
    expect(mails.map(({ to }) => to)).to.deep.equal(['ana@shop.example']);
    const told = other.received.map(({ body }) => JSON.parse(body.toString()) as { type: string; data: object });
    expect(told.map(({ type }) => type)).to.deep.equal(['endpoint.disabled']);
    expect(told[0]!.data).to.have.nested.property('endpoint.origin', new URL(receiver.url).origin);
  });

  it('is not disabled where another process delivered meanwhile, and this one does not know it', async () => {
    let answer = fail;
    const receiver = await start((...given) => answer(...given));
    const [one, unaware] = [worker(), worker()];
    await tell(one, receiver.url, 1);
    // It remembers that nothing fails, from before.
    await tell(unaware, (await start(ok)).url, 2);
    await tell(one, receiver.url, 3);
    answer = ok;
    const { _id } = (await endpointModel(database.connection).findOne().lean())!;
    const failing = await endpointModel(database.connection).findById(_id).lean();
    expect(await tell(unaware, receiver.url, 4)).to.equal('delivered');
    await endpointModel(database.connection).replaceOne({ _id }, failing!, { upsert: true });
    answer = fail;
    at += 5 * day;
    await tell(one, receiver.url, 5);
    // It fails anew, from now on.
    expect((await endpoints()).map(({ failingSince, disabledAt }) => [failingSince, disabledAt])).to.deep.equal([
      [new Date(at), null],
    ]);
  });

  it('once it is enabled again gets what was kept, no matter which process knew it for disabled', async () => {
    let answer = fail;
    const receiver = await start((...given) => answer(...given));
    const one = worker();
    for (const payment of [1, 2]) {
      await tell(one, receiver.url, payment);
      at += 5 * day;
    }
    await tell(one, receiver.url, 3);
    answer = ok;
    const before = receiver.received.length;
    const [{ ownerId, environment, origin } = expect.fail()] = await endpoints();
    expect(await enableEndpoint(database.connection, `${ownerId}:${environment}:${origin}`)).to.equal(3);
    expect(await enableEndpoint(database.connection, `${ownerId}:${environment}:${origin}`)).to.equal(-1);
    await one.notifications.deliverDue({ worker: 'w1' });
    const ids = receiver.received.slice(before).map(({ headers }) => headers['webhook-id']);
    expect(ids).to.have.members(['1-1', '2-1', '3-1']);
  });

  it('gets a test event although it is disabled, and is enabled by one that it takes', async () => {
    let answer = fail;
    const receiver = await start((...given) => answer(...given));
    const one = worker();
    for (const payment of [1, 2]) {
      await tell(one, receiver.url, payment);
      at += 5 * day;
    }
    const test = async (): Promise<void> => {
      at += 1;
      const { notifications } = one;
      const { id, url, body, type, createdAt } = toTestEvent(7, 'test', receiver.url, new Date(at));
      await notifications.insert([{ ...notification(url), id, body, type, createdAt, paymentRequestId: null }]);
      await passTime(database.connection, 100 * day);
      await notifications.deliverDue({ worker: 'w1' });
    };
    await test();
    expect((await endpoints())[0]?.disabledAt).to.be.instanceOf(Date);
    answer = ok;
    await test();
    expect(await endpoints()).to.deep.equal([]);
    expect((await readRow(database.connection, '1-1')).state).to.be.oneOf(['waiting', 'delivered']);
  });
});
