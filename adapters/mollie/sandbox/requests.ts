/** Reads requests at Mollie's side: the key, then the message by its schema. Everything else gets an error answer. */
import { isExactAmount, onlyHeader, readAs, sameText, v, webAddress, type Money } from '@paywright/contract';
import { jsonReply, type Reply, type SandboxRequest } from '@paywright/contract/sandbox';
import type { Options } from '../options.ts';

const Text = v.pipe(v.string(), v.maxLength(255));
const Metadata = v.optional(v.record(v.string(), v.string()), {});
const Amount = v.pipe(
  v.strictObject({ currency: v.string(), value: v.string() }),
  v.transform(({ currency, value }): Money => ({ amount: value, currency })),
  v.check(isExactAmount, 'The amount contains an invalid value'),
);

export const PaymentRequest = v.strictObject({
  amount: Amount,
  description: Text,
  redirectUrl: webAddress,
  cancelUrl: v.optional(webAddress),
  webhookUrl: v.optional(webAddress),
  metadata: Metadata,
  method: v.optional(v.pipe(v.array(v.string()), v.minLength(1))),
  captureMode: v.optional(v.picklist(['automatic', 'manual'])),
});
const PartRequest = v.strictObject({ amount: Amount, description: v.optional(Text, ''), metadata: Metadata });
export { PartRequest as CaptureRequest, PartRequest as RefundRequest };
export const ReleaseRequest = v.strictObject({});

const titles: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized Request',
  404: 'Not Found',
  409: 'Conflict',
  422: 'Unprocessable Entity',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
};

export function errorReply(status: number, detail: string, field?: string): Reply {
  const _links = { documentation: { href: 'https://docs.mollie.com/errors', type: 'text/html' } };
  return jsonReply(status, { status, title: titles[status] ?? 'Error', detail, ...(field ? { field } : {}), _links });
}

export const noSuchPayment = errorReply(404, 'No payment exists with this token.');

/** The error answer for an unknown key. */
export function refuseCaller(request: SandboxRequest, { apiKey }: Options): Reply | undefined {
  const isKnown = sameText(onlyHeader(request, 'Authorization') ?? '', `Bearer ${apiKey}`);
  return isKnown ? undefined : errorReply(401, 'Missing authentication, or failed to authenticate');
}

/** The request and its key, or its error answer. */
export function readPost<S extends v.GenericSchema>(
  request: SandboxRequest,
  options: Options,
  schema: S,
): { readonly asked: v.InferOutput<S>; readonly key: string } | { readonly refused: Reply } {
  const refused = refuseCaller(request, options);
  if (refused) return { refused };
  const asked = readAs(schema, request.json());
  if (asked === undefined) return { refused: errorReply(422, 'The request is not of the documented form', 'amount') };
  return { asked, key: onlyHeader(request, 'Idempotency-Key') ?? '' };
}

export const trouble = {
  error: errorReply(500, 'Internal server error'),
  tooMany: errorReply(429, 'You have exceeded the rate limit. Please slow down your requests.'),
};

/** The answer to a repeated idempotency key. */
export const repeated = {
  again: (stored: Reply): Reply => ({ ...stored, headers: { ...stored.headers, 'Idempotent-Replayed': 'true' } }),
  busy: errorReply(409, 'The first request is still being processed'),
  differs: errorReply(400, 'The idempotency key was used with other parameters'),
  keep: ({ status }: Reply): boolean => status < 300,
};
