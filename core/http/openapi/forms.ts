/** From the table of fields (`schemas/bounds.ts`) to JSON Schema, and what each field is for. */
import type { InputKind } from '@gateway/contract';
import type * as tables from '../schemas/bounds.ts';
import type { Bounds, FieldTable } from '../schemas/bounds.ts';
import { paymentRequest, resendSpan } from '../schemas/payment-requests.ts';
import { memberConfirm, order, payerForms, refund } from '../payments/schema.ts';
import { instant } from '../input/query.ts';
import type { JsonSchema } from './json-schema.ts';

/** What each field is for; a field of fields says so of itself, then of its own. */
type Notes<T extends FieldTable> = {
  readonly [K in keyof T]: T[K] extends { readonly fields: infer F extends FieldTable }
    ? readonly [string, Notes<F>]
    : string;
};
type Note = string | readonly [string, Readonly<Record<string, Note>>];

// Wider than the reader's own forms, so that every tool's regular expressions can read them.
const emailPattern = '^[^\\s@]+@[^\\s@]+$';
const urlPattern = '^[Hh][Tt][Tt][Pp][Ss]?://\\S+$';

function toFieldSchema(bounds: Bounds, note: Note): JsonSchema {
  const { type, nullable, hidden } = bounds;
  const [description, notes] = typeof note === 'string' ? [note, {}] : note;
  const common = { description, ...(hidden && { writeOnly: true }) };
  const orNull = <const T extends string>(name: T): T | readonly [T, 'null'] => (nullable ? [name, 'null'] : name);
  switch (type) {
    case 'boolean':
      return { type: orNull('boolean'), ...common };
    case 'integer':
      return { type: orNull('integer'), format: 'int32', minimum: bounds.min, maximum: bounds.max, ...common };
    case 'amount': {
      const least = bounds.positive ? { exclusiveMinimum: 0 } : { minimum: 0 };
      return { type: orNull('number'), format: 'double', ...least, ...common };
    }
    case 'object':
      return { ...toSchema(bounds.fields, notes), type: orNull('object'), ...common };
    case 'text':
    case 'email':
    case 'url': {
      const { min, max } = bounds;
      return {
        type: orNull('string'),
        ...(type === 'email' && { format: 'email', pattern: emailPattern }),
        ...(type === 'url' && { format: 'uri', pattern: urlPattern }),
        ...(min && { minLength: min }),
        ...(max !== undefined && { maxLength: max }),
        ...common,
      };
    }
  }
}

/** A body. Members that it does not name are ignored, so it allows them. */
function toFormSchema<T extends FieldTable>(
  { fields }: { readonly fields: T },
  notes: Notes<T>,
  description?: string,
): JsonSchema {
  return { ...toSchema(fields, notes), ...(description && { description }) };
}

function toSchema(fields: FieldTable, notes: Readonly<Record<string, Note>>): JsonSchema {
  const entries = Object.entries(fields).map(([name, bounds]) => [name, toFieldSchema(bounds, notes[name] ?? '')]);
  const required = Object.keys(fields).filter((name) => fields[name]?.required);
  return {
    type: 'object',
    properties: Object.fromEntries(entries) as Record<string, JsonSchema>,
    ...(required.length > 0 && { required }),
  };
}

const browserInfoNotes: Notes<typeof tables.browserInfoFields> = {
  acceptHeader: 'The `Accept` header of the payer’s browser.',
  colorDepth: 'Bits per pixel.',
  ip: 'The payer’s address, as the shop sees it.',
  javaEnabled: 'The browser runs Java.',
  javascriptEnabled: 'The browser runs JavaScript.',
  language: 'Such as `pt-PT`.',
  screenHeight: 'Pixels.',
  screenWidth: 'Pixels.',
  timezone: 'Minutes from UTC.',
  userAgent: 'The `User-Agent` header; `device`, `browser` and `osName` are read from it.',
};

const walletNotes: Notes<typeof tables.walletFields> = {
  walletType: 'The wallet’s name.',
  authenticationValue: 'The cryptogram.',
  xid: 'The transaction id that belongs to the cryptogram.',
  eci: 'The electronic commerce indicator.',
};

const payerNotes: Notes<typeof tables.payerFields> = {
  name: 'The payer’s name.',
  email: 'The payer’s e-mail address.',
  phoneNumber: 'With country code.',
  address: 'Street and number.',
  city: 'City.',
  state: 'State or region.',
  postalCode: 'Postal code.',
  country: 'ISO 3166 code of two letters.',
  ipAddress: 'The payer’s address.',
  is3ds: 'true demands 3D Secure, false asks the provider to skip it; absent leaves it to the provider.',
  isSandbox: 'true makes it a test payment, also with a live key. A test key makes none but test payments.',
};

const cardNotes: Notes<typeof tables.cardFields> = {
  number: 'Card number, digits that pass Luhn (else PAY002).',
  expiration: '`MM/YY`, a month not past (else PAY002).',
  cvv: 'Card verification value. Never kept.',
  captureDelayHours: 'Hours from authorisation to capture.',
  browserInfo: ['About the payer’s browser, for 3D Secure.', browserInfoNotes],
  wallet: ['The card comes out of a wallet.', walletNotes],
};

const tokenNotes: Notes<typeof tables.tokenFields> = {
  token: 'The card token.',
  browserInfo: cardNotes.browserInfo,
};

const upiNotes: Notes<typeof tables.upiFields> = {
  upiId: '`username@bankcode` (else UPI001).',
};

const amountNote =
  'At most 15 significant digits; exact, never rounded. The decimals that its currency has, once a provider is chosen.';

const orderNotes: Notes<typeof tables.orderFields> = {
  amount: amountNote,
  unit: 'The currency, ISO 4217 in capitals; with some providers a coin or a country.',
  referenceId: 'Yours; need not be unique.',
  notifyUrl: 'Where notifications go; else to the owner’s default address.',
  successUrl: 'Where the payer’s browser goes when it is paid.',
  failureUrl: 'Where the payer’s browser goes when it failed or expired.',
  originDomain: 'The shop’s domain.',
};

const clientNotes: Notes<typeof tables.paymentRequestFields.client.fields> = {
  name: 'The client’s name.',
  email: 'The client’s e-mail address: by it the client is found again.',
  address: 'The client’s address.',
  phone: 'The client’s phone number.',
  memberId: 'Your id of the client.',
};

const paymentRequestNotes: Notes<typeof tables.paymentRequestFields> = {
  ...orderNotes,
  recipientName: 'Who receives the money, for people.',
  payerCountry: 'Until a payer is known; then the payer’s.',
  notes: 'For people.',
  clientName: 'Beats `client.name`.',
  clientEmail: 'Beats `client.email`.',
  clientAddress: 'Beats `client.address`.',
  clientPhone: 'Beats `client.phone`.',
  clientMemberId: 'Beats `client.memberId`.',
  client: ['The client, found or made by e-mail.', clientNotes],
  targetAccountTypeId: '0 none; 1, 2, 3 are labels of your own.',
  payerName: 'The payer’s name, where it is known already.',
  payerEmail: 'The payer’s e-mail address; stands in for the client’s.',
};

const memberConfirmNotes: Notes<typeof tables.memberConfirmFields> = {
  paymentId: 'The `paymentId` of the pending answer’s action.',
  code: 'The code that the payer received.',
};

const refundNotes: Notes<typeof tables.refundFields> = {
  amount: 'What to give back; absent: all that is left.',
};

const resendNotes: Notes<typeof tables.resendFields> = {
  from: 'From when on they were made; absent: from the beginning.',
  to: 'Before when they were made; absent: now.',
};

const { card, billing, token, upi } = payerForms;
const ordering = <T extends FieldTable>({ fields }: { readonly fields: T }) => ({
  fields: { ...fields, ...order.fields },
});

/** The bodies by the names that they have in the document. */
export const forms = {
  CardPayment: toFormSchema(card, { ...payerNotes, ...cardNotes }),
  CardOrder: toFormSchema(ordering(card), { ...payerNotes, ...cardNotes, ...orderNotes }),
  BillingOrder: toFormSchema(ordering(billing), { ...payerNotes, ...orderNotes }),
  TokenOrder: toFormSchema(ordering(token), { ...payerNotes, ...tokenNotes, ...orderNotes }),
  UpiOrder: toFormSchema(ordering(upi), { ...payerNotes, ...upiNotes, ...orderNotes }),
  UpiPayment: toFormSchema(upi, { ...payerNotes, ...upiNotes }),
  MemberConfirmation: toFormSchema(memberConfirm, memberConfirmNotes),
  NewPaymentRequest: toFormSchema(
    paymentRequest,
    paymentRequestNotes,
    'Every other member of the payment request is set by the service, and ignored here.',
  ),
  Refund: toFormSchema(refund, refundNotes),
  ResendSpan: withPattern(toFormSchema(resendSpan, resendNotes), instant.schema),
} satisfies Record<string, JsonSchema>;
export type FormName = keyof typeof forms;

/** Every member is a text of this form as well. */
function withPattern(schema: JsonSchema, form: JsonSchema): JsonSchema {
  const properties = Object.entries(schema.properties ?? {}).map(([name, member]) => [name, { ...member, ...form }]);
  return { ...schema, properties: Object.fromEntries(properties) as Record<string, JsonSchema> };
}

/** The body of an h2h endpoint by the input kind of its provider. */
export const orderForms: Readonly<Record<InputKind, FormName>> = {
  card: 'CardOrder',
  billing: 'BillingOrder',
  token: 'TokenOrder',
  upi: 'UpiOrder',
};
