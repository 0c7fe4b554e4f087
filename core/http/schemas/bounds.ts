/**
 * The fields of every body: the one table that schemas, tests and the OpenAPI document are made from. Lengths count
 * characters as Unicode does (code points), so a letter outside the basic plane is one; integers are bounded by value.
 */

interface Presence {
  readonly required?: true;
  /** null is taken, and means: no value. */
  readonly nullable?: true;
  /** Never repeated in an answer. */
  readonly hidden?: true;
}

export interface TextBounds extends Presence {
  /** `email`: an address in form; `url`: http or https. */
  readonly type: 'text' | 'email' | 'url';
  readonly min?: number;
  readonly max?: number;
}

export interface IntegerBounds extends Presence {
  readonly type: 'integer';
  readonly min: number;
  readonly max: number;
}

/** A JSON number of at most 15 significant digits, 0 or more; read into plain decimal text. */
export interface AmountBounds extends Presence {
  readonly type: 'amount';
  /** 0 is refused. */
  readonly positive?: true;
}

export interface BooleanBounds extends Presence {
  readonly type: 'boolean';
}

export interface ObjectBounds extends Presence {
  readonly type: 'object';
  readonly fields: FieldTable;
}

export type Bounds = TextBounds | IntegerBounds | AmountBounds | BooleanBounds | ObjectBounds;
export type FieldTable = Readonly<Record<string, Bounds>>;

const text = { type: 'text' } as const;
const nullableText = { type: 'text', nullable: true } as const;
const flag = { type: 'boolean' } as const;
const url = { type: 'url', nullable: true, max: 2048 } as const;

export const browserInfoFields = {
  acceptHeader: text,
  colorDepth: text,
  ip: text,
  javaEnabled: flag,
  javascriptEnabled: flag,
  language: text,
  screenHeight: text,
  screenWidth: text,
  timezone: text,
  userAgent: text,
} as const satisfies FieldTable;

export const walletFields = {
  walletType: text,
  authenticationValue: { type: 'text', hidden: true },
  xid: text,
  eci: text,
} as const satisfies FieldTable;

/** Payer and billing fields of every body that pays. */
export const payerFields = {
  name: { type: 'text', required: true, max: 100 },
  email: { type: 'email', required: true, max: 100 },
  phoneNumber: { type: 'text', required: true, min: 10, max: 14 },
  address: { type: 'text', required: true, max: 100 },
  city: { type: 'text', required: true, max: 50 },
  state: { type: 'text', required: true, min: 1 },
  postalCode: { type: 'text', required: true, max: 10 },
  country: { type: 'text', required: true, min: 2, max: 2 },
  ipAddress: nullableText,
  is3ds: flag,
  isSandbox: flag,
} as const satisfies FieldTable;

const browserInfo = { type: 'object', fields: browserInfoFields } as const;

export const cardFields = {
  number: { type: 'text', required: true, min: 8, max: 19, hidden: true },
  expiration: { type: 'text', required: true, min: 1 },
  cvv: { type: 'text', required: true, min: 3, max: 4, hidden: true },
  captureDelayHours: { type: 'integer', min: 0, max: 7 },
  browserInfo,
  wallet: { type: 'object', fields: walletFields, hidden: true },
} as const satisfies FieldTable;

export const tokenFields = {
  token: { type: 'text', required: true, min: 1, hidden: true },
  browserInfo,
} as const satisfies FieldTable;

export const upiFields = {
  upiId: { type: 'text', required: true, min: 1, hidden: true },
} as const satisfies FieldTable;

/** Of the h2h bodies and, with `originDomain` unbounded, of the payment request. */
export const orderFields = {
  amount: { type: 'amount', required: true },
  unit: { type: 'text', required: true, max: 20 },
  referenceId: { type: 'text', nullable: true, max: 100 },
  notifyUrl: url,
  successUrl: url,
  failureUrl: url,
  originDomain: { type: 'text', nullable: true, max: 2048 },
} as const satisfies FieldTable;

const clientFields = {
  name: text,
  email: { type: 'email' },
  address: text,
  phone: text,
  memberId: text,
} as const satisfies FieldTable;

/** What a merchant may say of a new payment request; every other member of the resource is ours. */
export const paymentRequestFields = {
  ...orderFields,
  originDomain: nullableText,
  recipientName: nullableText,
  payerCountry: { type: 'text', nullable: true, max: 100 },
  notes: { type: 'text', nullable: true, max: 512 },
  clientName: nullableText,
  clientEmail: nullableText,
  clientAddress: nullableText,
  clientPhone: nullableText,
  clientMemberId: nullableText,
  client: { type: 'object', fields: clientFields },
  targetAccountTypeId: { type: 'integer', min: 0, max: 3 },
  payerName: nullableText,
  payerEmail: nullableText,
} as const satisfies FieldTable;

export const memberConfirmFields = {
  paymentId: { type: 'text', required: true, min: 1, max: 100 },
  code: { type: 'text', required: true, min: 1, max: 100, hidden: true },
} as const satisfies FieldTable;

export const refundFields = {
  amount: { type: 'amount', positive: true },
} as const satisfies FieldTable;

/** Times of ISO 8601, for notifications to send again. */
export const resendFields = { from: text, to: text } as const satisfies FieldTable;

/** Names whose values are never repeated, wherever they stand. */
export const hiddenNames: ReadonlySet<string> = new Set(
  [cardFields, walletFields, tokenFields, upiFields, memberConfirmFields].flatMap((table: FieldTable) =>
    Object.entries(table).flatMap(([name, { hidden }]) => (hidden ? [name] : [])),
  ),
);
