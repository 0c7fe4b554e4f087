import { addDecimals, compareDecimals, subtractDecimals } from '@paywright/contract';
import { expect } from 'chai';
import fc from 'fast-check';
import { before, describe, it } from 'mocha';
import type { Connection } from 'mongoose';
import { clientModel } from '../../../database/collections/client.ts';
import { fromDocument } from '../../../database/decimals.ts';
import { paymentRequestModel } from '../../../database/collections/payment-request.ts';
import { useDeposits } from '../testing/deposits.ts';
import { at, paymentRecord } from '../testing/steps.ts';
import { createDepositCounting, type DepositCounting } from './count-deposits.ts';
import { createPaymentStore, type PaymentStore } from '../store/payment-store.ts';

describe('createDepositCounting', () => {
  const suite = useDeposits();
  const { countDeposits, shownSums } = suite;
  let store: PaymentStore;
  before(() => {
    store = createPaymentStore({
      connection: suite.database.here,
      renderBody: async () => '{}',
      wantedTypes: async () => [],
      firstTimeType: async () => 1,
      nextCheckAt: () => null,
      onStored: () => undefined,
      now: () => at(60),
    });
  });

  const storedSums = async (clientId: number) => {
    const { deposits, counting } = (await clientModel(suite.database.here).findById(clientId).lean())!;
    return fromDocument({ deposits, counting });
  };

  async function newClient(payments: number): Promise<{ readonly clientId: number; readonly ids: readonly number[] }> {
    const clientId = await suite.newClient();
    const ids = Array.from({ length: payments }, suite.nextId);
    for (const _id of ids) await store.insert(paymentRecord({ _id, clientId }));
    return { clientId, ids };
  }

  /** Stores the amounts of a payment as `decide` does. */
  async function settle(id: number, paid: string, refunded = '0', currency = 'EUR'): Promise<void> {
    await store.change(id, 'r', (record) => ({
      next: {
        ...record,
        paidAmount: paid,
        refundedAmount: refunded,
        paidCurrency: currency,
        depositDue: record.version + 1,
      },
    }));
  }

  it('shows a payment in the sums immediately, and stores the sums when it counts', async () => {
    const { clientId, ids } = await newClient(2);
    expect(await shownSums(clientId)).to.deep.equal({});
    await settle(ids[0]!, '0.1');
    await settle(ids[1]!, '0.2', '0.05');
    const sums = { EUR: { paid: '0.3', refunded: '0.05' } };
    expect(await shownSums(clientId)).to.deep.equal(sums);
    expect(await countDeposits()).to.equal(2);
    expect(await storedSums(clientId)).to.deep.equal({ deposits: sums, counting: [] });
    expect(await shownSums(clientId)).to.deep.equal(sums);
    expect(await countDeposits()).to.equal(0);
  });

  it('counts a client with more than a hundred due payments once it was read, and no other client', async () => {
    const [few, many] = [await newClient(100), await newClient(101)];
    for (const id of [...few.ids, ...many.ids]) await settle(id, '2', '1');
    const dueOf = async ({ clientId }: { readonly clientId: number }) =>
      paymentRequestModel(suite.database.here).countDocuments({ clientId, depositDue: { $ne: null } });
    expect([await dueOf(few), await dueOf(many)]).to.deep.equal([100, 101]);
    for (let reads = 1; reads <= 2; reads += 1) {
      expect(await shownSums(few.clientId)).to.deep.equal({ EUR: { paid: '200', refunded: '100' } });
      expect(await shownSums(many.clientId)).to.deep.equal({ EUR: { paid: '202', refunded: '101' } });
      await suite.counted();
      expect([await dueOf(few), await dueOf(many)]).to.deep.equal([100, 0]);
    }
  });

  it('is not needed for the sum of due payments, which is read from the index alone', async () => {
    const { clientId, ids } = await newClient(20);
    for (const id of ids) await settle(id, '2');
    await countDeposits();
    for (const id of ids) await settle(id, '3', '1');
    const db = suite.database.here.db!;
    await db.command({ profile: 2 });
    await shownSums(clientId);
    await suite.clients.get([clientId, await suite.newClient()]);
    await db.command({ profile: 0 });
    const reads = await db.collection('system.profile').find({ 'command.aggregate': 'clients' }).toArray();
    expect(reads.map(({ keysExamined }) => keysExamined as number).every((keys) => keys >= 20)).to.equal(true);
    // The clients themselves.
    expect(reads.map(({ docsExamined }) => docsExamined as number)).to.deep.equal([1, 2]);
  });

  it('updates the sums after refunds, reversals and a change of currency', async () => {
    const { clientId, ids } = await newClient(1);
    for (const [paid, refunded, currency] of [
      ['10', '0', 'EUR'],
      ['10', '4', 'EUR'],
      ['10', '1', 'EUR'],
      ['12.5', '1', 'USD'],
    ] as const) {
      await settle(ids[0]!, paid, refunded, currency);
      expect((await shownSums(clientId))[currency]).to.deep.equal({ paid, refunded });
      await countDeposits();
      expect((await shownSums(clientId))[currency]).to.deep.equal({ paid, refunded });
    }
    expect((await shownSums(clientId))['EUR']).to.deep.equal({ paid: '0', refunded: '0' });
  });

  it('shows the same sums with a payment and with its client, counted or not', async () => {
    const { clients } = suite;
    const { clientId, ids } = await newClient(2);
    const [id = 0, other = 0] = ids;
    const expectSame = async (): Promise<void> => {
      const client = (await clients.get([clientId])).get(clientId);
      expect(await clients.withPayment(id)).to.deep.equal({ record: await store.load(id), client });
    };
    await expectSame();
    await settle(id, '0.1');
    await settle(other, '0.2', '0.05', 'USD');
    await expectSame();
    await countDeposits();
    await settle(other, '0.2', '0.2', 'USD');
    await expectSame();
    expect((await clients.withPayment(id))!.client!.deposits['USD']).to.deep.equal({ paid: '0.2', refunded: '0.2' });
    expect(await clients.withPayment(suite.nextId())).to.equal(undefined);
  });

  it('finds the first paid request of each client, also for several clients in one call', async () => {
    const [one, other] = [await newClient(3), await newClient(1)];
    const [first, second, third] = one.ids.map((_id) => ({ _id, clientId: one.clientId }));
    const alone = { _id: other.ids[0]!, clientId: other.clientId };
    expect(await suite.clients.firstTimeTypes([second!, first!, alone])).to.deep.equal([1, 2, 1]);
    expect(await suite.clients.firstTimeTypes([third!])).to.deep.equal([2]);
    expect(await suite.clients.firstTimeTypes([second!, alone])).to.deep.equal([1, 1]);
  });

  // A kill leaves a write that was never sent, or a write whose answer was never read.
  for (const isStored of [false, true]) {
    for (const write of [1, 2, 3]) {
      it(`keeps the sums right when the counting process dies ${isStored ? 'after' : 'before'} write ${write}`, async () => {
        const { clientId, ids } = await newClient(3);
        for (const [at, id] of ids.entries()) await settle(id, `${at + 1}.25`);
        const doomed = countingOf(suite.database.there);
        const revive = failAtWrite(suite.database.there, write, isStored);
        const death = await doomed.count(clientId).catch((error: Error) => error.message);
        revive();
        expect(death).to.equal('killed');
        expect(await shownSums(clientId)).to.deep.equal({ EUR: { paid: '6.75', refunded: '0' } });
        // The payment changes before the next count.
        await settle(ids[0]!, '1.25', '0.25');
        const sums = { EUR: { paid: '6.75', refunded: '0.25' } };
        expect(await shownSums(clientId)).to.deep.equal(sums);
        await countDeposits();
        expect(await storedSums(clientId)).to.deep.equal({ deposits: sums, counting: [] });
        expect(await shownSums(clientId)).to.deep.equal(sums);
      });
    }
  }

  for (const [write, modelOf, method] of [
    ['the sums', clientModel, 'updateOne'],
    ['the payments', paymentRequestModel, 'bulkWrite'],
  ] as const) {
    it(`counts nothing twice if others count while one process is paused before it writes ${write}`, async () => {
      const { clientId, ids } = await newClient(2);
      for (const id of ids) await settle(id, '5');
      const { collection } = modelOf(suite.database.there);
      const original = collection[method].bind(collection) as (...given: unknown[]) => Promise<unknown>;
      const slow = async (...given: unknown[]): Promise<unknown> => {
        Object.assign(collection, { [method]: original });
        await countDeposits();
        await settle(ids[0]!, '5', '2');
        await countDeposits();
        return original(...given);
      };
      Object.assign(collection, { [method]: slow });
      await countingOf(suite.database.there).count(clientId);
      await settle(ids[0]!, '5', '3');
      await countDeposits();
      expect(await storedSums(clientId)).to.deep.include({ deposits: { EUR: { paid: '10', refunded: '3' } } });
    });
  }

  it('keeps the sums right at every moment, for any sequence of payments, counts and kills', async function () {
    this.timeout(300_000);
    const payment = fc.nat({ max: 2 });
    const amount = fc.integer({ min: 1, max: 10_000 }).map((cents) => `${cents / 100}`);
    const step = fc.oneof(
      fc.record({ kind: fc.constant('paid' as const), payment, amount }),
      fc.record({ kind: fc.constant('refunded' as const), payment, amount }),
      fc.record({ kind: fc.constant('counted' as const) }),
      fc.record({
        kind: fc.constant('killed' as const),
        write: fc.integer({ min: 1, max: 3 }),
        isStored: fc.boolean(),
      }),
      fc.record({ kind: fc.constant('together' as const), payment, amount }),
    );
    const play = async (steps: readonly (typeof step extends fc.Arbitrary<infer S> ? S : never)[]): Promise<void> => {
      const { clientId, ids } = await newClient(3);
      const paid = ['0', '0', '0'];
      const refunded = ['0', '0', '0'];
      const counters = [suite.database.here, suite.database.there].map(countingOf);
      const pay = async (payment: number, amount: string): Promise<void> => {
        paid[payment] = addDecimals(paid[payment]!, amount);
        await settle(ids[payment]!, paid[payment], refunded[payment]);
      };
      for (const one of steps) {
        if (one.kind === 'paid') await pay(one.payment, one.amount);
        else if (one.kind === 'refunded') {
          const left = subtractDecimals(paid[one.payment]!, refunded[one.payment]!);
          const given = compareDecimals(one.amount, left) > 0 ? left : one.amount;
          refunded[one.payment] = addDecimals(refunded[one.payment]!, given);
          await settle(ids[one.payment]!, paid[one.payment]!, refunded[one.payment]);
        } else if (one.kind === 'counted') await counters[0]!.count(clientId);
        else if (one.kind === 'killed') {
          const revive = failAtWrite(suite.database.there, one.write, one.isStored);
          await counters[1]!.count(clientId).catch(() => undefined);
          revive();
        } else
          await Promise.all([
            ...counters.map(async (counter) => counter.count(clientId)),
            pay(one.payment, one.amount),
          ]);
        const sum = { paid: addDecimals(...paid), refunded: addDecimals(...refunded) };
        expect((await shownSums(clientId))['EUR'] ?? { paid: '0', refunded: '0' }).to.deep.equal(sum);
      }
      await counters[0]!.count(clientId);
      const left = await paymentRequestModel(suite.database.here).countDocuments({
        clientId,
        depositDue: { $ne: null },
      });
      expect(left).to.equal(0);
      expect(await storedSums(clientId)).to.deep.include({ deposits: await shownSums(clientId) });
    };
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), play), { numRuns: 10 });
  });
});

function countingOf(connection: Connection): DepositCounting {
  return createDepositCounting({ connection, backgroundTasks: { track: () => undefined } });
}

/** Makes the connection's n-th write to either collection fail, after or before it is stored. */
function failAtWrite(connection: Connection, n: number, isStored: boolean): () => void {
  let writes = 0;
  const undo: (() => void)[] = [];
  for (const { collection } of [clientModel(connection), paymentRequestModel(connection)]) {
    for (const method of ['bulkWrite', 'updateOne'] as const) {
      const original = collection[method].bind(collection) as (...given: unknown[]) => Promise<unknown>;
      Object.assign(collection, {
        [method]: async (...given: unknown[]): Promise<unknown> => {
          writes += 1;
          if (writes < n) return original(...given);
          if (writes === n && isStored) await original(...given);
          throw new Error('killed');
        },
      });
      undo.push(() => void Object.assign(collection, { [method]: original }));
    }
  }
  return () => undo.forEach((one) => one());
}
