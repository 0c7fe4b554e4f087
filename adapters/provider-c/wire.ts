/** C's messages in both directions: forms, and totals in major units of an account's only currency. */
import { decimalsOf, formatAmount, readAmount, readForm, type RawCallback } from '@paywright/contract';

/** A form as it was read: decoded values, nothing trimmed. */
export type Form = ReadonlyMap<string, string>;

/** A form to write, in the order of its members. An undefined member is left out. */
export type Fields = Readonly<Record<string, string | undefined>>;

/** The fields of C's manual, none of which may occur twice. Other fields are ignored. */
const fieldNames = (
  'c_key c_ref c_total c_item c_name c_mail c_phone c_addr c_city c_region c_zip c_land c_ip x1 x2 x3 x4 x5 ' +
  'c_pan c_exp c_cvv c_hold c_sec c_browser c_wtype c_wauth c_wxid c_weci c_note c_back c_3ds c_until c_hash ' +
  'c_id c_state c_why c_msg c_auth c_extra c_step c_acs c_tds c_creq c_pareq c_cres c_pares c_method ' +
  'c_refunded c_disputed c_rref c_error c_text c_fields c_print'
).split(' ');

/** Reads an answer or a callback. Undefined if it is not a form, or one of C's fields occurs twice. */
export function readMessage(message: Pick<RawCallback, 'headers' | 'body'>): Form | undefined {
  return readForm(message, fieldNames);
}

/** The account that a form names, before the form is verified. */
export function namedAccount(message: Pick<RawCallback, 'headers' | 'body'>): string | undefined {
  return readMessage(message)?.get('c_key');
}

/** Whether none of these fields is missing or empty. */
export function hasAll(form: Form, names: readonly string[]): boolean {
  return names.every((name) => Boolean(form.get(name)));
}

/** Removes the separators of the hashes from the payer's text, because no value may hold them. */
export function withoutSeparators(text: string): string {
  return text.replace(/[|\r\n]/g, '/');
}

/** The maximum number of digits that C writes before the point. */
export const MAX_WHOLE_DIGITS = 15;

/** Whether C can write the amount. Core checks decimals and the form of the amount. */
export function isShort(amount: unknown): boolean {
  const [whole = ''] = readAmount(amount)?.split('.') ?? [];
  return whole.length <= MAX_WHOLE_DIGITS;
}

/**
 * Reads a total and spells it as its currency requires. C may write fewer decimals than the currency has, or zeros
 * beyond them. Undefined for other digits there, and for any other text.
 */
export function readTotal(total: string, currency: string): string | undefined {
  if (!/^\d{1,15}(\.\d{1,10})?$/.test(total)) return undefined;
  const beyond = (total.split('.')[1] ?? '').slice(decimalsOf(currency));
  return /[1-9]/.test(beyond) ? undefined : formatAmount({ amount: total, currency });
}
