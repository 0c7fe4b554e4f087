/** What answers and notifications show, written once. */
import { declineReasons } from '../../errors.ts';
import { methodCodes, providerCodes } from '../schemas/payment-requests.ts';
import { decimal, flag, instant, listOf, nullable, object, oneOf, schemaRef, text, whole } from './json-schema.ts';
import type { JsonSchema } from './json-schema.ts';

const requestStatus = oneOf(
  '0 created, 1 pending, 2 paid, 3 failed, 4 refunded in full, 5 expired, or cancelled by the merchant.',
  [0, 1, 2, 3, 4, 5],
);
const transactionStatus = (of: string): JsonSchema =>
  oneOf(`${of}: 0 none yet, 1 pending, 2 succeeded, 3 failed.`, [0, 1, 2, 3]);
const providerCode = (of: string): JsonSchema => ({
  ...providerCodes.schema,
  description: `${of}; 0: none.`,
});
const methodCode: JsonSchema = {
  ...methodCodes.schema,
  description:
    '0 none, 1 card, 2 card token, 3 UPI collect, 4 UPI intent, 5 UPI QR, 6 cryptocurrency, 7 hosted page, ' +
    '8 wallet card, 9 e-wallet redirect; others are reserved.',
};
const address = (description: string): JsonSchema => text(description, { format: 'uri' });

const logCodes = Object.entries(declineReasons).map(([code, words]) => `${code} ${words}`);

export const resources: Readonly<Record<string, JsonSchema>> = {
  PaymentRequest: object(
    {
      id: whole('Its id.'),
      ownerId: whole('The merchant.'),
      userId: nullable(whole('Always null.')),
      recipientName: nullable(text('As given.')),
      amount: decimal('What is asked for.'),
      unit: text('As given.', { maxLength: 20 }),
      paymentRequestStatusId: requestStatus,
      transactionId: nullable(whole('Our number of the latest attempt.')),
      transactionNumber: nullable(text('The provider’s reference of the latest attempt.')),
      payerCountry: nullable(text('The payer’s of the latest attempt, else as given.', { maxLength: 100 })),
      referenceId: nullable(text('As given.', { maxLength: 100 })),
      notes: nullable(text('As given.', { maxLength: 512 })),
      link: address('The payer’s page.'),
      createDate: instant('When it was made.'),
      clientId: whole('The client.'),
      clientName: nullable(text('As given, else the client’s.')),
      clientEmail: nullable(text('As given, else the client’s.')),
      clientAddress: nullable(text('As given, else the client’s.')),
      clientPhone: nullable(text('As given, else the client’s.')),
      clientMemberId: nullable(text('As given, else the client’s.')),
      client: schemaRef('Client'),
      notifyUrl: nullable(text('As given.', { maxLength: 2048 })),
      successUrl: nullable(text('As given.', { maxLength: 2048 })),
      failureUrl: nullable(text('As given.', { maxLength: 2048 })),
      transactionStatusId: transactionStatus('The latest attempt'),
      targetAccountTypeId: oneOf('0 none; 1, 2, 3 are labels of your own.', [0, 1, 2, 3]),
      originDomain: nullable(text('As given.')),
      chargedBack: flag('A chargeback is open or lost.'),
      feeAmount: nullable(decimal('Our fee. null until paid.')),
      grossAmount: nullable(decimal('What the payer paid. null until paid.')),
      netAmount: nullable(decimal('Gross less fee. null until paid.')),
      exchangeRate: nullable(decimal('Of the currency charged to `unit`; 1 when they are the same.')),
      transactionCurrency: nullable(text('The currency charged, ISO 4217 or a coin. null until submitted.')),
      cardBin: nullable(text('The first digits of the card.')),
      cardLastDigits: nullable(text('The last four digits of the card.')),
      device: nullable(text('Read from `browserInfo.userAgent`.')),
      browser: nullable(text('Read from `browserInfo.userAgent`.')),
      osName: nullable(text('Read from `browserInfo.userAgent`.')),
      kycApplicantId: nullable(text('The query parameter `applicantId`.')),
      threeDs: flag('A 3D Secure step was asked for, whatever its result.'),
      logMessage: nullable(text('As in `lastLog`.')),
      logTransactionId: nullable(text('As in `lastLog`.')),
      logTransactionStatusId: transactionStatus('As in `lastLog`'),
      logPayerCountry: nullable(text('As in `lastLog`.')),
      logPaymentProviderId: providerCode('As in `lastLog`'),
      paymentMethodId: methodCode,
      paymentProviderId: providerCode('The provider of the latest attempt'),
      logCreateDate: instant('As in `lastLog`; `createDate` where there is none.'),
      lastLog: {
        anyOf: [schemaRef('Log'), { type: 'object', maxProperties: 0 }],
        description: 'The last entry that counted; {} where there is none.',
      },
      logs: listOf(schemaRef('Log'), 'What came of every submission, and every event that was applied; oldest first.'),
      ftdTypeId: oneOf('0 not determined, 1 the client’s first paid request, 2 a later one.', [0, 1, 2]),
      routeRuleId: nullable(whole('The route rule that chose the provider.', 0)),
      payerName: nullable(text('As given, else the payer’s.')),
      payerEmail: nullable(text('As given, else the payer’s.')),
      isFallback: flag('The latest attempt is a fallback to another provider.'),
      isPendingFallback: flag('A fallback is under way.'),
      isH2h: flag('It was made by an h2h call.'),
      isDelayedApproval: flag('It was paid by something later than the submission’s own answer.'),
      isPremiumCardBin: flag('The card’s first digits are in the operator’s list.'),
    },
    { description: 'A payment request as it stands. A member without a value is null, `""`, 0, false or {}.' },
  ),

  Client: object({
    name: text('Empty where it is not known.'),
    email: text('Empty where it is not known.'),
    id: whole('Its id.'),
    ownerId: whole('The merchant.'),
    userId: nullable(whole('Always null.')),
    ownerName: text('The merchant’s name.'),
    address: text('Empty where it is not known.'),
    phone: text('Empty where it is not known.'),
    memberId: text('Your id of the client. Empty where it is not known.'),
    hasPaymentRequests: flag('It has any.'),
    totalDeposits: decimal('All that was paid and not refunded, in the owner’s reporting currency.'),
    createDate: instant('When it was made.'),
  }),

  Log: object({
    id: whole('Its id.'),
    paymentRequestId: whole('The payment request.'),
    transactionId: text('The provider’s reference.'),
    transactionStatusId: transactionStatus('What it came to'),
    code: text(`Empty, \`OUTCOME_UNKNOWN\`, \`DOUBLE_CHARGE\`, or a decline code: ${logCodes.join('; ')}.`),
    message: text('In words.'),
    payerCountry: text('The payer’s.'),
    paymentProviderId: providerCode('The provider'),
    paymentMethodId: methodCode,
    threeDs: flag('A 3D Secure step was asked for.'),
    cardBin: text('The first digits of the card.'),
    cardLastDigits: text('The last four digits of the card.'),
    device: text('Read from `browserInfo.userAgent`.'),
    browser: text('Read from `browserInfo.userAgent`.'),
    osName: text('Read from `browserInfo.userAgent`.'),
    isFallback: flag('The attempt was a fallback.'),
    isPendingFallback: flag('That fallback is under way.'),
    createDate: instant('When it happened.'),
  }),

  Action: {
    description: 'What the payer must do next.',
    oneOf: ['RedirectAction', 'ConfirmAction', 'UpiAction', 'CryptoAction'].map(schemaRef),
    discriminator: {
      propertyName: 'type',
      mapping: {
        redirect: '#/components/schemas/RedirectAction',
        confirm: '#/components/schemas/ConfirmAction',
        upi: '#/components/schemas/UpiAction',
        crypto: '#/components/schemas/CryptoAction',
      },
    },
  },
  RedirectAction: object(
    {
      type: { type: 'string', const: 'redirect' },
      method: oneOf('How the payer’s browser goes there.', ['GET', 'POST']),
      url: address('Where the payer’s browser goes.'),
      fields: {
        type: 'object',
        additionalProperties: { type: 'string' },
        description: 'Members of the form to post, in this order; only with POST.',
      },
      transactionId: text('The `transaction3dsId` of a 3D Secure step.'),
    },
    { optional: ['fields', 'transactionId'], description: 'Send the payer’s browser on.' },
  ),
  ConfirmAction: object(
    { type: { type: 'string', const: 'confirm' }, paymentId: text('For `POST /payments/cardMemberConfirm/{id}`.') },
    { description: 'Ask the payer for the member code that the bank sent.' },
  ),
  UpiAction: object(
    {
      type: { type: 'string', const: 'upi' },
      mode: oneOf('`collect`: the payer confirms in the app; `intent`: open `link`; `qr`: show `text` as a QR code.', [
        'collect',
        'intent',
        'qr',
      ]),
      link: text('Opens the payer’s app.'),
      text: text('What the QR code says.'),
      expiry: instant('Until when.'),
    },
    { optional: ['link', 'text'], description: 'Let the payer confirm in the UPI app.' },
  ),
  CryptoAction: object(
    {
      type: { type: 'string', const: 'crypto' },
      address: text('Where to send the coins.'),
      coin: text('Which coin.'),
      amount: text('How much, decimal text in the coin’s major unit.'),
      network: text('On which network.'),
      expiry: instant('Until when.'),
      memo: text('To be sent along.'),
    },
    { optional: ['memo'], description: 'Let the payer send coins.' },
  ),

  PaymentAnswer: object({
    result: { type: 'string', const: 'OK' },
    paymentRequest: schemaRef('PaymentRequest'),
    action: {
      anyOf: [schemaRef('Action'), { type: 'null' }],
      description: 'What the payer must do next; null: nothing.',
    },
  }),
  PaymentRequestList: object({
    items: listOf(schemaRef('PaymentRequest'), 'Newest first.'),
    nextCursor: nullable(text('The `cursor` of the next page; null: this was the last.')),
  }),
};
