/** Our POSTs, their content in a box, and what G answers: a verified 200, or an open error. */
import {
  misconfigured,
  nothingCharged,
  readJsonBody,
  readJsonObject,
  stringifyExact,
  unknown,
  v,
  type HttpReply,
  type HttpRequest,
  type Outcome,
} from '@paywright/contract';
import { closeBox, openBound } from './box.ts';
import type { Context } from './options.ts';
import { proveMessage, signedRequest } from './signing.ts';

/** A POST about `ref`, its content in a box that has the nonce of the request. */
export function post(path: string, ref: string, content: unknown, ctx: Context): HttpRequest {
  const nonce = ctx.random(12);
  const box = closeBox(ctx.options, ref, nonce, stringifyExact(content));
  return signedRequest(path, ctx, nonce, JSON.stringify({ ref, box }));
}

export function chargePath(txn: string, below: 'complete' | 'refunds'): string {
  return `/v1/charges/${encodeURIComponent(txn)}/${below}`;
}

/** The content of a 200 that is verified and about `ref`; undefined for anything else. */
export async function openReply(reply: HttpReply, ref: string, ctx: Context): Promise<unknown> {
  if (reply.status !== 200 || 'refused' in (await proveMessage(reply, ctx))) return undefined;
  const answer = readJsonObject(reply.body);
  const message = answer?.['ref'] === ref ? openBound(ctx.options, ref, answer['box']) : undefined;
  return message?.['mid'] === ctx.options.merchantId ? message : undefined;
}

const ErrorBody = v.object({
  code: v.literal('FAIL'),
  reason: v.string(),
  begun: v.fallback(v.optional(v.boolean()), undefined),
});

/** A readable error; undefined for anything else, a 200 too. */
export function readError(reply: HttpReply): v.InferOutput<typeof ErrorBody> | undefined {
  return reply.status >= 400 ? readJsonBody(ErrorBody, reply) : undefined;
}

/** The outcome of a request that got no verified 200: nothing charged only where G says that nothing had begun. */
export function errorOutcome(reply: HttpReply): Outcome {
  const error = readError(reply);
  if (error?.begun !== false) return unknown(`no verified answer of G, status ${reply.status}`);
  const reason = `G refused the request: ${error.reason}`;
  return reply.status === 401 ? misconfigured(reason) : nothingCharged(reason);
}
