/**
 * Reads requests at Adyen's side: the caller's key, and the body by its schema. Everything else gets an error answer.
 */
import { filled, hash, jsonInteger, narrowCountry, onlyHeader, readJsonObject, sameText, v } from '@paywright/contract';
import { isCardNumber, jsonReply, type Reply, type SandboxRequest } from '@paywright/contract/sandbox';
import type { Options } from '../options.ts';
import { Amount } from '../wire.ts';

const Text = v.string();

const Whole = jsonInteger();
const Country = v.pipe(
  Text,
  v.check((code) => code === 'QZ' || (code !== 'XK' && narrowCountry(code) !== undefined)),
);

/** Every member is required. */
const Address = v.pipe(
  v.object({
    city: v.pipe(filled, v.maxLength(3000)),
    country: Country,
    houseNumberOrName: v.pipe(filled, v.maxLength(3000)),
    postalCode: v.pipe(filled, v.maxLength(10)),
    stateOrProvince: v.optional(v.pipe(Text, v.length(2))),
    street: v.pipe(filled, v.maxLength(3000)),
  }),
  v.forward(
    v.check(({ country, postalCode }) => country !== 'US' || postalCode.length <= 5),
    ['postalCode'],
  ),
  v.forward(
    v.check(({ country, stateOrProvince }) => !['US', 'CA'].includes(country) || stateOrProvince !== undefined),
    ['stateOrProvince'],
  ),
);

const Browser = v.object({
  acceptHeader: filled,
  colorDepth: Whole,
  javaEnabled: v.boolean(),
  javaScriptEnabled: v.optional(v.boolean()),
  language: filled,
  screenHeight: Whole,
  screenWidth: Whole,
  timeZoneOffset: Whole,
  userAgent: filled,
});

/** What Adyen demands of the shopper. Everything is optional and nothing may be empty. */
const shopper = {
  shopperEmail: v.optional(v.pipe(Text, v.regex(/^[!-?A-~]+@[!-?A-~]+$/))),
  shopperIP: v.optional(v.pipe(Text, v.ip())),
  telephoneNumber: v.optional(filled),
  countryCode: v.optional(Country),
  billingAddress: v.optional(Address),
  browserInfo: v.optional(Browser),
};

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
    holderName: v.optional(filled),
  }),
  ...shopper,
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
  if (!read.success) return { refused: refuseField(v.getDotPath(read.issues[0]) ?? 'body') };
  const values = hash('sha256', request.body).toString('base64');
  return { body: read.output, key: onlyHeader(request, 'Idempotency-Key') ?? values, values };
}

const codes: Readonly<Record<string, readonly [code: string, message: string]>> = {
  'paymentMethod.number': ['101', 'Invalid card number'],
  'paymentMethod.cvc': ['103', 'CVC is not the right length'],
  'paymentMethod.expiryMonth': ['140', 'Invalid expiryMonth[1..12] / expiryYear[>2000], or before now'],
  'paymentMethod.expiryYear': ['140', 'Invalid expiryMonth[1..12] / expiryYear[>2000], or before now'],
  'billingAddress.city': ['131', "Required field 'billingAddress.city' is not provided."],
  'billingAddress.street': ['132', "Required field 'billingAddress.street' is not provided."],
  'billingAddress.houseNumberOrName': ['133', "Required field 'billingAddress.houseNumberOrName' is not provided."],
  'billingAddress.country': ['134', 'Billing address problem (Country invalid)'],
  'billingAddress.stateOrProvince': ['135', "Required field 'billingAddress.stateOrProvince' is not provided."],
  countryCode: ['200', "Field 'countryCode' is not valid."],
};

/** Adyen names the field by a code or in the message. */
function refuseField(path: string): Reply {
  const [code, message] = codes[path] ?? ['100', `Required field '${path}' is not right`];
  return errorReply(422, code, message);
}
