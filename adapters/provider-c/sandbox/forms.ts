/**
 * The messages that C writes: answers and server forms with a hash of every covered field, returns with a print of the
 * named fields.
 */
import { formType, utf8, writeForm, type CallbackReply } from '@paywright/contract';
import { wrongSecret, type Message, type Reply } from '@paywright/contract/sandbox';
import type { Fields } from '../wire.ts';
import { reverseHash } from '../signing.ts';
import { pagePrint } from '../callbacks/provider-chp.ts';
import { saidOf, type Payment, type Said, type Notify } from './payments.ts';

export function formReply(status: number, fields: Fields, headers: Readonly<Record<string, string>> = {}): Reply {
  return { status, headers: { 'Content-Type': formType, ...headers }, body: writeForm(fields) };
}

export function errorReply(status: number, error: string, headers?: Readonly<Record<string, string>>): Reply {
  return formReply(status, { c_error: error, c_text: error.replaceAll('_', ' ') }, headers);
}

type About = Pick<Payment, 'id' | 'account' | 'order'>;

function toMap(fields: Fields): Map<string, string> {
  return new Map(Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

/** A form of C, signed with this salt. The hash does not cover `more`. */
function signedFields({ id, account, order }: About, said: Said, more: Fields, salt: string): Fields {
  const { c_ref, c_total, ...rest } = order;
  const fields = {
    c_id: id,
    c_state: said.state,
    c_ref,
    c_total: said.total ?? c_total,
    c_key: account.key,
    ...rest,
    c_extra: said.extra,
    c_why: said.why,
    c_msg: said.msg,
    c_auth: said.auth,
    ...more,
  };
  return { ...fields, c_hash: reverseHash(toMap(fields), salt).toString('hex') };
}

/** An answer to the gateway's own request. */
export function answerReply(about: About, said: Said, more: Fields = {}): Reply {
  return formReply(200, signedFields(about, said, more, about.account.salts[0]!));
}

/** A server form. Its amount and state are those of the reported operation. */
export const notify: Notify = (payment, said, after, happens) => ({
  name: said.state,
  after,
  acknowledged: (reply) => isReceived(reply, payment.id),
  request: serverRequest(payment, payment.note, said, happens),
});

function isReceived({ status, body }: CallbackReply, id: string): boolean {
  return status === 200 && utf8(body) === `RECEIVED ${id}`;
}

/** Makes a new request for each sending. `happens` runs with the first. */
export function serverRequest(about: About, url: string, said: Said, happens?: () => void): Message['request'] {
  const [salt = ''] = about.account.salts;
  return ({ number, forged }) => {
    if (number === 1) happens?.();
    const body = writeForm(signedFields(about, said, {}, forged ? wrongSecret(salt) : salt));
    return { method: 'POST', url, headers: { 'Content-Type': formType }, body };
  };
}

/** The form that the payer's browser brings back from the hosted page, signed with this page secret. */
export function returnFields({ id, account, order }: About, said: Said, pageSecret?: string): Record<string, string> {
  const { c_ref, c_total } = order;
  const facts = { c_id: id, c_ref, c_total: said.total ?? c_total, c_state: said.state, c_key: account.key };
  const reasons = Object.fromEntries(toMap({ c_why: said.why, c_msg: said.msg }));
  const names = ['c_id', 'c_ref', 'c_total', 'secret', 'c_state', 'c_key', 'c_fields', ...Object.keys(reasons)];
  const fields = { ...facts, ...reasons, c_fields: names.join(',') };
  const print = pagePrint(toMap(fields), names, pageSecret ?? account.pageSecrets[0]!);
  return { ...fields, c_print: print.toString('hex') };
}

/** The fields of the payment's own return. */
export function ownReturn(payment: Payment): Record<string, string> {
  return returnFields(payment, saidOf(payment));
}
