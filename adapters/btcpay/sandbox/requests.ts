/**
 * Reads requests at the server's side: key and store, then the message by its schema. Everything else gets an error
 * answer.
 */
import {
  decimalText,
  filled,
  hasDecimals,
  jsonInteger,
  onlyHeader,
  readJsonObject,
  sameText,
  v,
  webAddress,
} from '@paywright/contract';
import { jsonReply, type Reply, type SandboxRequest } from '@paywright/contract/sandbox';
import type { Options } from '../options.ts';

const Currency = v.pipe(v.string(), v.check(hasDecimals, 'Invalid currency'));

export const InvoiceRequest = v.strictObject({
  amount: decimalText,
  currency: Currency,
  metadata: v.looseObject({ orderId: filled }),
  checkout: v.looseObject({
    expirationMinutes: v.pipe(jsonInteger(), v.minValue(1)),
    redirectURL: webAddress,
    redirectAutomatically: v.boolean(),
    paymentMethods: v.optional(v.array(v.string())),
    lazyPaymentMethods: v.optional(v.boolean()),
  }),
});

export const RefundRequest = v.strictObject({
  name: filled,
  description: v.string(),
  refundVariant: v.literal('Custom'),
  customAmount: decimalText,
  customCurrency: Currency,
});

export const MarkRequest = v.strictObject({ status: v.picklist(['Invalid', 'Settled']) });

export function refusal(status: number, code: string, message: string): Reply {
  return jsonReply(status, { code, message });
}

export function invalid(path: string, message: string): Reply {
  return jsonReply(422, [{ path, message }]);
}

/** An error answer if the key is not ours. */
export function refuseKey(request: SandboxRequest, { apiKey }: Options): Reply | undefined {
  const isKnown = sameText(onlyHeader(request, 'Authorization') ?? '', `token ${apiKey}`);
  return isKnown
    ? undefined
    : refusal(401, 'unauthenticated', 'Authentication is required for accessing this endpoint');
}

/** Like `refuseKey`; also refuses another store, because no key belongs to one. */
export function refuseCaller(request: SandboxRequest, store: string, options: Options): Reply | undefined {
  const message = 'Insufficient API Permissions.';
  return (
    refuseKey(request, options) ?? (store === options.storeId ? undefined : refusal(403, 'missing-permission', message))
  );
}

/** Reads a POST or returns its error answer. */
export function readPost<T>(
  request: SandboxRequest,
  store: string,
  options: Options,
  schema: v.GenericSchema<unknown, T>,
): { readonly asked: T } | { readonly refused: Reply } {
  const refused = refuseCaller(request, store, options);
  if (refused) return { refused };
  const read = v.safeParse(schema, readJsonObject(request.body));
  if (read.success) return { asked: read.output };
  const [issue] = read.issues;
  return { refused: invalid(v.getDotPath(issue) ?? '', issue.message) };
}
