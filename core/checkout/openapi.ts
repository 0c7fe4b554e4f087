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
      '/pay/{id}': { get: payPage, post: payByPage(facts) },
      '/pay/state/{id}': { get: payState },
      '/pay/assets/{name}': { get: pageAsset },
      '/pay/logos/{name}': { get: merchantLogo },
      '/pay/pictures/{name}': { get: brandPicture },
    }),
    schemas: {
      PayState: object({
        state: oneOf('The state of the payment.', states),
        stamp: text('Changes when the page would show something else.'),
      }),
    },
  };
}

const linkPart: Parameter = {
  name: 'k',
  in: 'query',
  description: 'The key of the link.',
  schema: { type: 'string' },
};

const returnPart: Parameter = {
  name: 'r',
  in: 'query',
  description: 'The token of return addresses.',
  schema: { type: 'string' },
};

const states = ['created', 'pending', 'paid', 'failed', 'refunded', 'expired', 'cancelled'] as const;

const payState: Operation = {
  operationId: 'watchPaymentPage',
  tags: ['Payer'],
  summary: 'Check whether the payer’s page changed',
  description: 'Polled by the page while it is open.',
  security: noKey,
  parameters: [pathId('The payment request.'), returnPart],
  responses: {
    '200': answer('The state of the payment.', {
      'application/json': {
        schema: schemaRef('PayState'),
        example: { state: 'pending', stamp: 'q83vEjRWeJq83vEj' },
      },
    }),
    '404': answer('The id is invalid, or the token belongs to another payment request.', html),
    '429': answer('Too many requests.', html),
    '500': answer('Something went wrong on our side.', html),
    '503': answer('Temporarily unavailable.', html),
  },
};

const language: Parameter = {
  name: 'lang',
  in: 'query',
  description: 'The language of the page. Default: the browser’s language.',
  schema: { type: 'string' },
};

const pageAsset: Operation = {
  operationId: 'loadPageAsset',
  tags: ['Payer'],
  summary: 'Load a file of the payer’s page',
  description: 'The name contains a hash of the content, so the file can be cached forever.',
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
    ...failures(['NOT_FOUND', 'RATE_LIMIT_EXCEEDED', 'INTERNAL_ERROR']),
  },
};

const image = { schema: {} } as const;

const merchantLogo: Operation = {
  operationId: 'loadMerchantLogo',
  tags: ['Payer'],
  summary: 'Load the logo of a merchant',
  description: 'The name contains a hash of the content, so the file can be cached forever.',
  security: noKey,
  parameters: [
    { name: 'name', in: 'path', required: true, description: 'The name of the file.', schema: { type: 'string' } },
  ],
  responses: {
    '200': answer('The image.', { 'image/png': image, 'image/jpeg': image, 'image/webp': image }),
    '404': answer('The logo does not exist.', html),
    '429': answer('Too many requests, or too many for logos that do not exist.', html),
    '500': answer('Something went wrong on our side.', html),
    '503': answer('Temporarily unavailable.', html),
  },
};

const brandPicture: Operation = {
  operationId: 'loadBrandPicture',
  tags: ['Payer'],
  summary: 'Load the picture of a brand',
  description: 'The name contains a hash of the content, so the file can be cached forever.',
  security: noKey,
  parameters: [
    { name: 'name', in: 'path', required: true, description: 'The name of the file.', schema: { type: 'string' } },
  ],
  responses: {
    '200': answer('The image.', { 'image/svg+xml': image, 'image/png': image }),
    '404': answer('No way to pay shows the picture.', html),
    '429': answer('Too many requests.', html),
    '500': answer('Something went wrong on our side.', html),
    '503': answer('Temporarily unavailable.', html),
  },
};

const payPage: Operation = {
  operationId: 'showPaymentPage',
  tags: ['Payer'],
  summary: 'The payer’s page of a payment request',
  description:
    'Browsers return to this page. Without a valid token, the page only says that the payment is being checked, for every id alike. With ' +
    '`r` it shows the state, reloads automatically, and redirects to `successUrl` or `failureUrl`. With `k`, the key of ' +
    'the link, it shows amount, merchant and ways to pay, leads through the next step, and offers another attempt after ' +
    'a failure.',
  security: noKey,
  parameters: [
    pathId('The payment request.'),
    linkPart,
    language,
    returnPart,
    { name: 'way', in: 'query', description: 'The selected way to pay.', schema: { type: 'string' } },
    {
      name: 'stay',
      in: 'query',
      description: '1: the page does not redirect to the shop automatically.',
      schema: { type: 'string' },
    },
    {
      name: 'other',
      in: 'query',
      description: '1: the payer leaves an open step and pays another way.',
      schema: { type: 'string' },
    },
    {
      name: 'cancelled',
      in: 'query',
      description: '1, with `r`: the payer gave up at the provider’s page. The status is fetched.',
      schema: { type: 'string' },
    },
    {
      name: 't',
      in: 'query',
      description: 'A 3D Secure token: redirects to the next action.',
      schema: { type: 'string' },
    },
  ],
  responses: {
    '200': answer('The page.', html),
    '303': answer('To the shop, or to the bank.', undefined, ['Location-onward']),
    '404': answer('The id is invalid.', html),
    '429': answer('Too many visits.', html),
    '500': answer('Something went wrong on our side.', html),
    '503': answer('Temporarily unavailable.', html),
  },
};

function payByPage({ config, now }: DocumentFacts): Operation {
  const example = config.refuseCardNumbers ? { way: 'upi_qr' } : { way: 'card', ...cardExample(now) };
  return {
    operationId: 'payByPage',
    tags: ['Payer'],
    summary: 'Submit the form of the payer’s page',
    description:
      'Posted by the page. The fields have the same bounds as in a merchant’s call. With `r` or `t` and without `k`, ' +
      'a bank’s page sent the payer back: the body is not read, and the answer leads to the same address.',
    security: noKey,
    parameters: [pathId('The payment request.'), linkPart, returnPart, language],
    requestBody: {
      required: true,
      content: {
        'application/x-www-form-urlencoded': {
          schema: {
            type: 'object',
            properties: {
              way: text(
                'The way to pay, as the page offers it, such as `card` or `upi_qr`; `confirm` sends a member code.',
              ),
              attempts: text('The number of attempts when the page was shown. If there are more now, nothing is sent.'),
            },
            additionalProperties: { type: 'string' },
          },
          example: { ...example, attempts: '0' },
        },
      },
    },
    responses: {
      '303': answer('Accepted: redirects to the page, which shows the state.', undefined, ['Location-onward']),
      '400': answer('The page again: the input is invalid, or the payment cannot be made.', html),
      '404': answer('The payment request does not exist, or the link belongs to another one.', html),
      '413': answer('Too large.', html),
      '429': answer('The page again: there were too many attempts.', html),
      '500': answer('Something went wrong on our side.', html),
      '503': answer('Temporarily unavailable.', html),
    },
  };
}
