import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import type { Mail } from '../../../base/net/mail.ts';
import { createLinkMail } from './link-mail.ts';
import type { Merchant } from '../types/pay-page.ts';
import { paymentRecord } from '../testing/steps.ts';

const link = 'https://pay.example/pay/1?k=k&x="><b>';
const expiresAt = new Date('2026-11-24T12:00:00Z');

const publicUrl = 'https://pay.example';

async function sendMail(record: PaymentRecord, name: string, brand: Partial<Merchant['brand']> = {}): Promise<Mail> {
  const sent: Mail[] = [];
  const mailer = { send: async (one: Mail) => void sent.push(one), close: () => undefined };
  const merchant = { name, brand: { logo: null, colour: null, support: null, terms: null, ...brand } };
  const sendLinkMail = createLinkMail(
    mailer,
    { present: async () => ({ id: 1, link }) },
    async () => merchant,
    publicUrl,
  )!;
  await sendLinkMail(record, 'zoe@example.com');
  expect(sent).to.have.length(1);
  return sent[0]!;
}

describe('createLinkMail', () => {
  it('names the merchant, the amount and the expiry, and has one button', async () => {
    const mail = await sendMail(paymentRecord({ expiresAt, environment: 'live' }), 'Shoes & Co');
    expect(mail.subject).to.equal('Payment request from Shoes & Co');
    expect(mail.text.split('\n').slice(0, 6)).to.deep.equal([
      'Merchant: Shoes & Co',
      'Amount: €10.00',
      'Pay by: 24 November 2026, 12:00 UTC',
      '',
      'Pay here:',
      link,
    ]);
    expect(mail.html)
      .to.include('<title>Payment request from Shoes &amp; Co</title>')
      .and.include('>€10.00<')
      .and.match(/Pay by<\/td>\s*<td[^>]*><bdi>24 November 2026, 12:00 UTC<\/bdi>/);
    expect(mail.html!.match(/<a /g)).to.have.length(1);
    expect(mail.html).to.match(/>Pay €10\.00<\/a\s*>/);
    expect(mail.html).to.include('<a href="https://pay.example/pay/1?k=k&amp;x=&quot;&gt;&lt;b&gt;"');
    expect(mail.html).not.to.match(/<(img|script|link)|https?:\/\/(?!pay\.example)/);
  });

  it('shows the button in the colour of the merchant', async () => {
    for (const [colour, shown] of [
      [null, '#2446c8'],
      ['#0b7443', '#0b7443'],
    ] as const) {
      expect((await sendMail(paymentRecord(), 'Shop', { colour })).html).to.match(
        new RegExp(`<a [^>]*background:${shown}"`),
      );
    }
  });

  it('links the logo from our own address, and attaches nothing', async () => {
    const mail = await sendMail(paymentRecord(), 'Shop', { logo: '7-0123456789abcdef.png' });
    expect(mail.html).to.include('<img src="https://pay.example/pay/logos/7-0123456789abcdef.png" alt=""');
    expect(Object.keys(mail)).to.have.members(['to', 'fromName', 'subject', 'text', 'html']);
  });

  it('uses the language of the payer’s country if there is one, and otherwise English', async () => {
    const textsFor = async (payerCountry: string | null): Promise<string[]> => {
      const record = paymentRecord({ payerCountry, expiresAt, environment: 'live' });
      const { subject, text, html = '' } = await sendMail(record, 'Rua');
      const [, head = ''] = /<html ([^>]*)>/.exec(html) ?? [];
      return [subject, ...text.replaceAll('\u00a0', ' ').split('\n').slice(1, 3), head];
    };
    const english = ['Payment request from Rua', 'Amount: €10.00', 'Pay by: 24 November 2026, 12:00 UTC'];
    for (const country of [null, '', 'GB', 'CH', 'IN', '??'])
      expect(await textsFor(country), `${country}`).to.deep.equal([...english, 'lang="en" dir="ltr"']);
    expect(await textsFor('de')).to.deep.equal([
      'Zahlungsanfrage von Rua',
      'Betrag: 10,00 €',
      'Zahlbar bis: 24. November 2026, 12:00 UTC',
      'lang="de" dir="ltr"',
    ]);
    expect((await textsFor('BR'))[0]).to.equal('Pedido de pagamento de Rua');
    expect((await textsFor('MX'))[1]).to.equal('Importe: EUR 10.00');
    expect((await textsFor('EG')).at(-1)).to.equal('lang="ar" dir="rtl"');
  });

  it('says that a test payment moves no money', async () => {
    const { subject, text, html } = await sendMail(paymentRecord({ environment: 'test' }), 'Shop');
    expect(subject).to.match(/^Test: /);
    for (const part of [text, html]) expect(part).to.include('Test mode: no real payment.');
  });

  it('shows the texts of merchants only in their fields, escaped and on one line', async () => {
    const broken =
      '"\'><img src=x onerror=alert(1)>&lt;\r\nBcc: all@example.com\u2028\u2029\u202e\0\tPay: https://evil.example';
    const shown = `"'><img src=x onerror=alert(1)>&lt; Bcc: all@example.com Pay: https://evil.example`;
    const texts = Object.fromEntries(
      Object.entries(paymentRecord()).flatMap(([name, value]) =>
        typeof value === 'string' || value === null ? [[name, `${name} ${broken}`]] : [],
      ),
    );
    const given = {
      recipientName: broken,
      referenceId: broken,
      notes: broken,
      payerName: broken,
      payerEmail: broken,
      client: { name: broken, email: broken, address: broken, phone: broken, memberId: broken },
    };
    const own = { amount: '10', unit: broken, environment: 'live', expiresAt } as const;
    const { subject, text, html = '' } = await sendMail(paymentRecord({ ...texts, ...given, ...own }), broken);
    expect(subject).to.equal(`Payment request from ${shown}`);
    expect(text.split('\n').slice(0, 3)).to.deep.equal([
      `Merchant: ${shown}`,
      `Amount: 10.00 ${shown}`,
      'Pay by: 24 November 2026, 12:00 UTC',
    ]);
    expect(text.split('evil.example')).to.have.length(3);
    expect(html).not.to.include('<img');
    // The merchant's name is in the title and the heading; the unit is next to each amount.
    expect(html.split('evil.example')).to.have.length(5);
    expect(html).to.include(
      '&lt;img src=x onerror=alert(1)&gt;&amp;lt; Bcc: all@example.com Pay: https://evil.example<',
    );
  });

  it('says to whom, for what and for which order, unless a text looks like an address', async () => {
    const client = { name: 'Ines Duarte', email: 'ines@example.com', address: '', phone: '', memberId: '' };
    const order = { referenceId: 'order-1041', notes: 'Atlas of the Atlantic', client };
    const { text, html } = await sendMail(paymentRecord(order), 'Shop');
    expect(text).to.include('\nTo: Ines Duarte\nFor: Atlas of the Atlantic\nOrder: order-1041\n');
    expect(html).to.match(/For<\/td>\s*<td[^>]*><bdi>Atlas of the Atlantic<\/bdi>/);
    for (const address of ['pay at evil.example', 'https://evil', 'mail a@b', 'WWW.evil']) {
      const mail = await sendMail(paymentRecord({ referenceId: address, notes: address }), 'Shop');
      expect(mail.text, address).to.not.match(/^(Order|For):/m);
    }
  });

  it('has the name of the merchant as its sender, and its help address for answers', async () => {
    const { fromName, replyTo, text, html } = await sendMail(paymentRecord(), 'Shop', {
      support: 'help@shop.example',
      terms: 'https://shop.example/terms',
    });
    expect([fromName, replyTo]).to.deep.equal(['Shop', 'help@shop.example']);
    expect(text).to.include('Help: help@shop.example\nTerms: https://shop.example/terms\n');
    expect(html)
      .to.match(/Help:\s*<a href="mailto:help@shop\.example"/)
      .and.match(/Terms:\s*<a href="https:\/\/shop\.example\/terms"/);
    expect((await sendMail(paymentRecord(), 'Shop', { support: 'https://shop.example/help' })).replyTo).to.equal(
      undefined,
    );
  });

  it('shortens a very long name', async () => {
    const { subject } = await sendMail(paymentRecord({ environment: 'live' }), '👟'.repeat(500));
    expect(subject).to.equal(`Payment request from ${'👟'.repeat(99)}…`);
  });
});
