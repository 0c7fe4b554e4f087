/** Generated from the OpenAPI document by `npm run generate -w @paywright/client`. */
import type { CallOptions, WriteOptions } from '../options.ts';

/**
 * A method for each operation: the ids of its path, then the body, then options. It throws a `CallError`, or the
 * reason of the signal.
 */
export interface GatewayClient {
  /**
   * 1. Pay a payment request by card.
   *
   * The route rules choose the provider. With `transaction3dsId` it resumes an attempt that stopped for 3D Secure.
   *
   * Scope: `payments:write`.
   */
  payByCard(id: number, body: CardPayment, options?: WriteOptions<{
    /** The `transactionId` of a redirect action: goes on after it. */
    readonly transaction3dsId?: string | undefined;
  }>): Promise<PaymentAnswer>;
  /**
   * 2. Make a payment request and pay it at one provider.
   *
   * The provider says which of the bodies it takes, and may narrow its bounds: a card, billing data alone, a card token
   * or a UPI id.
   *
   * Scope: `payments:write`.
   */
  payH2h(id: number, body: CardOrder | BillingOrder | TokenOrder | UpiOrder, options?: WriteOptions): Promise<PaymentAnswer>;
  /**
   * 4. Confirm a card payment with a member code.
   *
   * After an answer whose action is `confirm`. A wrong code is PAY002 with field `code`: it may be tried again.
   *
   * Scope: `payments:write`.
   */
  confirmByMemberCode(id: number, body: MemberConfirmation, options?: WriteOptions): Promise<PaymentAnswer>;
  /**
   * 7. Pay a payment request by UPI.
   *
   * The route rules choose the provider.
   *
   * Scope: `payments:write`.
   */
  payByUpi(id: number, body: UpiPayment, options?: WriteOptions): Promise<PaymentAnswer>;
  /**
   * 8. Make a payment request.
   *
   * It fixes the amount. Pay it by the endpoints 1 and 7, or give the payer its `link`. It expires when nobody pays.
   *
   * Scope: `requests:write`.
   */
  createPaymentRequest(body: NewPaymentRequest, options?: WriteOptions<{
    /**
     * true mails the link to the client; without a client e-mail: VAL001 `clientEmail`; where no mail server is
     * configured: SYS001, and nothing is made.
     */
    readonly send?: boolean | undefined;
    /** Sets `targetAccountTypeId`; beats the body. */
    readonly accountType?: number | undefined;
    /** Sets `kycApplicantId`. */
    readonly applicantId?: string | undefined;
  }>): Promise<PaymentAnswer>;
  /**
   * List payment requests.
   *
   * Newest first. What is made while you page neither shifts nor hides anything.
   *
   * Scope: `requests:read`.
   */
  listPaymentRequests(options?: CallOptions<{
    /** `paymentRequestStatusId`. */
    readonly status?: number | undefined;
    /** Yours, exactly. */
    readonly referenceId?: string | undefined;
    /** The client. */
    readonly clientId?: number | undefined;
    /** Provider code of the latest attempt; 0: none. */
    readonly providerId?: 0 | 11 | 12 | 13 | 14 | 15 | 16 | 17 | 18 | 21 | 22 | 23 | 24 | 25 | 26 | 27 | 28 | 29 | 30 | 31 | 32 | 33 | 34 | 35 | 36 | 37 | 38 | 39 | 40 | 41 | 42 | 43 | 44 | 45 | 46 | 47 | 48 | 49 | 50 | 51 | 52 | 53 | 54 | 55 | 56 | 57 | 58 | 59 | undefined;
    /** Method code of the latest attempt; 0: none. */
    readonly methodId?: 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 13 | 14 | 15 | 16 | 17 | 18 | 19 | 20 | undefined;
    /** From when on they were made: a day or time of ISO 8601, UTC unless it says otherwise. */
    readonly createdFrom?: string | undefined;
    /** Until when they were made, in the same forms. */
    readonly createdTo?: string | undefined;
    /** How many at once. */
    readonly limit?: number | undefined;
    /** The `nextCursor` of the page before. */
    readonly cursor?: string | undefined;
  }>): Promise<PaymentRequestList>;
  /**
   * Make up to 500 payment requests.
   *
   * Each entry has its own result, in its place; that some failed is no failure of the batch.
   *
   * Scope: `requests:write`.
   */
  createPaymentRequests(body: Batch, options?: WriteOptions): Promise<BatchAnswer>;
  /**
   * Read a payment request.
   *
   * Scope: `requests:read`.
   */
  getPaymentRequest(id: number, options?: CallOptions): Promise<PaymentRequest>;
  /**
   * Read what happened to a payment request.
   *
   * Requests to providers and their answers, callbacks, events, transitions, notifications.
   *
   * Scope: `requests:read`.
   */
  getTimeline(id: number, options?: CallOptions): Promise<Timeline>;
  /**
   * Give money back.
   *
   * In full or in part, where the provider can. A provider that did not answer leaves the refund pending, and its
   * status is fetched.
   *
   * Scope: `payments:write`.
   */
  refund(id: number, body?: Refund, options?: WriteOptions): Promise<PaymentAnswer>;
  /**
   * Collect an authorised payment.
   *
   * All of it or a part, once, where the provider can. A provider that did not answer leaves it pending, and its status
   * is fetched.
   *
   * Scope: `payments:write`.
   */
  capture(id: number, body?: Capture, options?: WriteOptions): Promise<PaymentAnswer>;
  /**
   * Cancel a payment request.
   *
   * That is created or failed, or authorised where the provider can release the money. No attempt can be made any more.
   *
   * Scope: `requests:write`.
   */
  cancel(id: number, body?: Readonly<Record<string, unknown>>, options?: WriteOptions): Promise<PaymentAnswer>;
  /**
   * List notifications with their attempts.
   *
   * Scope: `requests:read`.
   */
  listNotifications(options?: CallOptions<{
    /** The payment request. */
    readonly paymentRequestId?: number | undefined;
    /** How far their delivery is. */
    readonly state?: 'waiting' | 'delivered' | 'exhausted' | 'gone' | undefined;
    /** The event’s type. */
    readonly type?: string | undefined;
    /** How many at once. */
    readonly limit?: number | undefined;
    /** The `nextCursor` of the page before. */
    readonly cursor?: string | undefined;
  }>): Promise<NotificationList>;
  /**
   * Send a notification again.
   *
   * Starts a new round of attempts, whatever became of the earlier ones. The bytes are the same.
   *
   * Scope: `notifications:write`.
   */
  resendNotification(id: string, body?: Readonly<Record<string, unknown>>, options?: WriteOptions): Promise<ResendAnswer>;
  /**
   * Send the exhausted notifications of a span of time again.
   *
   * Those that are exhausted: what is delivered or still waits stays as it is. The span is named in the body or in the
   * query; the body beats the query.
   *
   * Scope: `notifications:write`.
   */
  resendNotifications(body?: ResendSpan, options?: WriteOptions<{
    /** From when on they were made; absent: from the beginning. */
    readonly from?: string | undefined;
    /** Before when they were made; absent: now. */
    readonly to?: string | undefined;
  }>): Promise<ResendSpanAnswer>;
  /**
   * Sums of payment requests.
   *
   * By day, provider, method, currency and status. CSV for `Accept: text/csv`, with the same columns.
   *
   * Scope: `requests:read`.
   */
  reportPayments(options?: CallOptions<{
    /** The first day, UTC; absent: 29 days before the last. */
    readonly from?: string | undefined;
    /** The last day, UTC; absent: today. */
    readonly to?: string | undefined;
  }>): Promise<Report>;
}

/** The reason of a failed call, distinguished by `code`. */
export type Problem = VER001 | VAL001 | VAL002 | PAY002 | PAY001 | PAY003 | PAY004 | IDEM001 | AUTH001 | AUTH002 | NF001 | REQ001 | RATE001 | PAY005 | SYS001 | SYS002 | UPI001 | UPI002;

/** The message that is posted to `notifyUrl`, distinguished by `type`. */
export type WebhookNotification = {
  /** The same on every attempt: by it a repetition is known. */
  readonly id: string;
  readonly type: 'payment.pending' | 'payment.authorised' | 'payment.capture_failed' | 'payment.cancel_failed' | 'payment.succeeded' | 'payment.failed' | 'payment.double_charged' | 'payment.underpaid' | 'payment.refunded' | 'payment.partially_refunded' | 'payment.refund_reversed' | 'payment.charged_back' | 'payment.chargeback_reversed' | 'payment.expired';
  /** Whether real money moved. */
  readonly mode: 'test' | 'live';
  /** The version of this body. */
  readonly apiVersion: '2.1';
  /** When it happened. */
  readonly createdAt: string;
  /** Counts the events of one payment request, from 1: notifications may arrive in another order. */
  readonly sequence: number;
  readonly data: {
    readonly paymentRequest: PaymentRequest;
  };
} | {
  /** The same on every attempt: by it a repetition is known. */
  readonly id: string;
  readonly type: 'api.version.deprecated';
  /** Whether real money moved. */
  readonly mode: 'test' | 'live';
  /** The version of this body. */
  readonly apiVersion: '2.1';
  /** When it happened. */
  readonly createdAt: string;
  /** Counts the events of one payment request, from 1: notifications may arrive in another order. */
  readonly sequence: number;
  readonly data: {
    /** The version that was requested. */
    readonly version: string;
    /** When its support ended. */
    readonly supportEnded: string;
    /** The version to use. */
    readonly successor: string;
    /** Where versions are explained. */
    readonly documentation: string;
  };
} | {
  /** The same on every attempt: by it a repetition is known. */
  readonly id: string;
  readonly type: 'endpoint.disabled';
  /** Whether real money moved. */
  readonly mode: 'test' | 'live';
  /** The version of this body. */
  readonly apiVersion: '2.1';
  /** When it happened. */
  readonly createdAt: string;
  /** Counts the events of one payment request, from 1: notifications may arrive in another order. */
  readonly sequence: number;
  readonly data: {
    readonly endpoint: {
      /** Scheme, host and port of the address that is disabled. */
      readonly origin: string;
      /** Since when every attempt failed. */
      readonly failingSince: string;
    };
  };
} | {
  /** The same on every attempt: by it a repetition is known. */
  readonly id: string;
  readonly type: 'webhook.test';
  /** Whether real money moved. */
  readonly mode: 'test' | 'live';
  /** The version of this body. */
  readonly apiVersion: '2.1';
  /** When it happened. */
  readonly createdAt: string;
  /** Counts the events of one payment request, from 1: notifications may arrive in another order. */
  readonly sequence: number;
  readonly data: {
    /** For people. */
    readonly message: string;
  };
};

export interface CardPayment {
  /** The payer’s name. */
  readonly name: string;
  /** The payer’s e-mail address. */
  readonly email: string;
  /** With country code. */
  readonly phoneNumber: string;
  /** Street and number. */
  readonly address: string;
  /** City. */
  readonly city: string;
  /** State or region. */
  readonly state: string;
  /** Postal code. */
  readonly postalCode: string;
  /** ISO 3166 code of two letters. */
  readonly country: string;
  /** The payer’s address. */
  readonly ipAddress?: string | null | undefined;
  /** true demands 3D Secure, false asks the provider to skip it; absent leaves it to the provider. */
  readonly is3ds?: boolean | undefined;
  /** true makes it a test payment, also with a live key. A test key makes none but test payments. */
  readonly isSandbox?: boolean | undefined;
  /** Card number, digits that pass Luhn (else PAY002). */
  readonly number: string;
  /** `MM/YY`, a month not past (else PAY002). */
  readonly expiration: string;
  /** Card verification value. Never kept. */
  readonly cvv: string;
  /** Hours from authorisation to capture. */
  readonly captureDelayHours?: number | undefined;
  /** About the payer’s browser, for 3D Secure. */
  readonly browserInfo?: {
    /** The `Accept` header of the payer’s browser. */
    readonly acceptHeader?: string | undefined;
    /** Bits per pixel. */
    readonly colorDepth?: string | undefined;
    /** The payer’s address, as the shop sees it. */
    readonly ip?: string | undefined;
    /** The browser runs Java. */
    readonly javaEnabled?: boolean | undefined;
    /** The browser runs JavaScript. */
    readonly javascriptEnabled?: boolean | undefined;
    /** Such as `pt-PT`. */
    readonly language?: string | undefined;
    /** Pixels. */
    readonly screenHeight?: string | undefined;
    /** Pixels. */
    readonly screenWidth?: string | undefined;
    /** Minutes from UTC. */
    readonly timezone?: string | undefined;
    /** The `User-Agent` header; `device`, `browser` and `osName` are read from it. */
    readonly userAgent?: string | undefined;
  } | undefined;
  /** The card comes out of a wallet. */
  readonly wallet?: {
    /** The wallet’s name. */
    readonly walletType?: string | undefined;
    /** The cryptogram. */
    readonly authenticationValue?: string | undefined;
    /** The transaction id that belongs to the cryptogram. */
    readonly xid?: string | undefined;
    /** The electronic commerce indicator. */
    readonly eci?: string | undefined;
  } | undefined;
}

export interface CardOrder {
  /** The payer’s name. */
  readonly name: string;
  /** The payer’s e-mail address. */
  readonly email: string;
  /** With country code. */
  readonly phoneNumber: string;
  /** Street and number. */
  readonly address: string;
  /** City. */
  readonly city: string;
  /** State or region. */
  readonly state: string;
  /** Postal code. */
  readonly postalCode: string;
  /** ISO 3166 code of two letters. */
  readonly country: string;
  /** The payer’s address. */
  readonly ipAddress?: string | null | undefined;
  /** true demands 3D Secure, false asks the provider to skip it; absent leaves it to the provider. */
  readonly is3ds?: boolean | undefined;
  /** true makes it a test payment, also with a live key. A test key makes none but test payments. */
  readonly isSandbox?: boolean | undefined;
  /** Card number, digits that pass Luhn (else PAY002). */
  readonly number: string;
  /** `MM/YY`, a month not past (else PAY002). */
  readonly expiration: string;
  /** Card verification value. Never kept. */
  readonly cvv: string;
  /** Hours from authorisation to capture. */
  readonly captureDelayHours?: number | undefined;
  /** About the payer’s browser, for 3D Secure. */
  readonly browserInfo?: {
    /** The `Accept` header of the payer’s browser. */
    readonly acceptHeader?: string | undefined;
    /** Bits per pixel. */
    readonly colorDepth?: string | undefined;
    /** The payer’s address, as the shop sees it. */
    readonly ip?: string | undefined;
    /** The browser runs Java. */
    readonly javaEnabled?: boolean | undefined;
    /** The browser runs JavaScript. */
    readonly javascriptEnabled?: boolean | undefined;
    /** Such as `pt-PT`. */
    readonly language?: string | undefined;
    /** Pixels. */
    readonly screenHeight?: string | undefined;
    /** Pixels. */
    readonly screenWidth?: string | undefined;
    /** Minutes from UTC. */
    readonly timezone?: string | undefined;
    /** The `User-Agent` header; `device`, `browser` and `osName` are read from it. */
    readonly userAgent?: string | undefined;
  } | undefined;
  /** The card comes out of a wallet. */
  readonly wallet?: {
    /** The wallet’s name. */
    readonly walletType?: string | undefined;
    /** The cryptogram. */
    readonly authenticationValue?: string | undefined;
    /** The transaction id that belongs to the cryptogram. */
    readonly xid?: string | undefined;
    /** The electronic commerce indicator. */
    readonly eci?: string | undefined;
  } | undefined;
  /**
   * At most 15 significant digits; exact, never rounded. The decimals that its currency has, once a provider is chosen.
   */
  readonly amount: string;
  /** The currency, ISO 4217 in capitals; with some providers a cryptocurrency (`BTC`) or a country. */
  readonly unit: string;
  /** Yours; need not be unique. */
  readonly referenceId?: string | null | undefined;
  /** Where notifications go; else to the owner’s default address. */
  readonly notifyUrl?: string | null | undefined;
  /** Where the payer’s browser goes when it is paid. */
  readonly successUrl?: string | null | undefined;
  /** Where the payer’s browser goes when it failed or expired. */
  readonly failureUrl?: string | null | undefined;
  /** The shop’s domain. */
  readonly originDomain?: string | null | undefined;
}

export interface BillingOrder {
  /** The payer’s name. */
  readonly name: string;
  /** The payer’s e-mail address. */
  readonly email: string;
  /** With country code. */
  readonly phoneNumber: string;
  /** Street and number. */
  readonly address: string;
  /** City. */
  readonly city: string;
  /** State or region. */
  readonly state: string;
  /** Postal code. */
  readonly postalCode: string;
  /** ISO 3166 code of two letters. */
  readonly country: string;
  /** The payer’s address. */
  readonly ipAddress?: string | null | undefined;
  /** true demands 3D Secure, false asks the provider to skip it; absent leaves it to the provider. */
  readonly is3ds?: boolean | undefined;
  /** true makes it a test payment, also with a live key. A test key makes none but test payments. */
  readonly isSandbox?: boolean | undefined;
  /**
   * At most 15 significant digits; exact, never rounded. The decimals that its currency has, once a provider is chosen.
   */
  readonly amount: string;
  /** The currency, ISO 4217 in capitals; with some providers a cryptocurrency (`BTC`) or a country. */
  readonly unit: string;
  /** Yours; need not be unique. */
  readonly referenceId?: string | null | undefined;
  /** Where notifications go; else to the owner’s default address. */
  readonly notifyUrl?: string | null | undefined;
  /** Where the payer’s browser goes when it is paid. */
  readonly successUrl?: string | null | undefined;
  /** Where the payer’s browser goes when it failed or expired. */
  readonly failureUrl?: string | null | undefined;
  /** The shop’s domain. */
  readonly originDomain?: string | null | undefined;
}

export interface TokenOrder {
  /** The payer’s name. */
  readonly name: string;
  /** The payer’s e-mail address. */
  readonly email: string;
  /** With country code. */
  readonly phoneNumber: string;
  /** Street and number. */
  readonly address: string;
  /** City. */
  readonly city: string;
  /** State or region. */
  readonly state: string;
  /** Postal code. */
  readonly postalCode: string;
  /** ISO 3166 code of two letters. */
  readonly country: string;
  /** The payer’s address. */
  readonly ipAddress?: string | null | undefined;
  /** true demands 3D Secure, false asks the provider to skip it; absent leaves it to the provider. */
  readonly is3ds?: boolean | undefined;
  /** true makes it a test payment, also with a live key. A test key makes none but test payments. */
  readonly isSandbox?: boolean | undefined;
  /** The card token. */
  readonly token: string;
  /** About the payer’s browser, for 3D Secure. */
  readonly browserInfo?: {
    /** The `Accept` header of the payer’s browser. */
    readonly acceptHeader?: string | undefined;
    /** Bits per pixel. */
    readonly colorDepth?: string | undefined;
    /** The payer’s address, as the shop sees it. */
    readonly ip?: string | undefined;
    /** The browser runs Java. */
    readonly javaEnabled?: boolean | undefined;
    /** The browser runs JavaScript. */
    readonly javascriptEnabled?: boolean | undefined;
    /** Such as `pt-PT`. */
    readonly language?: string | undefined;
    /** Pixels. */
    readonly screenHeight?: string | undefined;
    /** Pixels. */
    readonly screenWidth?: string | undefined;
    /** Minutes from UTC. */
    readonly timezone?: string | undefined;
    /** The `User-Agent` header; `device`, `browser` and `osName` are read from it. */
    readonly userAgent?: string | undefined;
  } | undefined;
  /**
   * At most 15 significant digits; exact, never rounded. The decimals that its currency has, once a provider is chosen.
   */
  readonly amount: string;
  /** The currency, ISO 4217 in capitals; with some providers a cryptocurrency (`BTC`) or a country. */
  readonly unit: string;
  /** Yours; need not be unique. */
  readonly referenceId?: string | null | undefined;
  /** Where notifications go; else to the owner’s default address. */
  readonly notifyUrl?: string | null | undefined;
  /** Where the payer’s browser goes when it is paid. */
  readonly successUrl?: string | null | undefined;
  /** Where the payer’s browser goes when it failed or expired. */
  readonly failureUrl?: string | null | undefined;
  /** The shop’s domain. */
  readonly originDomain?: string | null | undefined;
}

export interface UpiOrder {
  /** The payer’s name. */
  readonly name: string;
  /** The payer’s e-mail address. */
  readonly email: string;
  /** With country code. */
  readonly phoneNumber: string;
  /** Street and number. */
  readonly address: string;
  /** City. */
  readonly city: string;
  /** State or region. */
  readonly state: string;
  /** Postal code. */
  readonly postalCode: string;
  /** ISO 3166 code of two letters. */
  readonly country: string;
  /** The payer’s address. */
  readonly ipAddress?: string | null | undefined;
  /** true demands 3D Secure, false asks the provider to skip it; absent leaves it to the provider. */
  readonly is3ds?: boolean | undefined;
  /** true makes it a test payment, also with a live key. A test key makes none but test payments. */
  readonly isSandbox?: boolean | undefined;
  /** `username@bankcode` (else UPI001). */
  readonly upiId: string;
  /**
   * At most 15 significant digits; exact, never rounded. The decimals that its currency has, once a provider is chosen.
   */
  readonly amount: string;
  /** The currency, ISO 4217 in capitals; with some providers a cryptocurrency (`BTC`) or a country. */
  readonly unit: string;
  /** Yours; need not be unique. */
  readonly referenceId?: string | null | undefined;
  /** Where notifications go; else to the owner’s default address. */
  readonly notifyUrl?: string | null | undefined;
  /** Where the payer’s browser goes when it is paid. */
  readonly successUrl?: string | null | undefined;
  /** Where the payer’s browser goes when it failed or expired. */
  readonly failureUrl?: string | null | undefined;
  /** The shop’s domain. */
  readonly originDomain?: string | null | undefined;
}

export interface UpiPayment {
  /** The payer’s name. */
  readonly name: string;
  /** The payer’s e-mail address. */
  readonly email: string;
  /** With country code. */
  readonly phoneNumber: string;
  /** Street and number. */
  readonly address: string;
  /** City. */
  readonly city: string;
  /** State or region. */
  readonly state: string;
  /** Postal code. */
  readonly postalCode: string;
  /** ISO 3166 code of two letters. */
  readonly country: string;
  /** The payer’s address. */
  readonly ipAddress?: string | null | undefined;
  /** true demands 3D Secure, false asks the provider to skip it; absent leaves it to the provider. */
  readonly is3ds?: boolean | undefined;
  /** true makes it a test payment, also with a live key. A test key makes none but test payments. */
  readonly isSandbox?: boolean | undefined;
  /** `username@bankcode` (else UPI001). */
  readonly upiId: string;
}

export interface MemberConfirmation {
  /** The `paymentId` of the pending answer’s action. */
  readonly paymentId: string;
  /** The code that the payer received. */
  readonly code: string;
}

/** What the payer must do next. */
export type Action = RedirectAction | ConfirmAction | UpiAction | CryptoAction;

/** Send the payer’s browser on. */
export interface RedirectAction {
  readonly type: 'redirect';
  /** How the payer’s browser goes there. */
  readonly method: 'GET' | 'POST';
  /** Where the payer’s browser goes. */
  readonly url: string;
  /** Members of the form to post, in this order; only with POST. */
  readonly fields?: Readonly<Record<string, string>> | undefined;
  /** The `transaction3dsId` of a 3D Secure step. */
  readonly transactionId?: string | undefined;
}

/** Ask the payer for the member code that the bank sent. */
export interface ConfirmAction {
  readonly type: 'confirm';
  /** For `POST /payments/cardMemberConfirm/{id}`. */
  readonly paymentId: string;
}

/** Let the payer confirm in the UPI app. */
export interface UpiAction {
  readonly type: 'upi';
  /** `collect`: the payer confirms in the app; `intent`: open `link`; `qr`: show `text` as a QR code. */
  readonly mode: 'collect' | 'intent' | 'qr';
  /** Opens the payer’s app. */
  readonly link?: string | undefined;
  /** The text of the QR code. */
  readonly text?: string | undefined;
  /** Until when. */
  readonly expiry: string;
}

/** Let the payer send coins. */
export interface CryptoAction {
  readonly type: 'crypto';
  /** Where to send the coins. */
  readonly address: string;
  /** Which coin. */
  readonly coin: string;
  /** How much, decimal text in the coin’s major unit. */
  readonly amount: string;
  /** On which network. */
  readonly network: string;
  /** Until when. */
  readonly expiry: string;
  /** To be sent along. */
  readonly memo?: string | undefined;
}

export interface Warning {
  /** The member of the body, such as `client.name`; `[hidden]` for a name that is not repeated. */
  readonly field: string;
  /** What is about it. */
  readonly message: string;
}

export interface PaymentAnswer {
  readonly result: 'OK';
  readonly paymentRequest: PaymentRequest;
  /** What the payer must do next; null: nothing. */
  readonly action: Action | null;
  /**
   * What was accepted and surely not meant, such as an unknown member or query parameter; absent where there is nothing
   * to say. Each is also a header `X-Gateway-Warning`, at most 5.
   */
  readonly warnings?: readonly Warning[] | undefined;
}

/** A payment request as it is now. A member without a value is null, `""`, 0, false or {}. */
export interface PaymentRequest {
  /** Its id. */
  readonly id: number;
  /** The merchant. */
  readonly ownerId: number;
  /** Always null. */
  readonly userId: number | null;
  /** As given. */
  readonly recipientName: string | null;
  /** What is asked for. */
  readonly amount: string;
  /** As given. */
  readonly unit: string;
  /** 0 created, 1 pending, 2 paid, 3 failed, 4 refunded in full, 5 expired, or cancelled by the merchant. */
  readonly paymentRequestStatusId: 0 | 1 | 2 | 3 | 4 | 5;
  /** Our number of the latest attempt. */
  readonly transactionId: number | null;
  /** The provider’s reference of the latest attempt. */
  readonly transactionNumber: string | null;
  /** The payer’s of the latest attempt, else as given. */
  readonly payerCountry: string | null;
  /** As given. */
  readonly referenceId: string | null;
  /** As given. */
  readonly notes: string | null;
  /** The payer’s page. */
  readonly link: string;
  /** When it was made. */
  readonly createDate: string;
  /** From then on nobody can begin to pay it, as given; null: a version that knew no such time made it. */
  readonly expiresAt: string | null;
  /** The client. */
  readonly clientId: number;
  /** As given, else the client’s. */
  readonly clientName: string | null;
  /** As given, else the client’s. */
  readonly clientEmail: string | null;
  /** As given, else the client’s. */
  readonly clientAddress: string | null;
  /** As given, else the client’s. */
  readonly clientPhone: string | null;
  /** As given, else the client’s. */
  readonly clientMemberId: string | null;
  readonly client: Client;
  /** As given. */
  readonly notifyUrl: string | null;
  /** As given. */
  readonly successUrl: string | null;
  /** As given. */
  readonly failureUrl: string | null;
  /** The latest attempt: 0 none yet, 1 pending, 2 succeeded, 3 failed. */
  readonly transactionStatusId: 0 | 1 | 2 | 3;
  /** 0 none; 1, 2, 3 are labels of your own. */
  readonly targetAccountTypeId: 0 | 1 | 2 | 3;
  /** As given. */
  readonly originDomain: string | null;
  /** A chargeback is open or lost. */
  readonly chargedBack: boolean;
  /** Our fee. null until paid. */
  readonly feeAmount: string | null;
  /** What the payer paid. null until paid. */
  readonly grossAmount: string | null;
  /** Gross less fee. null until paid. */
  readonly netAmount: string | null;
  /** Of a payment in coins: what came in so far, in `unit`. null: nothing came, or it is paid otherwise. */
  readonly receivedAmount: string | null;
  /** Of the currency charged to `unit`; 1 when they are the same. */
  readonly exchangeRate: string | null;
  /** The currency charged, ISO 4217 or a coin. null until submitted. */
  readonly transactionCurrency: string | null;
  /** The first digits of the card. */
  readonly cardBin: string | null;
  /** The last four digits of the card. */
  readonly cardLastDigits: string | null;
  /** Read from `browserInfo.userAgent`. */
  readonly device: string | null;
  /** Read from `browserInfo.userAgent`. */
  readonly browser: string | null;
  /** Read from `browserInfo.userAgent`. */
  readonly osName: string | null;
  /** The query parameter `applicantId`. */
  readonly kycApplicantId: string | null;
  /** A 3D Secure step was required, whatever its result. */
  readonly threeDs: boolean;
  /** As in `lastLog`. */
  readonly logMessage: string | null;
  /** As in `lastLog`. */
  readonly logTransactionId: string | null;
  /** As in `lastLog`: 0 none yet, 1 pending, 2 succeeded, 3 failed. */
  readonly logTransactionStatusId: 0 | 1 | 2 | 3;
  /** As in `lastLog`. */
  readonly logPayerCountry: string | null;
  /** As in `lastLog`; 0: none. */
  readonly logPaymentProviderId: 0 | 11 | 12 | 13 | 14 | 15 | 16 | 17 | 18 | 21 | 22 | 23 | 24 | 25 | 26 | 27 | 28 | 29 | 30 | 31 | 32 | 33 | 34 | 35 | 36 | 37 | 38 | 39 | 40 | 41 | 42 | 43 | 44 | 45 | 46 | 47 | 48 | 49 | 50 | 51 | 52 | 53 | 54 | 55 | 56 | 57 | 58 | 59;
  /**
   * 0 none, 1 card, 2 card token, 3 UPI collect, 4 UPI intent, 5 UPI QR, 6 cryptocurrency, 7 hosted page, 8 wallet
   * card, 9 e-wallet redirect; others are reserved.
   */
  readonly paymentMethodId: 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 13 | 14 | 15 | 16 | 17 | 18 | 19 | 20;
  /** The provider of the latest attempt; 0: none. */
  readonly paymentProviderId: 0 | 11 | 12 | 13 | 14 | 15 | 16 | 17 | 18 | 21 | 22 | 23 | 24 | 25 | 26 | 27 | 28 | 29 | 30 | 31 | 32 | 33 | 34 | 35 | 36 | 37 | 38 | 39 | 40 | 41 | 42 | 43 | 44 | 45 | 46 | 47 | 48 | 49 | 50 | 51 | 52 | 53 | 54 | 55 | 56 | 57 | 58 | 59;
  /** As in `lastLog`; `createDate` where there is none. */
  readonly logCreateDate: string;
  /** The last entry that counted; {} where there is none. */
  readonly lastLog: Log | Readonly<Record<string, never>>;
  /** What came of every submission, and every event that was applied; oldest first. */
  readonly logs: readonly Log[];
  /** 0 not determined, 1 the client’s first paid request, 2 a later one. */
  readonly ftdTypeId: 0 | 1 | 2;
  /** The route rule that chose the provider. */
  readonly routeRuleId: number | null;
  /** As given, else the payer’s. */
  readonly payerName: string | null;
  /** As given, else the payer’s. */
  readonly payerEmail: string | null;
  /** The latest attempt is a fallback to another provider. */
  readonly isFallback: boolean;
  /** A fallback is under way. */
  readonly isPendingFallback: boolean;
  /** It is a test payment request, for good; false: live. */
  readonly isSandbox: boolean;
  /** It was made by an h2h call. */
  readonly isH2h: boolean;
  /** It was paid by something later than the submission’s own answer. */
  readonly isDelayedApproval: boolean;
  /** The card’s first digits are in the operator’s list. */
  readonly isPremiumCardBin: boolean;
}

export interface Client {
  /** Empty where it is not known. */
  readonly name: string;
  /** Empty where it is not known. */
  readonly email: string;
  /** Its id. */
  readonly id: number;
  /** The merchant. */
  readonly ownerId: number;
  /** Always null. */
  readonly userId: number | null;
  /** The merchant’s name. */
  readonly ownerName: string;
  /** Empty where it is not known. */
  readonly address: string;
  /** Empty where it is not known. */
  readonly phone: string;
  /** Your id of the client. Empty where it is not known. */
  readonly memberId: string;
  /** It has any. */
  readonly hasPaymentRequests: boolean;
  /** All that was paid and not refunded, in the owner’s reporting currency. */
  readonly totalDeposits: string;
  /** When it was made. */
  readonly createDate: string;
}

export interface Log {
  /** Its id. */
  readonly id: number;
  /** The payment request. */
  readonly paymentRequestId: number;
  /** The provider’s reference. */
  readonly transactionId: string;
  /** What it came to: 0 none yet, 1 pending, 2 succeeded, 3 failed. */
  readonly transactionStatusId: 0 | 1 | 2 | 3;
  /**
   * Empty, `OUTCOME_UNKNOWN`, `DOUBLE_CHARGE`, or a decline code: 51 insufficient funds; 54 expired card; 57
   * transaction not permitted; 61 exceeds withdrawal limit; 05 do not honor; U30 invalid PIN; U16 risk threshold
   * exceeded; U66 device not registered; U69 collect request declined.
   */
  readonly code: string;
  /** In words. */
  readonly message: string;
  /** The payer’s. */
  readonly payerCountry: string;
  /** The provider; 0: none. */
  readonly paymentProviderId: 0 | 11 | 12 | 13 | 14 | 15 | 16 | 17 | 18 | 21 | 22 | 23 | 24 | 25 | 26 | 27 | 28 | 29 | 30 | 31 | 32 | 33 | 34 | 35 | 36 | 37 | 38 | 39 | 40 | 41 | 42 | 43 | 44 | 45 | 46 | 47 | 48 | 49 | 50 | 51 | 52 | 53 | 54 | 55 | 56 | 57 | 58 | 59;
  /**
   * 0 none, 1 card, 2 card token, 3 UPI collect, 4 UPI intent, 5 UPI QR, 6 cryptocurrency, 7 hosted page, 8 wallet
   * card, 9 e-wallet redirect; others are reserved.
   */
  readonly paymentMethodId: 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 13 | 14 | 15 | 16 | 17 | 18 | 19 | 20;
  /** A 3D Secure step was required. */
  readonly threeDs: boolean;
  /** The first digits of the card. */
  readonly cardBin: string;
  /** The last four digits of the card. */
  readonly cardLastDigits: string;
  /** Read from `browserInfo.userAgent`. */
  readonly device: string;
  /** Read from `browserInfo.userAgent`. */
  readonly browser: string;
  /** Read from `browserInfo.userAgent`. */
  readonly osName: string;
  /** The attempt was a fallback. */
  readonly isFallback: boolean;
  /** That fallback is under way. */
  readonly isPendingFallback: boolean;
  /** When it happened. */
  readonly createDate: string;
}

export interface Timeline {
  /** Everything that happened, oldest first. */
  readonly items: readonly (TimelineRequest | TimelineAnswer | TimelineCallback | TimelineEvent | TimelineTransition | TimelineNotification)[];
}

export interface TimelineRequest {
  /** When. */
  readonly at: string;
  readonly kind: 'request';
  /** The name of the provider’s adapter. */
  readonly adapter: string;
  /** The attempt, from 1; 0: none. */
  readonly attempt: number;
  /** What was called: `submit`, `complete`, `fetchStatus`, `refund` … */
  readonly call: string;
  /** The HTTP method. */
  readonly method: string;
  /** The path at the provider. */
  readonly path: string;
}

export interface TimelineAnswer {
  /** When. */
  readonly at: string;
  readonly kind: 'answer';
  /** The name of the provider’s adapter. */
  readonly adapter: string;
  /** The attempt, from 1; 0: none. */
  readonly attempt: number;
  /** What was called: `submit`, `complete`, `fetchStatus`, `refund` … */
  readonly call: string;
  /** The provider’s; null: none came. */
  readonly status: number | null;
  /** `not_sent` or `no_answer`. */
  readonly failure: string | null;
  /** Milliseconds. */
  readonly ms: number;
}

export interface TimelineCallback {
  /** When. */
  readonly at: string;
  readonly kind: 'callback';
  /** The name of the provider’s adapter. */
  readonly adapter: string;
  /** Below `/callbacks/`. */
  readonly route: string;
  /** Of the callback. */
  readonly requestId: string;
  /** What became of it. */
  readonly state: 'waiting' | 'done' | 'aside' | 'malformed';
}

export interface TimelineEvent {
  /** When. */
  readonly at: string;
  readonly kind: 'event';
  /** The attempt, from 1; 0: none. */
  readonly attempt: number;
  /** As in the log. */
  readonly code: string;
  /** As in the log. */
  readonly message: string;
  /** It changed nothing. */
  readonly refused: boolean;
  /** The provider’s reference. */
  readonly transactionId: string;
  /**
   * What the provider adds: references of banks, reason and deadline of a dispute, where a refund is claimed; `{}`:
   * nothing.
   */
  readonly details: Readonly<Record<string, string>>;
  /** Of a payment in coins: what came in, as decimal text. */
  readonly received: string | null;
  /** What it reports about 3D Secure; null: nothing. */
  readonly threeDs: 'authenticated' | 'attempted' | 'none' | null;
}

export interface TimelineTransition {
  /** When. */
  readonly at: string;
  readonly kind: 'transition';
  /** The earlier `paymentRequestStatusId`. */
  readonly from: number;
  /** The later one. */
  readonly to: number;
  /** Why. */
  readonly cause: string;
}

export interface TimelineNotification {
  /** When. */
  readonly at: string;
  readonly kind: 'notification';
  /** `<payment request>-<sequence>`; sent as `webhook-id`. */
  readonly id: string;
  /** The event’s type. */
  readonly type: string;
  /** The payment request; null for an event about the owner. */
  readonly paymentRequestId: number | null;
  /** Counts the events of a payment request. */
  readonly sequence: number | null;
  /** Where it goes. */
  readonly url: string;
  /** `gone`: the address answered 410. `exhausted`: all attempts failed. */
  readonly state: 'waiting' | 'delivered' | 'exhausted' | 'gone';
  /** When it is tried next; null where nothing is planned, or one is under way. */
  readonly nextAttemptAt: string | null;
  /** The latest ones, oldest first. */
  readonly attempts: readonly DeliveryAttempt[];
}

export interface Batch {
  /** Each is made, or refused, by itself. */
  readonly paymentRequests: readonly NewPaymentRequest[];
}

export interface BatchAnswer {
  /** One for each entry, in its place. */
  readonly results: readonly (BatchSuccess | BatchFailure)[];
}

export interface BatchSuccess {
  /** The entry, from 0. */
  readonly index: number;
  /** The payment request. */
  readonly id: number;
  /**
   * What was accepted and surely not meant, such as an unknown member or query parameter; absent where there is nothing
   * to say. Each is also a header `X-Gateway-Warning`, at most 5.
   */
  readonly warnings?: readonly Warning[] | undefined;
}

export interface BatchFailure {
  /** The entry, from 0. */
  readonly index: number;
  readonly error: VAL001 | VAL002 | IDEM001 | SYS002 | SYS001;
}

/** Every other member of the payment request is set by the service, and ignored here. */
export interface NewPaymentRequest {
  /**
   * At most 15 significant digits; exact, never rounded. The decimals that its currency has, once a provider is chosen.
   */
  readonly amount: string;
  /** The currency, ISO 4217 in capitals; with some providers a cryptocurrency (`BTC`) or a country. */
  readonly unit: string;
  /** Yours; need not be unique. */
  readonly referenceId?: string | null | undefined;
  /** Where notifications go; else to the owner’s default address. */
  readonly notifyUrl?: string | null | undefined;
  /** Where the payer’s browser goes when it is paid. */
  readonly successUrl?: string | null | undefined;
  /** Where the payer’s browser goes when it failed or expired. */
  readonly failureUrl?: string | null | undefined;
  /** The shop’s domain. */
  readonly originDomain?: string | null | undefined;
  /** Who receives the money, for people. */
  readonly recipientName?: string | null | undefined;
  /** Until a payer is known; then the payer’s. */
  readonly payerCountry?: string | null | undefined;
  /** For people. */
  readonly notes?: string | null | undefined;
  /** Beats `client.name`. */
  readonly clientName?: string | null | undefined;
  /** Beats `client.email`. */
  readonly clientEmail?: string | null | undefined;
  /** Beats `client.address`. */
  readonly clientAddress?: string | null | undefined;
  /** Beats `client.phone`. */
  readonly clientPhone?: string | null | undefined;
  /** Beats `client.memberId`. */
  readonly clientMemberId?: string | null | undefined;
  /** The client, found or made by e-mail. */
  readonly client?: {
    /** The client’s name. */
    readonly name?: string | undefined;
    /** The client’s e-mail address: by it the client is found again. */
    readonly email?: string | undefined;
    /** The client’s address. */
    readonly address?: string | undefined;
    /** The client’s phone number. */
    readonly phone?: string | undefined;
    /** Your id of the client. */
    readonly memberId?: string | undefined;
  } | undefined;
  /** 0 none; 1, 2, 3 are labels of your own. */
  readonly targetAccountTypeId?: number | undefined;
  /** The payer’s name, where it is known already. */
  readonly payerName?: string | null | undefined;
  /** true makes it a test payment request for good, also with a live key. */
  readonly isSandbox?: boolean | undefined;
  /** The payer’s e-mail address; used where the client has none. */
  readonly payerEmail?: string | null | undefined;
  /**
   * From when on nobody can begin to pay it: a time of ISO 8601 in the future, UTC unless it says otherwise. Absent:
   * the operator’s usual time.
   */
  readonly expiresAt?: string | null | undefined;
}

export interface Capture {
  /** What to collect; absent: all that was authorised. */
  readonly amount?: string | undefined;
}

export interface Refund {
  /** What to give back; absent: all that is left. */
  readonly amount?: string | undefined;
}

export interface PaymentRequestList {
  /** Newest first. */
  readonly items: readonly PaymentRequest[];
  /** The `cursor` of the next page; null: this was the last. */
  readonly nextCursor: string | null;
}

export interface Notification {
  /** `<payment request>-<sequence>`; sent as `webhook-id`. */
  readonly id: string;
  /** The event’s type. */
  readonly type: string;
  /** The payment request; null for an event about the owner. */
  readonly paymentRequestId: number | null;
  /** Counts the events of a payment request. */
  readonly sequence: number | null;
  /** Where it goes. */
  readonly url: string;
  /** `gone`: the address answered 410. `exhausted`: all attempts failed. */
  readonly state: 'waiting' | 'delivered' | 'exhausted' | 'gone';
  /** When it is tried next; null where nothing is planned, or one is under way. */
  readonly nextAttemptAt: string | null;
  /** The latest ones, oldest first. */
  readonly attempts: readonly DeliveryAttempt[];
  /** When the event happened. */
  readonly createdAt: string;
}

export interface DeliveryAttempt {
  /** When. */
  readonly at: string;
  /** Milliseconds. */
  readonly ms: number | null;
  /** Your answer’s; null: none came. */
  readonly status: number | null;
  /** It ended for want of a complete answer. */
  readonly code?: 'WH002' | undefined;
  /** What went wrong. */
  readonly error: string | null;
}

export interface NotificationList {
  /** Newest first. */
  readonly items: readonly Notification[];
  /** The `cursor` of the next page; null: this was the last. */
  readonly nextCursor: string | null;
}

export interface ResendAnswer {
  readonly result: 'OK';
  readonly notification: Notification;
  /**
   * What was accepted and surely not meant, such as an unknown member or query parameter; absent where there is nothing
   * to say. Each is also a header `X-Gateway-Warning`, at most 5.
   */
  readonly warnings?: readonly Warning[] | undefined;
}

export interface ResendSpanAnswer {
  readonly result: 'OK';
  /** How many are sent again. */
  readonly resent: number;
}

export interface ResendSpan {
  /** From when on they were made; absent: from the beginning. */
  readonly from?: string | undefined;
  /** Before when they were made; absent: now. */
  readonly to?: string | undefined;
}

export interface Report {
  /** Rising by day. */
  readonly items: readonly ReportRow[];
}

export interface ReportRow {
  /** Of the payment request, UTC. */
  readonly day: string;
  /** Provider of the latest attempt; 0: none. */
  readonly providerId: 0 | 11 | 12 | 13 | 14 | 15 | 16 | 17 | 18 | 21 | 22 | 23 | 24 | 25 | 26 | 27 | 28 | 29 | 30 | 31 | 32 | 33 | 34 | 35 | 36 | 37 | 38 | 39 | 40 | 41 | 42 | 43 | 44 | 45 | 46 | 47 | 48 | 49 | 50 | 51 | 52 | 53 | 54 | 55 | 56 | 57 | 58 | 59;
  /** Method of the latest attempt; 0: none. */
  readonly methodId: 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 13 | 14 | 15 | 16 | 17 | 18 | 19 | 20;
  /** What was charged, else the unit as sent. */
  readonly currency: string;
  /** `paymentRequestStatusId`. */
  readonly status: number;
  /** How many payment requests. */
  readonly count: number;
  /** Their sum, decimal text. */
  readonly amount: string;
}

/**
 * The key is missing, unknown, revoked, expired or of the other environment; or a Bearer token was sent. Send a valid
 * key in `X-API-Key`.
 */
export interface AUTH001 {
  /** Where this kind is explained. */
  readonly type: string;
  /** The kind in words, which may change. */
  readonly title: string;
  /** The HTTP status. */
  readonly status: 401;
  /** What is wrong, and the cure. */
  readonly detail: string;
  /** The path of the request; in a batch, with the place of the entry. */
  readonly instance: string;
  /** The kind. */
  readonly error: 'UNAUTHORIZED';
  /** The same as `detail`. */
  readonly message: string;
  /** The kind’s code. */
  readonly code: 'AUTH001';
  /** What belongs to the kind. */
  readonly details: Readonly<Record<string, never>>;
  /** When it happened. */
  readonly timestamp: string;
  /** The same as `X-Request-Id`. */
  readonly requestId: string;
}

/** The key lacks the scope that the call needs. Use a key with that scope. */
export interface AUTH002 {
  /** Where this kind is explained. */
  readonly type: string;
  /** The kind in words, which may change. */
  readonly title: string;
  /** The HTTP status. */
  readonly status: 403;
  /** What is wrong, and the cure. */
  readonly detail: string;
  /** The path of the request; in a batch, with the place of the entry. */
  readonly instance: string;
  /** The kind. */
  readonly error: 'FORBIDDEN';
  /** The same as `detail`. */
  readonly message: string;
  /** The kind’s code. */
  readonly code: 'AUTH002';
  /** What belongs to the kind. */
  readonly details: Readonly<Record<string, never>>;
  /** When it happened. */
  readonly timestamp: string;
  /** The same as `X-Request-Id`. */
  readonly requestId: string;
}

/** Required fields are missing. Checked before wrong ones. Send them all. */
export interface VAL001 {
  /** Where this kind is explained. */
  readonly type: string;
  /** The kind in words, which may change. */
  readonly title: string;
  /** The HTTP status. */
  readonly status: 400;
  /** What is wrong, and the cure. */
  readonly detail: string;
  /** The path of the request; in a batch, with the place of the entry. */
  readonly instance: string;
  /** The kind. */
  readonly error: 'VALIDATION_ERROR';
  /** The same as `detail`. */
  readonly message: string;
  /** The kind’s code. */
  readonly code: 'VAL001';
  /** What belongs to the kind. */
  readonly details: {
    /** The names of all of them. */
    readonly missingFields: readonly string[];
    /** Of the payment request that it is about; absent where there is none yet. */
    readonly paymentRequestId?: number | undefined;
  };
  /** When it happened. */
  readonly timestamp: string;
  /** The same as `X-Request-Id`. */
  readonly requestId: string;
}

/** A field, header or parameter has a wrong form, or the body is no JSON object. Mend what `details.errors` names. */
export interface VAL002 {
  /** Where this kind is explained. */
  readonly type: string;
  /** The kind in words, which may change. */
  readonly title: string;
  /** The HTTP status. */
  readonly status: 400;
  /** What is wrong, and the cure. */
  readonly detail: string;
  /** The path of the request; in a batch, with the place of the entry. */
  readonly instance: string;
  /** The kind. */
  readonly error: 'INVALID_FORMAT';
  /** The same as `detail`. */
  readonly message: string;
  /** The kind’s code. */
  readonly code: 'VAL002';
  /** What belongs to the kind. */
  readonly details: {
    /** Its name; nested ones as `browserInfo.colorDepth`. `body` and names of headers too. */
    readonly field: string;
    /** As sent, or `"[hidden]"`. */
    readonly value: unknown;
    /** All that is wrong; the first is in `field` and `value` as well. */
    readonly errors: readonly ({
      /** Its name; nested ones as `browserInfo.colorDepth`. `body` and names of headers too. */
      readonly field: string;
      /** As sent, or `"[hidden]"`. */
      readonly value: unknown;
      /** What it must be. */
      readonly message: string;
    })[];
    /** Of the payment request that it is about; absent where there is none yet. */
    readonly paymentRequestId?: number | undefined;
  };
  /** When it happened. */
  readonly timestamp: string;
  /** The same as `X-Request-Id`. */
  readonly requestId: string;
}

/**
 * The issuer declined, or a risk rule did in its place. The payment request is failed. Try another card: the payment
 * request may be paid again.
 */
export interface PAY001 {
  /** Where this kind is explained. */
  readonly type: string;
  /** The kind in words, which may change. */
  readonly title: string;
  /** The HTTP status. */
  readonly status: 400;
  /** What is wrong, and the cure. */
  readonly detail: string;
  /** The path of the request; in a batch, with the place of the entry. */
  readonly instance: string;
  /** The kind. */
  readonly error: 'CARD_DECLINED';
  /** The same as `detail`. */
  readonly message: string;
  /** The kind’s code. */
  readonly code: 'PAY001';
  /** What belongs to the kind. */
  readonly details: {
    /**
     * 05 do not honor; 51 insufficient funds; 54 expired card; 57 transaction not permitted; 61 exceeds withdrawal
     * limit.
     */
    readonly declineCode: '05' | '51' | '54' | '57' | '61';
    /** The code in words. */
    readonly declineReason: string;
    /** Of the payment request that it is about; absent where there is none yet. */
    readonly paymentRequestId?: number | undefined;
  };
  /** When it happened. */
  readonly timestamp: string;
  /** The same as `X-Request-Id`. */
  readonly requestId: string;
}

/**
 * The card cannot be charged at all: number, or expiration. Or the member code is wrong (`field` is `code`). Ask the
 * payer to look again.
 */
export interface PAY002 {
  /** Where this kind is explained. */
  readonly type: string;
  /** The kind in words, which may change. */
  readonly title: string;
  /** The HTTP status. */
  readonly status: 400;
  /** What is wrong, and the cure. */
  readonly detail: string;
  /** The path of the request; in a batch, with the place of the entry. */
  readonly instance: string;
  /** The kind. */
  readonly error: 'INVALID_CARD';
  /** The same as `detail`. */
  readonly message: string;
  /** The kind’s code. */
  readonly code: 'PAY002';
  /** What belongs to the kind. */
  readonly details: {
    /** What is wrong. */
    readonly field: 'number' | 'expiration' | 'code';
    /** In words. */
    readonly reason: string;
    /** Of the payment request that it is about; absent where there is none yet. */
    readonly paymentRequestId?: number | undefined;
  };
  /** When it happened. */
  readonly timestamp: string;
  /** The same as `X-Request-Id`. */
  readonly requestId: string;
}

/** The payer did not pass 3D Secure. The payment request is failed. Let the payer try again. */
export interface PAY003 {
  /** Where this kind is explained. */
  readonly type: string;
  /** The kind in words, which may change. */
  readonly title: string;
  /** The HTTP status. */
  readonly status: 400;
  /** What is wrong, and the cure. */
  readonly detail: string;
  /** The path of the request; in a batch, with the place of the entry. */
  readonly instance: string;
  /** The kind. */
  readonly error: 'THREEDS_FAILED';
  /** The same as `detail`. */
  readonly message: string;
  /** The kind’s code. */
  readonly code: 'PAY003';
  /** What belongs to the kind. */
  readonly details: {
    /** The provider’s result, else `N`. */
    readonly threeDsResult: string;
    /** The issuer’s words; may be empty. */
    readonly acsResponse: string;
    /** Of the payment request that it is about; absent where there is none yet. */
    readonly paymentRequestId?: number | undefined;
  };
  /** When it happened. */
  readonly timestamp: string;
  /** The same as `X-Request-Id`. */
  readonly requestId: string;
}

/**
 * The state of the payment request does not allow the call, or no provider takes it. Read the payment request; the
 * message says what is in the way.
 */
export interface PAY004 {
  /** Where this kind is explained. */
  readonly type: string;
  /** The kind in words, which may change. */
  readonly title: string;
  /** The HTTP status. */
  readonly status: 400;
  /** What is wrong, and the cure. */
  readonly detail: string;
  /** The path of the request; in a batch, with the place of the entry. */
  readonly instance: string;
  /** The kind. */
  readonly error: 'PAYMENT_NOT_PAYABLE';
  /** The same as `detail`. */
  readonly message: string;
  /** The kind’s code. */
  readonly code: 'PAY004';
  /** What belongs to the kind. */
  readonly details: {
    /** Of the payment request that it is about; absent where there is none yet. */
    readonly paymentRequestId?: number | undefined;
  };
  /** When it happened. */
  readonly timestamp: string;
  /** The same as `X-Request-Id`. */
  readonly requestId: string;
}

/**
 * No provider could take it, and certainly nothing was charged. Try again, with the same `Idempotency-Key` if you like.
 */
export interface PAY005 {
  /** Where this kind is explained. */
  readonly type: string;
  /** The kind in words, which may change. */
  readonly title: string;
  /** The HTTP status. */
  readonly status: 500;
  /** What is wrong, and the cure. */
  readonly detail: string;
  /** The path of the request; in a batch, with the place of the entry. */
  readonly instance: string;
  /** The kind. */
  readonly error: 'PROVIDER_UNAVAILABLE';
  /** The same as `detail`. */
  readonly message: string;
  /** The kind’s code. */
  readonly code: 'PAY005';
  /** What belongs to the kind. */
  readonly details: {
    /** Of the payment request that it is about; absent where there is none yet. */
    readonly paymentRequestId?: number | undefined;
  };
  /** When it happened. */
  readonly timestamp: string;
  /** The same as `X-Request-Id`. */
  readonly requestId: string;
}

/** The UPI id is not of the form `username@bankcode`. Ask the payer to look again. */
export interface UPI001 {
  /** Where this kind is explained. */
  readonly type: string;
  /** The kind in words, which may change. */
  readonly title: string;
  /** The HTTP status. */
  readonly status: 400;
  /** What is wrong, and the cure. */
  readonly detail: string;
  /** The path of the request; in a batch, with the place of the entry. */
  readonly instance: string;
  /** The kind. */
  readonly error: 'INVALID_UPI_ID';
  /** The same as `detail`. */
  readonly message: string;
  /** The kind’s code. */
  readonly code: 'UPI001';
  /** What belongs to the kind. */
  readonly details: {
    /** Never repeated. */
    readonly upiId: '[hidden]';
    /** The form. */
    readonly expectedFormat: 'username@bankcode';
    /** Of the payment request that it is about; absent where there is none yet. */
    readonly paymentRequestId?: number | undefined;
  };
  /** When it happened. */
  readonly timestamp: string;
  /** The same as `X-Request-Id`. */
  readonly requestId: string;
}

/** The payer or the bank declined the UPI payment. The payment request is failed. Let the payer try again. */
export interface UPI002 {
  /** Where this kind is explained. */
  readonly type: string;
  /** The kind in words, which may change. */
  readonly title: string;
  /** The HTTP status. */
  readonly status: 400;
  /** What is wrong, and the cure. */
  readonly detail: string;
  /** The path of the request; in a batch, with the place of the entry. */
  readonly instance: string;
  /** The kind. */
  readonly error: 'UPI_TRANSACTION_FAILED';
  /** The same as `detail`. */
  readonly message: string;
  /** The kind’s code. */
  readonly code: 'UPI002';
  /** What belongs to the kind. */
  readonly details: {
    /**
     * U16 risk threshold exceeded; U30 invalid PIN; U66 device not registered; U69 collect request declined; or a
     * decline code of cards.
     */
    readonly upiResponse: '05' | '51' | '54' | '57' | '61' | 'U16' | 'U30' | 'U66' | 'U69';
    /** The code in words. */
    readonly reason: string;
    /** Of the payment request that it is about; absent where there is none yet. */
    readonly paymentRequestId?: number | undefined;
  };
  /** When it happened. */
  readonly timestamp: string;
  /** The same as `X-Request-Id`. */
  readonly requestId: string;
}

/**
 * What the path names does not exist, is another owner’s, or belongs to the other environment; or the method is wrong.
 * Look at path, id and key.
 */
export interface NF001 {
  /** Where this kind is explained. */
  readonly type: string;
  /** The kind in words, which may change. */
  readonly title: string;
  /** The HTTP status. */
  readonly status: 404;
  /** What is wrong, and the cure. */
  readonly detail: string;
  /** The path of the request; in a batch, with the place of the entry. */
  readonly instance: string;
  /** The kind. */
  readonly error: 'NOT_FOUND';
  /** The same as `detail`. */
  readonly message: string;
  /** The kind’s code. */
  readonly code: 'NF001';
  /** What belongs to the kind. */
  readonly details: {
    /** Of the payment request that it is about; absent where there is none yet. */
    readonly paymentRequestId?: number | undefined;
  };
  /** When it happened. */
  readonly timestamp: string;
  /** The same as `X-Request-Id`. */
  readonly requestId: string;
}

/**
 * The `Idempotency-Key` was used with another request, or its first request is still running. Use a new key for a new
 * request; wait a moment for a running one.
 */
export interface IDEM001 {
  /** Where this kind is explained. */
  readonly type: string;
  /** The kind in words, which may change. */
  readonly title: string;
  /** The HTTP status. */
  readonly status: 400;
  /** What is wrong, and the cure. */
  readonly detail: string;
  /** The path of the request; in a batch, with the place of the entry. */
  readonly instance: string;
  /** The kind. */
  readonly error: 'IDEMPOTENCY_CONFLICT';
  /** The same as `detail`. */
  readonly message: string;
  /** The kind’s code. */
  readonly code: 'IDEM001';
  /** What belongs to the kind. */
  readonly details: {
    /** Of the payment request that it is about; absent where there is none yet. */
    readonly paymentRequestId?: number | undefined;
  };
  /** When it happened. */
  readonly timestamp: string;
  /** The same as `X-Request-Id`. */
  readonly requestId: string;
}

/** The version in `X-API-Version` is not served. Send 2.1, or no such header. */
export interface VER001 {
  /** Where this kind is explained. */
  readonly type: string;
  /** The kind in words, which may change. */
  readonly title: string;
  /** The HTTP status. */
  readonly status: 400;
  /** What is wrong, and the cure. */
  readonly detail: string;
  /** The path of the request; in a batch, with the place of the entry. */
  readonly instance: string;
  /** The kind. */
  readonly error: 'UNSUPPORTED_VERSION';
  /** The same as `detail`. */
  readonly message: string;
  /** The kind’s code. */
  readonly code: 'VER001';
  /** What belongs to the kind. */
  readonly details: {
    /** The versions that are served. */
    readonly supported: readonly string[];
  };
  /** When it happened. */
  readonly timestamp: string;
  /** The same as `X-Request-Id`. */
  readonly requestId: string;
}

/** The body is larger than this address takes. Send less at once. */
export interface REQ001 {
  /** Where this kind is explained. */
  readonly type: string;
  /** The kind in words, which may change. */
  readonly title: string;
  /** The HTTP status. */
  readonly status: 413;
  /** What is wrong, and the cure. */
  readonly detail: string;
  /** The path of the request; in a batch, with the place of the entry. */
  readonly instance: string;
  /** The kind. */
  readonly error: 'PAYLOAD_TOO_LARGE';
  /** The same as `detail`. */
  readonly message: string;
  /** The kind’s code. */
  readonly code: 'REQ001';
  /** What belongs to the kind. */
  readonly details: {
    /** Bytes. */
    readonly limit: number;
  };
  /** When it happened. */
  readonly timestamp: string;
  /** The same as `X-Request-Id`. */
  readonly requestId: string;
}

/** The key made all its requests of this minute. Wait as long as `Retry-After` says. */
export interface RATE001 {
  /** Where this kind is explained. */
  readonly type: string;
  /** The kind in words, which may change. */
  readonly title: string;
  /** The HTTP status. */
  readonly status: 429;
  /** What is wrong, and the cure. */
  readonly detail: string;
  /** The path of the request; in a batch, with the place of the entry. */
  readonly instance: string;
  /** The kind. */
  readonly error: 'RATE_LIMIT_EXCEEDED';
  /** The same as `detail`. */
  readonly message: string;
  /** The kind’s code. */
  readonly code: 'RATE001';
  /** What belongs to the kind. */
  readonly details: {
    /** Requests a minute. */
    readonly limit: number;
    /** A minute. */
    readonly window: '1m';
    /** Seconds. */
    readonly retryAfter: number;
  };
  /** When it happened. */
  readonly timestamp: string;
  /** The same as `X-Request-Id`. */
  readonly requestId: string;
}

/**
 * The service cannot take the request at this moment: its database does not answer, or too much is under way. Nothing
 * was begun. Send the same request again after `Retry-After`.
 */
export interface SYS002 {
  /** Where this kind is explained. */
  readonly type: string;
  /** The kind in words, which may change. */
  readonly title: string;
  /** The HTTP status. */
  readonly status: 503;
  /** What is wrong, and the cure. */
  readonly detail: string;
  /** The path of the request; in a batch, with the place of the entry. */
  readonly instance: string;
  /** The kind. */
  readonly error: 'UNAVAILABLE';
  /** The same as `detail`. */
  readonly message: string;
  /** The kind’s code. */
  readonly code: 'SYS002';
  /** What belongs to the kind. */
  readonly details: {
    /** Seconds. */
    readonly retryAfter: number;
    /** Of the payment request that it is about; absent where there is none yet. */
    readonly paymentRequestId?: number | undefined;
  };
  /** When it happened. */
  readonly timestamp: string;
  /** The same as `X-Request-Id`. */
  readonly requestId: string;
}

/**
 * Something went wrong on our side. The payment request shows whether anything was done. Read the payment request
 * before trying again; tell us the request id.
 */
export interface SYS001 {
  /** Where this kind is explained. */
  readonly type: string;
  /** The kind in words, which may change. */
  readonly title: string;
  /** The HTTP status. */
  readonly status: 500;
  /** What is wrong, and the cure. */
  readonly detail: string;
  /** The path of the request; in a batch, with the place of the entry. */
  readonly instance: string;
  /** The kind. */
  readonly error: 'INTERNAL_ERROR';
  /** The same as `detail`. */
  readonly message: string;
  /** The kind’s code. */
  readonly code: 'SYS001';
  /** What belongs to the kind. */
  readonly details: {
    /** Of the payment request that it is about; absent where there is none yet. */
    readonly paymentRequestId?: number | undefined;
  };
  /** When it happened. */
  readonly timestamp: string;
  /** The same as `X-Request-Id`. */
  readonly requestId: string;
}
