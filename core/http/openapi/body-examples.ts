/** Examples of bodies; a test holds them to their schemas, and sends them. */
import type { FormName } from './forms.ts';
import type { Example } from './merchant-call.ts';

export const payer = {
  name: 'Ines Duarte',
  email: 'ines.duarte@shop.example',
  phoneNumber: '+351912345678',
  address: 'Rua Augusta 12',
  city: 'Lisboa',
  state: 'LX',
  postalCode: '1100-053',
  country: 'PT',
};
export const order = {
  amount: 25.9,
  unit: 'EUR',
  referenceId: 'order-4711',
  notifyUrl: 'https://shop.example/payments',
};
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

/** A month that will not be past for a while. */
function expiration(now: Date): string {
  return `12/${String(now.getUTCFullYear() + 4).slice(2)}`;
}

/** Bodies that are right, by form. */
export function bodyExamples(now: Date): Readonly<Record<FormName, Readonly<Record<string, Example>>>> {
  const card = { number: '4111111111111111', expiration: expiration(now), cvv: '737' };
  return {
    CardPayment: {
      card: { summary: 'A card', value: { ...payer, ...card } },
      threeDs: {
        summary: '3D Secure demanded',
        value: { ...payer, ...card, number: '4000000000003220', is3ds: true, browserInfo },
      },
    },
    CardOrder: {
      card: { summary: 'A card', value: { ...payer, ...card, ...order } },
      declined: {
        summary: 'A card that the sandbox declines',
        value: { ...payer, ...card, number: '4000000000009995', ...order },
      },
    },
    BillingOrder: {
      billing: { summary: 'No card: the payer goes on elsewhere', value: { ...payer, ...order } },
    },
    TokenOrder: { token: { summary: 'A card token', value: { ...payer, token: 'tok_7H2K9Q', ...order } } },
    UpiOrder: {
      upi: { summary: 'A UPI id', value: { ...payer, upiId: 'success@upi', amount: 499, unit: 'INR' } },
    },
    UpiPayment: { upi: { summary: 'A UPI id', value: { ...payer, upiId: 'success@upi' } } },
    MemberConfirmation: {
      code: { summary: 'The code that the payer received', value: { paymentId: 'A-7H2K9Q', code: '481516' } },
    },
    NewPaymentRequest: {
      least: { summary: 'As little as possible', value: { amount: 25.9, unit: 'EUR' } },
      more: {
        summary: 'With a client',
        value: {
          ...order,
          client: { name: 'Ines Duarte', email: 'ines.duarte@shop.example', memberId: 'm-7' },
          notes: 'two books',
          successUrl: 'https://shop.example/thanks',
          failureUrl: 'https://shop.example/again',
        },
      },
    },
    Refund: {
      part: { summary: 'A part', value: { amount: 5 } },
      all: { summary: 'What is left', value: {} },
    },
    ResendSpan: {
      day: { summary: 'A day', value: { from: '2026-11-20T00:00:00Z', to: '2026-11-21T00:00:00Z' } },
    },
  };
}

export const batchExample = {
  two: {
    summary: 'Two, of which the second is wrong',
    value: { paymentRequests: [{ amount: 25.9, unit: 'EUR' }, { amount: 25.9 }] },
  },
} satisfies Record<string, Example>;
