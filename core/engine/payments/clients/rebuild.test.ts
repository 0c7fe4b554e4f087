import { expect } from 'chai';
import { describe, it } from 'mocha';
import { clientModel, nothingCounted } from '../../../database/collections/client.ts';
import { paymentRequestModel, type PaymentRecord } from '../../../database/collections/payment-request.ts';
import { useDeposits } from '../testing/deposits.ts';
import { paymentRecord } from '../testing/steps.ts';
import { rebuildDeposits, type CorrectedClient } from './rebuild.ts';

const eur = (paid: string, refunded = '0') => ({ EUR: { paid, refunded } });

describe('rebuildDeposits', () => {
  const suite = useDeposits();
  const { newClient, countDeposits, shownSums } = suite;

  async function insertPaid(clientId: number, amount: string, members: Partial<PaymentRecord> = {}): Promise<number> {
    const _id = suite.nextId();
    const paidMembers = { paidAmount: amount, paidCurrency: 'EUR', statusId: 2, depositDue: 1 } as const;
    const record = paymentRecord({ _id, clientId, ...paidMembers, ...members });
    await paymentRequestModel(suite.database.here).create([record]);
    return _id;
  }

  async function rebuild(environment?: 'test' | 'live'): Promise<readonly CorrectedClient[]> {
    const corrected: CorrectedClient[] = [];
    for await (const page of rebuildDeposits(suite.database.here, environment)) corrected.push(...page.corrected);
    return corrected;
  }

  it('finds nothing to correct if every payment is counted or due', async () => {
    const clientId = await newClient();
    await insertPaid(clientId, '10');
    expect(await rebuild()).to.deep.equal([]);
    await countDeposits();
    expect(await rebuild()).to.deep.equal([]);
    expect(await shownSums(clientId)).to.deep.equal(eur('10'));
  });

  it('corrects sums that differ, and marks payments that were not marked as due', async () => {
    const [changed, forgotten, live] = [await newClient(), await newClient(), await newClient()];
    await insertPaid(changed, '10');
    await insertPaid(live, '5');
    await countDeposits();
    const unmarked = await insertPaid(forgotten, '7', { depositDue: null });
    const both = { _id: { $in: [changed, live] } };
    await clientModel(suite.database.here).updateMany(both, { $set: { deposits: {} } });
    await clientModel(suite.database.here).updateOne({ _id: live }, { $set: { environment: 'live' } });
    expect(await rebuild('test')).to.deep.equal([
      { clientId: changed, kept: {}, right: eur('10'), unmarked: 0 },
      { clientId: forgotten, kept: {}, right: {}, unmarked: 1 },
    ]);
    expect(await rebuild('test')).to.deep.equal([]);
    expect(await shownSums(changed)).to.deep.equal(eur('10'));
    expect(await shownSums(forgotten)).to.deep.equal(eur('7'));
    expect(await countDeposits()).to.equal(1);
    expect(await shownSums(forgotten)).to.deep.equal(eur('7'));
    expect(await paymentRequestModel(suite.database.here).findById(unmarked).lean()).to.include({ depositDue: null });
    expect(await rebuild()).to.deep.equal([{ clientId: live, kept: {}, right: eur('5'), unmarked: 0 }]);
  });

  it('includes a deposit that its payment does not show as counted because the counting process died', async () => {
    const clientId = await newClient();
    const id = await insertPaid(clientId, '10');
    await countDeposits();
    await paymentRequestModel(suite.database.here).updateOne(
      { _id: id },
      { $set: { depositDue: 1, countedDeposit: null } },
    );
    const counted = { paymentRequestId: id, version: 1, currency: 'EUR', paid: '10', refunded: '0' };
    await clientModel(suite.database.here).updateOne({ _id: clientId }, { $set: { counting: [counted] } });
    expect(await rebuild()).to.deep.equal([]);
    await countDeposits();
    expect(await shownSums(clientId)).to.deep.equal(eur('10'));
  });

  it('changes no sum that is counted concurrently', async () => {
    const clientId = await newClient();
    await clientModel(suite.database.here).updateOne({ _id: clientId }, { $set: nothingCounted });
    for (let round = 0; round < 10; round += 1) {
      await Promise.all([insertPaid(clientId, '1'), countDeposits(), rebuild()]);
    }
    await countDeposits();
    expect(await rebuild()).to.deep.equal([]);
    expect(await shownSums(clientId)).to.deep.equal(eur('10'));
  });
});
