/**
 * Reads the requests that the vault's side receives: checks the caller, then the body's schema. Anything else is an
 * error answer.
 */
import { onlyHeader, readJsonObject, sameText, v, webAddress } from '@paywright/contract';
import { jsonReply, type Reply, type SandboxRequest } from '@paywright/contract/sandbox';
import { Minor } from '../charge.ts';
import type { Options } from '../options.ts';

const Text = v.string();
const Filled = v.pipe(Text, v.nonEmpty());

export const ChargeRequest = v.object({
  mid: Text,
  ref: Filled,
  token: Filled,
  minor: Minor,
  cur: Text,
  auth3: v.picklist(['force', 'skip', 'auto']),
  payer: v.object({
    name: v.optional(Text),
    mail: v.optional(Text),
    phone: v.optional(Text),
    line: v.optional(Text),
    city: v.optional(Text),
    region: v.optional(Text),
    zip: v.optional(Text),
    country: v.optional(Text),
    ip: v.nullable(Text),
  }),
  browser: v.nullable(v.looseObject({})),
  back: webAddress,
});
export type ChargeRequest = v.InferOutput<typeof ChargeRequest>;

export const ResumeRequest = v.object({ mid: Text });

export const RefundRequest = v.object({ mid: Text, minor: Minor, cur: Text });

export function errorReply(status: number, code: string, more: Readonly<Record<string, unknown>> = {}): Reply {
  return jsonReply(status, { error: { code, ...more } });
}

export function invalid(field: string): Reply {
  return errorReply(400, 'invalid', { field });
}

export const notFound: Reply = errorReply(404, 'not_found');

/** The error answer for a caller without our API key. */
export function refuseCaller(request: SandboxRequest, { apiKey }: Options): Reply | undefined {
  const isKnown = sameText(onlyHeader(request, 'Authorization') ?? '', `Bearer ${apiKey}`);
  return isKnown ? undefined : errorReply(401, 'unauthorised');
}

/** Reads a POST or returns its error answer. Checks key, form, account and types, in this order. */
export function readPost<T extends { readonly mid: string }>(
  request: SandboxRequest,
  options: Options,
  schema: v.GenericSchema<unknown, T>,
): T | { readonly refused: Reply } {
  const refused = refuseCaller(request, options);
  if (refused) return { refused };
  const message = readJsonObject(request.body);
  const account = v.safeParse(ResumeRequest, message);
  if (account.success && account.output.mid !== options.merchantId) return { refused: errorReply(403, 'forbidden') };
  const read = v.safeParse(schema, message);
  return read.success ? read.output : { refused: invalid(v.getDotPath(read.issues[0]) ?? 'body') };
}
