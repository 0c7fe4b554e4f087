/** Requests to E, as XML orders or host-to-host tokens, and E's refusals. */
import {
  basicAuthorization,
  decimalsOf,
  misconfigured,
  nothingCharged,
  readAs,
  readJsonBody,
  refusedField,
  toMinor,
  unknown,
  v,
  writeXml,
  type AttemptFacts,
  type HttpReply,
  type HttpRequest,
  type Money,
  type Outcome,
  type StoredPayment,
} from '@paywright/contract';
import type { Context, Options } from './options.ts';
import { readDocument, readReply, type Order } from './order.ts';
import { readToken, writeToken, type Claims } from './signing.ts';
import { isTranRef } from './transaction.ts';

/** Maximum digits of an amount in minor units. */
export const MAX_DIGITS = 18;

/** Whether a payment uses the host-to-host interface. */
export function takesH2h({ isH2h }: AttemptFacts, { flow }: Options): boolean {
  return flow === 'auto' ? isH2h : flow === 'jws';
}

/**
 * Like `takesH2h`, unless E's data on the payment shows that `flow` was different then: a payment stays with its
 * interface.
 */
export function tookH2h(payment: StoredPayment, options: Options): boolean {
  const { action, providerReference } = payment;
  if (action?.type === 'confirm') return true;
  if (providerReference !== undefined && !isTranRef(providerReference)) return false;
  return takesH2h(payment, options);
}

/** E's answer to this request; or the reason why there is none, with E's own error if it sent one. */
export type Answer<T> = { readonly said: T } | { readonly failure: Failure };

export interface Failure {
  readonly status: number;
  readonly fault: Fault | undefined;
  readonly reason: string;
}

const Fault = v.object({ code: v.optional(v.string(), ''), begun: v.optional(v.string(), '') });
type Fault = v.InferOutput<typeof Fault>;
const JsonFault = v.object({ error: Fault });

/** Reads `<pay:fault code begun>`; undefined for any other answer. */
export function readXmlFault({ body }: HttpReply): Fault | undefined {
  const root = readDocument(body);
  return root?.name === 'fault' ? readAs(Fault, Object.fromEntries(root.attributes)) : undefined;
}

/** Reads `{ "error": { "code", "begun", "text" } }`; undefined for any other answer. */
export function readJsonFault(reply: HttpReply): Fault | undefined {
  return readJsonBody(JsonFault, reply)?.error;
}

function toFailure({ status }: HttpReply, fault: Fault | undefined): Failure {
  // A fault's text may repeat values that we sent.
  const code = /^[A-Z_]{1,32}$/.test(fault?.code ?? '') ? ` ${fault?.code}` : '';
  const unreadable = fault ? '' : ', and nothing readable about this payment';
  return { status, fault, reason: `E answered ${status}${code}${unreadable}` };
}

/** Nothing charged, or unknown: only a fault that says that nothing has begun is proof. */
export function failureOutcome({ fault, reason }: Failure): Outcome {
  if (fault?.begun !== 'no') return unknown(reason);
  // The fault names no field.
  if (fault.code === 'BAD_REQUEST') return refusedField('body', reason);
  return fault.code === 'ACCESS'
    ? misconfigured(`${reason}: check account, apiUser, apiPassword and h2hKeys`)
    : nothingCharged(reason);
}

export const namespace = 'urn:provider-e:pay:1';
export const declaration = '<?xml version="1.0" encoding="UTF-8"?>';

/** A message of one order; `parts` are its elements. */
export function orderMessage(
  root: 'submit' | 'refund',
  { account }: Options,
  order: Readonly<Record<string, string>>,
  ...parts: readonly string[]
): string {
  return (
    declaration + writeXml(`pay:${root}`, { 'xmlns:pay': namespace, acct: account }, writeXml('order', order, ...parts))
  );
}

/** `value` in minor units. The amount must fit its currency. */
export function writeSum(money: Money): string {
  const { currency } = money;
  return writeXml('sum', { value: toMinor(money), cur: currency, exp: String(decimalsOf(currency)) });
}

/** Sends a request about the payment's order: a GET without a message, otherwise a POST. */
export async function askByXml(
  { reference }: AttemptFacts,
  path: string,
  { http, options }: Context,
  message?: string,
): Promise<Answer<Order>> {
  const Authorization = basicAuthorization(options.apiUser, options.apiPassword);
  const request: HttpRequest =
    message === undefined
      ? { method: 'GET', path, headers: { Authorization } }
      : { method: 'POST', path, headers: { 'Content-Type': 'text/xml; charset=utf-8', Authorization }, body: message };
  const reply = await http.send(request);
  const order = reply.status === 200 ? readReply(reply.body, options.account, reference) : undefined;
  return order ? { said: order } : { failure: toFailure(reply, readXmlFault(reply)) };
}

/** Sends a token with these claims. */
export async function askByToken<T extends Claims>(
  { reference }: AttemptFacts,
  path: string,
  claims: Readonly<Record<string, unknown>>,
  schema: v.GenericSchema<unknown, T>,
  { http, options, now }: Context,
): Promise<Answer<T>> {
  const iat = Math.floor(now().getTime() / 1000);
  const reply = await http.send({
    method: 'POST',
    path,
    headers: { 'Content-Type': 'application/json' },
    body: writeToken(options.h2hKeys[0]!, { acct: options.account, inv: reference, ...claims, iat }),
  });
  if (reply.status !== 200) return { failure: toFailure(reply, readJsonFault(reply)) };
  const read = readToken(reply.body, schema, options, now());
  if (read.verdict === 'genuine') return { said: read.claims };
  return { failure: { status: 200, fault: undefined, reason: `the answer is ${read.verdict}: ${read.reason}` } };
}
