/** Our POSTs with their content in a box, and G's answers: a verified 200, or an unencrypted error. */
import {
  misconfigured,
  nothingCharged,
  readJsonBody,
  readJsonObject,
  refusedField,
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

/** A POST about `ref`. Its content is in a box with the nonce of the request. */
export function post(path: string, ref: string, content: unknown, ctx: Context): HttpRequest {
  const nonce = ctx.random(12);
  const box = closeBox(ctx.options, ref, nonce, stringifyExact(content));
  return signedRequest(path, ctx, nonce, JSON.stringify({ ref, box }));
}

export function chargePath(txn: string, below: 'complete' | 'refunds'): string {
  return `/v1/charges/${encodeURIComponent(txn)}/${below}`;
}

/** The content of a 200 that is verified and about `ref`; undefined for any other answer. */
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

/** A readable error; undefined for any other answer, including a 200. */
export function readError(reply: HttpReply): v.InferOutput<typeof ErrorBody> | undefined {
  return reply.status >= 400 ? readJsonBody(ErrorBody, reply) : undefined;
}

/** The outcome of a request without a verified 200. Nothing charged only if G says that nothing had begun. */
export function errorOutcome(reply: HttpReply): Outcome {
  const error = readError(reply);
  if (error?.begun !== false) return unknown(`G gave no verified answer, status ${reply.status}`);
  const reason = `G refused the request: ${error.reason}`;
  // The error names no field.
  if (reply.status === 400) return refusedField('body', reason);
  return reply.status === 401 ? misconfigured(reason) : nothingCharged(reason);
}
