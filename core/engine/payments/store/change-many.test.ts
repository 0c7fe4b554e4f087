import { expect } from 'chai';
import { before, describe, it } from 'mocha';
import type { Connection } from 'mongoose';
import { clientModel } from '../../../database/collections/client.ts';
import { fromDocument } from '../../../database/decimals.ts';
import { paymentRequestModel, type PaymentRecord } from '../../../database/collections/payment-request.ts';
import { ConflictError, openTransactions } from '../../../database/transaction.ts';
import { useDeposits } from '../testing/deposits.ts';
import { at, paymentRecord } from '../testing/steps.ts';
import { createChangeMany, createContextOf, type ChangeMany, type ManyChanges } from './change-many.ts';
import { createClients } from '../clients/clients.ts';
import { createViews } from '../present/view.ts';

/** A process that changes payments. */
interface Process {
  readonly connection: Connection;
  readonly changeMany: ChangeMany;
}

interface StartedChange extends Pick<Process, 'connection'> {
  readonly changes: ManyChanges;
}

describe('createChangeMany', () => {
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
    const clients = createClients({ connection, ids, ...money, onManyDue: () => undefined, now: () => at(0) });
    const views = createViews({ clients, ownerOf: async () => undefined, publicUrl: 'https://pay.example' });
    const changeMany = createChangeMany({
      connection,
      contextOf: createContextOf({ clients, views, renderBodyBy: () => async () => '{}' }),
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

  const firstPaidIdOf = async (clientId: number) =>
    (await clientModel(suite.database.here).findById(clientId).lean())!.firstPaidId;
  const loadPayment = async (id: number): Promise<PaymentRecord> =>
    fromDocument((await paymentRequestModel(suite.database.here).findById(id).lean())!) as PaymentRecord;
  const conflictOf = async (change: StartedChange): Promise<unknown> => store(change).catch((error: unknown) => error);

  it('shows what was paid and refunded in the sums of the clients as soon as it is stored', async () => {
    const [one, other] = [await newClient(1), await newClient(1)];
    const [id, otherId] = [one.ids[0]!, other.ids[0]!];
    const changes = await startChange(here, { [id]: { paid: '0.1' }, [otherId]: { paid: '7', refunded: '2' } });
    expect(await suite.shownSums(one.clientId)).to.deep.equal({});
    await store(changes);
    expect(await suite.shownSums(one.clientId)).to.deep.equal({ EUR: { paid: '0.1', refunded: '0' } });
    expect(await suite.shownSums(other.clientId)).to.deep.equal({ EUR: { paid: '7', refunded: '2' } });
    await store(await startChange(here, { [id]: { paid: '0.1', refunded: '0.1' } }));
    expect(await suite.shownSums(one.clientId)).to.deep.equal({ EUR: { paid: '0.1', refunded: '0.1' } });
  });

  it('finds the first paid request of a client, alone or together with others', async () => {
    const { clientId, ids } = await newClient(4);
    const [third, first, ...later] = ids as [number, number, number, number];
    await store(await startChange(here, { [first]: { paid: '5' } }));
    await store(await startChange(there, { [third]: { paid: '5' } }, true));
    await store(await startChange(here, { [later[0]]: { paid: '5' }, [later[1]]: { paid: '5' } }));
    expect(await Promise.all(ids.map(async (id) => (await loadPayment(id)).ftdTypeId))).to.deep.equal([2, 1, 2, 2]);
    expect(await firstPaidIdOf(clientId)).to.equal(first);
    expect(await suite.shownSums(clientId)).to.deep.equal({ EUR: { paid: '20', refunded: '0' } });
  });

  it('stores nothing if another process changes one of the payments before the write', async () => {
    const [mine, neighbour] = [await newClient(1), await newClient(1)];
    const [id, other] = [mine.ids[0]!, neighbour.ids[0]!];
    const changes = await startChange(here, { [id]: { paid: '1' }, [other]: { paid: '4' } });
    await store(await startChange(there, { [id]: { paid: '9' } }));
    expect(await conflictOf(changes)).to.be.instanceOf(ConflictError);
    expect(await loadPayment(other)).to.include({ paidAmount: null, depositDue: null });
    expect(await suite.shownSums(neighbour.clientId)).to.deep.equal({});
    expect(await suite.shownSums(mine.clientId)).to.deep.equal({ EUR: { paid: '9', refunded: '0' } });
  });

  it('keeps the sums right under many concurrent changes to payments of a few clients, and counts', async function () {
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
    for (const { clientId, ids } of clients) {
      const sum = ids.reduce((total, id) => total + all.indexOf(id) + 0.25, 0);
      const sums = { EUR: { paid: `${sum}`, refunded: '0' } };
      expect(await suite.shownSums(clientId)).to.deep.equal(sums);
      await suite.countDeposits();
      expect(await suite.shownSums(clientId)).to.deep.equal(sums);
      const firsts = (await Promise.all(ids.map(loadPayment))).filter(({ ftdTypeId }) => ftdTypeId === 1);
      expect(firsts.map(({ _id }) => _id)).to.deep.equal([await firstPaidIdOf(clientId)]);
    }
  });
});
