import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Mail } from '../mail.ts';
import { createLinkMail } from './link-mail.ts';
import type { Views } from './read/view.ts';
import { paymentRecord } from './testing/steps.ts';

describe('the mail of a link', () => {
  it('has what merchants wrote on one line, wherever they break it', async () => {
    const sent: Mail[] = [];
    const view = { link: 'https://pay.example/pay/1?k=k', client: { ownerName: 'Shop\r\nBcc: all@example.com' } };
    const views = { present: async () => view } as unknown as Views;
    const mail = createLinkMail({ send: async (one) => void sent.push(one), close: () => undefined }, views)!;
    await mail(paymentRecord({ unit: 'EUR.\n\nPay:\u2028here' }), 'zoe@example.com');
    expect(sent).to.deep.equal([
      {
        to: 'zoe@example.com',
        subject: 'Payment request of Shop Bcc: all@example.com',
        text: 'Shop Bcc: all@example.com asks you to pay 10.00 EUR. Pay: here.\n\nhttps://pay.example/pay/1?k=k\n',
      },
    ]);
  });
});
