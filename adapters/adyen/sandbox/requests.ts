/**
 * Reads requests at Adyen's side: the caller's key, and the body by its schema. Everything else gets an error answer.
 */
import { filled, hash, jsonInteger, onlyHeader, readJsonObject, sameText, v } from '@paywright/contract';
import { isCardNumber, jsonReply, type Reply, type SandboxRequest } from '@paywright/contract/sandbox';
import type { Options } from '../options.ts';
import { Amount } from '../wire.ts';

const Text = v.string();

export const PaymentRequest = v.object({
  merchantAccount: Text,
  reference: v.pipe(filled, v.maxLength(80)),
  amount: Amount,
  paymentMethod: v.object({
    type: v.literal('scheme'),
    number: v.pipe(Text, v.check(isCardNumber, 'Invalid card number')),
    expiryMonth: v.pipe(Text, v.regex(/^\d{1,2}$/)),
    expiryYear: v.pipe(Text, v.regex(/^\d{4}$/)),
    cvc: v.pipe(Text, v.regex(/^\d{3,4}$/)),
    holderName: Text,
  }),
  captureDelayHours: v.pipe(jsonInteger(), v.minValue(0), v.maxValue(672)),
  authenticationData: v.object({
    attemptAuthentication: v.optional(v.picklist(['always', 'never'])),
    threeDSRequestData: v.object({ nativeThreeDS: v.literal('disabled') }),
  }),
  returnUrl: v.pipe(Text, v.url()),
  redirectFromIssuerMethod: v.literal('GET'),
});
export type PaymentRequest = v.InferOutput<typeof PaymentRequest>;

export const DetailsRequest = v.object({ details: v.object({ redirectResult: filled }) });
export const ModificationRequest = v.object({
  merchantAccount: Text,
  reference: v.pipe(filled, v.maxLength(80)),
  amount: v.optional(Amount),
});
export const MethodsRequest = v.object({ merchantAccount: Text });

type ErrorType = 'validation' | 'security' | 'internal';

export function errorReply(
  status: number,
  errorCode: string,
  message: string,
  errorType: ErrorType = 'validation',
): Reply {
  return jsonReply(status, { status, errorCode, message, errorType });
}

export const unauthorised: Reply = errorReply(401, '000', 'HTTP Status Response - Unauthorized', 'security');

export function isKnown(request: SandboxRequest, { apiKey }: Options): boolean {
  return sameText(onlyHeader(request, 'X-API-Key') ?? '', apiKey);
}

/** A POST that was read: its body, its idempotency key, and a fingerprint of its values. */
export interface Asked<T> {
  readonly body: T;
  readonly key: string;
  readonly values: string;
}

/** Reads a POST or returns its error answer. Checks key, form, account and types, in this order. */
export function readPost<T>(
  request: SandboxRequest,
  options: Options,
  schema: v.GenericSchema<unknown, T>,
): Asked<T> | { readonly refused: Reply } {
  if (!isKnown(request, options)) return { refused: unauthorised };
  const message = readJsonObject(request.body);
  if (!message) return { refused: errorReply(400, '702', 'Unable to parse message') };
  const account = message['merchantAccount'] ?? options.merchantAccount;
  if (account !== options.merchantAccount)
    return { refused: errorReply(403, '901', 'Invalid Merchant Account', 'security') };
  const read = v.safeParse(schema, message);
  if (!read.success)
    return {
      refused: errorReply(422, '100', `Required field '${v.getDotPath(read.issues[0]) ?? 'body'}' is not right`),
    };
  const values = hash('sha256', request.body).toString('base64');
  return { body: read.output, key: onlyHeader(request, 'Idempotency-Key') ?? values, values };
}
