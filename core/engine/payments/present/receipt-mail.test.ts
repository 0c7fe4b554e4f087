import { expect } from 'chai';
import { describe, it } from 'mocha';
import { pino } from 'pino';
import { createBackgroundTasks } from '../../../base/async/background-tasks.ts';
import type { Mail } from '../../../base/net/mail.ts';
import type { Attempt } from '../../../database/collections/attempt.ts';
import { status, type PaymentRecord } from '../../../database/collections/payment-request.ts';
import { newAttempt, paymentRecord } from '../testing/steps.ts';
import { createReceiptMail } from './receipt-mail.ts';

const paid = paymentRecord({
  statusId: status.paid,
  linkMailed: true,
  payerEmail: 'zoe@example.com',
  notes: 'Atlas of the Atlantic',
  attempts: [newAttempt(1, { outcome: 'succeeded', cardBin: '411111', cardLastDigits: '1111' })],
});
const open = { ...paid, statusId: status.pending };

describe('createReceiptMail', () => {
  async function mailsOf(record: PaymentRecord, before: PaymentRecord | undefined, fails = false): Promise<Mail[]> {
    const sent: Mail[] = [];
    const log = pino({ level: 'silent' });
    const backgroundTasks = createBackgroundTasks(log);
    createReceiptMail({
      mailer: {
        send: async (mail) => {
          if (fails) throw new Error('no server');
          sent.push(mail);
        },
        close: () => undefined,
      },
      views: { present: async () => ({ id: 1, link: 'https://pay.example/pay/1?k=k' }) },
      merchantOf: async () => ({ name: 'Shop', brand: { logo: null, colour: null, support: null, terms: null } }),
      publicUrl: 'https://pay.example',
      backgroundTasks,
      log,
    })(record, before);
    await backgroundTasks.settled();
    return sent;
  }

  it('mails the receipt when the payment becomes paid', async () => {
    const [mail, ...others] = await mailsOf(paid, open);
    expect(others).to.deep.equal([]);
    expect(mail).to.include({ to: 'zoe@example.com', fromName: 'Shop', subject: 'Test: Receipt from Shop' });
    expect(mail!.text)
      .to.include('Thank you. Shop has received your payment.')
      .and.include('https://pay.example/pay/1?k=k')
      .and.include('\nCard: Visa •••• 1111\nFor: Atlas of the Atlantic\n');
  });

  it('names the part that was captured, because only that is charged', async () => {
    const attempt = newAttempt(1, { outcome: 'succeeded', amount: '59.00', currency: 'EUR' });
    const part = { ...attempt, capture: { state: 'succeeded', amount: '20.00' } as Attempt['capture'] };
    const [mail] = await mailsOf({ ...paid, attempts: [part] }, open);
    expect(mail!.text).to.include('20.00').and.not.include('59');
  });

  it('mails nothing if the gateway did not mail the link, or if the payment was paid before', async () => {
    const { linkMailed: _, ...notMailed } = paid;
    expect(await mailsOf(notMailed, open)).to.deep.equal([]);
    expect(await mailsOf(paid, paid)).to.deep.equal([]);
    expect(await mailsOf(paid, { ...paid, statusId: status.refunded })).to.deep.equal([]);
    expect(await mailsOf(open, undefined)).to.deep.equal([]);
  });

  it('does not disturb the payment if the mail fails', async () => {
    expect(await mailsOf(paid, open, true)).to.deep.equal([]);
  });
});
