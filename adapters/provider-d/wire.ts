/** A call to D: a triple as a form; and its answer: a triple about what was asked, or an unsigned error. */
import {
  declineOf,
  formType,
  isSameMoney,
  misconfigured,
  nothingCharged,
  readAs,
  readJsonBody,
  unknown,
  v,
  writeForm,
  type AdapterContext,
  type HttpReply,
  type Money,
  type Outcome,
} from '@gateway/contract';
import type { Options } from './options.ts';
import { Message, moneyOf } from './order.ts';
import { readTriple, writeTriple, type Members } from './signing.ts';
import { declines } from './statuses.ts';

/** A triple is signed, and needs no other proof of who sends it. */
export function post(path: string, members: Members, { http, options }: AdapterContext<Options>): Promise<HttpReply> {
  const { keys, shop, terminal } = options;
  const triple = writeTriple(keys[0]!, { D_Shop: shop, D_Term: terminal, ...members });
  return http.send({ method: 'POST', path, headers: { 'Content-Type': formType }, body: writeForm(triple) });
}

const Triple = v.object({ d_ver: v.string(), d_data: v.string(), d_sig: v.string() });

/** The message of an answer; undefined where it is cut, not verified, or about another shop, terminal, order or sum. */
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

const ErrorBody = v.object({ d_error: v.string(), d_text: v.fallback(v.optional(v.string()), undefined) });

export function readError(reply: HttpReply): Partial<v.InferOutput<typeof ErrorBody>> {
  return readJsonBody(ErrorBody, reply) ?? {};
}

/** What an error answer to an order or a refund means: certainly nothing moved, a decline, or unknown. */
export function errorOutcome(reply: HttpReply): Outcome {
  const { d_error = '', d_text } = readError(reply);
  const named = `D answered ${reply.status} ${d_error}`.trimEnd();
  switch (`${reply.status} ${d_error}`) {
    case '401 bad_signature':
      return misconfigured(`${named}: check keys`);
    case '401 bad_shop':
      return misconfigured(`${named}: check shop and terminal`);
    case '422 not_payable':
      return { outcome: 'failed', ...declineOf(declines, d_error, d_text) };
    case '400 bad_member':
    case '500 not_started':
    case '503 closed':
      return nothingCharged(named);
    default:
      return reply.status === 429 ? nothingCharged(named) : unknown(named);
  }
}
