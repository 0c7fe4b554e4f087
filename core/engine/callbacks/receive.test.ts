import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { pino } from 'pino';
import { connectDatabase } from '../../database/connect.ts';
import { inboxModel } from '../../database/collections/inbox-row.ts';
import { valueOf } from '../../base/metrics/testing/read-page.ts';
import { holdTimers } from '../../base/testing/hold-timers.ts';
import { listRefused } from './refused-list.ts';
import { paidEvent, useCallbacks } from './testing/setup.ts';

describe('receive', () => {
  const inbox = useCallbacks();
  afterEach(() => inbox.clear());

  const remoteAddress = '192.0.2.1';
  const head = {
    method: 'POST',
    path: '/callbacks/fake',
    query: '',
    headers: [],
    remoteAddress,
    receivedAt: new Date(),
  };

  it('stores a callback encrypted before it acknowledges, and notifies workers', async () => {
    const { receive, notified } = inbox.create();
    expect(await receive({ events: [paidEvent(1)] })).to.equal('accepted');
    const [row] = await inbox.rows();
    expect(row).to.deep.include({ adapter: 'provider-1', path: 'fake', state: 'waiting', requestId: 'r1' });
    expect(row?.events.map(({ paymentRequestId, state }) => [paymentRequestId, state])).to.deep.equal([[1, 'waiting']]);
    expect(Buffer.from(String(row?.encrypted)).includes('GW-1-1')).to.equal(false);
    expect(notified()).to.equal(1);
  });

  it('stores nothing if the signature is invalid', async () => {
    const { receive, notified, logged } = inbox.create();
    expect(await receive({ proof: 'bad', events: [paidEvent(1)] })).to.equal('invalid_signature');
    expect(await inbox.rows()).to.deep.equal([]);
    expect(notified()).to.equal(0);
    expect(logged.map(({ msg, outcome }) => [msg, outcome])).to.deep.equal([['callback refused', 'invalid_signature']]);
  });

  it('lists a refused callback with its reason, network and payment, and does not store it', async () => {
    const { receive, callbacks } = inbox.create();
    await receive({ proof: 'bad', events: [paidEvent(77)] }, { remoteAddress: '198.51.100.9' });
    await receive({ events: [] }, { path: '/callbacks/FAKE', remoteAddress: '203.0.113.9' });
    await callbacks.close();
    const listed = await listRefused(inbox.connection(), 'provider-1');
    expect(
      listed.map(({ reason, network, route, payments }) => [reason, network, route, payments]),
    ).to.have.deep.members([
      ['proof (the signature does not match)', '198.51.100.0/24', 'fake', [77]],
      ['the exact address (case, slash)', '203.0.113.0/24', 'FAKE', []],
    ]);
    expect(await inbox.rows()).to.deep.equal([]);
  });

  it('ignores and counts an event whose reference is not of our form, next to an event that counts', async () => {
    await inbox.clear();
    const { receive, metrics } = inbox.create();
    const foreign = paidEvent(7, { reference: 'order 7' });
    expect(await receive({ events: [foreign] })).to.equal('ignored');
    expect(await inbox.rows()).to.deep.equal([]);
    const labels = { provider: 'provider-1', outcome: 'ignored' };
    expect(await valueOf(metrics, 'gateway_callbacks_total', { ...labels, mode: 'test' })).to.equal(1);
    expect(await receive({ events: [foreign, paidEvent(1)] })).to.equal('accepted');
    expect((await inbox.rows())[0]?.events.map(({ event }) => event.reference)).to.deep.equal(['GW-1-1']);
  });

  it('counts callbacks by account: the one that proves them, or that of the address', async () => {
    const { receive, metrics } = inbox.create({ accounts: ['eu', 'pt'] });
    metrics.nameAccounts(['provider-1/eu']);
    const send = async (account: string, by: string | undefined, more: object = {}) =>
      receive(
        { events: [paidEvent(1, { dedupeKey: `${account} ${by}` })], ...(by && { by: [by] }), ...more },
        {
          path: `/callbacks/fake${account && `/${account}`}`,
        },
      );
    await send('', undefined);
    await send('', 'eu');
    await send('eu', 'eu');
    await send('pt', 'pt');
    await send('eu', 'eu', { proof: 'bad' });
    await send('', 'eu', { proof: 'bad' });
    const counted = async (account: string, outcome: string) =>
      valueOf(metrics, 'gateway_callbacks_total', { provider: 'provider-1', account, outcome });
    expect(await counted('main', 'accepted')).to.equal(1);
    expect(await counted('eu', 'accepted')).to.equal(2);
    expect(await counted('other', 'accepted')).to.equal(1);
    expect(await counted('eu', 'invalid_signature')).to.equal(1);
    expect(await counted('unknown', 'invalid_signature')).to.equal(1);
  });

  it('counts callbacks by provider, mode and outcome, and measures their time', async () => {
    const { receive, callbacks, metrics } = inbox.create();
    await receive({ events: [paidEvent(1)] });
    await receive({ events: [paidEvent(1)] });
    await receive({ proof: 'bad', events: [paidEvent(1)] });
    await receive({ events: [] });
    const raw = { method: 'POST', path: '/callbacks/fake', query: '', headers: [], body: Buffer.alloc(0) };
    callbacks.refuse('fake', { ...raw, remoteAddress: '::1', receivedAt: new Date() }, 'r1', 'no_capacity');
    const counted = async (labels: Record<string, string>) =>
      valueOf(metrics, 'gateway_callbacks_total', { provider: 'provider-1', ...labels });
    for (const outcome of ['accepted', 'duplicate', 'invalid_signature', 'ignored'])
      expect(await counted({ mode: 'test', outcome }), outcome).to.equal(1);
    expect(await counted({ mode: 'unknown', outcome: 'try_later' })).to.equal(1);
    expect(await valueOf(metrics, 'gateway_callback_ack_seconds_count')).to.equal(4);
    expect(await valueOf(metrics, 'gateway_callback_verification_seconds_count')).to.equal(4);
  });

  it('answers malformed and raises an alarm if the body is larger than the route accepts', async () => {
    const { callbacks, logged } = inbox.create();
    expect(await callbacks.admit('fake', head, 'r1')).to.include({ maxBodyBytes: 65_536 });
    const refuse = (path: string) => callbacks.refuse(path, head, 'r1', 'too_large');
    expect(refuse('fake')?.body).to.equal('malformed');
    expect(refuse('3ds')?.status).to.equal(400);
    expect(refuse('unknown')).to.equal(undefined);
    expect(logged.map(({ alarm, route }) => [alarm, route])).to.deep.equal([
      [true, 'fake'],
      [true, '3ds'],
    ]);
    expect(await inbox.rows()).to.deep.equal([]);
  });

  it('stores nothing from a network outside the list in config', async () => {
    const networks = ['198.51.100.0/24', '2001:db8::/32'];
    const guarded = inbox.create({
      config: {
        publicUrl: 'https://pay.example',
        threeDs: { tokenSecrets: [], tokenTtlSeconds: 1800 },
        callbacks: { unknownReferenceHours: 24, keepDays: 90 },
        adapters: { 'provider-1': { networks } },
      },
    });
    for (const [remoteAddress, stored] of [
      ['192.0.2.1', false],
      ['::ffff:192.0.2.1', false],
      ['::ffff:198.51.100.7', true],
      ['2001:db8::7', true],
    ] as const) {
      await inbox.clear();
      await guarded.receive({ events: [paidEvent(1)] }, { remoteAddress });
      expect((await inbox.rows()).length === 1, remoteAddress).to.equal(stored);
    }
  });

  it('keeps a row for callbacks.keepDays', async () => {
    await inbox.clear();
    const { receive } = inbox.create({
      config: {
        publicUrl: 'https://pay.example',
        threeDs: { tokenSecrets: [], tokenTtlSeconds: 1800 },
        callbacks: { unknownReferenceHours: 24, keepDays: 123 },
        adapters: {},
      },
    });
    const before = Date.now();
    await receive({ events: [paidEvent(1)] });
    const [row] = await inbox.rows();
    expect((row!.expireAt.getTime() - before) / 86_400_000).to.be.within(122.9, 123.1);
  });

  it('answers malformed without verifying if the body holds more JSON values than the route accepts', async () => {
    const { receive, logged } = inbox.create();
    const bodyWith = (values: number) => ({
      body: Buffer.from(`{"proof":"bad","events":[${'[],'.repeat(values - 4)}[]]}`),
    });
    const nothing = { events: [] };
    expect(await receive(nothing, bodyWith(6553))).to.equal('invalid_signature');
    expect(logged.filter(({ alarm }) => alarm === true)).to.deep.equal([]);
    expect(await receive(nothing, bodyWith(6554))).to.equal('malformed');
    expect(logged.find(({ alarm }) => alarm === true)).to.include({
      alarmKind: 'callback_too_large',
      reason: '6554 JSON values to fake',
    });
  });

  it('logs a sample of repeated refusals', async () => {
    const { callbacks, receive, logged } = inbox.create();
    const timers = holdTimers();
    try {
      for (let n = 1; n <= 100; n += 1) {
        await receive({ proof: 'bad', events: [] });
        callbacks.refuse('fake', head, 'r1', 'too_large');
      }
      const ofLevel = (wanted: number) => logged.filter(({ level }) => level === wanted);
      expect([ofLevel(40).length, ofLevel(50).length]).to.deep.equal([20, 20]);
      timers.endAll();
      expect(logged.slice(40).map(({ count, unlogged }) => [count, unlogged])).to.deep.equal([
        [100, 80],
        [100, 80],
      ]);
    } finally {
      timers.restore();
    }
  });

  it('marks the address as known if a server sent the callback, but not if a browser did', async () => {
    const { callbacks, receive } = inbox.create();
    const isStranger = async () => callbacks.admit('fake', head, 'r1');
    expect(await receive({ events: [paidEvent(1)] }, { path: '/callbacks/from-browser' })).to.equal('accepted');
    expect(await isStranger()).to.include({ isStranger: true });
    expect(await receive({ events: [paidEvent(2)] })).to.equal('accepted');
    expect(await isStranger()).to.include({ isStranger: false });
  });

  it('applies the same budget and queue to 3D Secure results from a payer’s browser', async () => {
    const now = (): Date => new Date('2026-01-01T00:00:30Z');
    const { receive } = inbox.create({ now });
    const sendFromBrowser = async (address: string) =>
      receive({ events: [] }, { path: '/callbacks/3ds', remoteAddress: address });
    // With held timers no callback waits for too long, even on a slow machine.
    const timers = holdTimers();
    try {
      const flood = await Promise.all(Array.from({ length: 600 }, async () => sendFromBrowser(remoteAddress)));
      // 500 may wait, in addition to the eight that start immediately.
      const refused = flood.filter((answer) => answer === '503').length;
      expect(refused).to.be.within(1, 100);
      expect(flood.filter((answer) => answer === '400')).to.have.length(600 - refused);
    } finally {
      timers.restore();
    }
    expect([await sendFromBrowser(remoteAddress), await sendFromBrowser('192.0.2.2')]).to.deep.equal(['503', '400']);
  });

  it('answers try_later beyond 600 callbacks per minute from an address without a genuine callback', async () => {
    const now = (): Date => new Date('2026-01-01T00:00:30Z');
    const { receive } = inbox.create({ now });
    const sendForged = async (remoteAddress: string) => receive({ proof: 'bad', events: [] }, { remoteAddress });
    for (let n = 1; n <= 600; n += 1) await sendForged(`2001:db8::${n.toString(16)}`);
    expect(await sendForged('2001:db8::1')).to.equal('try_later');
    expect(await receive({ events: [paidEvent(1)] }, { remoteAddress: '2001:db8::1' })).to.equal('try_later');
    expect(await receive({ events: [paidEvent(1)] }, { remoteAddress: '192.0.2.7' })).to.equal('accepted');
    for (let n = 1; n <= 601; n += 1) expect(await sendForged('192.0.2.7')).to.equal('invalid_signature');
    const listed = inbox.create({
      now,
      config: {
        publicUrl: 'https://pay.example',
        threeDs: { tokenSecrets: [], tokenTtlSeconds: 1800 },
        callbacks: { unknownReferenceHours: 24, keepDays: 90 },
        adapters: { 'provider-1': { networks: ['2001:db8::/32'] } },
      },
    });
    for (let n = 1; n <= 601; n += 1)
      expect(await listed.receive({ proof: 'bad', events: [] }, { remoteAddress: '2001:db8::1' })).to.equal(
        'invalid_signature',
      );
  });

  it('answers try_later if too many callbacks of the address wait for verification', async () => {
    const { receive } = inbox.create();
    // With held timers no callback waits for too long, even on a slow machine.
    const timers = holdTimers();
    try {
      const flood = Array.from({ length: 600 }, async () => receive({ proof: 'bad', events: [] }));
      const other = receive({ events: [paidEvent(1)] }, { remoteAddress: '192.0.2.2' });
      const answers = await Promise.all(flood);
      // 500 may wait, in addition to the eight that start immediately.
      const refused = answers.filter((answer) => answer === 'try_later').length;
      expect(refused).to.be.within(92, 100);
      expect(answers.filter((answer) => answer === 'invalid_signature')).to.have.length(600 - refused);
      expect(await other).to.equal('accepted');
    } finally {
      timers.restore();
    }
  });

  it('stores one row for repeated callbacks, and another if a fact other than the identity differs', async () => {
    const { receive, notified } = inbox.create();
    expect(await receive({ events: [paidEvent(1)] })).to.equal('accepted');
    expect(await receive({ events: [paidEvent(1)] })).to.equal('duplicate');
    expect(await inbox.rows()).to.have.length(1);
    expect(notified()).to.equal(1);
    expect(await receive({ events: [paidEvent(1, { amount: '11' })] })).to.equal('accepted');
    expect(await inbox.rows()).to.have.length(2);
  });

  it('stores a new row each time if the event has no identity', async () => {
    const { receive } = inbox.create();
    for (let times = 0; times < 2; times += 1)
      expect(await receive({ events: [paidEvent(1, { dedupeKey: null })] })).to.equal('accepted');
    expect(await inbox.rows()).to.have.length(2);
  });

  it('stores a genuine callback that cannot be read once, and raises an alarm', async () => {
    const { receive, logged, notified } = inbox.create();
    for (let times = 0; times < 2; times += 1) expect(await receive({ events: 'unreadable' })).to.equal('malformed');
    const [row, ...more] = await inbox.rows();
    expect(more).to.deep.equal([]);
    expect(row).to.deep.include({ state: 'malformed', events: [] }).and.not.have.property('dueAt');
    expect(logged.filter(({ alarm }) => alarm === true)).to.have.length(2);
    expect(notified()).to.equal(1);
  });

  it('requires a fetch for an unproven callback', async () => {
    const { receive } = inbox.create();
    await receive({ proof: 'none', events: [paidEvent(1)] });
    expect((await inbox.rows())[0]?.events[0]?.event.mustFetch).to.equal(true);
  });

  it('stores one small row per id for unproven callbacks of any number and size', async () => {
    const { receive } = inbox.create();
    const padding = { note: 'x'.repeat(60_000) } as object;
    for (let n = 1; n <= 40; n += 1)
      expect(await receive({ proof: 'none', events: [{ ...paidEvent(1, { amount: `${n}` }), ...padding }] })).to.equal(
        'accepted',
      );
    const [row, ...more] = await inbox.rows();
    expect(more).to.deep.equal([]);
    expect(row).to.include({ pings: 40, state: 'waiting' }).and.not.have.property('dueAt');
    expect(row!.events[0]!.event).to.include({ amount: null, providerReference: 'P-1', mustFetch: true });
    expect(JSON.stringify(row).length).to.be.lessThan(3000);
  });

  it('acknowledges a callback that the secret of the other mode proves as ignored, and keeps it for the alarm', async () => {
    const { environment } = await inbox.payment(await inbox.createPending());
    const other = environment === 'live' ? 'test' : 'live';
    for (const [provenMode, outcome] of [
      [other, 'ignored'],
      [environment, 'accepted'],
    ] as const) {
      await inbox.clear();
      const id = await inbox.createPending();
      const { receive, callbacks, logged } = inbox.create({ provenMode });
      expect(await receive({ events: [paidEvent(id)] })).to.equal(outcome);
      await callbacks.drain(200);
      const alarms = logged.filter(({ alarmKind }) => alarmKind === 'callback_of_other_mode');
      expect(alarms).to.have.length(outcome === 'ignored' ? 1 : 0);
      expect((await inbox.payment(id)).statusId).to.equal(outcome === 'ignored' ? 1 : 2);
    }
    await inbox.clear();
    // The payment may not be stored yet, so its mode is not known.
    expect(await inbox.create({ provenMode: 'live' }).receive({ events: [paidEvent(900_002)] })).to.equal('accepted');
  });

  it('reopens a dead letter when the provider sends it again', async () => {
    const { receive, notified } = inbox.create();
    await receive({ events: [paidEvent(1)] });
    await inboxModel(inbox.connection()).updateMany(
      {},
      { $set: { state: 'dead_letter', tries: 9, 'lease.expiries': 5 }, $unset: { dueAt: 1 } },
    );
    expect(await receive({ events: [paidEvent(1)] })).to.equal('duplicate');
    const [row] = await inbox.rows();
    expect(row).to.deep.include({ state: 'waiting', tries: 0 }).and.have.property('dueAt');
    expect(row?.lease.expiries).to.equal(0);
    expect(notified()).to.equal(2);
  });

  it('answers try_later if the callback could not be stored', async () => {
    const { host } = inbox.connection();
    const away = await connectDatabase(`mongodb://${host}:${inbox.connection().port}/gone?directConnection=true`, {
      log: pino({ level: 'silent' }),
    });
    await away.close();
    const { receive, notified } = inbox.create({ connection: away.connection });
    expect(await receive({ events: [paidEvent(1)] })).to.equal('try_later');
    expect(notified()).to.equal(0);
  });
});
