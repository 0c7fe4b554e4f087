/** Calls to Mollie, its amounts, and the meaning of its error answers. */
import {
  errorAnswers,
  fieldNamed,
  filled,
  formatAmount,
  jsonInteger,
  jsonPost,
  lenient,
  readJsonBody,
  readMoney,
  v,
  type HttpReply,
  type HttpRequest,
  type InterfaceField,
  type Money,
} from '@paywright/contract';
import type { Options } from './options.ts';

export function get({ apiKey }: Options, path: string): HttpRequest {
  return { method: 'GET', path, headers: { Authorization: `Bearer ${apiKey}` } };
}

/** For an hour, Mollie answers a repetition under the same key with its first answer. */
export function post({ apiKey }: Options, path: string, message: object, key: string): HttpRequest {
  return jsonPost(path, message, { Authorization: `Bearer ${apiKey}`, 'Idempotency-Key': key });
}

/** An amount in Mollie's format: a string with exactly the decimals of the currency, as in ISO 4217. */
export function toAmount(money: Money) {
  return { currency: money.currency, value: formatAmount(money) };
}

/** Reads an amount of a message as money. */
export const Amount = v.pipe(
  v.object({ currency: v.string(), value: v.string() }),
  v.transform(({ currency, value }) => readMoney(value, currency)),
  v.custom<Money>((money) => money !== undefined, 'an exact amount'),
);

const ErrorBody = v.object({
  status: jsonInteger(),
  title: v.string(),
  detail: v.string(),
  field: lenient(filled),
});

/** An error in Mollie's own form: its body repeats the status of the answer. */
function errorOf(reply: HttpReply): v.InferOutput<typeof ErrorBody> | undefined {
  const error = readJsonBody(ErrorBody, reply);
  return error?.status === reply.status ? error : undefined;
}

/** Mollie has no error codes. Returns the field that an error names, or a name for its status. */
function codeOf(reply: HttpReply): string | undefined {
  const error = errorOf(reply);
  if (!error) return undefined;
  if (/duplicate refund/i.test(error.detail)) return 'duplicate_refund';
  return error.field ?? words[reply.status] ?? 'error';
}

const words: Readonly<Record<number, string>> = {
  400: 'bad_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
  410: 'gone',
  422: 'unprocessable',
  429: 'too_many_requests',
};

/** Fields by the names of Mollie's members. The payer's are asked for at Mollie's page. */
const fieldsByName: Readonly<Record<string, InterfaceField>> = {
  amount: 'amount',
  'amount.value': 'amount',
  'amount.currency': 'unit',
};

/** An error about a member of the request. Mollie refuses it before anything is charged. */
function refusedFieldOf(reply: HttpReply): InterfaceField | undefined {
  const field = reply.status === 422 ? errorOf(reply)?.field : undefined;
  return field === undefined ? undefined : (fieldNamed(fieldsByName, field) ?? 'body');
}

/** 400 and 409 may be about an earlier request under the same key; 5xx prove nothing. */
export const errors = errorAnswers({
  provider: 'Mollie',
  codeOf,
  nothingCharged: ['404 not_found', '409 duplicate_refund', '410 gone'],
  misconfigured: {
    '401 unauthorized': 'apiKey',
    '403 forbidden': 'apiKey, and the permissions of its profile',
    '422 redirectUrl': 'the public address of the gateway',
    '422 webhookUrl': 'the public address of the gateway: Mollie cannot reach it',
  },
  refusedField: refusedFieldOf,
  saysNothingCharged: (reply) => reply.status === 422 && errorOf(reply) !== undefined,
});
