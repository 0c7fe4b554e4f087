/** Bodies of the endpoints that pay: one form per input kind. */
import { defined, isRequiredIn, toCountry, upiIds, type InputKind, type Payer } from '@paywright/contract';
import type { OrderInput, PayerInput } from '../../engine/payments/types/input.ts';
import type { PayerWay } from '../../engine/payments/types/pay-page.ts';
import { accept, createForm } from '../input/form.ts';
import type { FieldTable } from '../input/field-table.ts';
import type { FormValue } from '../input/form.ts';
import { anyText } from '../input/query.ts';
import type { Body } from '../input/read-body.ts';
import type { Warn } from '../../base/warnings.ts';
import { withoutCards } from '../input/free-text.ts';
import { warnOfUnknown } from '../input/unknown-members.ts';
import { orderFields } from '../payment-requests/fields.ts';
import { order, toOrderInput } from '../payment-requests/schema.ts';
import { readCard, readMemberCode, readUpiId } from './card.ts';
import { warnOfLeftOut } from './left-out.ts';
import { accountFields, cardFields, memberConfirmFields, payerFields, tokenFields, upiFields } from './fields.ts';

/** The fields of each input kind, in addition to the order fields of the h2h endpoints. */
const payerForms = {
  card: createForm({ ...payerFields, ...accountFields, ...cardFields }),
  billing: createForm({ ...payerFields, ...accountFields }),
  token: createForm({ ...payerFields, ...accountFields, ...tokenFields }),
  upi: createForm({ ...payerFields, ...accountFields, ...upiFields }),
} as const;

const memberConfirm = createForm(memberConfirmFields);

/** Endpoint 4, and the page's form for the code. */
export function readConfirmation(body: Body, warn: Warn = () => undefined): FormValue<typeof memberConfirmFields> {
  const [{ paymentId, code }] = accept(memberConfirm.read(body));
  warnOfUnknown(memberConfirm.fields, body, warn);
  return { paymentId, code: readMemberCode(code) };
}

export const payQuery = { transaction3dsId: anyText } as const;

/** Endpoints 1 and 7: the payment request sets the amount. Throws VAL001, VAL002, then PAY002 or UPI001. */
export function readPayerInput(kind: InputKind, body: Body, now: Date, warn: Warn = () => undefined): PayerInput {
  const form = payerForms[kind];
  const [given]: [Given] = accept(form.read(body));
  warnOfUnknown(form.fields, body, warn);
  warnOfLeftOut(kind, given, warn);
  return toPayerInput(kind, withoutCards(form.fields, given, { card: given.number, warn }), body, now);
}

/** The form of the payer's page has the same bounds. Each way to pay asks for its own fields. */
const pageForm = createForm(optional({ ...payerFields, ...cardFields, ...upiFields }));

/** The fields that a payer of this way has to fill in. */
export function pageFieldsOf({ instrument, fields }: Pick<PayerWay, 'instrument' | 'fields'>): readonly string[] {
  const instruments = { card: ['number', 'expiration', 'cvv'], upiId: ['upiId'] } as const;
  return [...(instrument ? instruments[instrument] : []), ...fields];
}

/** True for a field that may stay empty on the page, because addresses in this country are whole without it. */
export function isOptionalOnPage(field: string, country: string | undefined): boolean {
  if (field !== 'postalCode' && field !== 'state') return false;
  return country !== undefined && !isRequiredIn(toCountry(country), field);
}

/** Reads the payer's form. Throws like `readPayerInput`. Fields that the way does not ask for are ignored. */
export function readPagePayer(way: PayerWay, body: Readonly<Record<string, unknown>>, now: Date): PayerInput {
  const asked = pageFieldsOf(way);
  const own = Object.fromEntries(
    Object.entries(body).filter(([name]) => asked.includes(name) || name === 'ipAddress' || name === 'browserInfo'),
  );
  const country = typeof own['country'] === 'string' ? own['country'] : undefined;
  const empty = asked.filter((field) => own[field] === undefined);
  // Whether an address has a state depends on the country.
  const isUnknown = (field: string): boolean => field === 'state' && empty.includes('country');
  const missing = empty.filter((field) => !isUnknown(field) && !isOptionalOnPage(field, country));
  const [, read] = accept({ missing, wrong: [], value: undefined }, pageForm.read(own));
  // Adapters count on the fields of their way, and the API would pass them on empty.
  const blank = Object.fromEntries(empty.map((field) => [field, '']));
  const given = { ...read, ...blank };
  const upiId = way.method === 'upi_intent' || way.method === 'upi_qr' ? upiIds[way.method] : given.upiId;
  const values = { ...given, ...defined({ upiId }) };
  const rules = { card: given.number, warn: () => undefined };
  return toPayerInput(way.kind, withoutCards(pageForm.fields, values, rules), { ...own, ...blank }, now);
}

type Optional<T extends FieldTable> = { readonly [K in keyof T]: Omit<T[K], 'required'> };

function optional<const T extends FieldTable>(fields: T): Optional<T> {
  const entries = Object.entries(fields).map(([name, { required, ...bounds }]) => {
    void required;
    return [name, bounds] as const;
  });
  return Object.fromEntries(entries) as Optional<T>;
}

/** Endpoints 2, 3, 5 and 6. */
export function readH2hInput(
  kind: InputKind,
  body: Body,
  now: Date,
  warn: Warn,
): { readonly order: OrderInput; readonly input: PayerInput } {
  const form = payerForms[kind];
  const [payer, given]: [Given, FormValue<typeof orderFields>] = accept(form.read(body), order.read(body));
  warnOfUnknown({ ...form.fields, ...orderFields }, body, warn);
  warnOfLeftOut(kind, payer, warn);
  const rules = { card: payer.number, warn };
  return {
    order: toOrderInput(withoutCards(orderFields, given, rules)),
    input: toPayerInput(kind, withoutCards(form.fields, payer, rules), body, now),
  };
}

type GivenPayer = Partial<FormValue<typeof payerFields>> & Pick<FormValue<typeof payerFields>, 'ipAddress'>;
type Given = GivenPayer &
  Partial<
    FormValue<typeof accountFields> &
      FormValue<typeof cardFields> &
      FormValue<typeof tokenFields> &
      FormValue<typeof upiFields>
  >;

function toPayerInput(kind: InputKind, given: Given, body: Body, now: Date): PayerInput {
  const { number, expiration, cvv, token, upiId } = given;
  const { browserInfo, wallet, captureDelayHours, is3ds, isSandbox, providerAccount } = given;
  const isCard = number !== undefined && expiration !== undefined && cvv !== undefined;
  return {
    kind,
    payer: toPayer(given),
    ...(isCard && { card: readCard({ number, expiration, cvv }, now) }),
    ...(token !== undefined && { token }),
    ...(upiId !== undefined && { upiId: readUpiId(upiId) }),
    ...(browserInfo && { browserInfo }),
    ...(wallet && { wallet }),
    ...(captureDelayHours !== undefined && { captureDelayHours }),
    ...(is3ds !== undefined && { is3ds }),
    ...(isSandbox !== undefined && { isSandbox }),
    ...(providerAccount !== undefined && { providerAccount }),
    body,
  };
}

function toPayer(given: GivenPayer): Payer<never> {
  const { name, email, phoneNumber, address, city, state, postalCode, country, ipAddress } = given;
  return { ...defined({ name, email, phoneNumber, address, city, state, postalCode, country }), ipAddress };
}
