/** The fields of the bodies about payment requests. */
import type { FieldTable } from '../input/field-table.ts';

const nullableText = { type: 'text', nullable: true } as const;
const freeText = { ...nullableText, text: 'free' } as const;
const ownKey = { ...nullableText, text: 'own' } as const;
const url = { type: 'url', nullable: true, max: 2048 } as const;

const placeholders =
  'It may contain `{paymentRequestId}` and `{referenceId}`, which are replaced by their percent-encoded values.';

/** Fields of the h2h bodies. The payment request has them too, with an unbounded `originDomain`. */
export const orderFields = {
  amount: {
    type: 'amount',
    required: true,
    note:
      'At most 15 significant digits; exact, never rounded. The decimals that its currency has, once a provider is ' +
      'chosen.',
  },
  unit: {
    type: 'text',
    required: true,
    max: 20,
    note: 'The currency, ISO 4217 in capitals; with some providers a cryptocurrency (`BTC`) or a country.',
  },
  referenceId: { ...ownKey, max: 100, note: 'Your own reference. It need not be unique.' },
  notifyUrl: { ...url, note: 'The address for notifications. Default: your default address.' },
  successUrl: { ...url, note: `The page for the payer after a successful payment. ${placeholders}` },
  failureUrl: { ...url, note: `The page for the payer after a failed or expired payment. ${placeholders}` },
  originDomain: { ...nullableText, max: 2048, note: 'The shop’s domain.' },
} as const satisfies FieldTable;

const clientFields = {
  name: { type: 'text', text: 'free', note: 'The client’s name.' },
  email: { type: 'email', note: 'The client’s email address. It identifies the client.' },
  address: { type: 'text', text: 'free', note: 'The client’s address.' },
  phone: { type: 'text', note: 'The client’s phone number.' },
  memberId: { type: 'text', text: 'own', note: 'Your own id of the client.' },
} as const satisfies FieldTable;

/** The members that a merchant may set on a new payment request. The service sets all other members. */
export const paymentRequestFields = {
  ...orderFields,
  originDomain: { ...nullableText, note: orderFields.originDomain.note },
  recipientName: { ...freeText, note: 'The recipient of the money, as text for the payer.' },
  payerCountry: { ...nullableText, max: 100, note: 'The country until a payer is known; then the payer’s country.' },
  notes: {
    ...freeText,
    max: 512,
    note: 'What is paid for. The payer sees it on the page and in mails, and you see it in lists.',
  },
  clientName: { ...freeText, note: 'Takes precedence over `client.name`.' },
  clientEmail: { ...nullableText, note: 'Takes precedence over `client.email`.' },
  clientAddress: { ...freeText, note: 'Takes precedence over `client.address`.' },
  clientPhone: { ...nullableText, note: 'Takes precedence over `client.phone`.' },
  clientMemberId: { ...ownKey, note: 'Takes precedence over `client.memberId`.' },
  client: {
    type: 'object',
    schema: 'NewPaymentRequestClient',
    fields: clientFields,
    note: 'The client, identified by email address. Created if it does not exist.',
  },
  targetAccountTypeId: {
    type: 'integer',
    min: 0,
    max: 3,
    note: '0: none. 1, 2 and 3 are your own labels. The value is stored, and returned unchanged.',
  },
  providerAccount: {
    type: 'text',
    max: 81,
    note: 'The account at the provider for every attempt: `<adapter>/<account>`. Default: chosen by the operator’s rules.',
  },
  payerName: { ...freeText, note: 'The payer’s name, if known.' },
  isSandbox: {
    type: 'boolean',
    note: 'true creates a test payment request, also with a live key. This cannot be changed later.',
  },
  payerEmail: {
    ...nullableText,
    note: 'The payer’s email address. Used if the client has none. If in doubt, give `clientEmail` instead.',
  },
  expiresAt: {
    type: 'time',
    nullable: true,
    note: 'No new attempt can start after this time: ISO 8601, in the future, UTC unless it has an offset. Default: set by the operator.',
  },
} as const satisfies FieldTable;

export const refundFields = {
  amount: { type: 'amount', positive: true, note: 'The amount to refund. Default: everything refundable.' },
} as const satisfies FieldTable;

export const captureFields = {
  amount: { type: 'amount', positive: true, note: 'The amount to capture. Default: the whole authorised amount.' },
} as const satisfies FieldTable;
