/**
 * Reads the requests that B's side receives: the account, the forms of the fields, the control. Anything else is a
 * problem.
 */
import { contentType, isActiveCurrency, verifyWithAny, readHex, readMoney, toMinor, v } from '@paywright/contract';
import { isCardNumber, textReply, type Reply, type SandboxRequest } from '@paywright/contract/sandbox';
import { controlOf } from '../wire.ts';
import type { Options } from '../options.ts';
import { problems } from './answers.ts';

const Text = v.string();
const Filled = v.pipe(Text, v.minLength(1));
const Reference = v.pipe(Text, v.regex(/^[A-Z0-9-]{1,24}$/));
const Txn = v.pipe(Text, v.regex(/^\d{1,20}$/));
const Control = v.optional(Text, '');

export const SaleFields = v.object({
  gw_ref: Reference,
  total: Text,
  cur: Text,
  pan: v.pipe(Text, v.check(isCardNumber)),
  exp_month: v.pipe(Text, v.regex(/^(0[1-9]|1[0-2])$/)),
  exp_year: v.pipe(Text, v.regex(/^\d{4}$/)),
  cvv: v.pipe(Text, v.regex(/^.{3,4}$/su)),
  holder: Text,
  mail: Text,
  phone: Text,
  addr: Text,
  city: Text,
  region: Text,
  zip: Text,
  land: Text,
  ip: v.optional(Text),
  hook: v.pipe(
    Text,
    v.check((url) => /^https?:/.test(url) && URL.canParse(url)),
  ),
  control: Control,
});
export type SaleFields = v.InferOutput<typeof SaleFields>;

export const StatusFields = v.object({
  login: Text,
  gw_ref: Reference,
  b_txn: v.union([v.literal(''), Txn]),
  control: Control,
});
export const ConfirmFields = v.object({ login: Text, gw_ref: Reference, b_txn: Txn, code: Filled, control: Control });
export const ReturnFields = v.object({
  login: Text,
  gw_ref: Reference,
  b_txn: Txn,
  return_ref: v.pipe(Text, v.regex(/^[A-Z0-9-]{1,40}$/)),
  total: Text,
  cur: Text,
  note: Text,
  control: Control,
});

interface AnyFields {
  readonly control: string;
  readonly login?: string;
  readonly total?: string;
  readonly cur?: string;
}

/** A call that was read: its fields, and its amount in minor units. The amount is `0` if the call names none. */
export interface Asked<T> {
  readonly fields: T;
  readonly minor: string;
}

/** Reads a call or returns its answer. Checks form, endpoint, fields, login, money and control, in this order. */
export function readCall<T extends AnyFields>(
  request: SandboxRequest,
  endpoint: string,
  options: Options,
  schema: v.GenericSchema<unknown, T>,
  signed: (asked: Asked<T>) => readonly string[],
): Asked<T> | { readonly refused: Reply } {
  const form = contentType(request) === 'application/x-www-form-urlencoded' ? request.form() : undefined;
  if (!form) return { refused: textReply(400, 'not a form') };
  if (endpoint !== options.endpoint) return { refused: problems.unknownCaller };
  const read = v.safeParse(schema, Object.fromEntries(form));
  if (!read.success) return { refused: problems.field(v.getDotPath(read.issues[0]) ?? '') };
  const fields = read.output;
  const { login = options.login, total, cur } = fields;
  if (login !== options.login) return { refused: problems.unknownCaller };
  const minor = readMinor(total, cur);
  if (typeof minor !== 'string') return minor;
  const asked = { fields, minor };
  const given = readHex(fields.control, 20);
  const isSigned = verifyWithAny(options.controlKeys, given, (key) => controlOf(key, ...signed(asked))) !== undefined;
  return isSigned ? asked : { refused: problems.control };
}

/** An amount must have exactly the decimals of its currency. */
function readMinor(total: string | undefined, cur: string | undefined): string | { readonly refused: Reply } {
  if (total === undefined || cur === undefined) return '0';
  if (!/^[A-Z]{3}$/.test(cur)) return { refused: problems.field('cur') };
  if (!isActiveCurrency(cur)) return { refused: problems.currency };
  const read = readMoney(total, cur);
  return read?.amount === total ? toMinor(read) : { refused: problems.field('total') };
}
