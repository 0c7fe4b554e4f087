import { expect } from 'chai';
import { before, describe, it } from 'mocha';
import type { Connection } from 'mongoose';
import { clientModel } from '../../../database/collections/client.ts';
import { fromDocument, toDecimal } from '../../../database/decimals.ts';
import { paymentRequestModel, type PaymentRecord } from '../../../database/collections/payment-request.ts';
import { ConflictError, openTransactions } from '../../../database/transaction.ts';
import { useDeposits } from '../testing/deposits.ts';
import { at, paymentRecord } from '../testing/steps.ts';
import { createChangeMany, type ChangeMany, type ManyChanges } from '../store/change-many.ts';
import { createClients } from './clients.ts';
import { createInlineDepositCount, createReadChangeClients } from './inline-deposit-count.ts';

/** A process that changes payments. */
interface Process {
  readonly connection: Connection;
  readonly changeMany: ChangeMany;
}

interface StartedChange extends Pick<Process, 'connection'> {
  readonly changes: ManyChanges;
}

describe('createInlineDepositCount', () => {
  const suite = useDeposits();
  let here: Process;
  let there: Process;
  before(() => {
    here = createProcess(suite.database.here);
    there = createProcess(suite.database.there);
  });

  function createProcess(connection: Connection): Process {
    const ids = { next: async () => suite.nextId(), drop: () => undefined };
    const money = { reportingCurrency: 'EUR', exchangeRates: {} };
    const clients = createClients({ connection, ids, ...money, now: () => at(0) });
    const readClients = createReadChangeClients(clients, createInlineDepositCount(connection));
    const changeMany = createChangeMany({
      connection,
      async contextOf(...given) {
        const { clients: _known, ...counting } = await readClients(...given);
        return { ...counting, renderBody: async () => '{}' };
      },
      readWithClient: async (id) => clients.withPayment(id),
      urlOf: async () => null,
      wantedTypes: async () => [],
      insertNotifications: async () => ({ stored: () => undefined, abandoned: () => undefined }),
      nextCheckAt: () => null,
      onStored: () => undefined,
      now: () => at(60),
    });
    return { connection, changeMany };
  }

  async function newClient(payments: number): Promise<{ readonly clientId: number; readonly ids: readonly number[] }> {
    const clientId = await suite.newClient();
    const ids = Array.from({ length: payments }, suite.nextId);
    await paymentRequestModel(suite.database.here).insertMany(ids.map((_id) => paymentRecord({ _id, clientId })));
    return { clientId, ids };
  }

  /** Works out the changes as `decide` does, together with a change of another client, and returns the writes. */
  async function startChange(
    { connection, changeMany }: Process,
    wanted: Readonly<Record<number, { readonly paid: string; readonly refunded?: string }>>,
    isRepeated = false,
  ): Promise<StartedChange> {
    const neighbour = await newClient(1);
    const all = { ...wanted, [neighbour.ids[0]!]: { paid: '1', refunded: '0' } };
    const steps = Object.entries(all).map(([id, { paid, refunded = '0' }]) => {
      const change = (record: PaymentRecord) => ({
        next: {
          ...record,
          paidAmount: paid,
          refundedAmount: refunded,
          paidCurrency: 'EUR',
          depositDue: record.version + 1,
        },
      });
      return [Number(id), { requestId: 'r', change }] as const;
    });
    return { connection, changes: await changeMany(new Map(steps), { isRepeated }) };
  }

  async function store({ connection, changes }: StartedChange): Promise<void> {
    const transactions = openTransactions(connection);
    try {
      await transactions.run(async (session) => changes.write(session, at(60)));
      changes.stored();
    } catch (error) {
      changes.abandoned(error);
      throw error;
    } finally {
      await transactions.end();
    }
  }

  const storedSums = async (clientId: number) => {
    const { deposits, firstPaidId } = (await clientModel(suite.database.here).findById(clientId).lean())!;
    return { deposits: fromDocument(deposits), firstPaidId };
  };
  const loadPayment = async (id: number): Promise<PaymentRecord> =>
    fromDocument((await paymentRequestModel(suite.database.here).findById(id).lean())!) as PaymentRecord;
  const conflictOf = async (change: StartedChange): Promise<unknown> => store(change).catch((error: unknown) => error);

  it('adds what was paid and refunded as soon as it is stored, and leaves nothing to count', async () => {
    const [one, other] = [await newClient(1), await newClient(1)];
    const [id, otherId] = [one.ids[0]!, other.ids[0]!];
    await store(await startChange(here, { [id]: { paid: '0.1' }, [otherId]: { paid: '7', refunded: '2' } }));
    expect(await storedSums(one.clientId)).to.deep.equal({
      deposits: { EUR: { paid: '0.1', refunded: '0' } },
      firstPaidId: id,
    });
    expect(await storedSums(other.clientId)).to.deep.equal({
      deposits: { EUR: { paid: '7', refunded: '2' } },
      firstPaidId: otherId,
    });
    expect(await loadPayment(id)).to.deep.include({ ftdTypeId: 1, depositDue: null });
    await store(await startChange(here, { [id]: { paid: '0.1', refunded: '0.1' } }));
    const sums = { EUR: { paid: '0.1', refunded: '0.1' } };
    expect((await storedSums(one.clientId)).deposits).to.deep.equal(sums);
    expect(await suite.shownSums(one.clientId)).to.deep.equal(sums);
    expect((await loadPayment(id)).depositDue).to.equal(null);
  });

  it('finds the first paid request of a client, counted inline or not', async () => {
    const { clientId, ids } = await newClient(3);
    await store(await startChange(here, { [ids[1]!]: { paid: '5' } }));
    await store(await startChange(here, { [ids[0]!]: { paid: '5' } }, true));
    await store(await startChange(here, { [ids[2]!]: { paid: '5' } }));
    expect(await Promise.all(ids.map(async (id) => (await loadPayment(id)).ftdTypeId))).to.deep.equal([2, 1, 2]);
    expect((await storedSums(clientId)).firstPaidId).to.equal(ids[1]);
    await suite.countDeposits();
    expect((await storedSums(clientId)).deposits).to.deep.equal({ EUR: { paid: '15', refunded: '0' } });
  });

  it('leaves a payment that changes alone to the job', async () => {
    const { clientId, ids } = await newClient(1);
    const change = (record: PaymentRecord) => ({
      next: { ...record, paidAmount: '1', paidCurrency: 'EUR', depositDue: record.version + 1 },
    });
    await store({ ...here, changes: await here.changeMany(new Map([[ids[0]!, { requestId: 'r', change }]])) });
    expect((await storedSums(clientId)).deposits).to.deep.equal({});
    await suite.countDeposits();
    expect((await storedSums(clientId)).deposits).to.deep.equal({ EUR: { paid: '1', refunded: '0' } });
  });

  it('leaves several payments of one client that change together to the job, also when they change again', async () => {
    const { clientId, ids } = await newClient(2);
    await store(await startChange(here, { [ids[0]!]: { paid: '1' }, [ids[1]!]: { paid: '2' } }));
    expect((await storedSums(clientId)).deposits).to.deep.equal({});
    expect(await Promise.all(ids.map(async (id) => (await loadPayment(id)).ftdTypeId))).to.have.members([1, 2]);
    // Not counted yet: the job counts the amounts of the last change once.
    await store(await startChange(here, { [ids[0]!]: { paid: '1', refunded: '0.5' } }));
    const sums = { EUR: { paid: '3', refunded: '0.5' } };
    expect(await suite.shownSums(clientId)).to.deep.equal(sums);
    await suite.countDeposits();
    expect((await storedSums(clientId)).deposits).to.deep.equal(sums);
  });

  for (const [what, changeConcurrently] of [
    [
      'another payment of the client is counted inline',
      async (id: number) => store(await startChange(there, { [id]: { paid: '9' } })),
    ],
    [
      'the job counts another payment of the client',
      async (id: number) => {
        await store(await startChange(there, { [id]: { paid: '9' } }, true));
        await suite.countDeposits();
      },
    ],
    [
      'another payment becomes the first paid one',
      async (id: number) => {
        await store(await startChange(there, { [id]: { paid: '9' } }, true));
      },
    ],
  ] as const)
    it(`stores nothing if ${what} before the write, and then leaves the client to the job`, async () => {
      const [mine, neighbour] = [await newClient(2), await newClient(1)];
      const [id, other] = mine.ids as [number, number];
      const changes = await startChange(here, { [id]: { paid: '1' }, [neighbour.ids[0]!]: { paid: '4' } });
      await changeConcurrently(other);
      expect(await conflictOf(changes)).to.be.instanceOf(ConflictError);
      expect(await loadPayment(id)).to.include({ paidAmount: null, countedDeposit: null });
      expect((await storedSums(neighbour.clientId)).deposits).to.deep.equal({});
      await store(await startChange(here, { [id]: { paid: '1' } }));
      expect(await loadPayment(id)).to.include({ ftdTypeId: 2, depositDue: 2 });
      const sums = { EUR: { paid: '10', refunded: '0' } };
      expect(await suite.shownSums(mine.clientId)).to.deep.equal(sums);
      await suite.countDeposits();
      expect((await storedSums(mine.clientId)).deposits).to.deep.equal(sums);
    });

  it('keeps its answer for a payment even if the client changes in another batch before the count', async () => {
    const { clientId, ids } = await newClient(2);
    const [one, other] = await Promise.all(ids.map(loadPayment));
    const paid = (record: PaymentRecord): PaymentRecord => {
      return { ...record, paidAmount: '1', paidCurrency: 'EUR', depositDue: record.version + 1 };
    };
    const clients = await suite.clients.get([clientId]);
    const countInline = createInlineDepositCount(suite.database.here);
    const counted = countInline([{ before: one!, next: paid(one!) }], clients);
    expect(counted.firstTimeType(paid(one!))).to.equal(1);
    const both = [one!, other!].map((before) => ({ before, next: paid(before) }));
    expect(countInline(both, clients).firstTimeType(paid(other!))).to.equal(undefined);
    expect(counted.count(one!, paid(one!))).to.deep.include({ depositDue: null });
  });

  it('keeps the sums right if a job died after it counted a payment and before it marked the payment', async () => {
    const { clientId, ids } = await newClient(2);
    const [id, other] = ids as [number, number];
    const sum = { paid: toDecimal('3'), refunded: toDecimal('0') };
    await store(await startChange(here, { [id]: { paid: '3' } }, true));
    await clientModel(suite.database.here).collection.updateOne(
      { _id: clientId as never },
      {
        $set: { counting: [{ paymentRequestId: id, version: 2, currency: 'EUR', ...sum }], deposits: { EUR: sum } },
        $inc: { counts: 1 },
      },
    );
    await store(await startChange(here, { [id]: { paid: '3', refunded: '1' } }));
    await store(await startChange(here, { [other]: { paid: '2' } }));
    const sums = { EUR: { paid: '5', refunded: '1' } };
    expect(await suite.shownSums(clientId)).to.deep.equal(sums);
    await suite.countDeposits();
    expect((await storedSums(clientId)).deposits).to.deep.equal(sums);
  });

  it('keeps the sums right under many concurrent changes to payments of a few clients', async function () {
    this.timeout(120_000);
    const clients = [await newClient(10), await newClient(10), await newClient(10)];
    const all = clients.flatMap(({ ids }) => ids);
    const changeUntilStored = async (by: Process, id: number, paid: string): Promise<void> => {
      for (let tries = 0; tries < 100; tries += 1) {
        const error = await conflictOf(await startChange(by, { [id]: { paid } }, tries > 0));
        if (!error) return;
      }
      throw new Error('the payment kept changing');
    };
    const counting = [0, 1, 2, 3, 4].map(async () => suite.countDeposits());
    await Promise.all([
      ...all.map(async (id, index) => changeUntilStored(index % 2 ? here : there, id, `${index}.25`)),
      ...counting,
    ]);
    await suite.countDeposits();
    for (const { clientId, ids } of clients) {
      const sum = ids.reduce((total, id) => total + all.indexOf(id) + 0.25, 0);
      expect((await storedSums(clientId)).deposits).to.deep.equal({ EUR: { paid: `${sum}`, refunded: '0' } });
      const firsts = (await Promise.all(ids.map(loadPayment))).filter(({ ftdTypeId }) => ftdTypeId === 1);
      expect(firsts.map(({ _id }) => _id)).to.deep.equal([(await storedSums(clientId)).firstPaidId]);
    }
  });
});
