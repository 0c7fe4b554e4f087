import { expect } from 'chai';
import { describe, it } from 'mocha';
import { expectRefusal } from '../../access/testing/expect-refusal.ts';
import { nothingGiven, paymentRequestModel } from '../../../database/collections/payment-request.ts';
import { caller, order, usePayments } from '../testing/setup.ts';

describe('a payment request whose link is to be mailed', () => {
  const suite = usePayments();

  it('is not made where no mail server is configured', async () => {
    const { service } = suite.create();
    const client = { name: null, email: 'ana@client.example', address: null, phone: null, memberId: null };
    const create = async (send: boolean) => service.create(caller, { ...order, ...nothingGiven, client, send });
    const refusal = await expectRefusal('INTERNAL_ERROR', async () => create(true));
    expect(refusal.message).to.include('mail.smtp');
    expect(await paymentRequestModel(suite.connection()).countDocuments()).to.equal(0);
    await create(false);
    const nobody = { ...client, email: null };
    await expectRefusal('VALIDATION_ERROR', async () =>
      service.create(caller, { ...order, ...nothingGiven, client: nobody, send: true }),
    );
  });
});

describe('what an order surely does not mean', () => {
  const suite = usePayments();
  const warned = (members: Partial<typeof order>, isToBePaid?: true) =>
    suite
      .create()
      .service.warningsOf(caller, { ...order, ...members }, isToBePaid && { isToBePaid })
      .map(({ field, message }) => `${field} ${message}`);

  it('is nothing about one that a route takes', () => {
    expect(warned({}, true)).to.deep.equal([]);
    expect(warned({ unit: 'JPY', amount: '10' }, true)).to.deep.equal([]);
  });

  it('is an amount or unit that no route takes, only where a route is still to be found', () => {
    expect(warned({ amount: '0' }, true)).to.deep.equal(['amount is 0: there is nothing to pay']);
    expect(warned({ amount: '0.00' }, true)).to.have.length(1);
    expect(warned({ amount: '10.001' }, true)).to.deep.equal(['amount cannot be charged: EUR has 2 decimals']);
    expect(warned({ unit: 'eur' }, true)[0]).to.match(/^unit is not a currency/);
    expect(warned({ unit: 'USD' }, true)).to.deep.equal(['unit is a currency that no route accepts now']);
    expect(warned({ amount: '0', unit: 'eur' })).to.deep.equal([]);
  });

  it('is an address that will not be called', () => {
    expect(warned({ notifyUrl: 'http://10.0.0.1/n' })).to.deep.equal([
      'notifyUrl will not be called: the host has no public address',
    ]);
    expect(warned({ notifyUrl: 'https://shop.example/n' })).to.deep.equal([]);
  });
});
