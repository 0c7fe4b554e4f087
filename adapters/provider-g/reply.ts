/** What G answers to our requests: a proven 200, or an open error that says whether anything had begun. */
import {
  misconfigured,
  nothingCharged,
  readAs,
  readJsonObject,
  unknown,
  v,
  type HttpReply,
  type Outcome,
  type Provider,
} from '@gateway/contract';
import { aadOf, openBox } from './box.ts';
import type { Options } from './options.ts';
import { proveMessage } from './proof.ts';

const Answer = v.object({ ref: v.string(), box: v.looseObject({ aad: v.string() }) });

/** The plaintext of a 200 that is proven and about `ref`; undefined for anything else. */
export async function openReply(reply: HttpReply, ref: string, provider: Provider<Options>): Promise<unknown> {
  if (reply.status !== 200 || 'refused' in (await proveMessage(reply, provider))) return undefined;
  const { options } = provider;
  const answer = readAs(Answer, readJsonObject(reply.body));
  if (answer?.ref !== ref || answer.box.aad !== aadOf(options, ref)) return undefined;
  const { message } = openBox(options, answer.box) ?? {};
  return message?.['mid'] === options.merchantId ? message : undefined;
}

const ErrorBody = v.object({
  code: v.literal('FAIL'),
  reason: v.string(),
  begun: v.fallback(v.optional(v.boolean()), undefined),
});

/** A readable error; undefined for anything else, a 200 too. */
export function readError(reply: HttpReply): v.InferOutput<typeof ErrorBody> | undefined {
  return reply.status >= 400 ? readAs(ErrorBody, readJsonObject(reply.body)) : undefined;
}

/** The outcome of a request that got no proven 200: nothing charged only where G says that nothing had begun. */
export function errorOutcome(reply: HttpReply): Outcome {
  const error = readError(reply);
  if (error?.begun !== false) return unknown(`no proven answer of G, status ${reply.status}`);
  const reason = `G refused the request: ${error.reason}`;
  return reply.status === 401 ? misconfigured(reason) : nothingCharged(reason);
}
