/** The JSON Schemas of the payer's next step, and of the answer of every call about a payment. */
import { instant, listOf, object, oneOf, schemaRef, text } from '../openapi/json-schema.ts';
import type { JsonSchema } from '../openapi/json-schema.ts';

const redirect = object(
  {
    type: { type: 'string', const: 'redirect' },
    method: oneOf('The HTTP method for the payer’s browser.', ['GET', 'POST']),
    url: text('The address for the payer’s browser.', { format: 'uri' }),
    fields: {
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'The fields of the form to post, in this order. Only with POST.',
    },
    transactionId: text('The `transaction3dsId` of a 3D Secure step.'),
    completesOnReturn: {
      type: 'boolean',
      const: true,
      description: 'The payment is charged when the payer returns from this address to the gateway’s page.',
    },
    referrer: {
      type: 'string',
      const: 'origin',
      description:
        'The provider recognises the merchant by the `Referer` header: send the origin of your page to this address, with the policy `strict-origin`. Absent: send no `Referer`.',
    },
  },
  {
    optional: ['fields', 'transactionId', 'completesOnReturn', 'referrer'],
    description: 'Redirect the payer’s browser.',
  },
);

const confirm = object(
  { type: { type: 'string', const: 'confirm' }, paymentId: text('For `POST /payments/cardMemberConfirm/{id}`.') },
  { description: 'Ask the payer for the member code that the bank sent.' },
);

const upi = object(
  {
    type: { type: 'string', const: 'upi' },
    mode: oneOf('`collect`: the payer confirms in the app; `intent`: open `link`; `qr`: show `text` as a QR code.', [
      'collect',
      'intent',
      'qr',
    ]),
    link: text('Opens the payer’s app.'),
    text: text('The text of the QR code.'),
    expiry: instant('Until when.'),
  },
  { optional: ['link', 'text'], description: 'Let the payer confirm in the UPI app.' },
);

const crypto = object(
  {
    type: { type: 'string', const: 'crypto' },
    address: text('The address for the coins.'),
    coin: text('Which coin.'),
    amount: text('The amount, as decimal text in the coin’s major unit.'),
    network: text('The network of the coin.'),
    expiry: instant('Until when.'),
    memo: text('The memo to include with the coins.'),
  },
  { optional: ['memo'], description: 'Let the payer send coins.' },
);

const qr = object(
  {
    type: { type: 'string', const: 'qr' },
    text: text('The text of the QR code. If it is an address or a link into an app, it also opens on the phone.'),
    expiry: instant('Until when.'),
    app: text('The name of the app for the payer, such as `Acme`.'),
  },
  { optional: ['app'], description: 'Let the payer scan a code with another app than a UPI app.' },
);

/** Warnings that an answer contains in addition to its result. */
export const warnings: JsonSchema = listOf(
  schemaRef('Warning'),
  'Something was accepted that looks like a mistake, such as an unknown member or query parameter. Absent without warnings. Each warning is also a header `X-Gateway-Warning`, at most 5.',
);

export const actionSchemas: Readonly<Record<string, JsonSchema>> = {
  Action: {
    description: 'What the payer must do next. null: nothing.',
    // Without a discriminator, which cannot select null. null is in this choice, because many code generators cannot
    // read a nullable reference.
    oneOf: [
      ...['RedirectAction', 'ConfirmAction', 'UpiAction', 'CryptoAction', 'QrAction'].map(schemaRef),
      { type: 'null' },
    ],
  },
  RedirectAction: redirect,
  ConfirmAction: confirm,
  UpiAction: upi,
  CryptoAction: crypto,
  QrAction: qr,
  Warning: object({
    field: text('The member of the body, such as `client.name`; `[hidden]` for a name that is not repeated.'),
    message: text('The reason for the warning.'),
  }),
  PaymentAnswer: object(
    {
      result: { type: 'string', const: 'OK' },
      paymentRequest: schemaRef('PaymentRequest'),
      action: schemaRef('Action'),
      warnings,
    },
    { optional: ['warnings'] },
  ),
};
