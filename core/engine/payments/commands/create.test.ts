import { expect } from 'chai';
import { describe, it } from 'mocha';
import { expectRefusal } from '../../access/testing/expect-refusal.ts';
import { nothingGiven, paymentRequestModel } from '../../../database/collections/payment-request.ts';
import { caller, order, usePayments } from '../testing/setup.ts';

describe('create with a link to be mailed', () => {
  const suite = usePayments();

  it('refuses the payment request if no mail server is configured', async () => {
    const { service } = suite.create();
    const client = { name: null, email: 'ana@client.example', address: null, phone: null, memberId: null };
    const create = async (send: boolean) => service.create(caller, { ...order, ...nothingGiven, client, send });
    const refusal = await expectRefusal('INTERNAL_ERROR', async () => create(true));
    expect(refusal.message).to.include('mail.smtp');
    expect(await paymentRequestModel(suite.connection()).countDocuments()).to.equal(0);
    await create(false);
    const withoutEmail = { ...client, email: null };
    await expectRefusal('VALIDATION_ERROR', async () =>
      service.create(caller, { ...order, ...nothingGiven, client: withoutEmail, send: true }),
    );
  });
});

describe('warningsOf', () => {
  const suite = usePayments();
  const warned = async (members: Partial<typeof order>, isToBePaid?: true) => {
    const { service } = suite.create();
    const warnings = await service.warningsOf(caller, { ...order, ...members }, isToBePaid && { isToBePaid });
    return warnings.map(({ field, message }) => `${field} ${message}`);
  };

  it('returns no warning for an order that a route accepts', async () => {
    expect(await warned({}, true)).to.deep.equal([]);
    expect(await warned({ unit: 'JPY', amount: '10' }, true)).to.deep.equal([]);
  });

  it('warns of an amount or unit that no route accepts, only if a route is still to be chosen', async () => {
    expect(await warned({ amount: '0' }, true)).to.deep.equal(['amount is 0: there is nothing to pay']);
    expect(await warned({ amount: '0.00' }, true)).to.have.length(1);
    expect(await warned({ amount: '10.001' }, true)).to.deep.equal(['amount cannot be charged: EUR has 2 decimals']);
    expect((await warned({ unit: 'eur' }, true))[0]).to.match(/^unit is not a currency/);
    expect(await warned({ unit: 'USD' }, true)).to.deep.equal(['unit is a currency that no route accepts now']);
    expect(await warned({ unit: 'ANG' }, true)).to.deep.equal(['unit is a currency that ended on 2025-06-30']);
    expect(await warned({ amount: '0', unit: 'eur' })).to.deep.equal([]);
  });

  it('warns of an address that will not be called', async () => {
    expect(await warned({ notifyUrl: 'http://10.0.0.1/n' })).to.deep.equal([
      'notifyUrl will not be called: the host has no public address',
    ]);
    expect(await warned({ notifyUrl: 'https://shop.example/n' })).to.deep.equal([]);
  });
});
