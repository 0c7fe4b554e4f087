import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { openTestDatabase, type TestDatabase } from '../../access/testing/test-database.ts';
import { clientModel, nothingCounted } from '../../documents/client.ts';
import { ensureIndexes } from '../../documents/collections.ts';
import { paymentRequestModel, type PaymentRecord } from '../../documents/payment-request.ts';
import { at, paymentRecord } from '../testing/steps.ts';
import { createClients, type Clients } from './clients.ts';
import { createDepositCounting } from './count-deposits.ts';
import { rebuildDeposits, type MendedClient } from './rebuild-deposits.ts';

const eur = (paid: string, refunded = '0') => ({ EUR: { paid, refunded } });

describe('the proof of the sums of clients', () => {
  let database: TestDatabase;
  let clients: Clients;
  let lastId = 50_000;
  before(async () => {
    database = await openTestDatabase();
    const connection = database.here;
    await ensureIndexes(connection, [clientModel, paymentRequestModel]);
    const ids = { next: async () => (lastId += 1), drop: () => undefined };
    clients = createClients({ connection, ids, reportingCurrency: 'EUR', exchangeRates: {}, now: () => at(0) });
  });
  after(() => database.drop());

  const nobody = { name: null, email: null, address: null, phone: null, memberId: null };
  const newClient = async (): Promise<number> => clients.findOrMake(1, 'test', nobody);
  const count = async (): Promise<number> => createDepositCounting({ connection: database.here }).count();
  const shown = async (id: number) => (await clients.get([id])).get(id)!.deposits;

  async function paid(clientId: number, amount: string, members: Partial<PaymentRecord> = {}): Promise<number> {
    lastId += 1;
    const paidMembers = { paidAmount: amount, paidCurrency: 'EUR', statusId: 2, depositDue: 1 } as const;
    const record = paymentRecord({ _id: lastId, clientId, ...paidMembers, ...members });
    await paymentRequestModel(database.here).create([record]);
    return lastId;
  }

  async function rebuild(environment?: 'test' | 'live'): Promise<readonly MendedClient[]> {
    const mended: MendedClient[] = [];
    for await (const page of rebuildDeposits(database.here, environment)) mended.push(...page.mended);
    return mended;
  }

  it('finds nothing where all is counted, or is due', async () => {
    const clientId = await newClient();
    await paid(clientId, '10');
    expect(await rebuild()).to.deep.equal([]);
    await count();
    expect(await rebuild()).to.deep.equal([]);
    expect(await shown(clientId)).to.deep.equal(eur('10'));
  });

  it('mends sums that differ, and payments that nobody marked', async () => {
    const [changed, forgotten, live] = [await newClient(), await newClient(), await newClient()];
    await paid(changed, '10');
    await paid(live, '5');
    await count();
    const unmarked = await paid(forgotten, '7', { depositDue: null });
    const both = { _id: { $in: [changed, live] } };
    await clientModel(database.here).updateMany(both, { $set: { deposits: {} } });
    await clientModel(database.here).updateOne({ _id: live }, { $set: { environment: 'live' } });
    expect(await rebuild('test')).to.deep.equal([
      { clientId: changed, kept: {}, right: eur('10'), unmarked: 0 },
      { clientId: forgotten, kept: {}, right: {}, unmarked: 1 },
    ]);
    expect(await rebuild('test')).to.deep.equal([]);
    expect(await shown(changed)).to.deep.equal(eur('10'));
    expect(await shown(forgotten)).to.deep.equal(eur('7'));
    expect(await count()).to.equal(1);
    expect(await shown(forgotten)).to.deep.equal(eur('7'));
    expect(await paymentRequestModel(database.here).findById(unmarked).lean()).to.include({ depositDue: null });
    expect(await rebuild()).to.deep.equal([{ clientId: live, kept: {}, right: eur('5'), unmarked: 0 }]);
  });

  it('counts what a payment does not say yet, where its counting process died', async () => {
    const clientId = await newClient();
    const id = await paid(clientId, '10');
    await count();
    await paymentRequestModel(database.here).updateOne({ _id: id }, { $set: { depositDue: 1, countedDeposit: null } });
    const counted = { paymentRequestId: id, version: 1, currency: 'EUR', paid: '10', refunded: '0' };
    await clientModel(database.here).updateOne({ _id: clientId }, { $set: { counting: [counted] } });
    expect(await rebuild()).to.deep.equal([]);
    await count();
    expect(await shown(clientId)).to.deep.equal(eur('10'));
  });

  it('changes nothing that is counted meanwhile', async () => {
    const clientId = await newClient();
    await clientModel(database.here).updateOne({ _id: clientId }, { $set: nothingCounted });
    for (let round = 0; round < 10; round += 1) {
      await Promise.all([paid(clientId, '1'), count(), rebuild()]);
    }
    await count();
    expect(await rebuild()).to.deep.equal([]);
    expect(await shown(clientId)).to.deep.equal(eur('10'));
  });
});
