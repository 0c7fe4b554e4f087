/** The payment request as answers and notifications show it: each member's schema, and its value in the examples. */
import { declineReasons } from '@paywright/contract';
import {
  decimal,
  flag,
  instant,
  listOf,
  nullable,
  object,
  oneOf,
  schemaRef,
  text,
  whole,
} from '../openapi/json-schema.ts';
import type { JsonSchema } from '../openapi/json-schema.ts';
import { exampleAt, payer } from '../openapi/examples.ts';
import { paymentRequestFields } from './fields.ts';
import { methodCodes, providerCodes } from './codes.ts';

interface Shown<T> {
  readonly schema: JsonSchema;
  /** Its value in the example of a paid payment request. */
  readonly example: T;
  /** Its value before anything was done with the payment request. */
  readonly created: unknown;
}

function shown<T>(schema: JsonSchema, example: T, created: unknown = example): Shown<T> {
  return { schema, example, created };
}

/** A member that a merchant gave, or null. */
function asGiven<T>(name: keyof typeof paymentRequestFields, example: T, description = 'As given.'): Shown<T> {
  const bounds = paymentRequestFields[name];
  return shown(nullable(text(description, 'max' in bounds ? { maxLength: bounds.max } : {})), example);
}

const exampleId = 1790000010042;
/** 72 hours after it was made. */
const expiryExample = '2026-11-24T12:00:00.000Z';
const logCodes = Object.entries(declineReasons).map(([code, words]) => `${code} ${words}`);
const requestStatus = oneOf(
  '0 created, 1 pending, 2 paid, 3 failed, 4 refunded in full, 5 expired, or cancelled by the merchant.',
  [0, 1, 2, 3, 4, 5],
);
const transactionStatus = (of: string): JsonSchema =>
  oneOf(`${of}: 0 none yet, 1 pending, 2 succeeded, 3 failed.`, [0, 1, 2, 3]);
const providerCode = (of: string): JsonSchema => ({ ...providerCodes.schema, description: `${of}; 0: none.` });
const methodCode: JsonSchema = {
  ...methodCodes.schema,
  description:
    '0 none, 1 card, 2 card token, 3 UPI collect, 4 UPI intent, 5 UPI QR, 6 cryptocurrency, 7 hosted page, ' +
    '8 wallet card, 9 e-wallet redirect; others are reserved.',
};
const fromUserAgent = 'Read from `browserInfo.userAgent`.';

const logMembers = {
  id: shown(whole('Its id.'), exampleId * 1000 + 1),
  paymentRequestId: shown(whole('The payment request.'), exampleId),
  transactionId: shown(text('The provider’s reference.'), 'A-7H2K9Q'),
  transactionStatusId: shown(transactionStatus('What it came to'), 2),
  code: shown(text(`Empty, \`OUTCOME_UNKNOWN\`, \`DOUBLE_CHARGE\`, or a decline code: ${logCodes.join('; ')}.`), ''),
  message: shown(text('In words.'), 'succeeded'),
  payerCountry: shown(text('The payer’s.'), payer.country),
  paymentProviderId: shown(providerCode('The provider'), 11),
  paymentMethodId: shown(methodCode, 1),
  threeDs: shown(flag('A 3D Secure step was required.'), false),
  cardBin: shown(text('The first digits of the card.'), '411111'),
  cardLastDigits: shown(text('The last four digits of the card.'), '1111'),
  device: shown(text(fromUserAgent), ''),
  browser: shown(text(fromUserAgent), ''),
  osName: shown(text(fromUserAgent), ''),
  isFallback: shown(flag('The attempt was a fallback.'), false),
  isPendingFallback: shown(flag('That fallback is under way.'), false),
  createDate: shown(instant('When it happened.'), exampleAt),
} as const;

const clientMembers = {
  name: shown(text('Empty where it is not known.'), payer.name),
  email: shown(text('Empty where it is not known.'), payer.email),
  id: shown(whole('Its id.'), 301),
  ownerId: shown(whole('The merchant.'), 7),
  userId: shown(nullable(whole('Always null.')), null),
  ownerName: shown(text('The merchant’s name.'), 'Shop'),
  address: shown(text('Empty where it is not known.'), ''),
  phone: shown(text('Empty where it is not known.'), ''),
  memberId: shown(text('Your id of the client. Empty where it is not known.'), ''),
  hasPaymentRequests: shown(flag('It has any.'), true),
  totalDeposits: shown(decimal('All that was paid and not refunded, in the owner’s reporting currency.'), 25.9),
  createDate: shown(instant('When it was made.'), exampleAt),
} as const;

const logExample = valuesOf(logMembers);

const members = {
  id: shown(whole('Its id.'), exampleId),
  ownerId: shown(whole('The merchant.'), 7),
  userId: shown(nullable(whole('Always null.')), null),
  recipientName: asGiven('recipientName', null),
  amount: shown(decimal('What is asked for.'), 25.9),
  unit: shown(text('As given.', { maxLength: paymentRequestFields.unit.max }), 'EUR'),
  paymentRequestStatusId: shown(requestStatus, 2, 0),
  transactionId: shown(nullable(whole('Our number of the latest attempt.')), logExample.id, null),
  transactionNumber: shown(
    nullable(text('The provider’s reference of the latest attempt.')),
    logExample.transactionId,
    null,
  ),
  payerCountry: {
    ...asGiven('payerCountry', payer.country, 'The payer’s of the latest attempt, else as given.'),
    created: null,
  },
  referenceId: asGiven('referenceId', 'order-4711'),
  notes: asGiven('notes', null),
  link: shown(text('The payer’s page.', { format: 'uri' }), ''),
  createDate: shown(instant('When it was made.'), exampleAt),
  expiresAt: shown(
    nullable(
      instant('From then on nobody can begin to pay it, as given; null: a version that knew no such time made it.'),
    ),
    expiryExample,
  ),
  clientId: shown(whole('The client.'), clientMembers.id.example),
  clientName: asGiven('clientName', payer.name, 'As given, else the client’s.'),
  clientEmail: asGiven('clientEmail', payer.email, 'As given, else the client’s.'),
  clientAddress: asGiven('clientAddress', null, 'As given, else the client’s.'),
  clientPhone: asGiven('clientPhone', null, 'As given, else the client’s.'),
  clientMemberId: asGiven('clientMemberId', null, 'As given, else the client’s.'),
  client: shown(schemaRef('Client'), valuesOf(clientMembers)),
  notifyUrl: asGiven('notifyUrl', 'https://shop.example/payments'),
  successUrl: asGiven('successUrl', null),
  failureUrl: asGiven('failureUrl', null),
  transactionStatusId: shown(transactionStatus('The latest attempt'), 2, 0),
  targetAccountTypeId: shown(oneOf(paymentRequestFields.targetAccountTypeId.note, [0, 1, 2, 3]), 0),
  originDomain: asGiven('originDomain', null),
  chargedBack: shown(flag('A chargeback is open or lost.'), false),
  feeAmount: shown(nullable(decimal('Our fee. null until paid.')), 1.05, null),
  grossAmount: shown(nullable(decimal('What the payer paid. null until paid.')), 25.9, null),
  netAmount: shown(nullable(decimal('Gross less fee. null until paid.')), 24.85, null),
  receivedAmount: shown(
    nullable(
      decimal('Of a payment in coins: what came in so far, in `unit`. null: nothing came, or it is paid otherwise.'),
    ),
    null,
  ),
  exchangeRate: shown(nullable(decimal('Of the currency charged to `unit`; 1 when they are the same.')), 1, null),
  transactionCurrency: shown(
    nullable(text('The currency charged, ISO 4217 or a coin. null until submitted.')),
    'EUR',
    null,
  ),
  cardBin: shown(nullable(text('The first digits of the card.')), logExample.cardBin, null),
  cardLastDigits: shown(nullable(text('The last four digits of the card.')), logExample.cardLastDigits, null),
  device: shown(nullable(text(fromUserAgent)), null),
  browser: shown(nullable(text(fromUserAgent)), null),
  osName: shown(nullable(text(fromUserAgent)), null),
  kycApplicantId: shown(nullable(text('The query parameter `applicantId`.')), null),
  threeDs: shown(flag('A 3D Secure step was required, whatever its result.'), false),
  logMessage: shown(nullable(text('As in `lastLog`.')), logExample.message, null),
  logTransactionId: shown(nullable(text('As in `lastLog`.')), logExample.transactionId, null),
  logTransactionStatusId: shown(transactionStatus('As in `lastLog`'), 2, 0),
  logPayerCountry: shown(nullable(text('As in `lastLog`.')), logExample.payerCountry, null),
  logPaymentProviderId: shown(providerCode('As in `lastLog`'), 11, 0),
  paymentMethodId: shown(methodCode, 1, 0),
  paymentProviderId: shown(providerCode('The provider of the latest attempt'), 11, 0),
  logCreateDate: shown(instant('As in `lastLog`; `createDate` where there is none.'), exampleAt),
  lastLog: shown(
    {
      anyOf: [schemaRef('Log'), { type: 'object', maxProperties: 0 }],
      description: 'The last entry that counted; {} where there is none.',
    },
    logExample,
    {},
  ),
  logs: shown(
    listOf(schemaRef('Log'), 'What came of every submission, and every event that was applied; oldest first.'),
    [logExample],
    [],
  ),
  ftdTypeId: shown(oneOf('0 not determined, 1 the client’s first paid request, 2 a later one.', [0, 1, 2]), 1, 0),
  routeRuleId: shown(nullable(whole('The route rule that chose the provider.', 0)), null),
  payerName: asGiven('payerName', payer.name, 'As given, else the payer’s.'),
  payerEmail: asGiven('payerEmail', payer.email, 'As given, else the payer’s.'),
  isFallback: shown(flag('The latest attempt is a fallback to another provider.'), false),
  isPendingFallback: shown(flag('A fallback is under way.'), false),
  isSandbox: shown(flag('It is a test payment request, for good; false: live.'), true),
  isH2h: shown(flag('It was made by an h2h call.'), true, false),
  isDelayedApproval: shown(flag('It was paid by something later than the submission’s own answer.'), false),
  isPremiumCardBin: shown(flag('The card’s first digits are in the operator’s list.'), false),
} as const;

/** Every member of the resource, those of its client as `client.name`. */
export const memberNames: ReadonlySet<string> = new Set([
  ...Object.keys(members),
  ...Object.keys(clientMembers).map((name) => `client.${name}`),
]);

export const viewSchemas: Readonly<Record<string, JsonSchema>> = {
  PaymentRequest: object(schemasOf(members), {
    description: 'A payment request as it is now. A member without a value is null, `""`, 0, false or {}.',
  }),
  Client: object(schemasOf(clientMembers)),
  Log: object(schemasOf(logMembers)),
};

export type ViewExample = Values<typeof members>;

/** The payment request of the examples, paid. */
export function paidExample(publicUrl: string, id = exampleId): ViewExample {
  const log = { ...logExample, id: id * 1000 + 1, paymentRequestId: id };
  const link = `${publicUrl}/pay/${id}?k=Zm9yIHRoaXMgb25lIG9ubHk`;
  return { ...valuesOf(members), id, transactionId: log.id, link, lastLog: log, logs: [log] };
}

/** The same before any attempt. */
export function createdExample(publicUrl: string): Readonly<Record<string, unknown>> {
  const { id, link } = paidExample(publicUrl);
  const values = Object.entries(members).map(([name, { created }]) => [name, created]);
  return { ...Object.fromEntries(values), id, link };
}

/** The same while an attempt is pending. */
export function pendingExample(publicUrl: string): Readonly<Record<string, unknown>> {
  const view = paidExample(publicUrl);
  const log = { ...view.lastLog, transactionStatusId: 1, message: 'pending' };
  return {
    ...view,
    paymentRequestStatusId: 1,
    transactionStatusId: 1,
    feeAmount: null,
    grossAmount: null,
    netAmount: null,
    ftdTypeId: 0,
    logMessage: log.message,
    logTransactionStatusId: 1,
    lastLog: log,
    logs: [log],
  };
}

type Members = Readonly<Record<string, Shown<unknown>>>;
type Values<T extends Members> = { readonly [K in keyof T]: T[K]['example'] };

function valuesOf<T extends Members>(table: T): Values<T> {
  return Object.fromEntries(Object.entries(table).map(([name, { example }]) => [name, example])) as Values<T>;
}

function schemasOf(table: Members): Record<string, JsonSchema> {
  return Object.fromEntries(Object.entries(table).map(([name, { schema }]) => [name, schema]));
}
