/** E's side of the host-to-host interface: requests by their claims, replies, errors, callbacks. */
import { isActiveCurrency, jsonDecimal, jsonInteger, readMinor, v } from '@paywright/contract';
import {
  isCardNumber,
  jsonReply,
  wrongSecret,
  type Reply,
  type SandboxRequest,
  type Sending,
} from '@paywright/contract/sandbox';
import type { Options } from '../options.ts';
import { readToken, writeToken, type Claims, type H2hKey } from '../signing.ts';
import { envelope, toSum, toTranRef, TranRef } from '../transaction.ts';
import { MAX_DIGITS } from '../wire.ts';
import { latestOf, transactionsOf, type Step, type Payment } from './payments.ts';
import { describeFault, type FaultCode, type ReplyFormat } from './reply-format.ts';
import { Reference } from './xml-side.ts';

const Text = v.string();
const priced = { sum: jsonDecimal(), cur: v.pipe(Text, v.regex(/^[A-Z]{3}$/)) } as const;
const named = { ...envelope, inv: Reference } as const;

/** An amount must be one that its currency can express. */
function isExpressible(sum: string, cur: string): boolean {
  return readMinor({ amount: sum, currency: cur }, MAX_DIGITS) !== undefined || !isActiveCurrency(cur);
}

export const PaymentClaims = v.pipe(
  v.object({
    ...named,
    ...priced,
    card: v.object({
      no: v.pipe(Text, v.check(isCardNumber)),
      exp: v.pipe(Text, v.regex(/^(0[1-9]|1[0-2])\d\d$/)),
      cvv: Text,
    }),
    payer: v.object({ name: v.optional(Text), email: v.optional(Text), phone: v.optional(Text), ip: v.nullable(Text) }),
    addr: v.object({
      street: v.optional(Text),
      city: v.optional(Text),
      state: v.optional(Text),
      zip: v.optional(Text),
      country: v.optional(Text),
    }),
    delay: v.pipe(jsonInteger(), v.minValue(0)),
  }),
  v.check(({ sum, cur }) => isExpressible(sum, cur)),
);
export const ConfirmClaims = v.object({ ...named, tranRef: TranRef, code: Text });
export const StatusRequestClaims = v.object(named);
export const RefundClaims = v.pipe(
  v.object({ ...named, ...priced, tranRef: TranRef, refund: Reference }),
  v.check(({ sum, cur }) => isExpressible(sum, cur)),
);

/** Errors are not signed, so no key is needed. */
export function errorReply(code: FaultCode): Reply {
  const { status, begun, text } = describeFault(code);
  return jsonReply(status, { error: { code, begun, text } });
}

/** Reads and checks a token, or names its fault. */
export function readRequest<T extends Claims>(
  request: SandboxRequest,
  options: Options,
  schema: v.GenericSchema<unknown, T>,
): { readonly claims: T; readonly replyFormat: ReplyFormat } | { readonly fault: FaultCode } {
  const read = readToken(request.body, schema, options, new Date());
  switch (read.verdict) {
    case 'genuine':
      return { claims: read.claims, replyFormat: createH2hReplyFormat(options, read.key) };
    case 'invalid_signature':
    case 'stale':
      return { fault: 'ACCESS' };
    case 'malformed':
    case 'unreadable':
      return { fault: 'BAD_REQUEST' };
  }
}

const seconds = (): number => Math.floor(Date.now() / 1000);

/** The claims of a transaction except its numbers, in E's order. */
function saidOf({ providerStatus, money, refusal }: Step) {
  const [op = '', rc = ''] = providerStatus.split('/');
  return { op, sum: toSum(money), cur: money.currency, rc, why: refusal?.text ?? null };
}

function transactionOf({ number }: Payment, step: Step) {
  const orig = step.kind === 'payment' ? null : toTranRef(number);
  return { tranRef: toTranRef(step.tran), orig, ...saidOf(step) };
}

/** Answers with the key of the request. */
function createH2hReplyFormat({ account }: Options, key: H2hKey): ReplyFormat {
  const reply = ({ reference }: Payment, claims: Readonly<Record<string, unknown>>): Reply => ({
    status: 200,
    headers: { 'Content-Type': 'application/json' },
    body: writeToken(key, { acct: account, inv: reference, ...claims, iat: seconds() }),
  });
  return {
    fault: errorReply,
    payment: (payment) => reply(payment, { tranRef: toTranRef(payment.number), ...saidOf(latestOf(payment)!) }),
    history: (payment) =>
      reply(payment, { trans: transactionsOf(payment).map((step) => transactionOf(payment, step)) }),
    refund: (payment, sent) => reply(payment, transactionOf(payment, sent)),
  };
}

/**
 * A callback about one transaction at the moment of sending: it has a new time, so each delivery has a different token.
 */
export function writeCallback(payment: Payment, step: Step, options: Options, { forged }: Sending) {
  const [current] = options.h2hKeys;
  const key = forged ? { ...current!, secret: wrongSecret(current!.secret) } : current!;
  const claims = {
    acct: options.account,
    inv: payment.reference,
    ...transactionOf(payment, step),
    iat: seconds(),
  };
  return { headers: { 'Content-Type': 'application/json' }, body: writeToken(key, claims) };
}
