/** E's side of the XML interface: requests by their form, replies, faults, notices. */
import {
  basicAuthorization,
  decimalsOf,
  isBasicOf,
  toMinor,
  v,
  writeXml,
  type Money,
  type XmlElement,
} from '@paywright/contract';
import { isCardNumber, wrongSecret, type Reply, type SandboxRequest, type Sending } from '@paywright/contract/sandbox';
import type { Options } from '../options.ts';
import { readDocument } from '../order.ts';
import { meanings } from '../statuses.ts';
import { declaration, namespace } from '../wire.ts';
import type { Step, Payment } from './payments.ts';
import { describeFault, type FaultCode, type ReplyFormat } from './reply-format.ts';

const Text = v.string();
export const Reference = v.pipe(Text, v.minLength(1));
const Sum = v.pipe(
  v.object({
    value: v.pipe(Text, v.regex(/^\d{1,18}$/)),
    cur: v.pipe(Text, v.regex(/^[A-Z]{3}$/)),
    exp: Text,
  }),
  v.check(({ cur, exp }) => exp === String(decimalsOf(cur))),
);

export const SubmitRequest = v.object({
  code: Reference,
  capture: v.pipe(Text, v.regex(/^\d{1,3}$/)),
  sum: Sum,
  card: v.object({
    number: v.pipe(Text, v.check(isCardNumber)),
    month: v.pipe(Text, v.regex(/^(0[1-9]|1[0-2])$/)),
    year: v.pipe(Text, v.regex(/^20\d\d$/)),
    cvv: Text,
  }),
  payer: v.object({ name: Text, email: Text, phone: Text, ip: v.optional(Text) }),
  address: v.object({ street: Text, city: Text, state: Text, postal: Text, country: Text }),
});

export const RefundRequest = v.object({ code: Reference, refund: Reference, sum: Sum });

/** True if the request has our user name and password. */
export function isKnown(request: SandboxRequest, { apiUser, apiPassword }: Options): boolean {
  return isBasicOf(request, apiUser, [apiPassword]);
}

/**
 * Reads the only order of a request by its schema, or names the fault. Checks password, XML, account and form, in this
 * order.
 */
export function readOrderRequest<T>(
  request: SandboxRequest,
  options: Options,
  name: 'submit' | 'refund',
  schema: v.GenericSchema<unknown, T>,
): { readonly order: T } | { readonly fault: FaultCode } {
  if (!isKnown(request, options)) return { fault: 'ACCESS' };
  const root = readDocument(request.body);
  if (root?.name !== name || !root.attributes.has('acct')) return { fault: 'BAD_REQUEST' };
  if (root.attributes.get('acct') !== options.account) return { fault: 'ACCESS' };
  const order = onlyChild(root, 'order');
  const parts =
    order && ['sum', 'card', 'payer', 'address'].map((part) => [part, attributesOf(onlyChild(order, part))]);
  const read = v.safeParse(schema, parts && { ...attributesOf(order), ...Object.fromEntries(parts) });
  return read.success ? { order: read.output } : { fault: 'BAD_REQUEST' };
}

function onlyChild({ children }: XmlElement, name: string): XmlElement | undefined {
  const found = children.filter((child) => child.name === name);
  return found.length === 1 ? found[0] : undefined;
}

function attributesOf(element: XmlElement | undefined): Readonly<Record<string, string>> | undefined {
  return element && Object.fromEntries(element.attributes);
}

function xmlReply(status: number, body: string): Reply {
  return { status, headers: { 'Content-Type': 'text/xml; charset=utf-8' }, body };
}

function writeSum({ amount, currency }: Money, dir: 'in' | 'out'): string {
  const value = toMinor({ amount, currency });
  return writeXml('sum', { value, cur: currency, exp: String(decimalsOf(currency)), dir });
}

function writeOrder({ reference, number }: Payment, results: readonly Step[], replayed = false): string {
  return writeXml(
    'order',
    { code: reference, txn: number, replayed: replayed ? 'yes' : undefined },
    ...results.map(({ providerStatus, seq, at, money, refusal }) =>
      writeXml(
        'result',
        { kind: providerStatus, seq: String(seq), at, why: refusal?.why, whyText: refusal?.text },
        writeSum(money, meanings.get(providerStatus)?.dir ?? 'in'),
      ),
    ),
  );
}

export function createXmlReplyFormat({ account }: Options): ReplyFormat {
  const reply = (order: string): Reply =>
    xmlReply(200, writeXml('pay:reply', { 'xmlns:pay': namespace, acct: account }, order));
  return {
    fault(code) {
      const { status, begun, text } = describeFault(code);
      return xmlReply(status, writeXml('pay:fault', { 'xmlns:pay': namespace, code, begun }, text));
    },
    payment: (payment, replayed) =>
      reply(writeOrder(payment, payment.history.filter(({ kind }) => kind === 'payment').slice(-1), replayed)),
    history: (payment) => reply(writeOrder(payment, payment.history)),
    refund: (payment, sent) => reply(writeOrder(payment, [sent])),
  };
}

const documentType = '<!DOCTYPE pay:notice PUBLIC "-//E//NOTICE 1//EN" "https://xml.provider-e.example/notice.dtd">';

/** A notice of one result at the moment of sending. */
export function writeNotice(payment: Payment, step: Step, options: Options, { forged }: Sending) {
  const { account, noticeUser, noticePasswords } = options;
  const password = forged ? wrongSecret(noticePasswords[0]!) : noticePasswords[0]!;
  const order = writeOrder(payment, [step]);
  return {
    headers: {
      'Content-Type': 'text/xml; charset=utf-8',
      Authorization: basicAuthorization(noticeUser, password),
    },
    body: `${declaration}\n${documentType}\n${writeXml('pay:notice', { 'xmlns:pay': namespace, acct: account }, order)}\n`,
  };
}
