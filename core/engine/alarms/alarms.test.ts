import { testDatabaseUri } from '../../database/testing/test-database-uri.ts';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import pino from 'pino';
import { Webhook } from 'standardwebhooks';
import { alarmModel, type AlarmSubject } from '../../database/collections/alarm.ts';
import { connectDatabase, type Database } from '../../database/connect.ts';
import type { Mail } from '../../base/net/mail.ts';
import { createMetrics } from '../../base/metrics/index.ts';
import { valueOf } from '../../base/metrics/testing/read-page.ts';
import { MINUTE } from '../../base/async/time.ts';
import { until } from '../../base/testing/until.ts';
import { holdTimers } from '../../base/testing/hold-timers.ts';
import {
  adapterSubject,
  alarmKinds,
  createAlarms,
  ownerSubject,
  partsOf,
  presentAlarm,
  raiseInto,
  type Alarms,
  type AlarmsDeps,
} from './index.ts';

/** Keeps what an operator is sent, and answers as the test says. */
async function startOperator() {
  const received: { readonly headers: IncomingHttpHeaders; readonly body: Buffer }[] = [];
  let status = 204;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push({ headers: request.headers, body: Buffer.concat(chunks) });
      response.writeHead(status).end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/alarms`,
    received,
    answer: (code: number) => void (status = code),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

describe('createAlarms', () => {
  const payment: AlarmSubject = { type: 'payment', id: '$10042' };
  const lines: Record<string, unknown>[] = [];
  const metrics = createMetrics();
  let database: Database;
  let alarms: Alarms;
  const log = pino({ base: null }, { write: (line: string) => lines.push(JSON.parse(line) as never) });
  before(async () => {
    const uri = testDatabaseUri(`alarms_${randomUUID().slice(0, 8)}`);
    database = await connectDatabase(uri, { log });
    await alarmModel(database.connection).createIndexes();
    alarms = createAlarms({ connection: database.connection, metrics, log });
  });
  afterEach(async () => {
    lines.length = 0;
    await alarms.close();
    await alarmModel(database.connection).deleteMany({});
  });
  after(async () => {
    await database.connection.dropDatabase();
    await database.close();
  });

  async function stored() {
    await alarms.close();
    return alarms.list(10);
  }

  it('stores one document per kind and subject, with the latest reason and the number of times', async () => {
    for (let n = 1; n <= 50; n += 1) alarms.raise('payment_unresolved', payment, `for the ${n}th time`);
    alarms.raise('refund_unresolved', payment, 'a refund');
    const found = await stored();
    expect(found.map(({ kind, count, state, reason }) => [kind, count, state, reason])).to.have.deep.members([
      ['payment_unresolved', 50, 'open', 'for the 50th time'],
      ['refund_unresolved', 1, 'open', 'a refund'],
    ]);
    expect(found.map(({ subject }) => subject)).to.deep.equal([payment, payment]);
  });

  it('logs and counts an alarm immediately, with its meaning', async () => {
    const counted = async () => valueOf(metrics, 'gateway_alarms_raised_total', { kind: 'charged_twice' });
    const before = (await counted()) ?? 0;
    alarms.raise('charged_twice', payment, 'attempt 2', { requestId: 'r-1' });
    expect(lines[0]).to.deep.include({
      alarm: true,
      alarmKind: 'charged_twice',
      subject: 'payment $10042',
      requestId: 'r-1',
      reason: 'attempt 2',
      msg: 'Customer charged twice: two attempts of one payment succeeded.',
    });
    expect(await counted()).to.equal(before + 1);
  });

  it('logs a sample of an alarm that is raised again and again, separately for each subject', () => {
    const timers = holdTimers();
    try {
      const raise = raiseInto(log);
      const provider: AlarmSubject = { type: 'adapter', id: 'provider-1' };
      for (let n = 1; n <= 100; n += 1) raise('callback_too_large', provider, `${n} bytes`);
      raise('callback_too_large', { ...provider, id: 'provider-2' }, 'another');
      expect(lines).to.have.length(21);
      timers.endAll();
    } finally {
      timers.restore();
    }
    const summary = { kind: 'callback_too_large adapter provider-1', count: 100, unlogged: 80 };
    expect(lines.slice(21)).to.have.length(1);
    expect(lines.at(-1)).to.deep.include({ level: 50, ...summary });
  });

  it('keeps an alarm acknowledged when it is raised again, and reopens a resolved one', async () => {
    const model = alarmModel(database.connection);
    alarms.raise('charged_twice', payment, 'first');
    await alarms.close();
    await model.updateOne({}, { $set: { state: 'acknowledged' } });
    alarms.raise('charged_twice', payment, 'second');
    const [acknowledged] = await stored();
    expect(acknowledged).to.include({ state: 'acknowledged', count: 2 });
    expect(await alarms.resolve(acknowledged!._id)).to.equal(true);
    expect(await stored()).to.deep.equal([]);
    expect((await model.findOne().lean())?.expireAt).to.be.instanceOf(Date);
    alarms.raise('charged_twice', payment, 'third');
    const [again] = await stored();
    expect(again).to.include({ state: 'open', count: 1, reason: 'third' }).and.not.have.property('expireAt');
    expect(again!.firstSeenAt.getTime()).to.equal(again!.lastSeenAt.getTime());
  });

  it('continues an alarm that returns soon after it was resolved automatically, and reports it again later', async () => {
    const model = alarmModel(database.connection);
    const id = 'notifications_exhausted:owner:7';
    const owner: AlarmSubject = { type: 'owner', id: '7' };
    const historyOf = async () => ((await alarms.get(id))?.history ?? []).map(({ what, by }) => [what, by]);
    alarms.raise('notifications_exhausted', owner, 'first');
    await alarms.close();
    const [first] = await stored();
    await alarms.acknowledge(id, { by: 'Ada', reason: 'I resend them' });
    alarms.clear('notifications_exhausted', owner);
    await until('it is resolved', async () => (await alarms.get(id))?.state === 'resolved');
    alarms.raise('notifications_exhausted', owner, 'second');
    const [returned] = await stored();
    expect(returned).to.include({ state: 'open', count: 2, reason: 'second' });
    expect(returned!.firstSeenAt).to.deep.equal(first!.firstSeenAt);
    expect(returned!.dueAt!.getTime() - returned!.lastSeenAt.getTime()).to.equal(15 * MINUTE);
    const events = [
      ['raised', undefined],
      ['acknowledged', 'Ada'],
      ['resolved', undefined],
      ['raised_again', undefined],
    ];
    expect(await historyOf()).to.deep.equal(events);
    // An operator has resolved it, or it has been gone for a day: the next one is a new alarm.
    await alarms.resolve(id, { by: 'Ada' });
    alarms.raise('notifications_exhausted', owner, 'third');
    expect((await stored())[0]).to.include({ count: 1 });
    alarms.clear('notifications_exhausted', owner);
    await until('it is resolved again', async () => (await alarms.get(id))?.state === 'resolved');
    await model.updateOne({ _id: id }, { $set: { returnsUntil: new Date() } });
    alarms.raise('notifications_exhausted', owner, 'fourth');
    expect((await stored())[0]).to.include({ count: 1 });
  });

  it('lists the most urgent alarms first: by severity, mode, money and time', async () => {
    const subject = (id: string): AlarmSubject => ({ type: 'payment', id });
    const live = { ownerId: 7, environment: 'live' } as const;
    const raise = async (id: string, kind: 'charged_twice' | 'refund_failed', about: object): Promise<void> => {
      alarms.raise(kind, subject(id), 'why', {}, { ...live, ...about });
      await alarms.close();
    };
    await raise('1', 'refund_failed', { money: { amount: '99999', currency: 'EUR' } });
    await raise('2', 'charged_twice', { environment: 'test', money: { amount: '900', currency: 'EUR' } });
    await raise('3', 'charged_twice', { money: { amount: '7500', currency: 'JPY' } });
    await raise('4', 'charged_twice', { money: { amount: '590.00', currency: 'EUR' } });
    await raise('5', 'charged_twice', {});
    await raise('6', 'charged_twice', {});
    expect((await stored()).map(({ subject: { id } }) => id)).to.deep.equal(['4', '3', '6', '5', '2', '1']);
    const found = await alarms.find({ kinds: ['refund_failed'], limit: 10 });
    expect(found.map(({ ownerId, money }) => [ownerId, money])).to.deep.equal([
      [7, { amount: '99999', currency: 'EUR' }],
    ]);
    await alarms.resolve(found[0]!._id, { by: 'Ada' });
    expect(await alarms.find({ states: ['resolved'], limit: 10 })).to.have.length(1);
  });

  it('finds an alarm of a kind that only a later version knows, as the most urgent', async () => {
    alarms.raise('refund_failed', payment, 'why');
    await alarms.close();
    const known = (await alarmModel(database.connection).findOne().lean())!;
    const later = { ...known, _id: 'ledger_gap:ledger:7', kind: 'ledger_gap', subject: { type: 'ledger', id: '7' } };
    await alarmModel(database.connection).collection.insertOne(later as never);
    const idsOf = (found: readonly { readonly _id: string }[]): string[] => found.map(({ _id }) => _id);
    expect(idsOf(await alarms.list(10))).to.deep.equal([later._id, known._id]);
    expect(idsOf(await alarms.find({ severity: 'critical', limit: 10 }))).to.deep.equal([later._id]);
    expect(idsOf(await alarms.find({ severity: 'warning', limit: 10 }))).to.deep.equal([known._id]);
    expect(presentAlarm((await alarms.get(later._id))!)).to.include({ title: 'Ledger gap', severity: 'critical' });
  });

  it('resolves an alarm automatically once its cause is gone, even if it was raised just before', async () => {
    alarms.raise('payment_unresolved', payment, 'attempt 1');
    alarms.clear('payment_unresolved', payment);
    alarms.clear('refund_unresolved', payment);
    await until(
      'it is resolved',
      async () => (await alarms.get('payment_unresolved:payment:$10042'))?.state === 'resolved',
    );
    expect(await stored()).to.deep.equal([]);
  });

  it('resolves a condition automatically once it is no longer raised, and no other kind', async () => {
    const model = alarmModel(database.connection);
    const adapter: AlarmSubject = { type: 'adapter', id: 'provider-a' };
    for (const kind of ['adapter_versions_differ', 'breaker_open', 'provider_misconfigured'] as const)
      alarms.raise(kind, adapter, 'since long');
    alarms.raise('adapter_versions_differ', { type: 'adapter', id: 'provider-b' }, 'just now');
    await alarms.close();
    const { passesAfterMinutes } = alarmKinds.adapter_versions_differ;
    const longAgo = new Date(Date.now() - (passesAfterMinutes! + 1) * MINUTE);
    await model.updateMany({ reason: 'since long' }, { $set: { lastSeenAt: longAgo } });
    expect(await alarms.resolvePassed()).to.equal(1);
    expect((await stored()).map(({ _id }) => _id)).to.have.members([
      'breaker_open:adapter:provider-a',
      'provider_misconfigured:adapter:provider-a',
      'adapter_versions_differ:adapter:provider-b',
    ]);
    const passed = await alarms.get('adapter_versions_differ:adapter:provider-a');
    expect(passed).to.include({ state: 'resolved' }).and.not.have.property('dueAt');
    expect(passed!.expireAt).to.be.instanceOf(Date);
  });

  it('keeps alarms of different addresses, modes and statuses apart, and clears each separately', async () => {
    const [one, other] = ['https://one.example', 'https://other.example:8443'];
    const endpoints = database.connection.collection<{ _id: string }>('endpoints');
    const disabled = { ownerId: 7, environment: 'live', disabledAt: new Date() };
    await endpoints.insertOne({ ...disabled, _id: 'other', origin: other } as never);
    const exhausted = { ownerId: 7, environment: 'test', state: 'exhausted', createdAt: new Date() };
    const notifications = database.connection.collection('notifications');
    await notifications.insertOne(exhausted);
    for (const origin of [one, other]) alarms.raise('endpoint_disabled', ownerSubject(7, 'live', origin), 'for days');
    for (const mode of ['test', 'live'] as const) {
      alarms.raise('endpoint_disabled', ownerSubject(7, mode, one), 'for days');
      alarms.raise('notifications_exhausted', ownerSubject(7, mode), 'to one.example');
    }
    expect(await stored()).to.have.length(5);
    expect(await alarms.resolveRecovered()).to.equal(3);
    expect((await stored()).map(({ _id }) => _id)).to.have.members([
      `endpoint_disabled:owner:7: ${other}`,
      'notifications_exhausted:owner:7 (test)',
    ]);
    expect(partsOf(ownerSubject(7, 'test', one))).to.deep.equal({ name: '7', environment: 'test', about: one });
    const word = adapterSubject('provider-a', 'live', 'payment on hold: why');
    expect(partsOf(word)).to.deep.equal({ name: 'provider-a', environment: 'live', about: 'payment on hold: why' });
    await endpoints.deleteMany({});
    await notifications.deleteMany({});
  });

  it('resolves an alarm once its cause is fixed, however many others stay', async () => {
    const isThere = Array.from({ length: 600 }, (_, at) => `letter-${at}`);
    const inbox = database.connection.collection<{ _id: string }>('inbox');
    await inbox.insertMany(isThere.map((_id) => ({ _id, state: 'dead_letter' })));
    for (const id of [...isThere, 'repaired'])
      alarms.raise('callback_dead_letter', { type: 'callback', id }, 'it could not be applied');
    await alarms.close();
    expect([await alarms.resolveRecovered(), await alarms.resolveRecovered()]).to.deep.equal([0, 1]);
    expect((await alarms.get('callback_dead_letter:callback:repaired'))?.state).to.equal('resolved');
    expect(await alarms.resolveRecovered()).to.equal(0);
    await inbox.deleteMany({});
  });

  it('masks a card, key or secret in a reason', async () => {
    alarms.raise(
      'provider_misconfigured',
      payment,
      'refused 4111111111111111 under gk_live_abcdef, payment 1730000000123',
    );
    expect((await stored())[0]?.reason).to.equal('refused [hidden] under gk_live_[hidden], payment 1730000000123');
  });

  it('masks and cuts off what an operator says about an alarm', async () => {
    alarms.raise('charged_twice', payment, 'two charges');
    const id = (await stored())[0]!._id;
    await alarms.acknowledge(id, { by: 'Ada', reason: 'the card is 4111111111111111' });
    await alarms.resolve(id, { by: 'Ada', reason: 'x'.repeat(2000) });
    const [, acknowledged, resolved] = (await alarms.get(id))?.history ?? [];
    expect(acknowledged?.reason).to.equal('the card is [hidden]');
    expect(resolved?.reason).to.equal('x'.repeat(500));
  });

  it('keeps an alarm in memory while the database fails, and stores it with the next one', async () => {
    const { collection } = alarmModel(database.connection);
    const write = collection.bulkWrite.bind(collection);
    collection.bulkWrite = async () => Promise.reject(new Error('no database'));
    try {
      alarms.raise('charged_twice', payment, 'while it was down');
      await alarms.close();
    } finally {
      collection.bulkWrite = write;
    }
    expect(lines.map(({ msg }) => msg)).to.include('alarms could not be stored; they are retried');
    alarms.raise('charged_twice', payment, 'when it was up');
    expect((await stored()).map(({ count, reason }) => [count, reason])).to.deep.equal([[2, 'when it was up']]);
  });

  describe('reports to the operator', () => {
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    const hour = 3_600_000;
    let operator: Awaited<ReturnType<typeof startOperator>>;
    let mails: Mail[];
    let reporting: Alarms;
    before(async () => {
      operator = await startOperator();
    });
    after(async () => operator.close());
    beforeEach(() => {
      operator.received.splice(0);
      operator.answer(204);
      mails = [];
      reporting = reportingTo(['ops@example.com']);
    });

    /** `typo@…` has no mailbox. */
    function reportingTo(mailTo: readonly string[], more: Partial<AlarmsDeps> = {}): Alarms {
      return createAlarms({
        connection: database.connection,
        log: pino({ level: 'silent' }),
        config: { webhook: { url: operator.url, secret }, mailTo, reminderHours: 24 },
        mailer: {
          async send(mail) {
            if (mail.to.startsWith('typo@')) throw new Error('no such mailbox');
            mails.push(mail);
          },
          close: () => undefined,
        },
        worker: 'worker-1',
        ...more,
      });
    }

    async function raised(): Promise<void> {
      alarms.raise('charged_twice', payment, 'attempt 2');
      await alarms.close();
    }
    const passTime = async (ms: number): Promise<unknown> =>
      alarmModel(database.connection).updateMany(
        { dueAt: { $type: 'date' } },
        [{ $set: { dueAt: { $subtract: ['$dueAt', ms] } } }],
        { updatePipeline: true },
      );
    const bodies = () => operator.received.map(({ body }) => JSON.parse(body.toString()) as Record<string, unknown>);

    it('reports once, signed, however often an alarm is raised, and again after a day', async () => {
      await raised();
      await raised();
      expect(await reporting.reportDue(10)).to.equal(1);
      await raised();
      expect(await reporting.reportDue(10)).to.equal(0);
      const [{ headers, body } = { headers: {}, body: Buffer.alloc(0) }] = operator.received;
      expect(new Webhook(secret).verify(body, headers as Record<string, string>)).to.deep.include({
        type: 'alarm.opened',
      });
      expect(bodies()[0]).to.have.nested.property('data.alarm.reason', 'attempt 2');
      expect(mails.map(({ to, subject }) => [to, subject])).to.deep.equal([
        ['ops@example.com', '[critical] Customer charged twice: payment $10042, attempt 2'],
      ]);
      await passTime(24 * hour);
      expect(await reporting.reportDue(10)).to.equal(1);
      expect(bodies().map(({ type }) => type)).to.deep.equal(['alarm.opened', 'alarm.reminder']);
    });

    it('reports the merchant, the money, the first step of the cure, and the link to the console', async () => {
      const owners = database.connection.collection<{ _id: number }>('owners');
      await owners.insertOne({ _id: 7, name: 'Ribeira Books' } as never);
      const config = { mailTo: ['ops@example.com'], reminderHours: 24, environment: 'production' };
      const webhook = { url: operator.url, secret };
      const linked = { ...config, webhook, consoleUrl: 'https://ops.gateway.example' };
      const about = { ownerId: 7, environment: 'live', money: { amount: '59.00', currency: 'EUR' } } as const;
      alarms.raise('charged_twice', { type: 'payment', id: '10042' }, '2 × €59.00', {}, about);
      alarms.raise('refund_failed', { type: 'payment', id: '10043' }, 'refund GW-10043-1-R1', {}, about);
      await alarms.close();
      await reportingTo([], { config: linked }).reportDue(10);
      expect(mails.map(({ subject }) => subject)).to.have.members([
        '[critical] Customer charged twice: payment 10042, 2 × €59.00, Ribeira Books',
        '[warning] Refund failed: payment 10043, refund GW-10043-1-R1, €59.00, Ribeira Books',
      ]);
      const link = 'https://ops.gateway.example/ops/alarms/charged_twice%3Apayment%3A10042';
      const { text, html } = mails.find(({ subject }) => subject.includes('10042'))!;
      const { nextStep, title } = alarmKinds.charged_twice;
      for (const said of [link, title, nextStep, 'Ribeira Books', '€59.00', 'live mode, production']) {
        expect(text).to.contain(said);
        expect(html).to.contain(said);
      }
      expect(html).to.contain('prefers-color-scheme: dark');
      const [posted] = bodies().filter(({ data }) => JSON.stringify(data).includes('10042'));
      expect(posted).to.have.nested.property('data.alarm.url', link);
      expect(posted).to.have.deep.nested.property('data.alarm.money', about.money);
      for (const [name, value] of Object.entries({ merchant: 'Ribeira Books', severity: 'critical', nextStep }))
        expect(posted).to.have.nested.property(`data.alarm.${name}`, value);
      expect((await alarms.get('charged_twice:payment:10042'))?.history?.at(-1)).to.deep.include({
        what: 'reported',
        to: ['webhook', 'ops@example.com'],
      });
      await owners.deleteMany({});
    });

    it('names the command that shows the alarm if config has no address of the console', async () => {
      await raised();
      await reporting.reportDue(10);
      expect(mails[0]?.text).to.contain("paywright alarms show 'charged_twice:payment:$10042'").and.not.contain('http');
    });

    it('reports an alarm of a kind that only a later version knows', async () => {
      await raised();
      const later = { kind: 'ledger_gap', subject: { type: 'ledger', id: '7' } };
      await alarmModel(database.connection).collection.updateOne({}, { $set: later });
      expect(await reporting.reportDue(10)).to.equal(1);
      expect(mails[0]?.subject).to.equal('[critical] Ledger gap: ledger 7, attempt 2');
      expect(mails[0]?.text).to.contain('A later version of the gateway raised this alarm.');
      expect(bodies()[0]).to.have.nested.property('data.alarm.title', 'Ledger gap');
    });

    it('stops reports of an acknowledged or resolved alarm, and starts again when it reopens', async () => {
      await raised();
      const [one] = await stored();
      expect([await reporting.acknowledge(one!._id), await reporting.acknowledge(one!._id)]).to.deep.equal([
        true,
        false,
      ]);
      expect(await reporting.reportDue(10)).to.equal(0);
      expect([await reporting.resolve(one!._id), await reporting.resolve(one!._id)]).to.deep.equal([true, false]);
      await raised();
      expect(await reporting.reportDue(10)).to.equal(1);
      expect(bodies().map(({ type }) => type)).to.deep.equal(['alarm.opened']);
    });

    it('retries under the same id, less and less often, while the operator does not accept it', async () => {
      operator.answer(500);
      await raised();
      expect(await reporting.reportDue(10)).to.equal(1);
      for (const minutes of [1, 2, 4]) {
        await passTime((minutes - 0.5) * 60_000);
        expect(await reporting.reportDue(10)).to.equal(0);
        await passTime(30_000);
        expect(await reporting.reportDue(10)).to.equal(1);
      }
      operator.answer(204);
      await passTime(hour);
      expect(await reporting.reportDue(10)).to.equal(1);
      expect(new Set(bodies().map(({ id }) => id)).size).to.equal(1);
      expect(mails).to.have.length(1);
      expect(await reporting.reportDue(10)).to.equal(0);
    });

    it('reports once and with every reminder to a receiver, however long another one fails', async () => {
      reporting = reportingTo(['typo@example.com', 'ops@example.com']);
      await raised();
      for (let tries = 0; tries < 29; tries += 1) {
        expect(await reporting.reportDue(10), `try ${tries}`).to.equal(1);
        expect([bodies().length, mails.length], `try ${tries}`).to.deep.equal([1, 1]);
        await passTime(hour);
      }
      expect(await reporting.reportDue(10)).to.equal(1);
      expect(bodies().map(({ type }) => type)).to.deep.equal(['alarm.opened', 'alarm.reminder']);
      expect(mails.map(({ to, subject }) => `${to} ${subject.split(':')[0]}`)).to.deep.equal([
        'ops@example.com [critical] Customer charged twice',
        'ops@example.com Still open',
      ]);
    });

    it('starts from the beginning for an alarm that was resolved before all had accepted it', async () => {
      reporting = reportingTo(['typo@example.com', 'ops@example.com']);
      await raised();
      await reporting.reportDue(10);
      const [one] = await stored();
      await reporting.resolve(one!._id);
      await raised();
      await reporting.reportDue(10);
      expect(bodies().map(({ type }) => type)).to.deep.equal(['alarm.opened', 'alarm.opened']);
    });

    it('reports by one worker if two check at the same time', async () => {
      await raised();
      const counts = await Promise.all([reporting.reportDue(10), reporting.reportDue(10)]);
      expect([counts[0] + counts[1], operator.received.length]).to.deep.equal([1, 1]);
    });

    it('reports by another worker immediately after the first one died', async () => {
      const hanging = { send: async () => new Promise<never>(() => undefined), close: () => undefined };
      const dying = reportingTo(['ops@example.com'], { worker: 'dead', mailer: hanging });
      await raised();
      void dying.reportDue(10);
      await until('it is being reported', () => operator.received.length > 0);
      expect(await reporting.reportDue(10)).to.equal(0);
      await reporting.releaseWorker('dead');
      expect([await reporting.reportDue(10), mails.length]).to.deep.equal([1, 1]);
    });

    it('reports nothing if config names no receiver, and keeps the report due', async () => {
      await raised();
      expect(await alarms.reportDue(10)).to.equal(0);
      expect(await reporting.reportDue(10)).to.equal(1);
    });
  });
});
