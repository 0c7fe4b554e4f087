import { expect } from 'chai';
import { describe, it } from 'mocha';
import { expectRefusal } from '../access/testing/expect-refusal.ts';
import { nothingGiven, paymentRequestModel } from '../documents/payment-request.ts';
import { caller, order, usePayments } from './testing/setup.ts';

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
