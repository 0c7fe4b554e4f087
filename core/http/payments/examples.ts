/**
 * Examples of the bodies that pay, and of their answers. A test validates them against their schemas, and sends the
 * bodies.
 */
import { order, payer } from '../openapi/examples.ts';
import type { Example } from '../openapi/model.ts';
import { paidExample, pendingExample } from '../payment-requests/view.ts';
import type { BodyName } from './bodies.ts';

const browserInfo = {
  acceptHeader: 'text/html',
  colorDepth: '24',
  javaEnabled: false,
  javascriptEnabled: true,
  language: 'pt-PT',
  screenHeight: '1080',
  screenWidth: '1920',
  timezone: '0',
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
};

/** A card whose month is years ahead. */
export function cardExample(now: Date) {
  const expiration = `12/${String(now.getUTCFullYear() + 4).slice(2)}`;
  return { ...payer, number: '4111111111111111', expiration, cvv: '737' };
}

/** Valid bodies, by the names of their schemas. */
export function bodyExamples(now: Date): Readonly<Record<BodyName, Readonly<Record<string, Example>>>> {
  const card = cardExample(now);
  return {
    CardPayment: {
      card: { summary: 'A card', value: card },
      threeDs: {
        summary: '3D Secure demanded',
        value: { ...card, number: '4000000000003220', is3ds: true, browserInfo },
      },
    },
    CardOrder: {
      card: { summary: 'A card', value: { ...card, ...order } },
      declined: {
        summary: 'A card that the sandbox declines',
        value: { ...card, number: '4000000000009995', ...order },
      },
    },
    BillingOrder: {
      billing: { summary: 'No card: the payer continues at the provider', value: { ...payer, ...order } },
    },
    TokenOrder: { token: { summary: 'A card token', value: { ...payer, token: 'tok_7H2K9Q', ...order } } },
    UpiOrder: {
      upi: { summary: 'A UPI id', value: { ...payer, upiId: 'success@upi', amount: 499, unit: 'INR' } },
    },
    UpiPayment: { upi: { summary: 'A UPI id', value: { ...payer, upiId: 'success@upi' } } },
    MemberConfirmation: {
      code: { summary: 'The code that the payer received', value: { paymentId: 'A-7H2K9Q', code: '481516' } },
    },
  };
}

/** Answers by their names in the document. */
export function answerExamples(publicUrl: string) {
  const expiry = '2026-11-21T12:30:00.000Z';
  const pending = pendingExample(publicUrl);
  const waiting = (summary: string, action: Readonly<Record<string, unknown>>): Example => {
    return { summary, value: { result: 'OK', paymentRequest: pending, action } };
  };
  return {
    paid: { summary: 'Paid', value: { result: 'OK', paymentRequest: paidExample(publicUrl), action: null } },
    redirect: waiting('3D Secure, or a hosted page', {
      type: 'redirect',
      method: 'GET',
      url: 'https://acs.bank.example/challenge/5f6b',
      transactionId: '5f6b',
    }),
    confirm: waiting('A member code', { type: 'confirm', paymentId: 'A-7H2K9Q' }),
    upi: waiting('UPI', { type: 'upi', mode: 'intent', link: 'upi://pay?pa=shop@bank', expiry }),
    crypto: waiting('Cryptocurrency', {
      type: 'crypto',
      address: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
      coin: 'BTC',
      amount: '0.00042',
      network: 'bitcoin',
      expiry,
    }),
    qr: waiting('A QR code of a wallet', {
      type: 'qr',
      text: 'acme-wallet://pay?code=7H2K9Q',
      expiry,
      app: 'Acme',
    }),
  } satisfies Record<string, Example>;
}
