/** The table of all gateway errors: kind, code, HTTP status, title. `http` turns errors into responses. */

export const errorKinds = {
  UNAUTHORIZED: { code: 'AUTH001', status: 401, title: 'The API key is missing or invalid' },
  FORBIDDEN: { code: 'AUTH002', status: 403, title: 'The API key does not have the permission' },
  VALIDATION_ERROR: { code: 'VAL001', status: 400, title: 'A required field is missing' },
  INVALID_FORMAT: { code: 'VAL002', status: 400, title: 'A field has an invalid format' },
  CARD_DECLINED: { code: 'PAY001', status: 400, title: 'The issuer declined the payment' },
  INVALID_CARD: { code: 'PAY002', status: 400, title: 'The card data is invalid' },
  THREEDS_FAILED: { code: 'PAY003', status: 400, title: '3D Secure failed' },
  PAYMENT_NOT_PAYABLE: { code: 'PAY004', status: 400, title: 'The payment does not allow this operation now' },
  PROVIDER_UNAVAILABLE: { code: 'PAY005', status: 500, title: 'No provider could be reached; nothing was charged' },
  INVALID_UPI_ID: { code: 'UPI001', status: 400, title: 'The UPI id does not have the form username@bankcode' },
  UPI_TRANSACTION_FAILED: { code: 'UPI002', status: 400, title: 'The UPI payment was declined' },
  INVALID_WEBHOOK_SIGNATURE: { code: 'WH001', status: 401, title: 'The signature is wrong or missing' },
  /** Used only in delivery records. */
  WEBHOOK_TIMEOUT: { code: 'WH002', status: 504, title: 'The endpoint did not answer in time' },
  NOT_FOUND: { code: 'NF001', status: 404, title: 'The resource does not exist' },
  IDEMPOTENCY_CONFLICT: { code: 'IDEM001', status: 400, title: 'The Idempotency-Key belongs to another request' },
  UNSUPPORTED_VERSION: { code: 'VER001', status: 400, title: 'The API version is not supported' },
  PAYLOAD_TOO_LARGE: { code: 'REQ001', status: 413, title: 'The request body is too large' },
  RATE_LIMIT_EXCEEDED: { code: 'RATE001', status: 429, title: 'Too many requests' },
  UNAVAILABLE: {
    code: 'SYS002',
    status: 503,
    title: 'The service cannot process the request now; no work was started',
  },
  INTERNAL_ERROR: { code: 'SYS001', status: 500, title: 'Something went wrong on our side' },
} as const;

export type ErrorKind = keyof typeof errorKinds;

/**
 * An error that the API returns to a caller. `message` and `details` never contain a card number, token, code or
 * secret.
 */
export class GatewayError extends Error {
  readonly kind: ErrorKind;
  readonly details: Readonly<Record<string, unknown>>;
  /** Response headers of the error, for example `Retry-After`. */
  readonly headers: Readonly<Record<string, string>>;
  /** The payment request of the error, once it exists. */
  readonly paymentRequestId: number | undefined;
  /**
   * True if the error is the provider's own answer. It is stored, so that a repetition with the same `Idempotency-Key`
   * does not call the provider again.
   */
  readonly isProviderAnswer: boolean;

  constructor(
    kind: ErrorKind,
    message: string,
    {
      details = {},
      headers = {},
      paymentRequestId,
      isProviderAnswer = false,
      cause,
    }: {
      readonly details?: Readonly<Record<string, unknown>>;
      readonly headers?: Readonly<Record<string, string>>;
      readonly paymentRequestId?: number;
      readonly isProviderAnswer?: boolean;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, { cause });
    this.name = 'GatewayError';
    this.kind = kind;
    this.details = details;
    this.headers = headers;
    this.paymentRequestId = paymentRequestId;
    this.isProviderAnswer = isProviderAnswer;
  }
}

export interface FieldError {
  readonly field: string;
  /** The value as sent, or `"[hidden]"`. */
  readonly value: unknown;
  readonly message: string;
}

/** Creates VAL002. It names the first wrong field and its value; `details.errors` lists all wrong fields. */
export function invalidFields(errors: readonly [FieldError, ...FieldError[]]): GatewayError {
  const [first] = errors;
  return new GatewayError('INVALID_FORMAT', `${first.field}: ${first.message}`, {
    details: { field: first.field, value: first.value, errors },
  });
}

export function invalidField(field: string, value: unknown, message: string): GatewayError {
  return invalidFields([{ field, value, message }]);
}

/** Creates VAL001 with the names of all missing fields. */
export function missingFields(names: readonly string[]): GatewayError {
  return new GatewayError('VALIDATION_ERROR', `required fields are missing: ${names.join(', ')}`, {
    details: { missingFields: names },
  });
}

/** Creates SYS002: no work was started, and the caller may soon send the same request again. */
export function unavailable(message: string, cause?: unknown): GatewayError {
  const retryAfter = 5;
  return new GatewayError('UNAVAILABLE', `${message}; no work was started: try again in ${retryAfter} s`, {
    details: { retryAfter },
    headers: { 'Retry-After': `${retryAfter}` },
    cause,
  });
}

/** True for SYS002. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof GatewayError && error.kind === 'UNAVAILABLE';
}

/** Another request with the same `Idempotency-Key` took over. A caller that gets this error must stop. */
export function takenOver(about: { readonly paymentRequestId?: number } = {}): GatewayError {
  const message = 'another request with this Idempotency-Key took over: repeat this request to get its answer';
  return new GatewayError('IDEMPOTENCY_CONFLICT', message, about);
}

export function notFound(what: string): GatewayError {
  return new GatewayError('NOT_FOUND', `${what} does not exist`);
}
