/** What D answers to a call: a triple about what was asked, or an unsigned error. */
import {
  declineOf,
  formType,
  misconfigured,
  nothingCharged,
  readAs,
  readJsonObject,
  unknown,
  v,
  writeForm,
  type HttpReply,
  type HttpRequest,
  type Outcome,
} from '@gateway/contract';
import { Message } from './message.ts';
import type { Options } from './options.ts';
import { readTriple, writeTriple, type Members } from './signing.ts';
import { declines } from './words.ts';

/** A call to D: a triple as a form. Whoever signs it needs no other proof. */
export function post({ keys, shop, terminal }: Options, path: string, members: Members): HttpRequest {
  return {
    method: 'POST',
    path,
    headers: { 'Content-Type': formType },
    body: writeForm(writeTriple(keys[0]!, { D_Shop: shop, D_Term: terminal, ...members })),
  };
}

const Triple = v.object({ d_ver: v.string(), d_data: v.string(), d_sig: v.string() });

/** The message of an answer; undefined where it is cut, not proven, or about another shop, terminal or order. */
export function readAnswer(reply: HttpReply, reference: string, options: Options): Message | undefined {
  const triple = readAs(Triple, readJsonObject(reply.body));
  const data = triple && readTriple(triple, options);
  return typeof data === 'object' && data.order === reference ? readAs(Message, data.members) : undefined;
}

const ErrorBody = v.object({ d_error: v.string(), d_text: v.fallback(v.optional(v.string()), undefined) });

export function readError(reply: HttpReply): Partial<v.InferOutput<typeof ErrorBody>> {
  return readAs(ErrorBody, readJsonObject(reply.body)) ?? {};
}

/** What an error answer to an order or a refund means: certainly nothing moved, a decline, or unknown. */
export function errorOutcome(reply: HttpReply): Outcome {
  const { d_error: word = '', d_text } = readError(reply);
  const said = `D answered ${reply.status} ${word}`.trimEnd();
  switch (`${reply.status} ${word}`) {
    case '401 bad_signature':
      return misconfigured(`${said}: check keys`);
    case '401 bad_shop':
      return misconfigured(`${said}: check shop and terminal`);
    case '422 not_payable':
      return { outcome: 'failed', ...declineOf(declines, word, d_text) };
    case '400 bad_member':
    case '500 not_started':
    case '503 closed':
      return nothingCharged(said);
    default:
      return reply.status === 429 ? nothingCharged(said) : unknown(said);
  }
}
