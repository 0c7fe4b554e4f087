/** The fields of the bodies that pay. */
import type { FieldTable } from '../input/field-table.ts';

const browserInfoFields = {
  acceptHeader: { type: 'text', note: 'The `Accept` header of the payer’s browser.' },
  colorDepth: { type: 'text', note: 'Bits per pixel.' },
  ip: { type: 'text', note: 'The payer’s address, as the shop sees it.' },
  javaEnabled: { type: 'boolean', note: 'The browser runs Java. Default: false.' },
  javascriptEnabled: { type: 'boolean', note: 'The browser runs JavaScript.' },
  language: { type: 'text', note: 'Such as `pt-PT`. The first language of a list counts.' },
  screenHeight: { type: 'text', note: 'Pixels. A fraction is rounded.' },
  screenWidth: { type: 'text', note: 'Pixels. A fraction is rounded.' },
  timezone: { type: 'text', note: 'Minutes from UTC.' },
  userAgent: { type: 'text', note: 'The `User-Agent` header; `device`, `browser` and `osName` are read from it.' },
} as const satisfies FieldTable;

export const walletFields = {
  walletType: { type: 'text', note: 'The wallet’s name.' },
  authenticationValue: { type: 'text', hidden: true, note: 'The cryptogram.' },
  xid: { type: 'text', note: 'The transaction id that belongs to the cryptogram.' },
  eci: { type: 'text', note: 'The electronic commerce indicator.' },
} as const satisfies FieldTable;

/** Payer and billing fields of every body that pays. */
export const payerFields = {
  name: { type: 'text', text: 'free', required: true, max: 100, note: 'The payer’s name.' },
  email: { type: 'email', required: true, max: 100, note: 'The payer’s e-mail address.' },
  phoneNumber: {
    type: 'text',
    required: true,
    min: 10,
    max: 14,
    note: 'With country code. Providers get it without blanks, hyphens, dots, slashes and brackets.',
  },
  address: { type: 'text', text: 'free', required: true, max: 100, note: 'Street and number.' },
  city: { type: 'text', text: 'free', required: true, max: 50, note: 'City.' },
  state: { type: 'text', text: 'free', required: true, min: 1, note: 'State or region.' },
  postalCode: { type: 'text', required: true, max: 10, note: 'Postal code.' },
  country: {
    type: 'text',
    required: true,
    min: 2,
    max: 2,
    note: 'ISO 3166 code of two letters, or XK for Kosovo. Providers get capital letters, GB for UK, and GR for EL.',
  },
  ipAddress: {
    type: 'text',
    nullable: true,
    note: 'The payer’s IP address. A port and a zone are removed, and the first address of a list counts. Other text is left out, with a warning.',
  },
  is3ds: {
    type: 'boolean',
    note: 'true requires 3D Secure; false asks the provider to skip it. Default: the provider decides.',
  },
  isSandbox: {
    type: 'boolean',
    note: 'true creates a test payment, also with a live key. A test key always creates test payments.',
  },
  browserInfo: {
    type: 'object',
    schema: 'BrowserInfo',
    fields: browserInfoFields,
    note: 'About the payer’s browser: for 3D Secure, and for providers that lead a phone into an app. A member that cannot be read is left out, with a warning.',
  },
} as const satisfies FieldTable;

/** A member of the bodies that choose a provider. */
export const accountFields = {
  providerAccount: {
    type: 'text',
    min: 1,
    max: 81,
    note: 'The account at the provider: `<adapter>/<account>`, at h2h endpoints also `<account>`. Default: chosen by the operator’s rules. Ignored when an attempt is resumed.',
  },
} as const satisfies FieldTable;

export const cardFields = {
  number: {
    type: 'text',
    required: true,
    min: 8,
    max: 19,
    hidden: true,
    note: 'Card number; digits that pass the Luhn check (else PAY002).',
  },
  expiration: {
    type: 'text',
    required: true,
    min: 1,
    note: '`MM/YY`, or another spelling that means only one month (`1/30`, `01/2030`, `2030-01`, `0130`). A month not past (else PAY002): a card is valid until its month is over in every time zone.',
  },
  cvv: { type: 'text', required: true, min: 3, max: 4, hidden: true, note: 'Card verification value. Never stored.' },
  captureDelayHours: { type: 'integer', min: 0, max: 7, note: 'Hours from authorisation to capture.' },
  wallet: {
    type: 'object',
    schema: 'Wallet',
    fields: walletFields,
    hidden: true,
    note: 'Set if the card comes from a wallet.',
  },
} as const satisfies FieldTable;

export const tokenFields = {
  token: { type: 'text', required: true, min: 1, hidden: true, note: 'The card token.' },
} as const satisfies FieldTable;

export const upiFields = {
  upiId: { type: 'text', required: true, min: 1, hidden: true, note: '`username@bankcode` (else UPI001).' },
} as const satisfies FieldTable;

export const memberConfirmFields = {
  paymentId: {
    type: 'text',
    required: true,
    min: 1,
    max: 100,
    note: 'The `paymentId` of the pending answer’s action.',
  },
  code: {
    type: 'text',
    required: true,
    min: 1,
    max: 100,
    hidden: true,
    note: 'The code that the payer received. Blanks in it are removed.',
  },
} as const satisfies FieldTable;
