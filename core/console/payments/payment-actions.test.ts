import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { PaymentDetails } from '../../engine/payments/index.ts';
import { expectRefusal } from '../../engine/access/testing/expect-refusal.ts';
import type { Confirmation } from '../../html/components/form.ts';
import type { ConsoleDeps } from '../deps.ts';
import { paymentActions } from './payment-actions.ts';

describe('the refund of a payment', () => {
  const { effect } = paymentActions.find(({ path }) => path.endsWith('/refund'))!;

  /** Asks about the refund of a payment of which one charge is left. */
  async function ask(amount: string, left: string, currency: string): Promise<Confirmation | undefined> {
    const charges = [{ n: 1, charge: 1, reference: 'GW-10042-1', adapter: 'provider-a', left, currency }];
    const money = { charges, doubleCharges: [], leftToRefund: left, currency, paid: '60', refunded: '1' };
    const attempts = [{ cardBin: '411111', cardLastDigits: '1111', adapter: 'provider-a' }];
    const payer = { name: 'Sofia Nunes', email: null };
    const payment = { money, attempts, payer, ownerId: 1, referenceId: 'RB-1001', environment: 'live' };
    const readPayment = async () => payment as unknown as PaymentDetails;
    const owners = { get: async () => ({ name: 'Ribeira Books' }) };
    const adapters = { title: () => 'Provider A' };
    return effect!({ readPayment, owners, adapters } as unknown as ConsoleDeps, '10042', { amount, reason: 'torn' });
  }

  it('names the amount, the payer with the card, the mode, and that it is final', async () => {
    const { about: _, ...asked } = (await ask('25.90', '59', 'EUR'))!;
    expect(asked).to.deep.equal({
      title: 'Refund €25.90 to Sofia Nunes (Visa …1111)?',
      text: 'It cannot be undone.',
      label: 'Refund €25.90',
      mode: 'live',
    });
  });

  it('shows what was paid and refunded, what is left after it, the payment, its merchant and the reason', async () => {
    const { about } = (await ask('25.90', '59', 'EUR'))!;
    const rows = [...String(about).matchAll(/<dt>(.*?)<\/dt>\s*<dd>(.*?)<\/dd>/g)].map(([, name, value]) => [
      name,
      value,
    ]);
    expect(rows).to.deep.equal([
      ['Paid', '€60.00'],
      ['Refunded so far', '€1.00'],
      ['This refund', '€25.90'],
      ['Left to refund', '€33.10'],
      ['Payment', '10042'],
      ['Merchant', 'Ribeira Books'],
      ['Merchant reference', 'RB-1001'],
      ['Provider', 'Provider A'],
      ['Reason', 'torn'],
    ]);
  });

  it('reads the amount that its form suggests, also with three decimals', async () => {
    expect((await ask('1.500', '1.5', 'KWD'))?.title).to.match(/^Refund KWD\s1\.500 to /);
    expect((await ask('25,90', '59', 'EUR'))?.title).to.match(/^Refund €25\.90 to /);
    expect((await ask('€25.90', '59', 'EUR'))?.title).to.match(/^Refund €25\.90 to /);
  });

  it('refuses an amount in another currency, and more than what is left', async () => {
    for (const [amount, reason] of [
      ['25.90 USD', 'must be in EUR'],
      ['£5', 'must be in EUR'],
      ['59.01', 'must be at most'],
      ['1.234,5', 'must be at most'],
    ] as const) {
      const { message } = await expectRefusal('INVALID_FORMAT', async () => ask(amount, '59', 'EUR'));
      expect(message, amount).to.include(reason);
    }
  });
});
