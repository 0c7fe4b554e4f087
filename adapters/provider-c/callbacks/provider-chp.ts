/**
 * Callback `POST providerChp`: the payer's browser returns from C's page. The form itself names the fields that
 * `c_print` signs.
 */
import {
  acknowledgeBy,
  defineRoute,
  invalidSignature,
  genuine,
  hash,
  malformed,
  page,
  payPage,
  verifyWithAny,
  readHex,
  seeOther,
  toEventDecline,
} from '@paywright/contract';
import { accountNamed, type Options } from '../options.ts';
import { readEvent, type Callback } from '../payment.ts';
import { readRefusal } from '../statuses.ts';
import { hasAll, namedAccount, readMessage, type Form } from '../wire.ts';

const mustBeNamed = ['c_key', 'c_ref', 'c_total', 'c_state', 'c_fields', 'secret'];
const MAX_NAMES = 40;

/** The names in `c_fields`. Undefined if they cover too little, or if a name is repeated or has no field. */
function provenNames(form: Form): readonly string[] | undefined {
  const names = (form.get('c_fields') ?? '').split(',');
  const isRight =
    names.length <= MAX_NAMES &&
    new Set(names).size === names.length &&
    mustBeNamed.every((name) => names.includes(name)) &&
    names.every((name) => name === 'secret' || form.has(name));
  return isRight ? names : undefined;
}

/** The values of the named fields, one per line. The name `secret` means the page secret. */
export function pagePrint(form: Form, names: readonly string[], pageSecret: string): Buffer {
  return hash('sha256', names.map((name) => (name === 'secret' ? pageSecret : form.get(name))).join('\n'));
}

const answers = acknowledgeBy({
  accepted: page(404),
  invalid_signature: page(403),
  malformed: page(400),
  try_later: page(503),
});

export const pageReturn = defineRoute<Options, Callback>({
  path: 'providerChp',
  method: 'POST',
  caller: 'browser',
  reports: "the payer's return from the hosted page",
  contentTypes: ['application/x-www-form-urlencoded'],

  accountHint: namedAccount,

  verifySignature(raw, { options }) {
    const form = readMessage(raw);
    if (!form || !hasAll(form, ['c_key', 'c_ref', 'c_total', 'c_state'])) {
      return malformed('not a form, or a field is repeated or missing');
    }
    const account = accountNamed(form.get('c_key'), options);
    if (!account) return invalidSignature('another account');
    const names = provenNames(form);
    if (!names) return invalidSignature('c_fields');
    const print = readHex(form.get('c_print') ?? '', 32);
    if (verifyWithAny(account.pageSecrets, print, (secret) => pagePrint(form, names, secret)) === undefined)
      return invalidSignature('c_print');
    // A field that is not named is ignored.
    return genuine({ form: new Map([...form].filter(([name]) => names.includes(name))), account });
  },

  // The print covers `c_why` if `c_fields` names it.
  parseCallback({ value }) {
    const { form } = value;
    return readEvent(
      value,
      form.get('c_state') === 'failure' && form.has('c_why') ? toEventDecline(readRefusal(form)) : {},
    );
  },

  acknowledge({ outcome, verified }, { publicUrl }) {
    const answer = answers({ outcome });
    const address = answer.status === 404 ? payPage(publicUrl, verified?.value.form.get('c_ref') ?? '') : undefined;
    return address === undefined ? answer : seeOther(address);
  },
});
