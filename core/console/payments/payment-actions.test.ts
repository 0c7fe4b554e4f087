import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { PaymentDetails } from '../../engine/payments/index.ts';
import { expectRefusal } from '../../engine/access/testing/expect-refusal.ts';
import type { ConsoleDeps } from '../deps.ts';
import { paymentActions } from './payment-actions.ts';

describe('the refund of a payment', () => {
  const { effect } = paymentActions.find(({ path }) => path.endsWith('/refund'))!;

  /** Asks about the refund of a payment of which one charge is left. */
  async function ask(amount: string, left: string, currency: string): Promise<string | undefined> {
    const charges = [{ n: 1, charge: 1, reference: 'GW-10042-1', adapter: 'provider-a', left, currency }];
    const money = { charges, doubleCharges: [], leftToRefund: left, currency };
    const readPayment = async () => ({ money }) as unknown as PaymentDetails;
    return (await effect!({ readPayment } as unknown as ConsoleDeps, '10042', { amount }))?.title;
  }

  it('reads the amount that its form suggests, also with three decimals', async () => {
    expect(await ask('1.500', '1.5', 'KWD')).to.equal('Refund 1.500 KWD?');
    expect(await ask('25,90', '59', 'EUR')).to.equal('Refund 25.90 EUR?');
    expect(await ask('€25.90', '59', 'EUR')).to.equal('Refund 25.90 EUR?');
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
