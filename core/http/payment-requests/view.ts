/**
 * The payment request as answers and notifications show it: the schema of each member, and its value in the examples.
 */
import { declineReasons } from '@paywright/contract';
import { refundStatuses, type RefundStatus } from '../../engine/payments/types/refund-status.ts';
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
import { providerCodes } from './codes.ts';
import { enumRef, enumSchemas } from './enums.ts';

interface Shown<T> {
  readonly schema: JsonSchema;
  /** The value in the example of a paid payment request. */
  readonly example: T;
  /** The value of a new payment request. */
  readonly created: unknown;
}

function shown<T>(schema: JsonSchema, example: T, created: unknown = example): Shown<T> {
  return { schema, example, created };
}

/** A member with the value that the merchant gave, or null. Its description is that of the request, without others. */
function asGiven<T>(
  name: keyof typeof paymentRequestFields,
  example: T,
  description = `${paymentRequestFields[name].note} null: you gave none.`,
): Shown<T> {
  const bounds = paymentRequestFields[name];
  return shown(nullable(text(description, 'max' in bounds ? { maxLength: bounds.max } : {})), example);
}

const exampleId = 1790000010042;
/** 72 hours after the payment request was created. */
const expiryExample = '2026-11-24T12:00:00.000Z';
const logCodes = Object.entries(declineReasons).map(([code, words]) => `${code} ${words}`);
const providerCode = (of: string): JsonSchema => ({ ...providerCodes.schema, description: `${of}; 0: none.` });
const { note, min, max } = paymentRequestFields.targetAccountTypeId;
const accountType: JsonSchema = { type: 'integer', minimum: min, maximum: max, description: note };
const fromUserAgent = 'Read from `browserInfo.userAgent`.';

const logMembers = {
  id: shown(whole('Its id.'), exampleId * 1000 + 1),
  paymentRequestId: shown(whole('The payment request.'), exampleId),
  transactionId: shown(text('The provider’s reference.'), 'A-7H2K9Q'),
  transactionStatusId: shown(enumRef('TransactionStatus'), 2),
  code: shown(text(`Empty, \`OUTCOME_UNKNOWN\`, \`DOUBLE_CHARGE\`, or a decline code: ${logCodes.join('; ')}.`), ''),
  message: shown(text('In words.'), 'succeeded'),
  payerCountry: shown(text('The payer’s.'), payer.country),
  paymentProviderId: shown(providerCode('The provider'), 11),
  paymentMethodId: shown(enumRef('PaymentMethod'), 1),
  threeDs: shown(flag('A 3D Secure step was required.'), false),
  cardBin: shown(text('The first digits of the card.'), '411111'),
  cardLastDigits: shown(text('The last four digits of the card.'), '1111'),
  device: shown(text(fromUserAgent), ''),
  browser: shown(text(fromUserAgent), ''),
  osName: shown(text(fromUserAgent), ''),
  isFallback: shown(flag('The attempt was a fallback to another provider.'), false),
  isPendingFallback: shown(flag('The fallback is in progress.'), false),
  createDate: shown(instant('Time of the event.'), exampleAt),
} as const;

const clientMembers = {
  name: shown(text('Empty if not known.'), payer.name),
  email: shown(text('Empty if not known.'), payer.email),
  id: shown(whole('Its id.'), 301),
  ownerId: shown(whole('The merchant.'), 7),
  userId: shown(nullable(whole('Always null.')), null),
  ownerName: shown(text('The merchant’s name.'), 'Shop'),
  address: shown(text('Empty if not known.'), ''),
  phone: shown(text('Empty if not known.'), ''),
  memberId: shown(text('Your id of the client. Empty where it is not known.'), ''),
  hasPaymentRequests: shown(flag('True if the client has payment requests.'), true),
  totalDeposits: shown(decimal('Sum of everything paid and not refunded, in your reporting currency.'), 25.9),
  createDate: shown(instant('Time of creation.'), exampleAt),
} as const;

const refundMembers = {
  id: shown(
    text('Our id of the refund, also for a refund that was made at the provider. It never changes.'),
    `GW-${exampleId}-1-R1`,
  ),
  reference: shown(nullable(text('The provider’s reference. null: the provider gave none so far.')), 're_7H2K9Q'),
  amount: shown(decimal('The refunded amount, in `unit`. If a part of it came back, the rest.'), 5.1),
  status: shown<RefundStatus>(
    oneOf(
      'pending: in progress. needs_merchant: the provider cannot send the money, so you must. succeeded. failed: it failed before it succeeded. reversed: the money came back after it succeeded.',
      refundStatuses,
    ),
    'succeeded',
  ),
  failureReason: shown<string | null>(
    nullable(
      text('Why it failed, came back or needs you, in the provider’s words. null: it did not, or no reason is known.'),
    ),
    null,
  ),
  createDate: shown(
    nullable(
      instant(
        'Time of the request, or of the provider’s first report. null for refunds made before this member existed.',
      ),
    ),
    exampleAt,
  ),
  doneDate: shown(
    nullable(
      instant(
        'When the current result was known. null while it is pending, and for refunds made before this member existed.',
      ),
    ),
    exampleAt,
  ),
  charge: shown(
    whole('The charge that is refunded: 1, or 2 for the later charge of a payment that was charged twice.'),
    1,
  ),
} as const;

const logExample = valuesOf(logMembers);

const members = {
  id: shown(whole('Its id.'), exampleId),
  ownerId: shown(whole('The merchant.'), 7),
  userId: shown(nullable(whole('Always null.')), null),
  recipientName: asGiven('recipientName', null),
  amount: shown(decimal('The requested amount.'), 25.9),
  unit: shown(text('The currency, as you gave it.', { maxLength: paymentRequestFields.unit.max }), 'EUR'),
  paymentRequestStatusId: shown(enumRef('PaymentRequestStatus'), 2, 0),
  transactionId: shown(nullable(whole('Our number of the latest attempt.')), logExample.id, null),
  transactionNumber: shown(
    nullable(text('The provider’s reference of the latest attempt. It may change once, when the payment is charged.')),
    logExample.transactionId,
    null,
  ),
  payerCountry: {
    ...asGiven(
      'payerCountry',
      payer.country,
      'The payer’s country in the latest attempt, else the country that you gave.',
    ),
    created: null,
  },
  referenceId: asGiven('referenceId', 'order-4711'),
  notes: asGiven('notes', null),
  link: shown(text('The payer’s page.', { format: 'uri' }), ''),
  createDate: shown(instant('Time of creation.'), exampleAt),
  expiresAt: shown(
    nullable(
      instant('No new attempt can start after this time. null for payment requests made before this member existed.'),
    ),
    expiryExample,
  ),
  clientId: shown(whole('The client.'), clientMembers.id.example),
  clientName: asGiven('clientName', payer.name, 'The name that you gave with this payment request, else the client’s.'),
  clientEmail: asGiven(
    'clientEmail',
    payer.email,
    'The email address that you gave with this payment request, else the client’s.',
  ),
  clientAddress: asGiven(
    'clientAddress',
    null,
    'The address that you gave with this payment request, else the client’s.',
  ),
  clientPhone: asGiven(
    'clientPhone',
    null,
    'The phone number that you gave with this payment request, else the client’s.',
  ),
  clientMemberId: asGiven(
    'clientMemberId',
    null,
    'Your id of the client that you gave with this payment request, else the client’s.',
  ),
  client: shown(schemaRef('PaymentRequestClient'), valuesOf(clientMembers)),
  notifyUrl: asGiven('notifyUrl', 'https://shop.example/payments'),
  successUrl: asGiven('successUrl', null),
  failureUrl: asGiven('failureUrl', null),
  transactionStatusId: shown(enumRef('TransactionStatus', 'The result of the latest attempt.'), 2, 0),
  targetAccountTypeId: shown(accountType, 0),
  originDomain: asGiven('originDomain', null),
  chargedBack: shown(flag('A chargeback is open or lost.'), false),
  feeAmount: shown(nullable(decimal('The gateway’s fee. null until paid.')), 1.05, null),
  grossAmount: shown(nullable(decimal('The amount that the payer paid. null until paid.')), 25.9, null),
  netAmount: shown(nullable(decimal('Gross amount minus fee. null until paid.')), 24.85, null),
  receivedAmount: shown(
    nullable(
      decimal(
        'For a payment in coins: the amount received so far, in `unit`. null if nothing was received, or for other payments.',
      ),
    ),
    null,
  ),
  refundedAmount: shown(decimal('The sum of succeeded refunds of charge 1, in `unit`.'), 0),
  refundableAmount: shown(
    decimal(
      'What can still be refunded of charge 1, in `unit`: the paid amount minus refunds, also those in progress, and minus open or lost chargebacks.',
    ),
    25.9,
    0,
  ),
  disputedAmount: shown(decimal('What open and lost chargebacks of charge 1 hold, in `unit`.'), 0),
  refunds: shown(
    listOf(
      schemaRef('RefundEntry'),
      'Every refund: those that you requested, then those that were made at the provider.',
    ),
    [] as readonly RefundExample[],
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
  logTransactionStatusId: shown(enumRef('TransactionStatus', 'As in `lastLog`.'), 2, 0),
  logPayerCountry: shown(nullable(text('As in `lastLog`.')), logExample.payerCountry, null),
  logPaymentProviderId: shown(providerCode('As in `lastLog`'), 11, 0),
  paymentMethodId: shown(enumRef('PaymentMethod', 'How the payer paid in the latest attempt.'), 1, 0),
  paymentProviderId: shown(providerCode('The provider of the latest attempt'), 11, 0),
  providerAccount: shown(
    nullable(
      text(
        'The account at the provider, of the latest attempt: `<adapter>/<account>`. Before one: the account that you gave.',
      ),
    ),
    'acme/main',
    null,
  ),
  logCreateDate: shown(instant('As in `lastLog`; `createDate` where there is none.'), exampleAt),
  lastLog: shown(schemaRef('LastLog'), logExample, {}),
  logs: shown(
    listOf(schemaRef('Log'), 'The result of every submission, and every applied event; oldest first.'),
    [logExample],
    [],
  ),
  ftdTypeId: shown(enumRef('FirstDeposit'), 1, 0),
  routeRuleId: shown(nullable(whole('The route rule that chose the provider.', 0)), null),
  payerName: asGiven('payerName', payer.name, 'The name that you gave, else the payer’s name in the latest attempt.'),
  payerEmail: asGiven(
    'payerEmail',
    payer.email,
    'The email address that you gave, else the payer’s in the latest attempt.',
  ),
  isFallback: shown(flag('The latest attempt is a fallback to another provider.'), false),
  isPendingFallback: shown(flag('A fallback is in progress.'), false),
  isAuthorised: shown(
    flag(
      'The bank reserved the money, and you can capture or release it. false again while a capture or a cancellation is in progress.',
    ),
    false,
  ),
  isSandbox: shown(flag('true: a test payment request. false: live. This never changes.'), true),
  isH2h: shown(flag('The payment request was created by an h2h call.'), true, false),
  isDelayedApproval: shown(flag('The payment succeeded later than with the answer to its submission.'), false),
  isPremiumCardBin: shown(flag('The card’s first digits are in the operator’s list.'), false),
} as const;

/** Every member of the resource; members of its client as `client.name`. */
export const memberNames: ReadonlySet<string> = new Set([
  ...Object.keys(members),
  ...Object.keys(clientMembers).map((name) => `client.${name}`),
]);

export type RefundExample = Values<typeof refundMembers>;

/** The example of a refund of a part that succeeded. */
export const refundExample: RefundExample = valuesOf(refundMembers);

export const viewSchemas: Readonly<Record<string, JsonSchema>> = {
  ...enumSchemas,
  PaymentRequest: object(schemasOf(members), {
    description: 'A payment request as it is now. A member without a value is null, `""`, 0, false or {}.',
  }),
  PaymentRequestClient: object(schemasOf(clientMembers)),
  Log: object(schemasOf(logMembers)),
  LastLog: {
    type: 'object',
    properties: schemasOf(logMembers),
    description: 'The latest entry of `logs` that changed the status, with all its members; {} if there is none.',
  },
  RefundEntry: object(schemasOf(refundMembers), { description: 'A refund of a payment request.' }),
};

export type ViewExample = Values<typeof members>;

/** The example of a paid payment request. */
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
    refundableAmount: 0,
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
