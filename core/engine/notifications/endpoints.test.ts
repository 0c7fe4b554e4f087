import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { endpointModel } from '../../database/collections/endpoint.ts';
import { notificationModel } from '../../database/collections/notification.ts';
import type { Mail, Mailer } from '../../base/net/mail.ts';
import { valueOf } from '../../base/metrics/testing/read-page.ts';
import { HOUR, MINUTE, SECOND } from '../../base/async/time.ts';
import { enableEndpoint } from './enable-endpoint.ts';
import { disableEndpoint, endpointId, listEndpoints, type Endpoint } from './endpoint.ts';
import { toTestEvent } from './test-event.ts';
import { ok, useReceivers, type Answer, type Receiver } from './testing/receiver.ts';
import { notification, passTime, readRow, setUp, useTestDatabase } from './testing/setup.ts';
import { noBrand } from '../access/index.ts';

const day = 24 * HOUR;
const fail: Answer = (answer) => answer.writeHead(500).end();

describe('createEndpoints', () => {
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
  function worker(defaultUrl: string | null = null, sendMail: Mailer['send'] = async (mail) => void mails.push(mail)) {
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
            ownAccountsOnly: false,
            createdAt: new Date(0),
          }),
        },
        mailer: { send: sendMail, close: () => undefined },
      },
    );
  }
  type Worker = ReturnType<typeof worker>;

  const endpoints = async (): Promise<readonly Endpoint[]> => listEndpoints(database.connection);
  /** Creates a notification, a moment before it is sent. */
  async function make({ notifications }: Worker, url: string, payment: number): Promise<string> {
    const entry = notification(url, { paymentRequestId: payment, createdAt: new Date(at - SECOND) });
    await notifications.insert([entry]);
    return entry.id;
  }
  /** Sends what waits, each once. Returns the state of one. */
  async function attempt({ notifications }: Worker, id: string): Promise<string> {
    // It is due by the worker's clock, which is days ahead of the database's clock here.
    await passTime(database.connection, 100 * day);
    await notifications.deliverDue({ worker: 'w1' });
    return (await readRow(database.connection, id)).state;
  }
  /** Creates a notification and sends all of its attempts. Returns its state. */
  async function tell(one: Worker, url: string, payment: number): Promise<string> {
    const id = await make(one, url, payment);
    await attempt(one, id);
    return attempt(one, id);
  }
  const idOf = (url: string): string => endpointId(7, 'test', new URL(url).origin);
  const enable = async (url: string): Promise<number> => enableEndpoint(database.connection, idOf(url), new Date(at));
  const sentTo = ({ received }: Receiver, from = 0) => received.slice(from).map(({ headers }) => headers['webhook-id']);

  it('lists an endpoint while it fails, and removes it after a delivery', async () => {
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

  it('disables an endpoint after five days of failures alone, notifies operator and merchant once, and keeps its notifications', async () => {
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
    const counted = async (outcome: string) =>
      valueOf(one.metrics, 'gateway_notification_deliveries_total', { mode: 'test', outcome });
    expect([await counted('disabled'), await counted('exhausted')]).to.deep.equal([3, 2]);
    await passTime(database.connection, 100 * day);
    await one.notifications.deliverDue({ worker: 'w1' });

    const kinds = one.lines.filter(({ alarm }) => alarm).map(({ alarmKind }) => alarmKind);
    expect(kinds.filter((kind) => kind === 'endpoint_disabled')).to.have.length(1);
    expect(mails.map(({ to }) => to)).to.deep.equal(['ana@shop.example']);
    const told = other.received.map(({ body }) => JSON.parse(body.toString()) as { type: string; data: object });
    expect(told.map(({ type }) => type)).to.deep.equal(['endpoint.disabled']);
    expect(told[0]!.data).to.have.nested.property('endpoint.origin', new URL(receiver.url).origin);
  });

  it('does not disable an endpoint to which another process delivered without this one knowing', async () => {
    let answer = fail;
    const receiver = await start((...given) => answer(...given));
    const [one, unaware] = [worker(), worker()];
    await tell(one, receiver.url, 1);
    // It has read before that no endpoint fails.
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
    // It counts as failing from now on.
    expect((await endpoints()).map(({ failingSince, disabledAt }) => [failingSince, disabledAt])).to.deep.equal([
      [new Date(at), null],
    ]);
  });

  it('sends what was kept once the endpoint is enabled, whichever process knew it as disabled', async () => {
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
    expect(await enable(receiver.url)).to.equal(3);
    expect(await enable(receiver.url)).to.equal(-1);
    await one.notifications.deliverDue({ worker: 'w1' });
    expect(sentTo(receiver, before)).to.have.members(['1-1', '2-1', '3-1']);
  });

  it('sends waiting retries after an operator disabled and enabled the endpoint, and nothing of another endpoint', async () => {
    let answer = fail;
    const [receiver, other] = [await start((...given) => answer(...given)), await start(fail)];
    const one = worker();
    expect(await tell(one, other.url, 1)).to.equal('exhausted');
    const waiting = await make(one, receiver.url, 2);
    expect(await attempt(one, waiting)).to.equal('waiting');
    at += SECOND;
    const { origin } = new URL(receiver.url);
    const endpoint = { ownerId: 7, environment: 'test', origin } as const;
    expect(await disableEndpoint(database.connection, endpoint, new Date(at))).to.equal(true);
    at += MINUTE;
    expect(await attempt(one, waiting)).to.equal('exhausted');
    expect([receiver.received.length, mails]).to.deep.equal([1, []]);
    answer = ok;
    expect(await enable(receiver.url)).to.equal(1);
    expect(await attempt(one, waiting)).to.equal('delivered');
    expect(sentTo(receiver)).to.deep.equal(['2-1', '2-1']);
  });

  it('sends everything that was kept, even if the process that enabled the endpoint died in between', async () => {
    const receiver = await start(ok);
    const one = worker();
    const rows = notificationModel(database.connection);
    await make(one, receiver.url, 1);
    const { _id, dueAt: _dueAt, ...row } = (await rows.findById('1-1').lean())!;
    const attempts = [{ at: new Date(at), ms: 1, status: 500, error: null }];
    const missed = Array.from({ length: 1200 }, (_, index) => ({
      ...row,
      state: 'exhausted' as const,
      attempts,
      _id: `9-${index}`,
    }));
    await rows.insertMany(missed);
    const { origin, host } = new URL(receiver.url);
    const failing = { ownerId: 7, environment: 'test', origin, receiver: host, failingSince: new Date(at) } as const;
    await endpointModel(database.connection).create({ _id: idOf(receiver.url), ...failing, disabledAt: new Date(at) });
    expect(await enable(receiver.url)).to.equal(1200);
    await rows.deleteMany({ _id: /^9-\d\d/ });
    await rows.updateMany({ _id: /^9-/ }, { $set: { state: 'exhausted' }, $unset: { dueAt: '' } });

    await endpointModel(database.connection).create({ _id: idOf(receiver.url), ...failing, enabledAt: new Date(at) });
    at += MINUTE;
    await one.notifications.deliverDue({ worker: 'w1' });
    expect(await rows.countDocuments({ state: 'exhausted' })).to.equal(0);
    expect(await endpoints()).to.deep.equal([]);
  });

  it('does not disable an endpoint for a failure that another process followed by a delivery', async () => {
    let answer = fail;
    const receiver = await start((...given) => answer(...given));
    const [one, unaware] = [worker(), worker()];
    // It knows for 30 s that no endpoint fails.
    await tell(unaware, (await start(ok)).url, 1);
    const id = await make(one, receiver.url, 2);
    expect(await attempt(one, id)).to.equal('waiting');
    answer = ok;
    at += 5 * SECOND;
    expect(await attempt(unaware, id)).to.equal('delivered');
    await notificationModel(database.connection).deleteMany({ state: 'delivered' });
    answer = fail;
    at += 5 * day;
    await tell(one, receiver.url, 3);
    expect((await endpoints()).map(({ disabledAt }) => disabledAt)).to.deep.equal([null]);
  });

  it('does not disable an endpoint to which a process delivered before it knew of the failure, after the proof was removed', async () => {
    let answer = fail;
    const receiver = await start((...given) => answer(...given));
    const [one, unaware] = [worker(), worker()];
    await tell(unaware, (await start(ok)).url, 1);
    await tell(one, receiver.url, 2);
    answer = ok;
    at += 5 * SECOND;
    expect(await tell(unaware, receiver.url, 3)).to.equal('delivered');
    expect(await endpoints(), 'it is not known yet').to.have.length(1);
    at += 30 * SECOND;
    await unaware.notifications.deliverDue({ worker: 'w2' });
    expect(await endpoints()).to.deep.equal([]);
  });

  it('keeps an endpoint disabled that an operator disabled, whatever is delivered until all processes know it', async () => {
    let answer = ok;
    const receiver = await start((...given) => answer(...given));
    const one = worker();
    await tell(one, receiver.url, 1);
    at += SECOND;
    const { origin } = new URL(receiver.url);
    await disableEndpoint(database.connection, { ownerId: 7, environment: 'test', origin }, new Date(at));
    at += SECOND;
    answer = fail;
    const id = await make(one, receiver.url, 2);
    expect(await attempt(one, id)).to.equal('waiting');
    answer = ok;
    expect(await attempt(one, id)).to.equal('delivered');
    at += MINUTE;
    expect(await tell(one, receiver.url, 3)).to.equal('exhausted');
    expect((await endpoints())[0]?.disabledAt).to.be.instanceOf(Date);
  });

  it('repeats the report if the mail could not be sent, in another process if the first one died', async () => {
    const receiver = await start(fail);
    let isDown = true;
    const other = await start(ok);
    const send = async (mail: Mail): Promise<void> => {
      if (isDown) throw new Error('the mail server is down');
      mails.push(mail);
    };
    const one = worker(other.url, send);
    await tell(one, receiver.url, 1);
    at += 5 * day;
    await tell(one, receiver.url, 2);
    expect((await endpoints())[0]?.disabledAt).to.be.instanceOf(Date);
    expect(one.lines.map(({ msg }) => msg)).to.include('the report that an endpoint is disabled failed: it is retried');
    const next = worker(other.url, send);
    for (const isDownThen of [true, false, false]) {
      isDown = isDownThen;
      at += 10 * MINUTE;
      await next.notifications.deliverDue({ worker: 'w2' });
    }
    expect(mails.map(({ to }) => to)).to.deep.equal(['ana@shop.example']);
    await passTime(database.connection, 100 * day);
    await next.notifications.deliverDue({ worker: 'w2' });
    expect(sentTo(other), 'the notification comes once').to.have.length(1);
    expect(next.lines.filter(({ alarmKind }) => alarmKind === 'endpoint_disabled')).not.to.deep.equal([]);
  });

  it('sends a test event to a disabled endpoint, and enables it once one is delivered', async () => {
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
