import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { PaymentRecord } from '../documents/payment-request.ts';
import type { Mail } from '../mail.ts';
import { createLinkMail } from './link-mail.ts';
import { paymentRecord } from './testing/steps.ts';

const link = 'https://pay.example/pay/1?k=k&x="><b>';
const expiresAt = new Date('2026-11-24T12:00:00Z');

async function letterOf(record: PaymentRecord, name: string, colour: string | null = null): Promise<Mail> {
  const sent: Mail[] = [];
  const mailer = { send: async (one: Mail) => void sent.push(one), close: () => undefined };
  const merchant = { name, brand: { logo: null, colour, support: null, terms: null } };
  const mail = createLinkMail(mailer, { present: async () => ({ id: 1, link }) }, async () => merchant)!;
  await mail(record, 'zoe@example.com');
  expect(sent).to.have.length(1);
  return sent[0]!;
}

describe('the mail of a link', () => {
  it('says who asks for how much until when, and has one button', async () => {
    const letter = await letterOf(paymentRecord({ expiresAt, environment: 'live' }), 'Shoes & Co');
    expect(letter.subject).to.equal('Payment request of Shoes & Co');
    expect(letter.text.split('\n').slice(0, 6)).to.deep.equal([
      'Merchant: Shoes & Co',
      'Amount: 10.00 EUR',
      'Pay until: 24 November 2026, 12:00 UTC',
      '',
      'Pay here:',
      link,
    ]);
    expect(letter.html)
      .to.include('<strong>Shoes &amp; Co</strong>')
      .and.include('>10.00 EUR<')
      .and.include('Pay until 24 November 2026, 12:00 UTC.');
    expect(letter.html!.match(/<a /g)).to.have.length(1);
    expect(letter.html).to.include('<a href="https://pay.example/pay/1?k=k&amp;x=&quot;&gt;&lt;b&gt;"');
    expect(letter.html).not.to.match(/<(img|script|link|style)|https?:\/\/(?!pay\.example)/);
  });

  it('has a button in the colour of the merchant', async () => {
    for (const [colour, shown] of [
      [null, '#2446c8'],
      ['#0b7443', '#0b7443'],
    ] as const) {
      expect((await letterOf(paymentRecord(), 'Shop', colour)).html).to.match(
        new RegExp(`<a [^>]*background:${shown}"`),
      );
    }
  });

  it('says that a test moves no money', async () => {
    const { subject, text, html } = await letterOf(paymentRecord({ environment: 'test' }), 'Shop');
    expect(subject).to.match(/^Test: /);
    for (const part of [text, html]) expect(part).to.include('This is a test: no money moves.');
  });

  it('has what merchants wrote in its place, escaped and on one line, and nothing else of it', async () => {
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
    const { subject, text, html = '' } = await letterOf(paymentRecord({ ...texts, ...given, ...own }), broken);
    expect(subject).to.equal(`Payment request of ${shown}`);
    expect(text.split('\n').slice(0, 3)).to.deep.equal([
      `Merchant: ${shown}`,
      `Amount: 10.00 ${shown}`,
      'Pay until: 24 November 2026, 12:00 UTC',
    ]);
    expect(text.split('evil.example')).to.have.length(3);
    expect(html).not.to.include('<img');
    expect(html.split('evil.example')).to.have.length(3);
    expect(html).to.include(
      '&lt;img src=x onerror=alert(1)&gt;&amp;lt; Bcc: all@example.com Pay: https://evil.example<',
    );
  });

  it('shortens a name that nobody reads to its end', async () => {
    const { subject } = await letterOf(paymentRecord({ environment: 'live' }), '👟'.repeat(500));
    expect(subject).to.equal(`Payment request of ${'👟'.repeat(99)}…`);
  });
});
