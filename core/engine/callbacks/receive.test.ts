import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { pino } from 'pino';
import { connectDatabase } from '../../database/connect.ts';
import { inboxModel } from '../../database/collections/inbox-row.ts';
import { valueOf } from '../../base/metrics/testing/read-page.ts';
import { holdTimers } from '../../base/testing/hold-timers.ts';
import { paid, useCallbacks } from './testing/setup.ts';

describe('a callback that arrives', () => {
  const inbox = useCallbacks();
  afterEach(() => inbox.empty());

  const remoteAddress = '192.0.2.1';
  const head = {
    method: 'POST',
    path: '/callbacks/fake',
    query: '',
    headers: [],
    remoteAddress,
    receivedAt: new Date(),
  };

  it('is stored before it is acknowledged, encrypted, and workers are notified', async () => {
    const { receive, notified } = inbox.create();
    expect(await receive({ events: [paid(1)] })).to.equal('accepted');
    const [row] = await inbox.rows();
    expect(row).to.deep.include({ adapter: 'provider-1', path: 'fake', state: 'waiting', requestId: 'r1' });
    expect(row?.events.map(({ paymentRequestId, state }) => [paymentRequestId, state])).to.deep.equal([[1, 'waiting']]);
    expect(Buffer.from(String(row?.encrypted)).includes('GW-1-1')).to.equal(false);
    expect(notified()).to.equal(1);
  });

  it('stores nothing where its signature is invalid', async () => {
    const { receive, notified, logged } = inbox.create();
    expect(await receive({ proof: 'bad', events: [paid(1)] })).to.equal('invalid_signature');
    expect(await inbox.rows()).to.deep.equal([]);
    expect(notified()).to.equal(0);
    expect(logged.map(({ msg, outcome }) => [msg, outcome])).to.deep.equal([['callback refused', 'invalid_signature']]);
  });

  it('is counted by provider, side and answer, with the time it took', async () => {
    const { receive, callbacks, metrics } = inbox.create();
    await receive({ events: [paid(1)] });
    await receive({ events: [paid(1)] });
    await receive({ proof: 'bad', events: [paid(1)] });
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

  it('is answered as malformed where it is larger than its route takes, with an alarm', async () => {
    const { callbacks, logged } = inbox.create();
    expect(await callbacks.admit('fake', head, 'r1')).to.include({ maxBodyBytes: 65_536 });
    const refuse = (path: string) => callbacks.refuse(path, head, 'r1', 'too_large');
    expect(refuse('fake')?.body).to.equal('malformed');
    expect(refuse('3ds')?.status).to.equal(400);
    expect(refuse('nobody')).to.equal(undefined);
    expect(logged.map(({ alarm, route }) => [alarm, route])).to.deep.equal([
      [true, 'fake'],
      [true, '3ds'],
    ]);
    expect(await inbox.rows()).to.deep.equal([]);
  });

  it('stores nothing from a network that config does not list', async () => {
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
      await inbox.empty();
      await guarded.receive({ events: [paid(1)] }, { remoteAddress });
      expect((await inbox.rows()).length === 1, remoteAddress).to.equal(stored);
    }
  });

  it('is kept for callbacks.keepDays', async () => {
    await inbox.empty();
    const { receive } = inbox.create({
      config: {
        publicUrl: 'https://pay.example',
        threeDs: { tokenSecrets: [], tokenTtlSeconds: 1800 },
        callbacks: { unknownReferenceHours: 24, keepDays: 123 },
        adapters: {},
      },
    });
    const before = Date.now();
    await receive({ events: [paid(1)] });
    const [row] = await inbox.rows();
    expect((row!.expireAt.getTime() - before) / 86_400_000).to.be.within(122.9, 123.1);
  });

  it('is malformed, and looked at by nobody, where it holds more JSON values than its route takes', async () => {
    const { receive, logged } = inbox.create();
    const holding = (values: number) => ({
      body: Buffer.from(`{"proof":"bad","events":[${'[],'.repeat(values - 4)}[]]}`),
    });
    const nothing = { events: [] };
    expect(await receive(nothing, holding(6553))).to.equal('invalid_signature');
    expect(logged.filter(({ alarm }) => alarm === true)).to.deep.equal([]);
    expect(await receive(nothing, holding(6554))).to.equal('malformed');
    expect(logged.find(({ alarm }) => alarm === true)).to.include({
      alarmKind: 'callback_too_large',
      reason: '6554 JSON values to fake',
    });
  });

  it('is logged as a sample where it is refused again and again', async () => {
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

  it('makes its address a known one where a server sent it; a browser’s is the payer’s', async () => {
    const { callbacks, receive } = inbox.create();
    const isStranger = async () => callbacks.admit('fake', head, 'r1');
    expect(await receive({ events: [paid(1)] }, { path: '/callbacks/brought' })).to.equal('accepted');
    expect(await isStranger()).to.include({ isStranger: true });
    expect(await receive({ events: [paid(2)] })).to.equal('accepted');
    expect(await isStranger()).to.include({ isStranger: false });
  });

  it('has the same budget and the same turns where a payer’s browser brings the end of a 3D Secure step', async () => {
    const now = (): Date => new Date('2026-01-01T00:00:30Z');
    const { receive } = inbox.create({ now });
    const bring = async (address: string) =>
      receive({ events: [] }, { path: '/callbacks/3ds', remoteAddress: address });
    // None of them has waited for too long, however slow this machine is.
    const timers = holdTimers();
    try {
      const flood = await Promise.all(Array.from({ length: 600 }, async () => bring(remoteAddress)));
      // 500 may wait, beside those of eight that begin at once.
      const refused = flood.filter((answer) => answer === '503').length;
      expect(refused).to.be.within(1, 100);
      expect(flood.filter((answer) => answer === '400')).to.have.length(600 - refused);
    } finally {
      timers.restore();
    }
    expect([await bring(remoteAddress), await bring('192.0.2.2')]).to.deep.equal(['503', '400']);
  });

  it('is to be sent again beyond 600 a minute of an address that has proven none', async () => {
    const now = (): Date => new Date('2026-01-01T00:00:30Z');
    const { receive } = inbox.create({ now });
    const forged = async (remoteAddress: string) => receive({ proof: 'bad', events: [] }, { remoteAddress });
    for (let n = 1; n <= 600; n += 1) await forged(`2001:db8::${n.toString(16)}`);
    expect(await forged('2001:db8::1')).to.equal('try_later');
    expect(await receive({ events: [paid(1)] }, { remoteAddress: '2001:db8::1' })).to.equal('try_later');
    expect(await receive({ events: [paid(1)] }, { remoteAddress: '192.0.2.7' })).to.equal('accepted');
    for (let n = 1; n <= 601; n += 1) expect(await forged('192.0.2.7')).to.equal('invalid_signature');
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

  it('is to be sent again where too many of its address wait to be verified', async () => {
    const { receive } = inbox.create();
    // None of them has waited for too long, however slow this machine is.
    const timers = holdTimers();
    try {
      const flood = Array.from({ length: 600 }, async () => receive({ proof: 'bad', events: [] }));
      const other = receive({ events: [paid(1)] }, { remoteAddress: '192.0.2.2' });
      const answers = await Promise.all(flood);
      // 500 may wait, beside those of eight that begin at once.
      const refused = answers.filter((answer) => answer === 'try_later').length;
      expect(refused).to.be.within(92, 100);
      expect(answers.filter((answer) => answer === 'invalid_signature')).to.have.length(600 - refused);
      expect(await other).to.equal('accepted');
    } finally {
      timers.restore();
    }
  });

  it('is one row however often it comes, and another where a fact beside its identity differs', async () => {
    const { receive, notified } = inbox.create();
    expect(await receive({ events: [paid(1)] })).to.equal('accepted');
    expect(await receive({ events: [paid(1)] })).to.equal('duplicate');
    expect(await inbox.rows()).to.have.length(1);
    expect(notified()).to.equal(1);
    expect(await receive({ events: [paid(1, { amount: '11' })] })).to.equal('accepted');
    expect(await inbox.rows()).to.have.length(2);
  });

  it('is new each time where its event has no identity', async () => {
    const { receive } = inbox.create();
    for (let times = 0; times < 2; times += 1)
      expect(await receive({ events: [paid(1, { dedupeKey: null })] })).to.equal('accepted');
    expect(await inbox.rows()).to.have.length(2);
  });

  it('is kept once where it is genuine and cannot be read, and raises an alarm', async () => {
    const { receive, logged, notified } = inbox.create();
    for (let times = 0; times < 2; times += 1) expect(await receive({ events: 'unreadable' })).to.equal('malformed');
    const [row, ...more] = await inbox.rows();
    expect(more).to.deep.equal([]);
    expect(row).to.deep.include({ state: 'malformed', events: [] }).and.not.have.property('dueAt');
    expect(logged.filter(({ alarm }) => alarm === true)).to.have.length(2);
    expect(notified()).to.equal(1);
  });

  it('is to be fetched where nothing verifies it', async () => {
    const { receive } = inbox.create();
    await receive({ proof: 'none', events: [paid(1)] });
    expect((await inbox.rows())[0]?.events[0]?.event.mustFetch).to.equal(true);
  });

  it('is one small row of its id where nothing proves it, however often and large it comes', async () => {
    const { receive } = inbox.create();
    const padding = { note: 'x'.repeat(60_000) } as object;
    for (let n = 1; n <= 40; n += 1)
      expect(await receive({ proof: 'none', events: [{ ...paid(1, { amount: `${n}` }), ...padding }] })).to.equal(
        'accepted',
      );
    const [row, ...more] = await inbox.rows();
    expect(more).to.deep.equal([]);
    expect(row).to.include({ pings: 40, state: 'waiting' }).and.not.have.property('dueAt');
    expect(row!.events[0]!.event).to.include({ amount: null, providerReference: 'P-1', mustFetch: true });
    expect(JSON.stringify(row).length).to.be.lessThan(3000);
  });

  it('reopens a dead letter when the provider sends it again', async () => {
    const { receive, notified } = inbox.create();
    await receive({ events: [paid(1)] });
    await inboxModel(inbox.connection()).updateMany(
      {},
      { $set: { state: 'dead_letter', tries: 9, 'lease.expiries': 5 }, $unset: { dueAt: 1 } },
    );
    expect(await receive({ events: [paid(1)] })).to.equal('duplicate');
    const [row] = await inbox.rows();
    expect(row).to.deep.include({ state: 'waiting', tries: 0 }).and.have.property('dueAt');
    expect(row?.lease.expiries).to.equal(0);
    expect(notified()).to.equal(2);
  });

  it('is to be sent again where it could not be stored', async () => {
    const { host } = inbox.connection();
    const away = await connectDatabase(`mongodb://${host}:${inbox.connection().port}/gone?directConnection=true`, {
      log: pino({ level: 'silent' }),
    });
    await away.close();
    const { receive, notified } = inbox.create({ connection: away.connection });
    expect(await receive({ events: [paid(1)] })).to.equal('try_later');
    expect(notified()).to.equal(0);
  });
});
