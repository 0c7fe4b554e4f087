import {
  JsonNumber,
  readJsonObject,
  type AdapterContext,
  type HttpReply,
  type Outcome,
  type Submission,
} from '@paywright/contract';
import { claimOf, titleOf, reply } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import btcpay from '../index.ts';
import type { Options } from '../options.ts';
import { invoiceMessage } from '../submit.ts';
import { harness, addressOptions, errors, html, invoice, method, type Members } from './messages.ts';

const { options, submission, createContext, recordCall } = harness;

const providerReference = 'HMprBnL9BTXWuPvpoKBS6e';
const invoices = `/api/v1/stores/${options.storeId}/invoices`;

async function asked(own: Options, answers: readonly HttpReply[] = [html]) {
  const call = (ctx: AdapterContext<Options>) => btcpay.submit(submission, ctx);
  return (await recordCall(answers, call, { options: own })).requests;
}
const submit = (answers: readonly HttpReply[], own: Options = options): Promise<Outcome> =>
  harness.submit(answers, submission, { options: own });

describe('a submission to BTCPay Server', () => {
  it('names price, reference and return address, and no data of the payer', async () => {
    const [{ method: verb, path, headers, body } = expect.fail()] = await asked(options);
    expect([verb, path]).to.deep.equal(['POST', invoices]);
    expect(headers).to.deep.equal({ 'Content-Type': 'application/json', Authorization: 'token api-key-1' });
    expect(readJsonObject(Buffer.from(body!))).to.deep.equal(
      readJsonObject(
        Buffer.from(
          '{"amount":"25.90","currency":"EUR","metadata":{"orderId":"GW-10042-1"},"checkout":{"expirationMinutes":15,"redirectURL":"https://gateway.example/pay/10042","redirectAutomatically":true}}',
        ),
      ),
    );
  });

  it('names a price in bitcoins to the satoshi', async () => {
    const priced = { ...submission, money: { amount: '0.00041', currency: 'BTC' } };
    const { requests } = await recordCall(html, (ctx) => btcpay.submit(priced, ctx));
    const sent = readJsonObject(Buffer.from(requests[0]!.body!));
    expect(sent).to.include({ amount: '0.00041000', currency: 'BTC' });
  });

  it('asks for one way to pay if the payer gets an address', async () => {
    const [{ body } = expect.fail()] = await asked({ ...addressOptions, paymentMethod: 'LTC-CHAIN', minutes: 30 });
    const checkout = readJsonObject(Buffer.from(body!))?.['checkout'];
    expect(checkout).to.deep.include({ paymentMethods: ['LTC-CHAIN'], lazyPaymentMethods: false });
    expect(checkout).to.have.property('expirationMinutes').that.deep.equals(new JsonNumber('30'));
  });

  it('names the payer’s e-mail address if the option is set and the address is known', async () => {
    const own = { ...options, sendEmail: true };
    const { email: _email, ...payer } = submission.payer;
    const metadataOf = (given: Pick<Submission<'billing', never>, 'payer'>) =>
      invoiceMessage({ ...submission, ...given }, createContext([], { options: own })).metadata;
    expect(metadataOf(submission)).to.deep.equal({ orderId: 'GW-10042-1', buyerEmail: 'ines.duarte@shop.example' });
    expect(metadataOf({ payer })).to.deep.equal({ orderId: 'GW-10042-1' });
  });

  it('uses the payment method of its flow', () => {
    expect(btcpay.methodOf!(submission, options)).to.equal('hosted_page');
    expect(btcpay.methodOf!(submission, addressOptions)).to.equal('crypto');
  });

  it('uses the coin of its payment method', () => {
    const coinOf = (paymentMethod: string) => btcpay.manifest.coin?.({ ...addressOptions, paymentMethod });
    expect(['BTC-CHAIN', 'LTC-CHAIN', 'BTC-LN'].map(coinOf)).to.deep.equal(['BTC', 'LTC', 'BTC']);
  });

  it('waits at the checkout page', async () => {
    expect(await submit([reply(200, invoice())])).to.deep.equal({
      outcome: 'pending',
      providerReference,
      action: { type: 'redirect', method: 'GET', url: 'https://btcpay.example/i/HMprBnL9BTXWuPvpoKBS6e' },
    });
  });

  it('waits with coins and an address, which it fetches', async () => {
    const answers = [reply(200, invoice()), reply(200, [method({ paymentMethodId: 'BTC-LN' }), method()])];
    expect((await asked(addressOptions, answers)).map(({ path }) => path)).to.deep.equal([
      invoices,
      `${invoices}/${providerReference}/payment-methods`,
    ]);
    expect(await submit(answers, addressOptions)).to.deep.equal({
      outcome: 'pending',
      providerReference,
      action: {
        type: 'crypto',
        address: 'bc1qxyz',
        coin: 'BTC',
        amount: '0.0004144',
        network: 'bitcoin',
        expiry: '2026-03-02T09:30:30Z',
      },
    });
  });

  for (const [name, members] of [
    ['another store', { storeId: 'SomeoneElse1' }],
    ['another order', { metadata: { orderId: 'GW-10042-2' } }],
    ['no order', { metadata: {} }],
    ['another amount', { amount: '25.91' }],
    ['another currency', { currency: 'USD' }],
    ['no id', { id: '' }],
    ['an invalid amount', { amount: 'much' }],
    ['no page', { checkoutLink: undefined }],
    ['a page without an address', { checkoutLink: 'javascript:alert(1)' }],
  ] as readonly (readonly [string, Members])[]) {
    it(`is unknown if the answer shows ${name}`, async () => {
      expect((await submit([reply(200, invoice('New', 'None', members))])).outcome).to.equal('unknown');
    });
  }

  for (const [name, ...answers] of [
    ['no such way to pay', reply(200, invoice()), reply(200, [method({ paymentMethodId: 'BTC-LN' })])],
    ['no address', reply(200, invoice()), reply(200, [method({ destination: null })])],
    ['no amount due', reply(200, invoice()), reply(200, [method({ due: null })])],
    ['no time', reply(200, invoice('New', 'None', { expirationTime: null })), reply(200, [method()])],
    ['an HTML page of a proxy', reply(200, invoice()), html],
    ['no list', reply(200, invoice()), reply(200, { code: 'x' })],
  ] as readonly (readonly [string, HttpReply, HttpReply])[]) {
    it(`is unknown, with the invoice, after ${name}`, async () => {
      expect(await submit(answers, addressOptions)).to.include({ outcome: 'unknown', providerReference });
    });
  }

  for (const due of ['0', '0.00', '-0.1']) {
    it(`waits without coins if ${due} is due, because the payer was faster`, async () => {
      const answers = [reply(200, invoice()), reply(200, [method({ due })])];
      expect(await submit(answers, addressOptions)).to.deep.equal({ outcome: 'pending', providerReference });
    });
  }

  for (const [given, claim] of errors) {
    it(`reads ${titleOf(given)} as ${claim}`, async () => expect(claimOf(await submit([given]))).to.equal(claim));
  }
});

describe('a refusal of a field', () => {
  for (const [name, field] of [
    ['amount', 'amount'],
    ['currency', 'unit'],
    ['Currency', 'unit'],
    ['metadata.buyerEmail', 'email'],
    ['checkout.paymentMethods', 'body'],
  ] as const) {
    it(`names ${field} for ${name}`, async () => {
      const refusal = reply(422, [{ path: name, message: 'for people' }]);
      expect(await harness.submit(refusal)).to.include({ nothingCharged: true, refusedField: field });
    });
  }
});
