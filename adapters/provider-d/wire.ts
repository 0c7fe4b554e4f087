/** A call to D: a triple as a form. Its answer: a triple about our request, or an unsigned error. */
import {
  declineOf,
  errorAnswers,
  formPost,
  isSameMoney,
  lenient,
  readAs,
  readJsonBody,
  v,
  type AdapterContext,
  type HttpReply,
  type Money,
} from '@paywright/contract';
import type { Options } from './options.ts';
import { Message, moneyOf } from './order.ts';
import { readTriple, writeTriple, type Members } from './signing.ts';
import { declines } from './statuses.ts';

/** The signature of a triple is the only proof of its sender. */
export function post(path: string, members: Members, { http, options }: AdapterContext<Options>): Promise<HttpReply> {
  const { keys, shop, terminal } = options;
  const triple = writeTriple(keys[0]!, { D_Shop: shop, D_Term: terminal, ...members });
  return http.send(formPost(path, triple));
}

const Triple = v.object({ d_ver: v.string(), d_data: v.string(), d_sig: v.string() });

/** The message of an answer. Undefined if it is cut, unverified, or about another shop, terminal, order or sum. */
export function readAnswer(
  reply: HttpReply,
  { reference, money }: { readonly reference: string; readonly money: Money },
  options: Options,
): Message | undefined {
  const triple = readJsonBody(Triple, reply);
  const data = triple && readTriple(triple, options);
  const message = typeof data === 'object' && data.order === reference ? readAs(Message, data.members) : undefined;
  return message && isSameMoney(moneyOf(message), money) ? message : undefined;
}

const ErrorBody = v.object({ d_error: v.string(), d_text: lenient(v.string()) });
const errorOf = (reply: HttpReply) => readJsonBody(ErrorBody, reply);

/** Only listed errors are certain. Any other error is unknown. */
export const errors = errorAnswers({
  provider: 'D',
  codeOf: (reply) => errorOf(reply)?.d_error,
  nothingCharged: ['500 not_started', '503 closed'],
  // The answer names no field.
  refusedField: ({ status }, code) => (status === 400 && code === 'bad_member' ? 'body' : undefined),
  misconfigured: { '401 bad_signature': 'keys', '401 bad_shop': 'shop and terminal' },
  declined: (reply, code) =>
    reply.status === 422 && code === 'not_payable' ? declineOf(declines, code, errorOf(reply)?.d_text) : undefined,
  refundRefused: ['422 too_much'],
});
