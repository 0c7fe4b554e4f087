/** Examples of bodies about payment requests. A test validates them against their schemas, and sends them. */
import { order, payer } from '../openapi/examples.ts';
import type { Example } from '../openapi/model.ts';

type Examples = Readonly<Record<string, Example>>;

const least = { amount: order.amount, unit: order.unit };

export const newRequestExamples: Examples = {
  least: { summary: 'Minimal', value: least },
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
    summary: 'Two entries',
    value: { paymentRequests: [least, { ...least, referenceId: 'order-4712' }] },
  },
};

export const captureExamples: Examples = {
  part: { summary: 'A part; the rest is released', value: { amount: 5 } },
  all: { summary: 'The whole authorised amount', value: {} },
};

export const refundExamples: Examples = {
  part: { summary: 'A part', value: { amount: 5 } },
  all: { summary: 'Everything refundable', value: {} },
};
