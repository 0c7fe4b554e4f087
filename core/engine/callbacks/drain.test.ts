import type { ReportedEvent } from '@paywright/contract';
import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { inboxModel } from '../../database/collections/inbox-row.ts';
import { valueOf } from '../../base/metrics/testing/read-page.ts';
import { followServerClock } from '../../database/server-clock.ts';
import { withWrongClock } from '../../base/testing/wrong-clock.ts';
import { newAttempt } from '../payments/testing/steps.ts';
import { createInboxClaims } from './claim-rows.ts';
import { paidEvent, useCallbacks, type TestCallbacks } from './testing/setup.ts';

const hourMs = 3_600_000;

describe('drain', () => {
  const inbox = useCallbacks();
  afterEach(() => inbox.clear());

  it('applies a waiting event to its payment once, even if it arrived several times', async () => {
    const { receive, callbacks } = inbox.create();
    const id = await inbox.createPending();
    await receive({ events: [paidEvent(id)] });
    expect(await callbacks.drain(200)).to.equal(1);
    const applied = await inbox.payment(id);
    expect(applied).to.include({ statusId: 2, paidAmount: '10' });
    await receive({ events: [paidEvent(id)] });
    await receive({ events: [paidEvent(id), paidEvent(id, { dedupeKey: 'another' })] });
    await callbacks.drain(200);
    expect(await callbacks.drain(200)).to.equal(0);
    expect((await inbox.payment(id)).logs).to.deep.equal(applied.logs);
    expect((await inbox.rows()).map(({ state }) => state)).to.deep.equal(['done', 'done']);
  });

  it('raises an alarm for an unknown status, and changes nothing', async () => {
    const { receive, callbacks, logged } = inbox.create();
    const id = await inbox.createPending();
    await receive({ events: [paidEvent(id, { providerStatus: 'half-paid' })] });
    await callbacks.drain(200);
    expect(await inbox.payment(id)).to.include({ statusId: 1 });
    expect(logged.find(({ alarm }) => alarm)).to.include({
      alarmKind: 'status_unknown',
      subject: 'adapter provider-1 (test): payment half-paid',
      reason: `payment half-paid, payment ${id}`,
    });
  });

  it('raises an alarm for an event of the other mode, and changes no state, no step and no fetch', async () => {
    const { receive, callbacks, logged } = inbox.create();
    const id = await inbox.createPending();
    const before = await inbox.payment(id);
    const mode = before.attempts[0]!.sandbox ? 'live' : 'test';
    const ofOtherMode = [
      paidEvent(id, { mode }),
      paidEvent(id, { mode, mustFetch: true, dedupeKey: 'ping' }),
      paidEvent(id, { mode, kind: '3ds', threeDs: 'authenticated', dedupeKey: '3ds' }),
    ];
    for (const event of ofOtherMode) await receive({ events: [event] });
    await callbacks.drain(200);
    expect(await inbox.payment(id)).to.deep.equal(before);
    const alarms = logged.filter(({ alarm, alarmKind }) => alarm && alarmKind !== 'status_unknown');
    expect(alarms.map(({ alarmKind, subject }) => [alarmKind, subject])).to.deep.equal(
      ofOtherMode.map(() => ['callback_of_other_mode', 'adapter provider-1']),
    );
    expect((await inbox.rows()).map(({ state }) => state)).to.deep.equal(['done', 'done', 'done']);
  });

  it('queries when the next row is due only after it postponed a row or found none', async () => {
    const { receive, callbacks } = inbox.create();
    const [id, unknown] = [await inbox.createPending(), 900_001];
    expect(await callbacks.nextDueAt()).to.equal(undefined);
    await receive({ events: [paidEvent(unknown)] });
    await callbacks.drain(200);
    const postponedUntil = await callbacks.nextDueAt();
    expect(postponedUntil).to.deep.equal((await inbox.rows())[0]!.dueAt);
    const sent = inbox.watchCommands();
    await receive({ events: [paidEvent(id)] });
    await callbacks.drain(200);
    const before = sent().length;
    expect(await callbacks.nextDueAt()).to.equal(undefined);
    expect(sent().length).to.equal(before);
    await callbacks.drain(200);
    expect(await callbacks.nextDueAt()).to.deep.equal(postponedUntil);
  });

  it('refuses an amount that differs from the payment', async () => {
    const { receive, callbacks, logged } = inbox.create();
    const id = await inbox.createPending();
    await receive({ events: [paidEvent(id, { amount: '9.99' })] });
    await callbacks.drain(200);
    expect(await inbox.payment(id)).to.include({ statusId: 1, paidAmount: null });
    const [row] = await inbox.rows();
    expect([row?.state, row?.events[0]?.state]).to.deep.equal(['done', 'refused']);
    expect(logged.find(({ msg }) => msg === 'event applied')).to.include({ state: 'refused' });
  });

  describe('a ping', () => {
    const ping = (id: number) => ({ proof: 'none', events: [paidEvent(id)] }) as const;
    const fetches = async (id: number) => (await inbox.payment(id)).attempts[0]!.fetchesRequested;

    it('is applied in the next drain after lookForPings, together with callbacks', async () => {
      const { receive, callbacks } = inbox.create();
      const [first, second, pinged] = [
        await inbox.createPending(),
        await inbox.createPending(),
        await inbox.createPending(),
      ];
      await receive({ events: [paidEvent(first)] });
      await callbacks.drain(200);
      await inbox.create().receive(ping(pinged));
      await receive({ events: [paidEvent(second)] });
      callbacks.lookForPings();
      expect(await callbacks.drain(200)).to.equal(2);
      expect(await fetches(pinged)).to.equal(1);
    });

    it('requests a fetch, and another at least 5 s later if it arrives again', async () => {
      const { receive, callbacks } = inbox.create();
      const id = await inbox.createPending();
      for (let n = 0; n < 5; n += 1) await receive(ping(id));
      await callbacks.drain(200);
      expect(await fetches(id)).to.equal(1);
      expect((await inbox.rows())[0])
        .to.include({ state: 'done' })
        .and.not.have.property('pingDueAt');
      // Moves the time of the first fetch into the future, so that the 5 s have not passed.
      await inboxModel(inbox.connection()).updateMany({}, { $set: { doneAt: new Date(Date.now() + hourMs) } });
      for (let n = 0; n < 5; n += 1) await receive(ping(id));
      expect(await callbacks.drain(200)).to.equal(0);
      const [again] = await inbox.rows();
      expect(again!.pingDueAt!.getTime() - again!.doneAt!.getTime()).to.equal(5000);
      await inbox.makeDue();
      await callbacks.drain(200);
      expect(await fetches(id)).to.equal(2);
    });

    it('requests a fetch even if it arrives while another fetch is requested', async () => {
      const id = await inbox.createPending();
      const applyEvents = inbox.applyEvents();
      let beforeApply: (() => Promise<unknown>) | undefined;
      const { receive, callbacks } = inbox.create({
        async applyEvents(batch) {
          await beforeApply?.();
          return applyEvents(batch);
        },
      });
      await receive(ping(id));
      beforeApply = async () => {
        beforeApply = undefined;
        await receive(ping(id));
      };
      await callbacks.drain(200);
      expect((await inbox.rows())[0])
        .to.include({ state: 'waiting' })
        .and.have.property('pingDueAt');
      await inbox.makeDue();
      await callbacks.drain(200);
      expect(await fetches(id)).to.equal(2);
    });

    it('waits after all other rows if no attempt has its id, and is dropped after 24 h without an alarm', async () => {
      let now = Date.now();
      const { receive, callbacks, logged } = inbox.create({ now: () => new Date(now) });
      for (let n = 0; n < 30; n += 1) await receive(ping(900_000 + n));
      const id = await inbox.createPending();
      await receive({ events: [paidEvent(id)] });
      expect(await callbacks.drain(1)).to.equal(1);
      expect((await inbox.payment(id)).statusId).to.equal(2);
      expect(await callbacks.drain(200)).to.equal(20);
      now += 25 * hourMs;
      await inbox.makeDue();
      while ((await callbacks.drain(200)) > 0);
      expect((await inbox.rows()).map(({ pings }) => pings)).to.deep.equal([undefined]);
      expect(logged.filter(({ alarm }) => alarm === true)).to.deep.equal([]);
    });
  });

  it('retries an unknown reference for its configured hours, and then makes it a dead letter', async () => {
    let now = Date.now();
    const { receive, callbacks, logged } = inbox.create({ now: () => new Date(now) });
    await receive({ events: [paidEvent(404)] });
    const before = Date.now();
    await callbacks.drain(200);
    const [waiting] = await inbox.rows();
    expect(waiting).to.deep.include({ state: 'waiting', tries: 1 });
    expect(waiting?.dueAt?.getTime()).to.be.at.least(before + 1000);
    await inbox.makeDue(new Date(before + hourMs));
    expect(await callbacks.drain(200)).to.equal(0);

    now += 23 * hourMs;
    await inbox.makeDue();
    await callbacks.drain(200);
    expect((await inbox.rows())[0]).to.deep.include({ state: 'waiting', tries: 2 });
    expect(logged.filter(({ alarm }) => alarm === true)).to.deep.equal([]);

    now += 2 * hourMs;
    await inbox.makeDue();
    await callbacks.drain(200);
    expect((await inbox.rows())[0])
      .to.include({ state: 'dead_letter' })
      .and.not.have.property('dueAt');
    expect(logged.filter(({ alarm }) => alarm === true)).to.have.length(1);
  });

  it('drops an event without a reference if no payment has its provider reference by then, without an alarm', async () => {
    let now = Date.now();
    const { receive, callbacks, logged } = inbox.create({ now: () => new Date(now) });
    const foreign = { kind: 'refund', reference: null, providerReference: 'pi_other', subReference: 're_9' } as const;
    await receive({ events: [paidEvent(404, foreign)] });
    await callbacks.drain(200);
    expect((await inbox.rows())[0]).to.include({ state: 'waiting' });
    now += 25 * hourMs;
    await inbox.makeDue();
    await callbacks.drain(200);
    const [row] = await inbox.rows();
    expect(row).to.include({ state: 'done' });
    expect(row?.events[0]).to.include({ state: 'nothing', note: 'no payment of ours has its reference' });
    expect(logged.filter(({ alarm }) => alarm === true)).to.deep.equal([]);
  });

  for (const [received, drained] of [
    [hourMs, 0],
    [-hourMs, 0],
    [0, hourMs],
    [0, -hourMs],
  ] as const) {
    it(`applies immediately what was received with a clock ${received / hourMs} h ahead, with a worker ${drained / hourMs} h ahead`, async () => {
      const clock = await followServerClock(inbox.connection());
      const { receive, callbacks } = inbox.create({ now: clock.now });
      const id = await inbox.createPending();
      await withWrongClock(received, async () => receive({ events: [paidEvent(id)] }));
      const ping = (id + 1) * 10;
      await withWrongClock(received, async () => receive({ proof: 'none', events: [paidEvent(ping)] }));
      expect(await withWrongClock(drained, async () => callbacks.drain(200))).to.equal(2);
      expect((await inbox.payment(id)).statusId).to.equal(2);
      // Due in half an hour by the clock of the database.
      await inbox.makeDue(new Date(Date.now() + hourMs / 2));
      const again = await withWrongClock(drained, async () => callbacks.drain(200));
      expect(again, 'rows that are not due').to.equal(0);
      clock.stop();
    });
  }

  it('leaves the rows of a living worker, even if the clock of the other worker is wrong', async () => {
    const { receive } = inbox.create();
    await receive({ events: [paidEvent(1)] });
    const claim = async (worker: string) => createInboxClaims(inbox.connection(), worker, 60_000).claim(10, 't');
    expect(await claim('w1')).to.have.length(1);
    expect(await withWrongClock(hourMs, async () => claim('w2'))).to.deep.equal([]);
  });

  it('applies an event that arrived before its payment', async () => {
    const { receive, callbacks } = inbox.create();
    const id = (await inbox.createPending()) + 1;
    await receive({ events: [paidEvent(id)] });
    await callbacks.drain(200);
    expect(await inbox.createPending()).to.equal(id);
    await inbox.makeDue();
    await callbacks.drain(200);
    expect((await inbox.payment(id)).statusId).to.equal(2);
  });

  it('counts the outcomes of events by provider and mode', async () => {
    const ids = [
      await inbox.createPending({ environment: 'live' }),
      await inbox.createPending({ environment: 'test' }),
    ];
    const { receive, callbacks, metrics } = inbox.create();
    for (const id of ids) await receive({ events: [paidEvent(id)] });
    await receive({ events: [paidEvent(ids[0]!, { amount: '7', dedupeKey: 'another amount' })] });
    await receive({ events: [paidEvent(99_999_999)] });
    await callbacks.drain(200);
    const counted = async (mode: string, outcome: string) =>
      valueOf(metrics, 'gateway_events_total', { provider: 'provider-1', mode, outcome });
    expect(await counted('live', 'applied')).to.equal(1);
    expect(await counted('test', 'applied')).to.equal(1);
    expect(await counted('live', 'refused')).to.equal(1);
    expect(await counted('unknown', 'retry')).to.equal(1);
  });

  it('counts the expired leases of rows whose worker died', async () => {
    const { receive, callbacks, metrics } = inbox.create();
    for (const id of [1, 2]) await receive({ events: [paidEvent(id)] });
    const expiries = async () => valueOf(metrics, 'gateway_lease_expiries_total', { queue: 'inbox' });
    await createInboxClaims(inbox.connection(), 'dead', 60_000).claim(10, 't');
    await callbacks.releaseWorker('dead');
    expect(await expiries()).to.equal(undefined);
    while (await callbacks.drain(200));
    expect(await expiries()).to.equal(2);
  });

  it('finds a payment by the number of a refund that was reported before, and by no similar number', async () => {
    const { receive, callbacks } = inbox.create();
    const id = await inbox.createPending();
    const about = { kind: 'refund', amount: '4', dedupeKey: null } as const;
    await receive({ events: [paidEvent(id)] });
    await receive({ events: [paidEvent(id, { ...about, subReference: 'R-1' })] });
    await callbacks.drain(200);
    const unnamed = { ...about, reference: null, providerReference: null, mustFetch: true } as const;
    const fetched = async (subReference: string, members: Partial<ReportedEvent> = {}) => {
      await receive({ events: [paidEvent(id, { ...unnamed, subReference, ...members })] });
      await callbacks.drain(200);
      return (await inbox.payment(id)).attempts[0]!.fetchSubjects;
    };
    expect(await fetched('R-2')).to.deep.equal([]);
    expect(await fetched('R-1', { kind: 'chargeback' })).to.deep.equal([]);
    expect(await fetched('R-1', { providerReference: 'P-other' })).to.deep.equal([]);
    expect(await fetched('R-1')).to.deep.equal(['R-1']);
    const rows = await inbox.rows();
    expect(rows.map(({ state }) => state)).to.deep.equal(['done', 'done', 'waiting', 'waiting', 'waiting', 'done']);
    expect(rows.at(-1)!.events[0]!.paymentRequestId).to.equal(id);
  });

  it('finds a payment by any of its ids at the provider, first by its primary one', async () => {
    const { receive, callbacks } = inbox.create();
    const attempt = newAttempt(1, { adapter: 'provider-1', endedAt: new Date() });
    const ids = {
      providerReferences: [{ name: 'order', id: 'O-1' }],
      providerReference: 'C-1',
      referenceVerified: true,
    };
    const id = await inbox.createPending({ attempts: [{ ...attempt, ...ids }] });
    const namesake = { providerReferences: [{ name: 'batch', id: 'C-1' }], providerReference: 'X-1' };
    await inbox.createPending({ attempts: [{ ...attempt, ...namesake }] });
    const fetchesAfter = async (members: Partial<ReportedEvent>): Promise<number> => {
      const pinged = { kind: 'ping', reference: null, mustFetch: true, dedupeKey: null } as const;
      await receive({ events: [paidEvent(id, { ...pinged, ...members })] });
      await callbacks.drain(200);
      const { attempts } = await inbox.payment(id);
      return attempts[0]!.fetchesRequested;
    };
    expect(await fetchesAfter({ providerReference: 'O-2' })).to.equal(0);
    expect(await fetchesAfter({ providerReference: 'O-1' })).to.equal(1);
    expect(await fetchesAfter({ providerReference: 'C-1' })).to.equal(2);
    const named = { providerReference: 'N-1', providerReferences: { capture: 'N-1', order: 'O-1' } };
    expect(await fetchesAfter(named)).to.equal(3);
    const rows = await inbox.rows();
    const of = rows.map(({ state, events }) => [state, events[0]!.event.providerReference]);
    expect(of).to.deep.equal([
      ['waiting', 'O-2'],
      ['done', 'O-1'],
      ['done', 'C-1'],
      ['done', 'N-1'],
    ]);
  });

  it('applies no event that names only an id of several payments, and makes it a dead letter', async () => {
    const { receive, callbacks } = inbox.create();
    const shared = { providerReferences: [{ name: 'batch', id: 'B-1' }] };
    const attempt = { ...newAttempt(1, { adapter: 'provider-1', endedAt: new Date() }), ...shared };
    const ids = [
      await inbox.createPending({ attempts: [attempt] }),
      await inbox.createPending({ attempts: [attempt] }),
    ];
    await receive({ events: [paidEvent(ids[0]!, { reference: null, providerReference: 'B-1' })] });
    await callbacks.drain(200);
    const [row] = await inbox.rows();
    expect([row!.state, row!.events[0]!.note]).to.deep.equal(['waiting', 'several payments have its reference']);
    await inboxModel(inbox.connection()).updateMany(
      {},
      { $set: { receivedAt: new Date(Date.now() - 25 * 3_600_000) } },
    );
    await inbox.makeDue();
    await callbacks.drain(200);
    expect((await inbox.rows()).map(({ state }) => state)).to.deep.equal(['dead_letter']);
    for (const id of ids) expect((await inbox.payment(id)).statusId).to.equal(1);
  });

  it('claims a row that kills workers alone and makes it a dead letter, while it applies the other rows', async () => {
    const ids = [await inbox.createPending(), await inbox.createPending(), await inbox.createPending()];
    const killing = ids[1]!;
    const { receive } = inbox.create();
    for (const id of ids) await receive({ events: [paidEvent(id)] });
    const batches: number[] = [];
    let deaths = 0;

    /** Runs a worker that never returns from the payment that kills workers. */
    const work = async (worker: string): Promise<boolean> => {
      let die: () => void = () => undefined;
      const death = new Promise<'dead'>((resolve) => (die = () => resolve('dead')));
      const applyEvents = inbox.applyEvents();
      const { callbacks } = inbox.create({
        worker,
        async applyEvents(batch) {
          if (!batch.has(killing)) return applyEvents(batch);
          die();
          return new Promise(() => undefined);
        },
      });
      const done = await Promise.race([callbacks.drain(200), death]);
      if (done !== 'dead') return done > 0;
      deaths += 1;
      batches.push(await callbacks.releaseWorker(worker));
      return true;
    };
    for (let turn = 0; await work(`w${turn}`); turn += 1) expect(turn).to.be.below(30);

    expect({ deaths, batches }).to.deep.equal({ deaths: 5, batches: [3, 1, 1, 1, 1] });
    expect((await inbox.rows()).map(({ state }) => state)).to.deep.equal(['done', 'dead_letter', 'done']);
    expect(await Promise.all(ids.map(async (id) => (await inbox.payment(id)).statusId))).to.deep.equal([2, 1, 2]);
  });

  it('claims the rows of a dead worker in halves, so that one death does not slow the other rows', async () => {
    const { receive } = inbox.create();
    for (let id = 1; id <= 64; id += 1) await receive({ events: [paidEvent(id)] });
    const claimsOf = (worker: string) => createInboxClaims(inbox.connection(), worker, 60_000);
    expect(await claimsOf('w1').claim(200, 't')).to.have.length(64);
    await claimsOf('w2').releaseWorker('w1');
    const batches: number[] = [];
    for (let rows = await claimsOf('w2').claim(200, 't'); rows.length; rows = await claimsOf('w2').claim(200, 't'))
      batches.push(rows.length);
    expect(batches).to.deep.equal([32, 16, 8, 4, 2, 1, 1]);
    await claimsOf('w3').releaseWorker('w2');
    expect(await claimsOf('w3').claim(200, 't')).to.have.length(1);
  });

  it('claims other rows if another worker claimed the ones that it found', async () => {
    const { receive } = inbox.create();
    for (let id = 1; id <= 20; id += 1) await receive({ events: [paidEvent(id)] });
    const { collection } = inboxModel(inbox.connection());
    const updateMany = collection.updateMany.bind(collection);
    const claimFirst = async (...given: Parameters<typeof updateMany>) => {
      collection.updateMany = updateMany;
      await createInboxClaims(inbox.connection(), 'quick', 60_000).claim(10, 't');
      return updateMany(...given);
    };
    collection.updateMany = claimFirst;
    const rows = await createInboxClaims(inbox.connection(), 'slow', 60_000).claim(10, 't');
    expect(rows.map(({ lease }) => lease.worker)).to.deep.equal(Array.from({ length: 10 }, () => 'slow'));
  });

  it('writes nothing to a row after it lost the lease', async () => {
    const id = await inbox.createPending();
    const applyEvents = inbox.applyEvents();
    const { receive, callbacks } = inbox.create({
      worker: 'slow',
      async applyEvents(batch) {
        await inbox.makeDue();
        await createInboxClaims(inbox.connection(), 'quick', 60_000).claim(1, 'q');
        return applyEvents(batch);
      },
    });
    await receive({ events: [paidEvent(id)] });
    await callbacks.drain(200);
    const [row] = await inboxModel(inbox.connection()).find().lean();
    expect(await inbox.payment(id), 'neither row nor payment').to.include({ statusId: 1, version: 1 });
    expect(row).to.deep.include({ state: 'waiting' });
    expect(row?.lease).to.deep.include({ worker: 'quick', expiries: 1 });
  });

  describe('drain of a batch', () => {
    const many = 8;
    const receiveAll = async (callbacks: TestCallbacks, ids: readonly number[]): Promise<void> => {
      for (const id of ids) await callbacks.receive({ events: [paidEvent(id)] });
    };
    const createManyPending = async (): Promise<number[]> => {
      const ids: number[] = [];
      while (ids.length < many) ids.push(await inbox.createPending({ notifyUrl: 'https://shop.example/hook' }));
      return ids;
    };
    const expectAllPaidOnce = async (ids: readonly number[]): Promise<void> => {
      for (const id of ids) {
        const { statusId, logs, sequence, outbox } = await inbox.payment(id);
        expect([statusId, logs.length, sequence, outbox], `payment ${id}`).to.deep.equal([2, 1, 1, []]);
      }
      expect(await inbox.notified(ids)).to.deep.equal(ids.map((id) => `${id}-1`));
      expect(new Set((await inbox.rows()).map(({ state }) => state))).to.deep.equal(new Set(['done']));
    };

    it('stores payments, notifications and rows in one transaction', async () => {
      const ids = await createManyPending();
      const test = inbox.create();
      await receiveAll(test, ids);
      const sent = inbox.watchCommands();
      expect(await test.callbacks.drain(100)).to.equal(many);
      const writes = sent().filter(({ transaction }) => transaction !== undefined);
      expect(writes.map(({ name, collection }) => `${name} ${collection}`)).to.deep.equal([
        'update paymentRequests',
        'insert notifications',
        'update inbox',
        'commitTransaction ',
      ]);
      expect(new Set(writes.map(({ transaction }) => transaction)).size).to.equal(1);
      await expectAllPaidOnce(ids);
    });

    it('starts again row by row if another process changed one of its payments first', async () => {
      const ids = await createManyPending();
      const applyEvents = inbox.applyEvents();
      let times = 0;
      const test = inbox.create({
        async applyEvents(batch) {
          const applied = await applyEvents(batch);
          times += 1;
          if (times > 1) return applied;
          return {
            ...applied,
            async write(session, at) {
              await inbox.store().change(ids[3]!, 'r', (record) => ({ next: { ...record, notes: 'quicker' } }));
              await applied.write(session, at);
            },
          };
        },
      });
      await receiveAll(test, ids);
      expect(await test.callbacks.drain(100)).to.equal(many);
      expect(times, 'the batch, and each row').to.equal(1 + many);
      await expectAllPaidOnce(ids);
      expect((await inbox.payment(ids[3]!)).notes).to.equal('quicker');
    });

    it('marks a single row as repeated if another process changed its payment first', async () => {
      const id = await inbox.createPending();
      const applyEvents = inbox.applyEvents();
      const repeated: (boolean | undefined)[] = [];
      const test = inbox.create({
        async applyEvents(batch, options) {
          const applied = await applyEvents(batch, options);
          repeated.push(options?.isRepeated);
          if (repeated.length > 1) return applied;
          return {
            ...applied,
            async write(session, at) {
              await inbox.store().change(id, 'r', (record) => ({ next: { ...record, notes: 'quicker' } }));
              await applied.write(session, at);
            },
          };
        },
      });
      await test.receive({ events: [paidEvent(id)] });
      await test.callbacks.drain(100);
      expect(repeated).to.deep.equal([false, true]);
      expect(await inbox.payment(id)).to.include({ statusId: 2, notes: 'quicker' });
    });

    it('applies the other rows if one payment cannot be changed or one event cannot be applied', async () => {
      const ids = await createManyPending();
      const [unrendered, faulty] = [ids[2]!, ids[5]!];
      const feeOf = ({ reference }: { reference: string }): string => {
        if (reference === `GW-${faulty}-1`) throw new Error('no fee');
        return '0';
      };
      const applyEvents = inbox.applyEvents({
        async renderBody({ _id }) {
          if (_id === unrendered) throw new Error('its client is not stored');
          return '{}';
        },
        feeOf,
      });
      const test = inbox.create({ applyEvents });
      await receiveAll(test, ids);
      expect(await test.callbacks.drain(100)).to.equal(many);
      const bad = [unrendered, faulty];
      for (const id of ids) expect((await inbox.payment(id)).statusId).to.equal(bad.includes(id) ? 1 : 2);
      const waiting = (await inbox.rows()).filter(({ state }) => state === 'waiting');
      expect(waiting.map(({ faults, events: [one] }) => [faults, one!.paymentRequestId, one!.note])).to.deep.equal(
        bad.map((id) => [1, id, 'an error on our side']),
      );
      expect(test.logged.filter(({ level }) => level === 50)).to.have.length(2);
    });

    it('applies the callbacks of one payment once each while two workers drain', async () => {
      const id = await inbox.createPending({ notifyUrl: 'https://shop.example/hook' });
      const refund = { kind: 'refund', providerStatus: 'back', amount: '1', subReference: 's' } as const;
      const [one, other] = [inbox.create({ worker: 'w1' }), inbox.create({ worker: 'w2' })];
      await one.receive({ events: [paidEvent(id)] });
      await one.callbacks.drain(1);
      const refunds = 6;
      for (let n = 0; n < refunds; n += 1) {
        const mine = { ...refund, subReference: `s-${n}`, dedupeKey: null };
        await one.receive({ events: [paidEvent(id, mine)] });
      }
      const work = async ({ callbacks }: TestCallbacks): Promise<void> => {
        while ((await callbacks.drain(1)) > 0);
      };
      await Promise.all([work(one), work(other)]);
      const { reportedRefunds, refundedAmount, sequence } = await inbox.payment(id);
      expect([reportedRefunds.length, refundedAmount, sequence]).to.deep.equal([refunds, '6', 1 + refunds]);
      expect(await inbox.notified([id])).to.have.length(1 + refunds);
    });

    it('completes the rows that a dead worker left half written', async () => {
      const id = await inbox.createPending();
      const applyEvents = inbox.applyEvents();
      let die: () => void = () => undefined;
      const death = new Promise<void>((resolve) => (die = resolve));
      const { receive, callbacks } = inbox.create({
        worker: 'dead',
        async applyEvents(batch) {
          const applied = await applyEvents(batch);
          return {
            ...applied,
            async write(session, at) {
              await applied.write(session, at);
              die();
              await new Promise(() => undefined);
            },
          };
        },
      });
      await receive({ events: [paidEvent(id)] });
      void callbacks.drain(100);
      await death;
      const living = inbox.create({ worker: 'living' }).callbacks;
      expect(await living.releaseWorker('dead')).to.equal(1);
      expect(await living.drain(100)).to.equal(1);
      expect(await inbox.payment(id)).to.include({ statusId: 2, version: 2 });
    });
  });
});
