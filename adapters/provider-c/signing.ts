/** C's hashes: SHA-512 over decoded values joined by `|`, with the account's salt at one end. */
import { hash, verifyWithAny, readHex } from '@paywright/contract';
import type { Fields, Form } from './wire.ts';
import type { Account } from './options.ts';

const covered = ['c_key', 'c_ref', 'c_total', 'c_item', 'c_name', 'c_mail', 'x1', 'x2', 'x3', 'x4', 'x5'];

function hashOf(...values: readonly string[]): Buffer {
  return hash('sha512', values.join('|'));
}

/** The hash of a call in hex: the values that C names for it, then the salt. */
export function callHash({ salts }: Pick<Account, 'salts'>, ...values: readonly string[]): string {
  return hashOf(...values, salts[0]!).toString('hex');
}

/** The fields of a call about a payment that C has. Their hash starts with the name of the call. */
export function signCall(
  account: Pick<Account, 'key' | 'salts'>,
  name: 'complete' | 'find' | 'refund',
  fields: Readonly<Record<string, string>>,
): Fields {
  const { key } = account;
  return { c_key: key, ...fields, c_hash: callHash(account, key, name, ...Object.values(fields)) };
}

/** Signs a payment for C. The hash covers only `covered`: neither the card nor an address. */
export function forwardHash(account: Pick<Account, 'salts'>, fields: Fields): string {
  return callHash(account, ...covered.map((name) => fields[name] ?? ''));
}

/**
 * The hash with which C proves a form. The salt comes first and the fields backwards, so that a hash of our own proves
 * nothing here. It does not cover `c_id`, `c_why`, `c_msg`, `c_auth`, `c_refunded` and `c_disputed`.
 */
export function reverseHash(form: Form, salt: string): Buffer {
  const extra = form.get('c_extra');
  const fields = covered.map((name) => form.get(name) ?? '');
  return hashOf(...(extra ? [extra] : []), salt, form.get('c_state') ?? '', ...fields.toReversed());
}

/** Whether the form has the hash of one of the account's salts. */
export function isSentByC(form: Form, { salts }: Pick<Account, 'salts'>): boolean {
  return verifyWithAny(salts, readHex(form.get('c_hash') ?? '', 64), (salt) => reverseHash(form, salt)) !== undefined;
}
