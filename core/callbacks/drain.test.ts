import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { inboxModel } from '../documents/inbox-row.ts';
import { withWrongClock } from '../testing/wrong-clock.ts';
import { createInboxClaims } from './claim-rows.ts';
import { paid, useCallbacks } from './testing/setup.ts';

const hourMs = 3_600_000;

describe('the drain of the inbox', () => {
  const inbox = useCallbacks();
  afterEach(() => inbox.empty());

  it('applies what waits to its payment, once however often it came', async () => {
    const { receive, callbacks } = inbox.create();
    const id = await inbox.pending();
    await receive({ events: [paid(id)] });
    expect(await callbacks.drain(200)).to.equal(1);
    const applied = await inbox.payment(id);
    expect(applied).to.include({ statusId: 2, paidAmount: '10' });
    await receive({ events: [paid(id)] });
    await receive({ events: [paid(id), paid(id, { dedupeKey: 'another' })] });
    await callbacks.drain(200);
    expect(await callbacks.drain(200)).to.equal(0);
    expect((await inbox.payment(id)).logs).to.deep.equal(applied.logs);
    expect((await inbox.rows()).map(({ state }) => state)).to.deep.equal(['done', 'done']);
  });

  it('refuses an amount that is not the payment’s', async () => {
    const { receive, callbacks, logged } = inbox.create();
    const id = await inbox.pending();
    await receive({ events: [paid(id, { amount: '9.99' })] });
    await callbacks.drain(200);
    expect(await inbox.payment(id)).to.include({ statusId: 1, paidAmount: null });
    const [row] = await inbox.rows();
    expect([row?.state, row?.events[0]?.state]).to.deep.equal(['done', 'refused']);
    expect(logged.find(({ msg }) => msg === 'event applied')).to.include({ state: 'refused' });
  });

  describe('of a ping', () => {
    const ping = (id: number) => ({ proof: 'none', events: [paid(id)] }) as const;
    const fetches = async (id: number) => (await inbox.payment(id)).attempts[0]!.fetchesRequested;

    it('asks for a fetch, and for one more where it comes again, not sooner than 5 s later', async () => {
      const { receive, callbacks } = inbox.create();
      const id = await inbox.pending();
      for (let n = 0; n < 5; n += 1) await receive(ping(id));
      await callbacks.drain(200);
      expect(await fetches(id)).to.equal(1);
      expect((await inbox.rows())[0])
        .to.include({ state: 'done' })
        .and.not.have.property('pingDueAt');
      for (let n = 0; n < 5; n += 1) await receive(ping(id));
      expect(await callbacks.drain(200)).to.equal(0);
      const [again] = await inbox.rows();
      expect(again!.pingDueAt!.getTime() - again!.doneAt!.getTime()).to.equal(5000);
      await inbox.makeDue();
      await callbacks.drain(200);
      expect(await fetches(id)).to.equal(2);
    });

    it('is followed by a fetch though it came while one was asked for', async () => {
      const id = await inbox.pending();
      const store = inbox.store();
      let meanwhile: (() => Promise<unknown>) | undefined;
      const { receive, callbacks } = inbox.create({
        store: {
          load: async (one) => store.load(one),
          async change(...given) {
            await meanwhile?.();
            return store.change(...given);
          },
        },
      });
      await receive(ping(id));
      meanwhile = async () => {
        meanwhile = undefined;
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

    it('of an id that no attempt has waits behind all others, and is dropped after 24 h without an alarm', async () => {
      let now = Date.now();
      const { receive, callbacks, logged } = inbox.create({ now: () => new Date(now) });
      for (let n = 0; n < 30; n += 1) await receive(ping(900_000 + n));
      const id = await inbox.pending();
      await receive({ events: [paid(id)] });
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

  it('keeps an unknown reference for its hours, and then as a dead letter', async () => {
    let now = Date.now();
    const { receive, callbacks, logged } = inbox.create({ now: () => new Date(now) });
    await receive({ events: [paid(404)] });
    await callbacks.drain(200);
    const [waiting] = await inbox.rows();
    expect(waiting).to.deep.include({ state: 'waiting', tries: 1 });
    expect(waiting?.dueAt?.getTime()).to.be.above(Date.now());
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

  for (const [received, drained] of [
    [hourMs, 0],
    [-hourMs, 0],
    [0, hourMs],
    [0, -hourMs],
  ] as const) {
    it(`applies at once what came by a clock ${received / hourMs} h ahead to a worker ${drained / hourMs} h ahead`, async () => {
      const { receive, callbacks } = inbox.create();
      const id = await inbox.pending();
      await withWrongClock(received, async () => receive({ events: [paid(id)] }));
      const ping = (id + 1) * 10;
      await withWrongClock(received, async () => receive({ proof: 'none', events: [paid(ping)] }));
      expect(await withWrongClock(drained, async () => callbacks.drain(200))).to.equal(2);
      expect((await inbox.payment(id)).statusId).to.equal(2);
      const again = await withWrongClock(drained, async () => callbacks.drain(200));
      expect(again, 'what waits for its time').to.equal(0);
    });
  }

  it('leaves what a living worker holds to it, whatever the clock says', async () => {
    const { receive } = inbox.create();
    await receive({ events: [paid(1)] });
    const claim = async (worker: string) => createInboxClaims(inbox.connection(), worker, 60_000).claim(10);
    expect(await claim('w1')).to.have.length(1);
    expect(await withWrongClock(hourMs, async () => claim('w2'))).to.deep.equal([]);
  });

  it('applies an event that came before its payment', async () => {
    const { receive, callbacks } = inbox.create();
    const id = (await inbox.pending()) + 1;
    await receive({ events: [paid(id)] });
    await callbacks.drain(200);
    expect(await inbox.pending()).to.equal(id);
    await inbox.makeDue();
    await callbacks.drain(200);
    expect((await inbox.payment(id)).statusId).to.equal(2);
  });

  it('claims a poisonous row alone and ends it as a dead letter, while its neighbours are applied', async () => {
    const ids = [await inbox.pending(), await inbox.pending(), await inbox.pending()];
    const [, poison] = ids;
    const { receive } = inbox.create();
    for (const id of ids) await receive({ events: [paid(id)] });
    const batches: number[] = [];
    let deaths = 0;

    /** A worker that never comes back from the poisonous payment. */
    const work = async (worker: string): Promise<boolean> => {
      let die: () => void = () => undefined;
      const death = new Promise<'dead'>((resolve) => (die = () => resolve('dead')));
      const store = inbox.store();
      const { callbacks } = inbox.create({
        worker,
        store: {
          ...store,
          load: async (id) => {
            if (id !== poison) return store.load(id);
            die();
            return new Promise(() => undefined);
          },
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

  it('claims what a dead worker held in halves, so that one death does not slow the rest', async () => {
    const { receive } = inbox.create();
    for (let id = 1; id <= 64; id += 1) await receive({ events: [paid(id)] });
    const claimsOf = (worker: string) => createInboxClaims(inbox.connection(), worker, 60_000);
    expect(await claimsOf('w1').claim(200)).to.have.length(64);
    await claimsOf('w2').releaseWorker('w1');
    const batches: number[] = [];
    for (let rows = await claimsOf('w2').claim(200); rows.length; rows = await claimsOf('w2').claim(200))
      batches.push(rows.length);
    expect(batches).to.deep.equal([32, 16, 8, 4, 2, 1, 1]);
    await claimsOf('w3').releaseWorker('w2');
    expect(await claimsOf('w3').claim(200)).to.have.length(1);
  });

  it('goes on with other rows where somebody else was quicker with those it found', async () => {
    const { receive } = inbox.create();
    for (let id = 1; id <= 20; id += 1) await receive({ events: [paid(id)] });
    const model = inboxModel(inbox.connection());
    const updateMany = model.updateMany.bind(model);
    const quicker = async (...given: Parameters<typeof updateMany>) => {
      model.updateMany = updateMany;
      await createInboxClaims(inbox.connection(), 'quick', 60_000).claim(10);
      return updateMany(...given);
    };
    model.updateMany = quicker as unknown as typeof updateMany;
    const rows = await createInboxClaims(inbox.connection(), 'slow', 60_000).claim(10);
    expect(rows.map(({ lease }) => lease.worker)).to.deep.equal(Array.from({ length: 10 }, () => 'slow'));
  });

  it('writes nothing to a row whose lease it has lost', async () => {
    const id = await inbox.pending();
    const store = inbox.store();
    const { receive, callbacks } = inbox.create({
      worker: 'slow',
      store: {
        ...store,
        load: async (of) => {
          await inbox.makeDue();
          await createInboxClaims(inbox.connection(), 'quick', 60_000).claim(1);
          return store.load(of);
        },
      },
    });
    await receive({ events: [paid(id)] });
    await callbacks.drain(200);
    const [row] = await inboxModel(inbox.connection()).find().lean();
    expect(row).to.deep.include({ state: 'waiting' });
    expect(row?.lease).to.deep.include({ worker: 'quick', expiries: 1 });
  });
});
