/** Explains each kind of error: its meaning, the remedy, and the content of `details`. */
import { declineReasons } from '@paywright/contract';
import type { HttpConfig } from '../deps.ts';
import { formatSeconds } from './durations.ts';
import type { ErrorKind } from '../../base/errors.ts';
import { currentVersion, deprecatedVersion } from '../middleware/versions.ts';
import { listOf, object, oneOf, schemaRef, text, whole } from './json-schema.ts';
import type { JsonSchema } from './json-schema.ts';

/** Message and example of `details` are realistic for a merchant. */
interface Explanation {
  readonly meaning: string;
  readonly cure: string;
  readonly details: JsonSchema;
  readonly message: string;
  readonly example: Readonly<Record<string, unknown>>;
}

const noDetails: JsonSchema = { type: 'object', maxProperties: 0 };
const nothing = { details: noDetails, example: {} } as const;

const declineCodes = Object.keys(declineReasons).toSorted();
const cardCodes = declineCodes.filter((code) => !code.startsWith('U'));
const upiCodes = declineCodes.filter((code) => code.startsWith('U'));
const reasonsOf = (codes: readonly string[]): string =>
  codes.map((code) => `${code} ${declineReasons[code as keyof typeof declineReasons]}`).join('; ');

/** A wrong field, in the list of all of them. */
export const fieldError = object({
  field: text('Its name; nested ones as `browserInfo.colorDepth`. `body` and names of headers too.'),
  value: { description: 'As sent, or `"[hidden]"`.' },
  message: text('What it must be.'),
});

export type Explanations = Readonly<Record<ErrorKind, Explanation>>;

export function explainErrors({ bodyLimitBytes, rateLimitPerMinute, delivery }: HttpConfig): Explanations {
  return {
    UNAUTHORIZED: {
      meaning: 'The key is missing, unknown, revoked, expired or of the other environment; or a Bearer token was sent.',
      cure: 'Send a valid key in `X-API-Key`.',
      message: 'the API key is missing: send it in the header X-API-Key',
      ...nothing,
    },
    FORBIDDEN: {
      meaning: 'The key lacks the scope that the call needs.',
      cure: 'Use a key with that scope.',
      message: 'the API key lacks the scope payments:write',
      ...nothing,
    },
    VALIDATION_ERROR: {
      meaning: 'Required fields are missing. Checked before wrong ones.',
      cure: 'Send all required fields.',
      message: 'required fields are missing: email',
      details: object({ missingFields: listOf({ type: 'string' }, 'The names of all missing fields.') }),
      example: { missingFields: ['email'] },
    },
    INVALID_FORMAT: {
      meaning:
        'A field, header or parameter is invalid, or the body is not a JSON object. Or the provider refuses the value ' +
        'of a field; then `details.paymentRequestId` names the failed payment request, and nothing was charged.',
      cure: 'Fix the fields listed in `details.errors`.',
      message: 'country: must have at most 2 characters',
      details: object({
        field: fieldError.properties!['field']!,
        value: fieldError.properties!['value']!,
        errors: listOf(schemaRef('FieldError'), 'All that is wrong; the first is in `field` and `value` as well.'),
      }),
      example: {
        field: 'country',
        value: 'PRT',
        errors: [{ field: 'country', value: 'PRT', message: 'must have at most 2 characters' }],
      },
    },
    CARD_DECLINED: {
      meaning: 'The issuer declined the payment, or a risk rule did. The payment request is failed.',
      cure: 'Try another card. The payment request can be paid again.',
      message: 'the issuer declined the payment: insufficient funds',
      details: object({
        declineCode: oneOf(`${reasonsOf(cardCodes)}.`, cardCodes),
        declineReason: text('The code in words.'),
      }),
      example: { declineCode: '51', declineReason: 'insufficient funds' },
    },
    INVALID_CARD: {
      meaning:
        'The card cannot be charged at all: number, expiration, or cvv. Or the member code is wrong (`field` is `code`).',
      cure: 'Ask the payer to check the input.',
      message: 'number fails the Luhn check',
      details: object({
        field: oneOf('The invalid field.', ['number', 'expiration', 'cvv', 'code']),
        reason: text('In words.'),
      }),
      example: { field: 'number', reason: 'fails the Luhn check' },
    },
    THREEDS_FAILED: {
      meaning: 'The payer did not pass 3D Secure. The payment request is failed.',
      cure: 'Let the payer try again.',
      message: '3D Secure failed',
      details: object({
        threeDsResult: text('The provider’s result, else `N`.'),
        acsResponse: text('The issuer’s message; may be empty.'),
      }),
      example: { threeDsResult: 'N', acsResponse: '' },
    },
    PAYMENT_NOT_PAYABLE: {
      meaning:
        'The state of the payment request does not allow the call, or no provider accepts it. If its payer can still ' +
        'finish an open step, `details.until` names the time from which the call is possible.',
      cure: 'Read the payment request. The message names the obstacle.',
      message: 'only a payment request that is created or failed can be paid',
      details: object(
        { until: text('From then on another attempt is possible: ISO 8601.', { format: 'date-time' }) },
        { optional: ['until'] },
      ),
      example: {},
    },
    PROVIDER_UNAVAILABLE: {
      meaning: 'No provider could process the payment. Nothing was charged.',
      cure: 'Try again, with the same `Idempotency-Key` if you like.',
      message: 'the provider could not process the payment; nothing was charged',
      ...nothing,
    },
    INVALID_UPI_ID: {
      meaning: 'The UPI id is not of the form `username@bankcode`.',
      cure: 'Ask the payer to check the input.',
      message: 'upiId must be of the form username@bankcode',
      details: object({
        upiId: { type: 'string', const: '[hidden]', description: 'Never repeated.' },
        expectedFormat: { type: 'string', const: 'username@bankcode', description: 'The form.' },
      }),
      example: { upiId: '[hidden]', expectedFormat: 'username@bankcode' },
    },
    UPI_TRANSACTION_FAILED: {
      meaning: 'The payer or the bank declined the UPI payment. The payment request is failed.',
      cure: 'Let the payer try again.',
      message: 'the UPI payment was declined: collect request declined',
      details: object({
        upiResponse: oneOf(`${reasonsOf(upiCodes)}; or a decline code of cards.`, declineCodes),
        reason: text('The code in words.'),
      }),
      example: { upiResponse: 'U69', reason: 'collect request declined' },
    },
    INVALID_WEBHOOK_SIGNATURE: {
      meaning: 'The signature of a callback is wrong or missing.',
      cure: 'For providers only.',
      message: 'the signature is wrong or missing',
      ...nothing,
    },
    WEBHOOK_TIMEOUT: {
      meaning: `Your endpoint did not answer a notification within ${formatSeconds(delivery.timeoutMs / 1000)}. Only in delivery records.`,
      cure: 'Answer first, work later.',
      message: 'the endpoint did not answer in time',
      ...nothing,
    },
    NOT_FOUND: {
      meaning:
        'The resource does not exist, belongs to another owner or to the other environment, or the method is wrong.',
      cure: 'Check the path, the id and the key.',
      message: 'payment request 10042 does not exist',
      ...nothing,
    },
    IDEMPOTENCY_CONFLICT: {
      meaning: 'The `Idempotency-Key` was used with another request, or its first request is still running.',
      cure: 'Use a new key for a new request. If the first request is still running, wait a moment.',
      message: 'this Idempotency-Key was used with another request: use a new one',
      ...nothing,
    },
    UNSUPPORTED_VERSION: {
      meaning: 'The version in `X-API-Version` is not served.',
      cure: `Send ${currentVersion}, or no such header.`,
      message: `X-API-Version must be ${currentVersion} or ${deprecatedVersion.version}`,
      details: object({ supported: listOf({ type: 'string' }, 'The versions that are served.') }),
      example: { supported: [currentVersion, deprecatedVersion.version] },
    },
    PAYLOAD_TOO_LARGE: {
      meaning: 'The body is larger than this endpoint accepts.',
      cure: 'Send less data per request.',
      message: `the body is larger than ${bodyLimitBytes} bytes`,
      details: object({ limit: whole('Bytes.') }),
      example: { limit: bodyLimitBytes },
    },
    RATE_LIMIT_EXCEEDED: {
      meaning:
        'The key has used up its requests for this minute (for a call without a key, your address has), or a payer has received enough mails in this hour.',
      cure: 'Wait as long as `Retry-After` says.',
      message: `the API key may make ${rateLimitPerMinute} requests a minute: try again in 21 s`,
      details: object({
        limit: whole('Requests per minute, or mails per hour.'),
        window: { type: 'string', enum: ['1m', '1h'], description: 'A minute or an hour.' },
        retryAfter: whole('Seconds.'),
      }),
      example: { limit: rateLimitPerMinute, window: '1m', retryAfter: 21 },
    },
    UNAVAILABLE: {
      meaning:
        'The service cannot accept the request at the moment: its database does not answer, or too many requests are in progress. No work was started.',
      cure: 'Send the same request again after `Retry-After`.',
      message: 'the database does not answer; no work was started: try again in 5 s',
      details: object({ retryAfter: whole('Seconds.') }),
      example: { retryAfter: 5 },
    },
    INTERNAL_ERROR: {
      meaning: 'An internal error occurred. The payment request shows whether anything was done.',
      cure: 'Read the payment request before you retry, and report the request id.',
      message: 'something went wrong on our side; tell us the request id 7f9c2ba4-e88f-4d2b-a1c6-0b7f7a5b9c11',
      ...nothing,
    },
  };
}
