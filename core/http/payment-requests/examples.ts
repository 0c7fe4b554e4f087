/** Examples of the bodies around the payment request. A test holds them to their schemas, and sends them. */
import { order, payer } from '../openapi/examples.ts';
import type { Example } from '../openapi/model.ts';

type Examples = Readonly<Record<string, Example>>;

const least = { amount: order.amount, unit: order.unit };

export const newRequestExamples: Examples = {
  least: { summary: 'As little as possible', value: least },
  more: {
    summary: 'With a client',
    value: {
      ...order,
      client: { name: payer.name, email: payer.email, memberId: 'm-7' },
      notes: 'two books',
      successUrl: 'https://shop.example/thanks',
      failureUrl: 'https://shop.example/again',
    },
  },
};

export const batchExamples: Examples = {
  two: {
    summary: 'Two, of which the second is wrong',
    value: { paymentRequests: [least, { amount: order.amount }] },
  },
};

export const captureExamples: Examples = {
  part: { summary: 'A part; the rest is released', value: { amount: 5 } },
  all: { summary: 'All that was authorised', value: {} },
};

export const refundExamples: Examples = {
  part: { summary: 'A part', value: { amount: 5 } },
  all: { summary: 'What is left', value: {} },
};
