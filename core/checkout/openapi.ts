/** Describes the payer's page. */
import { object, oneOf, schemaRef, text } from '../http/openapi/json-schema.ts';
import { answer, failures, html, noKey, unversioned } from '../http/openapi/open-call.ts';
import { pathId } from '../http/openapi/merchant-call.ts';
import type { Operation, Parameter } from '../http/openapi/model.ts';
import type { DocumentFacts, Section } from '../http/openapi/section.ts';
import { cardExample } from '../http/payments/examples.ts';

export function paySection(facts: DocumentFacts): Section {
  return {
    paths: unversioned(facts, {
      '/pay/{id}': { get: payPage, post: payByPage(facts.now) },
      '/pay/state/{id}': { get: payState },
      '/pay/assets/{name}': { get: pageAsset },
      '/pay/logos/{name}': { get: merchantLogo },
    }),
    schemas: {
      PayState: object({
        state: oneOf('How the payment is.', states),
        stamp: text('Another one: the page shows something else now.'),
      }),
    },
  };
}

const linkPart: Parameter = {
  name: 'k',
  in: 'query',
  description: 'The link’s own part.',
  schema: { type: 'string' },
};

const returnPart: Parameter = {
  name: 'r',
  in: 'query',
  description: 'The part of return addresses.',
  schema: { type: 'string' },
};

const states = ['created', 'pending', 'paid', 'failed', 'refunded', 'expired', 'cancelled'] as const;

const payState: Operation = {
  operationId: 'watchPaymentPage',
  tags: ['Payer'],
  summary: 'Has the payer’s page something new to show?',
  description: 'What the page asks for while it is open.',
  security: noKey,
  parameters: [pathId('The payment request.'), returnPart],
  responses: {
    '200': answer('How the payment is.', {
      'application/json': {
        schema: schemaRef('PayState'),
        example: { state: 'pending', stamp: 'q83vEjRWeJq83vEj' },
      },
    }),
    '404': answer('It is no id, or not this one’s part.', html),
    '429': answer('It is asked for too often.', html),
    '500': answer('Something went wrong on our side.', html),
    '503': answer('Not at this moment.', html),
  },
};

const language: Parameter = {
  name: 'lang',
  in: 'query',
  description: 'The language of the page; left out, the one that the browser asks for.',
  schema: { type: 'string' },
};

const pageAsset: Operation = {
  operationId: 'loadPageAsset',
  tags: ['Payer'],
  summary: 'What the payer’s page loads',
  description: 'Its name changes with its content: it may be kept for ever.',
  security: noKey,
  parameters: [
    { name: 'name', in: 'path', required: true, description: 'The name of the file.', schema: { type: 'string' } },
  ],
  responses: {
    '200': answer('The file.', {
      'text/css': { schema: { type: 'string' } },
      'text/javascript': { schema: { type: 'string' } },
      'image/svg+xml': { schema: { type: 'string' } },
    }),
    ...failures(['NOT_FOUND', 'INTERNAL_ERROR']),
  },
};

const image = { schema: {} } as const;

const merchantLogo: Operation = {
  operationId: 'loadMerchantLogo',
  tags: ['Payer'],
  summary: 'The logo of a merchant, as its payers see it',
  description: 'Its name changes with its content: it may be kept for ever.',
  security: noKey,
  parameters: [
    { name: 'name', in: 'path', required: true, description: 'The name of the file.', schema: { type: 'string' } },
  ],
  responses: {
    '200': answer('The image.', { 'image/png': image, 'image/jpeg': image, 'image/webp': image }),
    '404': answer('There is no such logo.', html),
    '429': answer('Too many that there are not were asked for.', html),
    '500': answer('Something went wrong on our side.', html),
    '503': answer('Not at this moment.', html),
  },
};

const payPage: Operation = {
  operationId: 'showPaymentPage',
  tags: ['Payer'],
  summary: 'The payer’s page of a payment request',
  description:
    'Where browsers come back to. Without a part that proves a payer of this payment request it says only that the ' +
    'payment is being checked. With `r` it shows the state in a word, loads itself again, and leads on to `successUrl` ' +
    'or `failureUrl`. With the link’s own part it shows amount, merchant and ways to pay, leads through what is to be done ' +
    'next, and offers another try after a failure.',
  security: noKey,
  parameters: [
    pathId('The payment request.'),
    linkPart,
    language,
    returnPart,
    { name: 'way', in: 'query', description: 'The way to pay that is shown.', schema: { type: 'string' } },
    {
      name: 'stay',
      in: 'query',
      description: '1: the page does not lead on to the shop by itself.',
      schema: { type: 'string' },
    },
    {
      name: 't',
      in: 'query',
      description: 'A 3D Secure token: leads on to the next action.',
      schema: { type: 'string' },
    },
  ],
  responses: {
    '200': answer('The page.', html),
    '303': answer('To the shop, or on to the bank.', undefined, ['Location-onward']),
    '404': answer('It is no id.', html),
    '429': answer('It is visited too often.', html),
    '500': answer('Something went wrong on our side.', html),
    '503': answer('Not at this moment.', html),
  },
};

function payByPage(now: Date): Operation {
  return {
    operationId: 'payByPage',
    tags: ['Payer'],
    summary: 'What the payer filled in on the page',
    description: 'The page’s own form. The same bounds hold as where a merchant sends it.',
    security: noKey,
    parameters: [pathId('The payment request.'), linkPart, language],
    requestBody: {
      required: true,
      content: {
        'application/x-www-form-urlencoded': {
          schema: {
            type: 'object',
            properties: {
              way: text(
                'What it is paid with, as the page offers it: `card`, `upi_qr`; `confirm` brings a member code.',
              ),
              attempts: text('How many attempts the payer knows of: with more nothing is sent.'),
            },
            additionalProperties: { type: 'string' },
          },
          example: { way: 'card', attempts: '0', ...cardExample(now) },
        },
      },
    },
    responses: {
      '303': answer('Taken: to the page, which says its state.', undefined, ['Location-onward']),
      '400': answer('The page again: what was filled in is wrong, or it cannot be paid.', html),
      '404': answer('There is no such payment request, or the link is another’s.', html),
      '413': answer('Too large.', html),
      '429': answer('The page again: it was tried too often.', html),
      '500': answer('Something went wrong on our side.', html),
      '503': answer('Not at this moment.', html),
    },
  };
}
