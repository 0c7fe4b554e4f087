/** The fields of the bodies around the payment request. */
import type { FieldTable } from '../input/field-table.ts';

const nullableText = { type: 'text', nullable: true } as const;
const freeText = { ...nullableText, text: 'free' } as const;
const ownKey = { ...nullableText, text: 'own' } as const;
const url = { type: 'url', nullable: true, max: 2048 } as const;

/** Of the h2h bodies and, with `originDomain` unbounded, of the payment request. */
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
  referenceId: { ...ownKey, max: 100, note: 'Yours; need not be unique.' },
  notifyUrl: { ...url, note: 'Where notifications go; else to the owner’s default address.' },
  successUrl: { ...url, note: 'Where the payer’s browser goes when it is paid.' },
  failureUrl: { ...url, note: 'Where the payer’s browser goes when it failed or expired.' },
  originDomain: { ...nullableText, max: 2048, note: 'The shop’s domain.' },
} as const satisfies FieldTable;

const clientFields = {
  name: { type: 'text', text: 'free', note: 'The client’s name.' },
  email: { type: 'email', note: 'The client’s e-mail address: by it the client is found again.' },
  address: { type: 'text', text: 'free', note: 'The client’s address.' },
  phone: { type: 'text', note: 'The client’s phone number.' },
  memberId: { type: 'text', text: 'own', note: 'Your id of the client.' },
} as const satisfies FieldTable;

/** What a merchant may say of a new payment request; every other member of the resource is ours. */
export const paymentRequestFields = {
  ...orderFields,
  originDomain: { ...nullableText, note: orderFields.originDomain.note },
  recipientName: { ...freeText, note: 'Who receives the money, for people.' },
  payerCountry: { ...nullableText, max: 100, note: 'Until a payer is known; then the payer’s.' },
  notes: { ...freeText, max: 512, note: 'For people.' },
  clientName: { ...freeText, note: 'Beats `client.name`.' },
  clientEmail: { ...nullableText, note: 'Beats `client.email`.' },
  clientAddress: { ...freeText, note: 'Beats `client.address`.' },
  clientPhone: { ...nullableText, note: 'Beats `client.phone`.' },
  clientMemberId: { ...ownKey, note: 'Beats `client.memberId`.' },
  client: { type: 'object', fields: clientFields, note: 'The client, found or made by e-mail.' },
  targetAccountTypeId: { type: 'integer', min: 0, max: 3, note: '0 none; 1, 2, 3 are labels of your own.' },
  payerName: { ...freeText, note: 'The payer’s name, where it is known already.' },
  isSandbox: { type: 'boolean', note: 'true makes it a test payment request for good, also with a live key.' },
  payerEmail: { ...nullableText, note: 'The payer’s e-mail address; used where the client has none.' },
  expiresAt: {
    type: 'time',
    nullable: true,
    note: 'From when on nobody can begin to pay it: a time of ISO 8601 in the future, UTC unless it says otherwise. Absent: the operator’s usual time.',
  },
} as const satisfies FieldTable;

export const refundFields = {
  amount: { type: 'amount', positive: true, note: 'What to give back; absent: all that is left.' },
} as const satisfies FieldTable;

export const captureFields = {
  amount: { type: 'amount', positive: true, note: 'What to collect; absent: all that was authorised.' },
} as const satisfies FieldTable;
