/**
 * Reads the requests that C's side receives: form, account, hash, fields, in this order. Anything else is an error
 * answer.
 */
import { verifyWithAny, readHex, v } from '@paywright/contract';
import type { Reply, SandboxRequest } from '@paywright/contract/sandbox';
import { hasAll, readMessage, readTotal, type Form } from '../wire.ts';
import { callHash, forwardHash } from '../signing.ts';
import { accountNamed, type Account, type Options } from '../options.ts';
import { errorReply } from './forms.ts';

/** Accepts empty texts, because the gateway's bounds allow them. */
const Text = v.optional(v.string(), '');
const Filled = v.pipe(v.string(), v.minLength(1));
const Reference = v.pipe(v.string(), v.regex(/^[A-Z0-9-]{1,24}$/));
const Id = v.pipe(v.string(), v.regex(/^\d{1,20}$/));
const Address = v.pipe(
  v.string(),
  v.check((url) => /^https?:/.test(url) && URL.canParse(url)),
);

const order = {
  c_ref: Reference,
  c_total: Filled,
  c_item: Text,
  c_name: v.optional(Text, ''),
  c_mail: v.optional(Text, ''),
};
const own = { x1: Text, x2: Text, x3: Text, x4: Text, x5: Text };
const common = { ...order, ...own, c_sec: v.picklist(['auto', 'must', 'skip']), c_note: Address, c_back: Address };

export const PaymentFields = v.object({ ...common, c_pan: Filled, c_exp: Filled, c_cvv: Filled, c_3ds: Address });
export type PaymentFields = v.InferOutput<typeof PaymentFields>;
export const PageFields = v.object({ ...common, c_until: v.pipe(v.string(), v.regex(/^\d{1,12}$/)) });
export const CompleteFields = v.pipe(
  v.object({
    c_ref: Reference,
    c_id: Id,
    c_cres: v.optional(Filled),
    c_pares: v.optional(Filled),
    c_method: v.optional(v.literal('done')),
  }),
  v.check((fields) => endedSteps(fields).length === 1),
);
export const FindFields = v.object({ c_ref: Reference });
export const RefundFields = v.object({
  c_id: Id,
  c_ref: Reference,
  c_rref: v.pipe(v.string(), v.regex(/^[A-Z0-9-]{1,40}$/)),
  c_total: Filled,
});

function endedSteps(fields: { readonly [K in 'c_cres' | 'c_pares' | 'c_method']?: string | undefined }): string[] {
  return [fields.c_cres, fields.c_pares, fields.c_method].filter((value) => value !== undefined);
}

/** The account for the hash, with one of its salts. */
type Salted = Pick<Account, 'salts'>;
/** The hash that the call must carry, in hex. */
type HashOf = (account: Salted, form: Form) => string;

export const ofPayment: HashOf = (account, form) => forwardHash(account, Object.fromEntries(form));

const ofCall =
  (...names: readonly string[]): HashOf =>
  (account, form) =>
    callHash(account, ...names.map((name) => (name.startsWith('c_') ? (form.get(name) ?? '') : name)));

export const ofFind = ofCall('c_key', 'find', 'c_ref');
export const ofRefund = ofCall('c_key', 'refund', 'c_id', 'c_ref', 'c_rref', 'c_total');
export const ofComplete: HashOf = (account, form) => {
  const ended = ['c_cres', 'c_pares', 'c_method'].find((name) => form.has(name)) ?? 'c_cres';
  return ofCall('c_key', 'complete', 'c_ref', 'c_id', ended)(account, form);
};

export interface Call<T> {
  readonly fields: T;
  readonly account: Account;
  /** The total with the account's decimals; `0` if the call names no total. */
  readonly amount: string;
}

/** Reads a call or returns its error answer. */
export function readCall<T extends { readonly c_ref: string; readonly c_total?: string }>(
  request: SandboxRequest,
  options: Options,
  schema: v.GenericSchema<unknown, T>,
  hashOf: HashOf,
): Call<T> | { readonly refused: Reply } {
  const badField = { refused: errorReply(400, 'bad_field') };
  const form = readMessage(request);
  if (!form || !hasAll(form, ['c_key'])) return badField;
  const account = accountNamed(form.get('c_key'), options);
  if (!account) return { refused: errorReply(401, 'bad_key') };
  const given = readHex(form.get('c_hash') ?? '', 64);
  const isOurs =
    verifyWithAny(account.salts, given, (salt) => Buffer.from(hashOf({ salts: [salt] }, form), 'hex')) !== undefined;
  if (!isOurs) return { refused: errorReply(401, 'bad_hash') };
  const read = v.safeParse(schema, Object.fromEntries(form));
  if (!read.success) return badField;
  const amount = readTotal(read.output.c_total ?? '0', account.currency);
  return amount === undefined ? badField : { fields: read.output, account, amount };
}

/** Whether `MMYY` is the current or a later month, in UTC. */
export function isCurrent(expiry: string, now: Date): boolean {
  const [, month, year] = /^(0[1-9]|1[0-2])(\d\d)$/.exec(expiry) ?? [];
  return month !== undefined && Date.UTC(2000 + Number(year), Number(month)) > now.getTime();
}
