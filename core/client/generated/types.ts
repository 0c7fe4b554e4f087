/** Generated from the OpenAPI document by `npm run generate -w @paywright/client`. */
import type { CallOptions, WriteOptions } from '../options.ts';

/**
 * A method for each operation: the ids of its path, then the body, then options. It throws a `CallError`, or the
 * reason of the signal.
 */
export interface GatewayClient {
  /**
   * Pay a payment request by card.
   *
   * The route rules choose the provider. With `transaction3dsId` it resumes an attempt that stopped for 3D Secure.
   *
   * The key needs the scope `payments:write`.
   */
  payByCard(id: number, body: CardPayment, options?: WriteOptions<{
    /** The `transactionId` of a redirect action: continues the payment after the redirect. */
    readonly transaction3dsId?: string | undefined;
  }>): Promise<PaymentAnswer>;
  /**
   * Create a payment request and pay it at one provider.
   *
   * The provider’s code determines the body: a card, billing data only, a card token or a UPI id. A provider may narrow
   * the bounds of the body.
   *
   * The key needs the scope `payments:write`.
   */
  payH2h(id: number, body: H2hOrder, options?: WriteOptions): Promise<PaymentAnswer>;
  /**
   * Confirm a card payment with a member code.
   *
   * Call it after an answer with the action `confirm`. A wrong code answers PAY002 with field `code`; try again with
   * another code.
   *
   * The key needs the scope `payments:write`.
   */
  confirmByMemberCode(id: number, body: MemberConfirmation, options?: WriteOptions): Promise<PaymentAnswer>;
  /**
   * Pay a payment request by UPI.
   *
   * The route rules choose the provider.
   *
   * The key needs the scope `payments:write`.
   */
  payByUpi(id: number, body: UpiPayment, options?: WriteOptions): Promise<PaymentAnswer>;
  /**
   * Create a payment request.
   *
   * The payment request sets the amount. Send the payer its `link`, or pay it with `POST /payments/creditCard/{id}` or
   * `POST /payments/upi/{id}`. It expires if it is not paid.
   *
   * The key needs the scope `requests:write`.
   */
  createPaymentRequest(body: NewPaymentRequest, options?: WriteOptions<{
    /**
     * true mails the link to the client. Without a client’s email address: VAL001 `clientEmail`. Without a configured
     * mail server: SYS001, and nothing is created.
     */
    readonly send?: boolean | undefined;
    /** Sets `targetAccountTypeId`, and takes precedence over the body. */
    readonly accountType?: number | undefined;
    /** Your own id of an identity check. It is stored, and returned as `kycApplicantId`. */
    readonly applicantId?: string | undefined;
  }>): Promise<PaymentAnswer>;
  /**
   * List payment requests.
   *
   * Newest first. Payment requests that are created while you page do not shift the pages.
   *
   * The key needs the scope `requests:read`.
   */
  listPaymentRequests(options?: CallOptions<{
    /** `paymentRequestStatusId`. */
    readonly status?: number | undefined;
    /** Yours, exactly. */
    readonly referenceId?: string | undefined;
    /** The client. */
    readonly clientId?: number | undefined;
    /** Provider code of the latest attempt. 0: none. */
    readonly providerId?: number | undefined;
    /** Method code of the latest attempt. 0: none. */
    readonly methodId?: number | undefined;
    /** Account of the latest attempt: `<adapter>/<account>`. */
    readonly providerAccount?: string | undefined;
    /** Created at or after this day or time: ISO 8601, UTC unless it has an offset. */
    readonly createdFrom?: string | undefined;
    /** Created before this day or time, in the same format. */
    readonly createdTo?: string | undefined;
    /** Maximum number of items per page. */
    readonly limit?: number | undefined;
    /** The `nextCursor` of the page before. */
    readonly cursor?: string | undefined;
  }>): Promise<PaymentRequestList>;
  /**
   * Create up to 500 payment requests.
   *
   * Each entry has its own result, in the same order. Failed entries do not make the batch fail.
   *
   * The key needs the scope `requests:write`.
   */
  createPaymentRequests(body: Batch, options?: WriteOptions): Promise<BatchAnswer>;
  /**
   * Read a payment request.
   *
   * The key needs the scope `requests:read`.
   */
  getPaymentRequest(id: number, options?: CallOptions): Promise<PaymentRequest>;
  /**
   * Read the timeline of a payment request.
   *
   * Requests to providers and their answers, callbacks, events, transitions, notifications.
   *
   * The key needs the scope `requests:read`.
   */
  getTimeline(id: number, options?: CallOptions): Promise<Timeline>;
  /**
   * Refund a payment.
   *
   * Refunds in full or in part, if the provider supports it. If the provider does not answer, the refund stays pending
   * and its status is fetched.
   *
   * The key needs the scope `payments:write`.
   */
  refund(id: number, body?: Refund, options?: WriteOptions): Promise<PaymentAnswer>;
  /**
   * Capture an authorised payment.
   *
   * Captures in full or in part, once, if the provider supports it. If the provider does not answer, the capture stays
   * pending and its status is fetched.
   *
   * The key needs the scope `payments:write`.
   */
  capture(id: number, body?: Capture, options?: WriteOptions): Promise<PaymentAnswer>;
  /**
   * Cancel a payment request.
   *
   * Cancels a payment request that is created or failed, one that waits for a step of its payer that can be replaced,
   * or one that is authorised if the provider can release the money. If the provider can close the unpaid order, it is
   * closed first: without its confirmation the answer is PAY004. No further attempt is possible.
   *
   * The key needs the scope `requests:write`.
   */
  cancel(id: number, body?: EmptyBody, options?: WriteOptions): Promise<PaymentAnswer>;
  /**
   * List notifications with their attempts.
   *
   * The key needs the scope `requests:read`.
   */
  listNotifications(options?: CallOptions<{
    /** Only notifications about this payment request. */
    readonly paymentRequestId?: number | undefined;
    /** Only notifications in this delivery state. */
    readonly state?: 'waiting' | 'delivered' | 'exhausted' | 'gone' | undefined;
    /** The event’s type. */
    readonly type?: string | undefined;
    /** Maximum number of items per page. */
    readonly limit?: number | undefined;
    /** The `nextCursor` of the page before. */
    readonly cursor?: string | undefined;
  }>): Promise<NotificationList>;
  /**
   * Send a notification again.
   *
   * Starts a new round of attempts, whatever the result of the earlier ones. The body is the same, byte for byte.
   *
   * The key needs the scope `notifications:write`.
   */
  resendNotification(id: string, body?: EmptyBody, options?: WriteOptions): Promise<ResendAnswer>;
  /**
   * Send the exhausted notifications of a time span again.
   *
   * Sends only notifications whose attempts are exhausted; delivered and waiting ones do not change. Set the span in
   * the body or in the query; the body takes precedence.
   *
   * The key needs the scope `notifications:write`.
   */
  resendNotifications(body?: ResendSpan, options?: WriteOptions<{
    /** Start of the span (creation time). Default: no limit. */
    readonly from?: string | undefined;
    /** End of the span (creation time), exclusive. Default: now. */
    readonly to?: string | undefined;
  }>): Promise<ResendSpanAnswer>;
  /**
   * Report sums of payment requests.
   *
   * By day, provider, method, currency and status, and with `groupBy=providerAccount` by account. CSV for `Accept:
   * text/csv`, with the same columns.
   *
   * The key needs the scope `requests:read`.
   */
  reportPayments(options?: CallOptions<{
    /** The first day, UTC. Default: 29 days before the last day. */
    readonly from?: string | undefined;
    /** The last day, UTC. Default: today. */
    readonly to?: string | undefined;
    /** Only payment requests whose latest attempt has this account, `<adapter>/<account>`. */
    readonly providerAccount?: string | undefined;
    /** `providerAccount` also groups by the account of the latest attempt. */
    readonly groupBy?: 'providerAccount' | undefined;
  }>): Promise<Report>;
  /** Report sums of payment requests, as CSV with a header line. */
  reportPaymentsCsv(options?: CallOptions<{
    /** The first day, UTC. Default: 29 days before the last day. */
    readonly from?: string | undefined;
    /** The last day, UTC. Default: today. */
    readonly to?: string | undefined;
    /** Only payment requests whose latest attempt has this account, `<adapter>/<account>`. */
    readonly providerAccount?: string | undefined;
    /** `providerAccount` also groups by the account of the latest attempt. */
    readonly groupBy?: 'providerAccount' | undefined;
  }>): Promise<string>;
}

/** The reason of a failed call, distinguished by `code`. */
export type Problem = VER001 | VAL001 | VAL002 | PAY002 | PAY001 | PAY003 | PAY004 | IDEM001 | AUTH001 | AUTH002 | NF001 | REQ001 | RATE001 | PAY005 | SYS001 | SYS002 | UPI001 | UPI002;

/** The message that is posted to `notifyUrl`, distinguished by `type`. */
export type WebhookNotification = PaymentNotification | RefundNotification | ChargebackNotification | VersionNotification | EndpointNotification | TestNotification;

export interface CardPayment {
  /** The payer’s name. */
  readonly name: string;
  /** The payer’s e-mail address. */
  readonly email: string;
  /** With country code. Providers get it without blanks, hyphens, dots, slashes and brackets. */
  readonly phoneNumber: string;
  /** Street and number. */
  readonly address: string;
  /** City. */
  readonly city: string;
  /** State or region. */
  readonly state: string;
  /** Postal code. */
  readonly postalCode: string;
  /** ISO 3166 code of two letters, or XK for Kosovo. Providers get capital letters, GB for UK, and GR for EL. */
  readonly country: string;
  /**
   * The payer’s IP address. A port and a zone are removed, and the first address of a list counts. Other text is left
   * out, with a warning.
   */
  readonly ipAddress?: string | null | undefined;
  /** true requires 3D Secure; false asks the provider to skip it. Default: the provider decides. */
  readonly is3ds?: boolean | undefined;
  /** true creates a test payment, also with a live key. A test key always creates test payments. */
  readonly isSandbox?: boolean | undefined;
  /**
   * About the payer’s browser: for 3D Secure, and for providers that lead a phone into an app. A member that cannot be
   * read is left out, with a warning.
   */
  readonly browserInfo?: BrowserInfo | undefined;
  /**
   * The account at the provider: `<adapter>/<account>`, at h2h endpoints also `<account>`. Default: chosen by the
   * operator’s rules. Ignored when an attempt is resumed.
   */
  readonly providerAccount?: string | undefined;
  /** Card number; digits that pass the Luhn check (else PAY002). */
  readonly number: string;
  /**
   * `MM/YY`, or another spelling that means only one month (`1/30`, `01/2030`, `2030-01`, `0130`). A month not past
   * (else PAY002): a card is valid until its month is over in every time zone.
   */
  readonly expiration: string;
  /** Card verification value. Never stored. */
  readonly cvv: string;
  /** Hours from authorisation to capture. */
  readonly captureDelayHours?: number | undefined;
  /** Set if the card comes from a wallet. */
  readonly wallet?: Wallet | undefined;
}

export interface BrowserInfo {
  /** The `Accept` header of the payer’s browser. */
  readonly acceptHeader?: string | undefined;
  /** Bits per pixel. */
  readonly colorDepth?: string | undefined;
  /** The payer’s address, as the shop sees it. */
  readonly ip?: string | undefined;
  /** The browser runs Java. Default: false. */
  readonly javaEnabled?: boolean | undefined;
  /** The browser runs JavaScript. */
  readonly javascriptEnabled?: boolean | undefined;
  /** Such as `pt-PT`. The first language of a list counts. */
  readonly language?: string | undefined;
  /** Pixels. A fraction is rounded. */
  readonly screenHeight?: string | undefined;
  /** Pixels. A fraction is rounded. */
  readonly screenWidth?: string | undefined;
  /** Minutes from UTC. */
  readonly timezone?: string | undefined;
  /** The `User-Agent` header; `device`, `browser` and `osName` are read from it. */
  readonly userAgent?: string | undefined;
}

export interface Wallet {
  /** The wallet’s name. */
  readonly walletType?: string | undefined;
  /** The cryptogram. */
  readonly authenticationValue?: string | undefined;
  /** The transaction id that belongs to the cryptogram. */
  readonly xid?: string | undefined;
  /** The electronic commerce indicator. */
  readonly eci?: string | undefined;
}

export interface CardOrder {
  /** The payer’s name. */
  readonly name: string;
  /** The payer’s e-mail address. */
  readonly email: string;
  /** With country code. Providers get it without blanks, hyphens, dots, slashes and brackets. */
  readonly phoneNumber: string;
  /** Street and number. */
  readonly address: string;
  /** City. */
  readonly city: string;
  /** State or region. */
  readonly state: string;
  /** Postal code. */
  readonly postalCode: string;
  /** ISO 3166 code of two letters, or XK for Kosovo. Providers get capital letters, GB for UK, and GR for EL. */
  readonly country: string;
  /**
   * The payer’s IP address. A port and a zone are removed, and the first address of a list counts. Other text is left
   * out, with a warning.
   */
  readonly ipAddress?: string | null | undefined;
  /** true requires 3D Secure; false asks the provider to skip it. Default: the provider decides. */
  readonly is3ds?: boolean | undefined;
  /** true creates a test payment, also with a live key. A test key always creates test payments. */
  readonly isSandbox?: boolean | undefined;
  /**
   * About the payer’s browser: for 3D Secure, and for providers that lead a phone into an app. A member that cannot be
   * read is left out, with a warning.
   */
  readonly browserInfo?: BrowserInfo | undefined;
  /**
   * The account at the provider: `<adapter>/<account>`, at h2h endpoints also `<account>`. Default: chosen by the
   * operator’s rules. Ignored when an attempt is resumed.
   */
  readonly providerAccount?: string | undefined;
  /** Card number; digits that pass the Luhn check (else PAY002). */
  readonly number: string;
  /**
   * `MM/YY`, or another spelling that means only one month (`1/30`, `01/2030`, `2030-01`, `0130`). A month not past
   * (else PAY002): a card is valid until its month is over in every time zone.
   */
  readonly expiration: string;
  /** Card verification value. Never stored. */
  readonly cvv: string;
  /** Hours from authorisation to capture. */
  readonly captureDelayHours?: number | undefined;
  /** Set if the card comes from a wallet. */
  readonly wallet?: Wallet | undefined;
  /**
   * At most 15 significant digits; exact, never rounded. The decimals that its currency has, once a provider is chosen.
   */
  readonly amount: string;
  /** The currency, ISO 4217 in capitals; with some providers a cryptocurrency (`BTC`) or a country. */
  readonly unit: string;
  /** Your own reference. It need not be unique. */
  readonly referenceId?: string | null | undefined;
  /** The address for notifications. Default: your default address. */
  readonly notifyUrl?: string | null | undefined;
  /**
   * The page for the payer after a successful payment. It may contain `{paymentRequestId}` and `{referenceId}`, which
   * are replaced by their percent-encoded values.
   */
  readonly successUrl?: string | null | undefined;
  /**
   * The page for the payer after a failed or expired payment. It may contain `{paymentRequestId}` and `{referenceId}`,
   * which are replaced by their percent-encoded values.
   */
  readonly failureUrl?: string | null | undefined;
  /** The shop’s domain. */
  readonly originDomain?: string | null | undefined;
}

export interface BillingOrder {
  /** The payer’s name. */
  readonly name: string;
  /** The payer’s e-mail address. */
  readonly email: string;
  /** With country code. Providers get it without blanks, hyphens, dots, slashes and brackets. */
  readonly phoneNumber: string;
  /** Street and number. */
  readonly address: string;
  /** City. */
  readonly city: string;
  /** State or region. */
  readonly state: string;
  /** Postal code. */
  readonly postalCode: string;
  /** ISO 3166 code of two letters, or XK for Kosovo. Providers get capital letters, GB for UK, and GR for EL. */
  readonly country: string;
  /**
   * The payer’s IP address. A port and a zone are removed, and the first address of a list counts. Other text is left
   * out, with a warning.
   */
  readonly ipAddress?: string | null | undefined;
  /** true requires 3D Secure; false asks the provider to skip it. Default: the provider decides. */
  readonly is3ds?: boolean | undefined;
  /** true creates a test payment, also with a live key. A test key always creates test payments. */
  readonly isSandbox?: boolean | undefined;
  /**
   * About the payer’s browser: for 3D Secure, and for providers that lead a phone into an app. A member that cannot be
   * read is left out, with a warning.
   */
  readonly browserInfo?: BrowserInfo | undefined;
  /**
   * The account at the provider: `<adapter>/<account>`, at h2h endpoints also `<account>`. Default: chosen by the
   * operator’s rules. Ignored when an attempt is resumed.
   */
  readonly providerAccount?: string | undefined;
  /**
   * At most 15 significant digits; exact, never rounded. The decimals that its currency has, once a provider is chosen.
   */
  readonly amount: string;
  /** The currency, ISO 4217 in capitals; with some providers a cryptocurrency (`BTC`) or a country. */
  readonly unit: string;
  /** Your own reference. It need not be unique. */
  readonly referenceId?: string | null | undefined;
  /** The address for notifications. Default: your default address. */
  readonly notifyUrl?: string | null | undefined;
  /**
   * The page for the payer after a successful payment. It may contain `{paymentRequestId}` and `{referenceId}`, which
   * are replaced by their percent-encoded values.
   */
  readonly successUrl?: string | null | undefined;
  /**
   * The page for the payer after a failed or expired payment. It may contain `{paymentRequestId}` and `{referenceId}`,
   * which are replaced by their percent-encoded values.
   */
  readonly failureUrl?: string | null | undefined;
  /** The shop’s domain. */
  readonly originDomain?: string | null | undefined;
}

export interface TokenOrder {
  /** The payer’s name. */
  readonly name: string;
  /** The payer’s e-mail address. */
  readonly email: string;
  /** With country code. Providers get it without blanks, hyphens, dots, slashes and brackets. */
  readonly phoneNumber: string;
  /** Street and number. */
  readonly address: string;
  /** City. */
  readonly city: string;
  /** State or region. */
  readonly state: string;
  /** Postal code. */
  readonly postalCode: string;
  /** ISO 3166 code of two letters, or XK for Kosovo. Providers get capital letters, GB for UK, and GR for EL. */
  readonly country: string;
  /**
   * The payer’s IP address. A port and a zone are removed, and the first address of a list counts. Other text is left
   * out, with a warning.
   */
  readonly ipAddress?: string | null | undefined;
  /** true requires 3D Secure; false asks the provider to skip it. Default: the provider decides. */
  readonly is3ds?: boolean | undefined;
  /** true creates a test payment, also with a live key. A test key always creates test payments. */
  readonly isSandbox?: boolean | undefined;
  /**
   * About the payer’s browser: for 3D Secure, and for providers that lead a phone into an app. A member that cannot be
   * read is left out, with a warning.
   */
  readonly browserInfo?: BrowserInfo | undefined;
  /**
   * The account at the provider: `<adapter>/<account>`, at h2h endpoints also `<account>`. Default: chosen by the
   * operator’s rules. Ignored when an attempt is resumed.
   */
  readonly providerAccount?: string | undefined;
  /** The card token. */
  readonly token: string;
  /**
   * At most 15 significant digits; exact, never rounded. The decimals that its currency has, once a provider is chosen.
   */
  readonly amount: string;
  /** The currency, ISO 4217 in capitals; with some providers a cryptocurrency (`BTC`) or a country. */
  readonly unit: string;
  /** Your own reference. It need not be unique. */
  readonly referenceId?: string | null | undefined;
  /** The address for notifications. Default: your default address. */
  readonly notifyUrl?: string | null | undefined;
  /**
   * The page for the payer after a successful payment. It may contain `{paymentRequestId}` and `{referenceId}`, which
   * are replaced by their percent-encoded values.
   */
  readonly successUrl?: string | null | undefined;
  /**
   * The page for the payer after a failed or expired payment. It may contain `{paymentRequestId}` and `{referenceId}`,
   * which are replaced by their percent-encoded values.
   */
  readonly failureUrl?: string | null | undefined;
  /** The shop’s domain. */
  readonly originDomain?: string | null | undefined;
}

export interface UpiOrder {
  /** The payer’s name. */
  readonly name: string;
  /** The payer’s e-mail address. */
  readonly email: string;
  /** With country code. Providers get it without blanks, hyphens, dots, slashes and brackets. */
  readonly phoneNumber: string;
  /** Street and number. */
  readonly address: string;
  /** City. */
  readonly city: string;
  /** State or region. */
  readonly state: string;
  /** Postal code. */
  readonly postalCode: string;
  /** ISO 3166 code of two letters, or XK for Kosovo. Providers get capital letters, GB for UK, and GR for EL. */
  readonly country: string;
  /**
   * The payer’s IP address. A port and a zone are removed, and the first address of a list counts. Other text is left
   * out, with a warning.
   */
  readonly ipAddress?: string | null | undefined;
  /** true requires 3D Secure; false asks the provider to skip it. Default: the provider decides. */
  readonly is3ds?: boolean | undefined;
  /** true creates a test payment, also with a live key. A test key always creates test payments. */
  readonly isSandbox?: boolean | undefined;
  /**
   * About the payer’s browser: for 3D Secure, and for providers that lead a phone into an app. A member that cannot be
   * read is left out, with a warning.
   */
  readonly browserInfo?: BrowserInfo | undefined;
  /**
   * The account at the provider: `<adapter>/<account>`, at h2h endpoints also `<account>`. Default: chosen by the
   * operator’s rules. Ignored when an attempt is resumed.
   */
  readonly providerAccount?: string | undefined;
  /** `username@bankcode` (else UPI001). */
  readonly upiId: string;
  /**
   * At most 15 significant digits; exact, never rounded. The decimals that its currency has, once a provider is chosen.
   */
  readonly amount: string;
  /** The currency, ISO 4217 in capitals; with some providers a cryptocurrency (`BTC`) or a country. */
  readonly unit: string;
  /** Your own reference. It need not be unique. */
  readonly referenceId?: string | null | undefined;
  /** The address for notifications. Default: your default address. */
  readonly notifyUrl?: string | null | undefined;
  /**
   * The page for the payer after a successful payment. It may contain `{paymentRequestId}` and `{referenceId}`, which
   * are replaced by their percent-encoded values.
   */
  readonly successUrl?: string | null | undefined;
  /**
   * The page for the payer after a failed or expired payment. It may contain `{paymentRequestId}` and `{referenceId}`,
   * which are replaced by their percent-encoded values.
   */
  readonly failureUrl?: string | null | undefined;
  /** The shop’s domain. */
  readonly originDomain?: string | null | undefined;
}

export interface UpiPayment {
  /** The payer’s name. */
  readonly name: string;
  /** The payer’s e-mail address. */
  readonly email: string;
  /** With country code. Providers get it without blanks, hyphens, dots, slashes and brackets. */
  readonly phoneNumber: string;
  /** Street and number. */
  readonly address: string;
  /** City. */
  readonly city: string;
  /** State or region. */
  readonly state: string;
  /** Postal code. */
  readonly postalCode: string;
  /** ISO 3166 code of two letters, or XK for Kosovo. Providers get capital letters, GB for UK, and GR for EL. */
  readonly country: string;
  /**
   * The payer’s IP address. A port and a zone are removed, and the first address of a list counts. Other text is left
   * out, with a warning.
   */
  readonly ipAddress?: string | null | undefined;
  /** true requires 3D Secure; false asks the provider to skip it. Default: the provider decides. */
  readonly is3ds?: boolean | undefined;
  /** true creates a test payment, also with a live key. A test key always creates test payments. */
  readonly isSandbox?: boolean | undefined;
  /**
   * About the payer’s browser: for 3D Secure, and for providers that lead a phone into an app. A member that cannot be
   * read is left out, with a warning.
   */
  readonly browserInfo?: BrowserInfo | undefined;
  /**
   * The account at the provider: `<adapter>/<account>`, at h2h endpoints also `<account>`. Default: chosen by the
   * operator’s rules. Ignored when an attempt is resumed.
   */
  readonly providerAccount?: string | undefined;
  /** `username@bankcode` (else UPI001). */
  readonly upiId: string;
}

export interface MemberConfirmation {
  /** The `paymentId` of the pending answer’s action. */
  readonly paymentId: string;
  /** The code that the payer received. Blanks in it are removed. */
  readonly code: string;
}

/** A payment request with what the payer pays with. The provider’s code determines which. */
export type H2hOrder = CardOrder | BillingOrder | TokenOrder | UpiOrder;

/** What the payer must do next. null: nothing. */
export type Action = RedirectAction | ConfirmAction | UpiAction | CryptoAction | QrAction | null;

/** Redirect the payer’s browser. */
export interface RedirectAction {
  readonly type: 'redirect';
  /** The HTTP method for the payer’s browser. */
  readonly method: 'GET' | 'POST';
  /** The address for the payer’s browser. */
  readonly url: string;
  /** The fields of the form to post, in this order. Only with POST. */
  readonly fields?: Readonly<Record<string, string>> | undefined;
  /** The `transaction3dsId` of a 3D Secure step. */
  readonly transactionId?: string | undefined;
  /** The payment is charged when the payer returns from this address to the gateway’s page. */
  readonly completesOnReturn?: true | undefined;
  /**
   * The provider recognises the merchant by the `Referer` header: send the origin of your page to this address, with
   * the policy `strict-origin`. Absent: send no `Referer`.
   */
  readonly referrer?: 'origin' | undefined;
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
  /** The address for the coins. */
  readonly address: string;
  /** Which coin. */
  readonly coin: string;
  /** The amount, as decimal text in the coin’s major unit. */
  readonly amount: string;
  /** The network of the coin. */
  readonly network: string;
  /** Until when. */
  readonly expiry: string;
  /** The memo to include with the coins. */
  readonly memo?: string | undefined;
}

/** Let the payer scan a code with another app than a UPI app. */
export interface QrAction {
  readonly type: 'qr';
  /** The text of the QR code. If it is an address or a link into an app, it also opens on the phone. */
  readonly text: string;
  /** Until when. */
  readonly expiry: string;
  /** The name of the app for the payer, such as `Acme`. */
  readonly app?: string | undefined;
}

export interface Warning {
  /** The member of the body, such as `client.name`; `[hidden]` for a name that is not repeated. */
  readonly field: string;
  /** The reason for the warning. */
  readonly message: string;
}

export interface PaymentAnswer {
  readonly result: 'OK';
  readonly paymentRequest: PaymentRequest;
  readonly action: Action;
  /**
   * Something was accepted that looks like a mistake, such as an unknown member or query parameter. Absent without
   * warnings. Each warning is also a header `X-Gateway-Warning`, at most 5.
   */
  readonly warnings?: readonly Warning[] | undefined;
}

/**
 * The status of a payment request: 0 created, 1 pending, 2 paid, 3 failed, 4 refunded in full, 5 expired or cancelled
 * by the merchant.
 */
export type PaymentRequestStatus = 0 | 1 | 2 | 3 | 4 | 5;

/** The result of an attempt: 0 none yet, 1 pending, 2 succeeded, 3 failed. */
export type TransactionStatus = 0 | 1 | 2 | 3;

/**
 * How the payer pays: 0 none, 1 card, 2 card token, 3 UPI collect, 4 UPI intent, 5 UPI QR, 6 cryptocurrency, 7 hosted
 * page, 8 wallet card, 9 e-wallet redirect, 10 reserved, 11 reserved, 13 reserved, 14 reserved, 15 reserved, 16
 * reserved, 17 reserved, 18 reserved, 19 reserved, 20 reserved.
 */
export type PaymentMethod = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 13 | 14 | 15 | 16 | 17 | 18 | 19 | 20;

/**
 * Whether this is the first payment of the client: 0 not determined, 1 the client’s first paid request, 2 a later one.
 */
export type FirstDeposit = 0 | 1 | 2;

/** A payment request as it is now. A member without a value is null, `""`, 0, false or {}. */
export interface PaymentRequest {
  /** Its id. */
  readonly id: number;
  /** The merchant. */
  readonly ownerId: number;
  /** Always null. */
  readonly userId: number | null;
  /** The recipient of the money, as text for the payer. null: you gave none. */
  readonly recipientName: string | null;
  /** The requested amount. */
  readonly amount: string;
  /** The currency, as you gave it. */
  readonly unit: string;
  readonly paymentRequestStatusId: PaymentRequestStatus;
  /** Our number of the latest attempt. */
  readonly transactionId: number | null;
  /** The provider’s reference of the latest attempt. It may change once, when the payment is charged. */
  readonly transactionNumber: string | null;
  /** The payer’s country in the latest attempt, else the country that you gave. */
  readonly payerCountry: string | null;
  /** Your own reference. It need not be unique. null: you gave none. */
  readonly referenceId: string | null;
  /** What is paid for. The payer sees it on the page and in mails, and you see it in lists. null: you gave none. */
  readonly notes: string | null;
  /** The payer’s page. */
  readonly link: string;
  /** Time of creation. */
  readonly createDate: string;
  /** No new attempt can start after this time. null for payment requests made before this member existed. */
  readonly expiresAt: string | null;
  /** The client. */
  readonly clientId: number;
  /** The name that you gave with this payment request, else the client’s. */
  readonly clientName: string | null;
  /** The email address that you gave with this payment request, else the client’s. */
  readonly clientEmail: string | null;
  /** The address that you gave with this payment request, else the client’s. */
  readonly clientAddress: string | null;
  /** The phone number that you gave with this payment request, else the client’s. */
  readonly clientPhone: string | null;
  /** Your id of the client that you gave with this payment request, else the client’s. */
  readonly clientMemberId: string | null;
  readonly client: PaymentRequestClient;
  /** The address for notifications. Default: your default address. null: you gave none. */
  readonly notifyUrl: string | null;
  /**
   * The page for the payer after a successful payment. It may contain `{paymentRequestId}` and `{referenceId}`, which
   * are replaced by their percent-encoded values. null: you gave none.
   */
  readonly successUrl: string | null;
  /**
   * The page for the payer after a failed or expired payment. It may contain `{paymentRequestId}` and `{referenceId}`,
   * which are replaced by their percent-encoded values. null: you gave none.
   */
  readonly failureUrl: string | null;
  /** The result of the latest attempt. */
  readonly transactionStatusId: TransactionStatus;
  /** 0: none. 1, 2 and 3 are your own labels. The value is stored, and returned unchanged. */
  readonly targetAccountTypeId: number;
  /** The shop’s domain. null: you gave none. */
  readonly originDomain: string | null;
  /** A chargeback is open or lost. */
  readonly chargedBack: boolean;
  /** The gateway’s fee. null until paid. */
  readonly feeAmount: string | null;
  /** The amount that the payer paid. null until paid. */
  readonly grossAmount: string | null;
  /** Gross amount minus fee. null until paid. */
  readonly netAmount: string | null;
  /**
   * For a payment in coins: the amount received so far, in `unit`. null if nothing was received, or for other payments.
   */
  readonly receivedAmount: string | null;
  /** The sum of succeeded refunds of charge 1, in `unit`. */
  readonly refundedAmount: string;
  /**
   * What can still be refunded of charge 1, in `unit`: the paid amount minus refunds, also those in progress, and minus
   * open or lost chargebacks.
   */
  readonly refundableAmount: string;
  /** What open and lost chargebacks of charge 1 hold, in `unit`. */
  readonly disputedAmount: string;
  /** Every refund: those that you requested, then those that were made at the provider. */
  readonly refunds: readonly RefundEntry[];
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
  /** As in `lastLog`. */
  readonly logTransactionStatusId: TransactionStatus;
  /** As in `lastLog`. */
  readonly logPayerCountry: string | null;
  /** As in `lastLog`; 0: none. */
  readonly logPaymentProviderId: number;
  /** How the payer paid in the latest attempt. */
  readonly paymentMethodId: PaymentMethod;
  /** The provider of the latest attempt; 0: none. */
  readonly paymentProviderId: number;
  /**
   * The account at the provider, of the latest attempt: `<adapter>/<account>`. Before one: the account that you gave.
   */
  readonly providerAccount: string | null;
  /** As in `lastLog`; `createDate` where there is none. */
  readonly logCreateDate: string;
  readonly lastLog: LastLog;
  /** The result of every submission, and every applied event; oldest first. */
  readonly logs: readonly Log[];
  readonly ftdTypeId: FirstDeposit;
  /** The route rule that chose the provider. */
  readonly routeRuleId: number | null;
  /** The name that you gave, else the payer’s name in the latest attempt. */
  readonly payerName: string | null;
  /** The email address that you gave, else the payer’s in the latest attempt. */
  readonly payerEmail: string | null;
  /** The latest attempt is a fallback to another provider. */
  readonly isFallback: boolean;
  /** A fallback is in progress. */
  readonly isPendingFallback: boolean;
  /**
   * The bank reserved the money, and you can capture or release it. false again while a capture or a cancellation is in
   * progress.
   */
  readonly isAuthorised: boolean;
  /** true: a test payment request. false: live. This never changes. */
  readonly isSandbox: boolean;
  /** The payment request was created by an h2h call. */
  readonly isH2h: boolean;
  /** The payment succeeded later than with the answer to its submission. */
  readonly isDelayedApproval: boolean;
  /** The card’s first digits are in the operator’s list. */
  readonly isPremiumCardBin: boolean;
}

export interface PaymentRequestClient {
  /** Empty if not known. */
  readonly name: string;
  /** Empty if not known. */
  readonly email: string;
  /** Its id. */
  readonly id: number;
  /** The merchant. */
  readonly ownerId: number;
  /** Always null. */
  readonly userId: number | null;
  /** The merchant’s name. */
  readonly ownerName: string;
  /** Empty if not known. */
  readonly address: string;
  /** Empty if not known. */
  readonly phone: string;
  /** Your id of the client. Empty where it is not known. */
  readonly memberId: string;
  /** True if the client has payment requests. */
  readonly hasPaymentRequests: boolean;
  /** Sum of everything paid and not refunded, in your reporting currency. */
  readonly totalDeposits: string;
  /** Time of creation. */
  readonly createDate: string;
}

export interface Log {
  /** Its id. */
  readonly id: number;
  /** The payment request. */
  readonly paymentRequestId: number;
  /** The provider’s reference. */
  readonly transactionId: string;
  readonly transactionStatusId: TransactionStatus;
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
  readonly paymentProviderId: number;
  readonly paymentMethodId: PaymentMethod;
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
  /** The attempt was a fallback to another provider. */
  readonly isFallback: boolean;
  /** The fallback is in progress. */
  readonly isPendingFallback: boolean;
  /** Time of the event. */
  readonly createDate: string;
}

/** The latest entry of `logs` that changed the status, with all its members; {} if there is none. */
export interface LastLog {
  /** Its id. */
  readonly id?: number | undefined;
  /** The payment request. */
  readonly paymentRequestId?: number | undefined;
  /** The provider’s reference. */
  readonly transactionId?: string | undefined;
  readonly transactionStatusId?: TransactionStatus | undefined;
  /**
   * Empty, `OUTCOME_UNKNOWN`, `DOUBLE_CHARGE`, or a decline code: 51 insufficient funds; 54 expired card; 57
   * transaction not permitted; 61 exceeds withdrawal limit; 05 do not honor; U30 invalid PIN; U16 risk threshold
   * exceeded; U66 device not registered; U69 collect request declined.
   */
  readonly code?: string | undefined;
  /** In words. */
  readonly message?: string | undefined;
  /** The payer’s. */
  readonly payerCountry?: string | undefined;
  /** The provider; 0: none. */
  readonly paymentProviderId?: number | undefined;
  readonly paymentMethodId?: PaymentMethod | undefined;
  /** A 3D Secure step was required. */
  readonly threeDs?: boolean | undefined;
  /** The first digits of the card. */
  readonly cardBin?: string | undefined;
  /** The last four digits of the card. */
  readonly cardLastDigits?: string | undefined;
  /** Read from `browserInfo.userAgent`. */
  readonly device?: string | undefined;
  /** Read from `browserInfo.userAgent`. */
  readonly browser?: string | undefined;
  /** Read from `browserInfo.userAgent`. */
  readonly osName?: string | undefined;
  /** The attempt was a fallback to another provider. */
  readonly isFallback?: boolean | undefined;
  /** The fallback is in progress. */
  readonly isPendingFallback?: boolean | undefined;
  /** Time of the event. */
  readonly createDate?: string | undefined;
}

/** A refund of a payment request. */
export interface RefundEntry {
  /** Our id of the refund, also for a refund that was made at the provider. It never changes. */
  readonly id: string;
  /** The provider’s reference. null: the provider gave none so far. */
  readonly reference: string | null;
  /** The refunded amount, in `unit`. If a part of it came back, the rest. */
  readonly amount: string;
  /**
   * pending: in progress. needs_merchant: the provider cannot send the money, so you must. succeeded. failed: it failed
   * before it succeeded. reversed: the money came back after it succeeded.
   */
  readonly status: 'pending' | 'needs_merchant' | 'succeeded' | 'failed' | 'reversed';
  /** Why it failed, came back or needs you, in the provider’s words. null: it did not, or no reason is known. */
  readonly failureReason: string | null;
  /** Time of the request, or of the provider’s first report. null for refunds made before this member existed. */
  readonly createDate: string | null;
  /** When the current result was known. null while it is pending, and for refunds made before this member existed. */
  readonly doneDate: string | null;
  /** The charge that is refunded: 1, or 2 for the later charge of a payment that was charged twice. */
  readonly charge: number;
}

export interface Timeline {
  /** All entries, oldest first. */
  readonly items: readonly TimelineItem[];
}

export type TimelineItem = TimelineRequest | TimelineAnswer | TimelineCallback | TimelineEvent | TimelineTransition | TimelineNotification;

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
  /** The HTTP status of the provider’s answer; null: no answer arrived. */
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
  /** The state of the callback. */
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
  /** The event had no effect. */
  readonly refused: boolean;
  readonly refund?: RefundEntry | undefined;
  /** The provider’s reference. */
  readonly transactionId: string;
  /**
   * What the provider adds: references of banks, reason and deadline of a dispute, where a refund is claimed; `{}`:
   * nothing.
   */
  readonly details: Readonly<Record<string, string>>;
  /** For a payment in coins: the received amount, as decimal text. */
  readonly received: string | null;
  /** What the event reports about 3D Secure. null: nothing. */
  readonly threeDs: 'authenticated' | 'attempted' | 'none' | null;
}

export interface TimelineTransition {
  /** When. */
  readonly at: string;
  readonly kind: 'transition';
  /** The earlier status. */
  readonly from: PaymentRequestStatus;
  /** The new status. */
  readonly to: PaymentRequestStatus;
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
  /** The address that receives the notification. */
  readonly url: string;
  /** `gone`: the address answered 410. `exhausted`: all attempts failed. */
  readonly state: 'waiting' | 'delivered' | 'exhausted' | 'gone';
  /** Time of the next attempt. null if none is planned, or one is in progress. */
  readonly nextAttemptAt: string | null;
  /** The latest attempts, oldest first. */
  readonly attempts: readonly DeliveryAttempt[];
}

export interface Batch {
  /** Each entry is created or refused independently: the result of an entry names its errors. */
  readonly paymentRequests: readonly NewPaymentRequest[];
}

export interface BatchAnswer {
  /** One result per entry, in the same order. */
  readonly results: readonly BatchResult[];
}

export type BatchResult = BatchSuccess | BatchFailure;

export interface BatchSuccess {
  /** Index of the entry, from 0. */
  readonly index: number;
  /** The payment request. */
  readonly id: number;
  /**
   * Something was accepted that looks like a mistake, such as an unknown member or query parameter. Absent without
   * warnings. Each warning is also a header `X-Gateway-Warning`, at most 5.
   */
  readonly warnings?: readonly Warning[] | undefined;
}

export interface BatchFailure {
  /** Index of the entry, from 0. */
  readonly index: number;
  readonly error: VAL001 | VAL002 | IDEM001 | SYS002 | SYS001;
}

/** The service sets every other member of the payment request. Such members are ignored here. */
export interface NewPaymentRequest {
  /**
   * At most 15 significant digits; exact, never rounded. The decimals that its currency has, once a provider is chosen.
   */
  readonly amount: string;
  /** The currency, ISO 4217 in capitals; with some providers a cryptocurrency (`BTC`) or a country. */
  readonly unit: string;
  /** Your own reference. It need not be unique. */
  readonly referenceId?: string | null | undefined;
  /** The address for notifications. Default: your default address. */
  readonly notifyUrl?: string | null | undefined;
  /**
   * The page for the payer after a successful payment. It may contain `{paymentRequestId}` and `{referenceId}`, which
   * are replaced by their percent-encoded values.
   */
  readonly successUrl?: string | null | undefined;
  /**
   * The page for the payer after a failed or expired payment. It may contain `{paymentRequestId}` and `{referenceId}`,
   * which are replaced by their percent-encoded values.
   */
  readonly failureUrl?: string | null | undefined;
  /** The shop’s domain. */
  readonly originDomain?: string | null | undefined;
  /** The recipient of the money, as text for the payer. */
  readonly recipientName?: string | null | undefined;
  /** The country until a payer is known; then the payer’s country. */
  readonly payerCountry?: string | null | undefined;
  /** What is paid for. The payer sees it on the page and in mails, and you see it in lists. */
  readonly notes?: string | null | undefined;
  /** Takes precedence over `client.name`. */
  readonly clientName?: string | null | undefined;
  /** Takes precedence over `client.email`. */
  readonly clientEmail?: string | null | undefined;
  /** Takes precedence over `client.address`. */
  readonly clientAddress?: string | null | undefined;
  /** Takes precedence over `client.phone`. */
  readonly clientPhone?: string | null | undefined;
  /** Takes precedence over `client.memberId`. */
  readonly clientMemberId?: string | null | undefined;
  /** The client, identified by email address. Created if it does not exist. */
  readonly client?: NewPaymentRequestClient | undefined;
  /** 0: none. 1, 2 and 3 are your own labels. The value is stored, and returned unchanged. */
  readonly targetAccountTypeId?: number | undefined;
  /** The account at the provider for every attempt: `<adapter>/<account>`. Default: chosen by the operator’s rules. */
  readonly providerAccount?: string | undefined;
  /** The payer’s name, if known. */
  readonly payerName?: string | null | undefined;
  /** true creates a test payment request, also with a live key. This cannot be changed later. */
  readonly isSandbox?: boolean | undefined;
  /** The payer’s email address. Used if the client has none. If in doubt, give `clientEmail` instead. */
  readonly payerEmail?: string | null | undefined;
  /**
   * No new attempt can start after this time: ISO 8601, in the future, UTC unless it has an offset. Default: set by the
   * operator.
   */
  readonly expiresAt?: string | null | undefined;
}

export interface NewPaymentRequestClient {
  /** The client’s name. */
  readonly name?: string | undefined;
  /** The client’s email address. It identifies the client. */
  readonly email?: string | undefined;
  /** The client’s address. */
  readonly address?: string | undefined;
  /** The client’s phone number. */
  readonly phone?: string | undefined;
  /** Your own id of the client. */
  readonly memberId?: string | undefined;
}

export interface Capture {
  /** The amount to capture. Default: the whole authorised amount. */
  readonly amount?: string | undefined;
}

export interface Refund {
  /** The amount to refund. Default: everything refundable. */
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
  /** The address that receives the notification. */
  readonly url: string;
  /** `gone`: the address answered 410. `exhausted`: all attempts failed. */
  readonly state: 'waiting' | 'delivered' | 'exhausted' | 'gone';
  /** Time of the next attempt. null if none is planned, or one is in progress. */
  readonly nextAttemptAt: string | null;
  /** The latest attempts, oldest first. */
  readonly attempts: readonly DeliveryAttempt[];
  /** When the event happened. */
  readonly createdAt: string;
}

export interface DeliveryAttempt {
  /** When. */
  readonly at: string;
  /** Milliseconds. */
  readonly ms: number | null;
  /** The HTTP status of your answer; null: no answer arrived. */
  readonly status: number | null;
  /** The attempt ended without a complete answer. */
  readonly code?: 'WH002' | undefined;
  /** What went wrong. */
  readonly error: string | null;
  /** The beginning of the text of your answer: at most 500 characters, without card numbers and keys. */
  readonly answer?: string | undefined;
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
   * Something was accepted that looks like a mistake, such as an unknown member or query parameter. Absent without
   * warnings. Each warning is also a header `X-Gateway-Warning`, at most 5.
   */
  readonly warnings?: readonly Warning[] | undefined;
}

export interface ResendSpanAnswer {
  readonly result: 'OK';
  /** Number of notifications that are sent again. */
  readonly resent: number;
}

export interface ResendSpan {
  /** Start of the span (creation time). Default: no limit. */
  readonly from?: string | undefined;
  /** End of the span (creation time), exclusive. Default: now. */
  readonly to?: string | undefined;
}

export interface Report {
  /** Sorted by day, ascending. */
  readonly items: readonly ReportRow[];
}

export interface ReportRow {
  /** The day of creation, UTC. */
  readonly day: string;
  /** Provider of the latest attempt; 0: none. */
  readonly providerId: number;
  /** How the payer paid in the latest attempt. */
  readonly methodId: PaymentMethod;
  /** The currency charged, else the unit as sent. */
  readonly currency: string;
  /** `paymentRequestStatusId`. */
  readonly status: PaymentRequestStatus;
  /** Number of payment requests. */
  readonly count: number;
  /**
   * The exact sum of what was paid, also if the payer was charged twice, or else of the requested amounts. Decimal
   * text: a sum may have more digits than a JSON number keeps.
   */
  readonly amount: string;
  /** The account of the latest attempt, `<adapter>/<account>`; null: none. Only with `groupBy=providerAccount`. */
  readonly providerAccount?: string | null | undefined;
}

/** An object. Its members are ignored. */
export type EmptyBody = Readonly<Record<string, unknown>>;

export interface Dispute {
  /** The provider’s number of the case; null if it gave none. */
  readonly case: string | null;
  /** The disputed amount as the provider reports it. It may exceed the payment’s amount. */
  readonly amount: string;
  /** Currency of `amount` (ISO 4217). It may differ from `transactionCurrency`. */
  readonly currency: string;
}

/** `live` if real money moved. */
export type Mode = 'test' | 'live';

export interface PaymentNotification {
  /** The same on every attempt. Use it to deduplicate. */
  readonly id: string;
  /** What happened. */
  readonly type: 'payment.pending' | 'payment.authorised' | 'payment.capture_failed' | 'payment.cancel_failed' | 'payment.succeeded' | 'payment.failed' | 'payment.amount_raised' | 'payment.double_charged' | 'payment.underpaid' | 'payment.chargeback_reversed' | 'payment.expired';
  readonly mode: Mode;
  /** The version of this body, such as 2.1. */
  readonly apiVersion: string;
  /** Time of the event. */
  readonly createdAt: string;
  /** Counts the events of one payment request from 1. Notifications may arrive in another order. */
  readonly sequence: number;
  readonly data: {
    readonly paymentRequest: PaymentRequest;
  };
}

export interface RefundNotification {
  /** The same on every attempt. Use it to deduplicate. */
  readonly id: string;
  /** What happened. */
  readonly type: 'payment.refunded' | 'payment.partially_refunded' | 'payment.refund_needs_merchant' | 'payment.refund_failed' | 'payment.refund_reversed';
  readonly mode: Mode;
  /** The version of this body, such as 2.1. */
  readonly apiVersion: string;
  /** Time of the event. */
  readonly createdAt: string;
  /** Counts the events of one payment request from 1. Notifications may arrive in another order. */
  readonly sequence: number;
  readonly data: {
    readonly paymentRequest: PaymentRequest;
    readonly refund?: RefundEntry | undefined;
  };
}

export interface ChargebackNotification {
  /** The same on every attempt. Use it to deduplicate. */
  readonly id: string;
  /** What happened. */
  readonly type: 'payment.charged_back';
  readonly mode: Mode;
  /** The version of this body, such as 2.1. */
  readonly apiVersion: string;
  /** Time of the event. */
  readonly createdAt: string;
  /** Counts the events of one payment request from 1. Notifications may arrive in another order. */
  readonly sequence: number;
  readonly data: {
    readonly paymentRequest: PaymentRequest;
    readonly dispute: Dispute;
  };
}

export interface VersionNotification {
  /** The same on every attempt. Use it to deduplicate. */
  readonly id: string;
  /** What happened. */
  readonly type: 'api.version.deprecated';
  readonly mode: Mode;
  /** The version of this body, such as 2.1. */
  readonly apiVersion: string;
  /** Time of the event. */
  readonly createdAt: string;
  /** Counts the events of one payment request from 1. Notifications may arrive in another order. */
  readonly sequence: number;
  readonly data: {
    /** The version that was requested. */
    readonly version: string;
    /** When its support ended. */
    readonly supportEnded: string;
    /** The version to use. */
    readonly successor: string;
    /** The documentation of versions. */
    readonly documentation: string;
  };
}

export interface EndpointNotification {
  /** The same on every attempt. Use it to deduplicate. */
  readonly id: string;
  /** What happened. */
  readonly type: 'endpoint.disabled';
  readonly mode: Mode;
  /** The version of this body, such as 2.1. */
  readonly apiVersion: string;
  /** Time of the event. */
  readonly createdAt: string;
  /** Counts the events of one payment request from 1. Notifications may arrive in another order. */
  readonly sequence: number;
  readonly data: {
    readonly endpoint: {
      /** Scheme, host and port of the disabled endpoint. */
      readonly origin: string;
      /** Time since which every attempt has failed. */
      readonly failingSince: string;
    };
  };
}

export interface TestNotification {
  /** The same on every attempt. Use it to deduplicate. */
  readonly id: string;
  /** What happened. */
  readonly type: 'webhook.test';
  readonly mode: Mode;
  /** The version of this body, such as 2.1. */
  readonly apiVersion: string;
  /** Time of the event. */
  readonly createdAt: string;
  /** Counts the events of one payment request from 1. Notifications may arrive in another order. */
  readonly sequence: number;
  readonly data: {
    /** For people. */
    readonly message: string;
  };
}

export interface FieldError {
  /** Its name; nested ones as `browserInfo.colorDepth`. `body` and names of headers too. */
  readonly field: string;
  /** As sent, or `"[hidden]"`. */
  readonly value: unknown;
  /** What it must be. */
  readonly message: string;
}

/**
 * The key is missing, unknown, revoked, expired or of the other environment; or a Bearer token was sent. Send a valid
 * key in `X-API-Key`.
 */
export interface AUTH001 {
  /** The documentation of this kind. */
  readonly type: string;
  /** The kind as text, which may change. */
  readonly title: string;
  /** The HTTP status. */
  readonly status: 401;
  /** What is wrong, and what to do. */
  readonly detail: string;
  /** The path of the request; in a batch, with the index of the entry. */
  readonly instance: string;
  /** The kind. */
  readonly error: 'UNAUTHORIZED';
  /** The same as `detail`. */
  readonly message: string;
  /** The kind’s code. */
  readonly code: 'AUTH001';
  /** Members that depend on the kind. */
  readonly details: Readonly<Record<string, never>>;
  /** When it happened. */
  readonly timestamp: string;
  /** The same as `X-Request-Id`. */
  readonly requestId: string;
}

/** The key lacks the scope that the call needs. Use a key with that scope. */
export interface AUTH002 {
  /** The documentation of this kind. */
  readonly type: string;
  /** The kind as text, which may change. */
  readonly title: string;
  /** The HTTP status. */
  readonly status: 403;
  /** What is wrong, and what to do. */
  readonly detail: string;
  /** The path of the request; in a batch, with the index of the entry. */
  readonly instance: string;
  /** The kind. */
  readonly error: 'FORBIDDEN';
  /** The same as `detail`. */
  readonly message: string;
  /** The kind’s code. */
  readonly code: 'AUTH002';
  /** Members that depend on the kind. */
  readonly details: Readonly<Record<string, never>>;
  /** When it happened. */
  readonly timestamp: string;
  /** The same as `X-Request-Id`. */
  readonly requestId: string;
}

/** Required fields are missing. Checked before wrong ones. Send all required fields. */
export interface VAL001 {
  /** The documentation of this kind. */
  readonly type: string;
  /** The kind as text, which may change. */
  readonly title: string;
  /** The HTTP status. */
  readonly status: 400;
  /** What is wrong, and what to do. */
  readonly detail: string;
  /** The path of the request; in a batch, with the index of the entry. */
  readonly instance: string;
  /** The kind. */
  readonly error: 'VALIDATION_ERROR';
  /** The same as `detail`. */
  readonly message: string;
  /** The kind’s code. */
  readonly code: 'VAL001';
  /** Members that depend on the kind. */
  readonly details: {
    /** The names of all missing fields. */
    readonly missingFields: readonly string[];
    /** The payment request of the error. Absent if there is none yet. */
    readonly paymentRequestId?: number | undefined;
  };
  /** When it happened. */
  readonly timestamp: string;
  /** The same as `X-Request-Id`. */
  readonly requestId: string;
}

/**
 * A field, header or parameter is invalid, or the body is not a JSON object. Or the provider refuses the value of a
 * field; then `details.paymentRequestId` names the failed payment request, and nothing was charged. Fix the fields
 * listed in `details.errors`.
 */
export interface VAL002 {
  /** The documentation of this kind. */
  readonly type: string;
  /** The kind as text, which may change. */
  readonly title: string;
  /** The HTTP status. */
  readonly status: 400;
  /** What is wrong, and what to do. */
  readonly detail: string;
  /** The path of the request; in a batch, with the index of the entry. */
  readonly instance: string;
  /** The kind. */
  readonly error: 'INVALID_FORMAT';
  /** The same as `detail`. */
  readonly message: string;
  /** The kind’s code. */
  readonly code: 'VAL002';
  /** Members that depend on the kind. */
  readonly details: {
    /** Its name; nested ones as `browserInfo.colorDepth`. `body` and names of headers too. */
    readonly field: string;
    /** As sent, or `"[hidden]"`. */
    readonly value: unknown;
    /** All that is wrong; the first is in `field` and `value` as well. */
    readonly errors: readonly FieldError[];
    /** The payment request of the error. Absent if there is none yet. */
    readonly paymentRequestId?: number | undefined;
  };
  /** When it happened. */
  readonly timestamp: string;
  /** The same as `X-Request-Id`. */
  readonly requestId: string;
}

/**
 * The issuer declined the payment, or a risk rule did. The payment request is failed. Try another card. The payment
 * request can be paid again.
 */
export interface PAY001 {
  /** The documentation of this kind. */
  readonly type: string;
  /** The kind as text, which may change. */
  readonly title: string;
  /** The HTTP status. */
  readonly status: 400;
  /** What is wrong, and what to do. */
  readonly detail: string;
  /** The path of the request; in a batch, with the index of the entry. */
  readonly instance: string;
  /** The kind. */
  readonly error: 'CARD_DECLINED';
  /** The same as `detail`. */
  readonly message: string;
  /** The kind’s code. */
  readonly code: 'PAY001';
  /** Members that depend on the kind. */
  readonly details: {
    /**
     * 05 do not honor; 51 insufficient funds; 54 expired card; 57 transaction not permitted; 61 exceeds withdrawal
     * limit.
     */
    readonly declineCode: '05' | '51' | '54' | '57' | '61';
    /** The code in words. */
    readonly declineReason: string;
    /** The payment request of the error. Absent if there is none yet. */
    readonly paymentRequestId?: number | undefined;
  };
  /** When it happened. */
  readonly timestamp: string;
  /** The same as `X-Request-Id`. */
  readonly requestId: string;
}

/**
 * The card cannot be charged at all: number, expiration, or cvv. Or the member code is wrong (`field` is `code`). Ask
 * the payer to check the input.
 */
export interface PAY002 {
  /** The documentation of this kind. */
  readonly type: string;
  /** The kind as text, which may change. */
  readonly title: string;
  /** The HTTP status. */
  readonly status: 400;
  /** What is wrong, and what to do. */
  readonly detail: string;
  /** The path of the request; in a batch, with the index of the entry. */
  readonly instance: string;
  /** The kind. */
  readonly error: 'INVALID_CARD';
  /** The same as `detail`. */
  readonly message: string;
  /** The kind’s code. */
  readonly code: 'PAY002';
  /** Members that depend on the kind. */
  readonly details: {
    /** The invalid field. */
    readonly field: 'number' | 'expiration' | 'cvv' | 'code';
    /** In words. */
    readonly reason: string;
    /** The payment request of the error. Absent if there is none yet. */
    readonly paymentRequestId?: number | undefined;
  };
  /** When it happened. */
  readonly timestamp: string;
  /** The same as `X-Request-Id`. */
  readonly requestId: string;
}

/** The payer did not pass 3D Secure. The payment request is failed. Let the payer try again. */
export interface PAY003 {
  /** The documentation of this kind. */
  readonly type: string;
  /** The kind as text, which may change. */
  readonly title: string;
  /** The HTTP status. */
  readonly status: 400;
  /** What is wrong, and what to do. */
  readonly detail: string;
  /** The path of the request; in a batch, with the index of the entry. */
  readonly instance: string;
  /** The kind. */
  readonly error: 'THREEDS_FAILED';
  /** The same as `detail`. */
  readonly message: string;
  /** The kind’s code. */
  readonly code: 'PAY003';
  /** Members that depend on the kind. */
  readonly details: {
    /** The provider’s result, else `N`. */
    readonly threeDsResult: string;
    /** The issuer’s message; may be empty. */
    readonly acsResponse: string;
    /** The payment request of the error. Absent if there is none yet. */
    readonly paymentRequestId?: number | undefined;
  };
  /** When it happened. */
  readonly timestamp: string;
  /** The same as `X-Request-Id`. */
  readonly requestId: string;
}

/**
 * The state of the payment request does not allow the call, or no provider accepts it. If its payer can still finish an
 * open step, `details.until` names the time from which the call is possible. Read the payment request. The message
 * names the obstacle.
 */
export interface PAY004 {
  /** The documentation of this kind. */
  readonly type: string;
  /** The kind as text, which may change. */
  readonly title: string;
  /** The HTTP status. */
  readonly status: 400;
  /** What is wrong, and what to do. */
  readonly detail: string;
  /** The path of the request; in a batch, with the index of the entry. */
  readonly instance: string;
  /** The kind. */
  readonly error: 'PAYMENT_NOT_PAYABLE';
  /** The same as `detail`. */
  readonly message: string;
  /** The kind’s code. */
  readonly code: 'PAY004';
  /** Members that depend on the kind. */
  readonly details: {
    /** From then on another attempt is possible: ISO 8601. */
    readonly until?: string | undefined;
    /** The payment request of the error. Absent if there is none yet. */
    readonly paymentRequestId?: number | undefined;
  };
  /** When it happened. */
  readonly timestamp: string;
  /** The same as `X-Request-Id`. */
  readonly requestId: string;
}

/**
 * No provider could process the payment. Nothing was charged. Try again, with the same `Idempotency-Key` if you like.
 */
export interface PAY005 {
  /** The documentation of this kind. */
  readonly type: string;
  /** The kind as text, which may change. */
  readonly title: string;
  /** The HTTP status. */
  readonly status: 500;
  /** What is wrong, and what to do. */
  readonly detail: string;
  /** The path of the request; in a batch, with the index of the entry. */
  readonly instance: string;
  /** The kind. */
  readonly error: 'PROVIDER_UNAVAILABLE';
  /** The same as `detail`. */
  readonly message: string;
  /** The kind’s code. */
  readonly code: 'PAY005';
  /** Members that depend on the kind. */
  readonly details: {
    /** The payment request of the error. Absent if there is none yet. */
    readonly paymentRequestId?: number | undefined;
  };
  /** When it happened. */
  readonly timestamp: string;
  /** The same as `X-Request-Id`. */
  readonly requestId: string;
}

/** The UPI id is not of the form `username@bankcode`. Ask the payer to check the input. */
export interface UPI001 {
  /** The documentation of this kind. */
  readonly type: string;
  /** The kind as text, which may change. */
  readonly title: string;
  /** The HTTP status. */
  readonly status: 400;
  /** What is wrong, and what to do. */
  readonly detail: string;
  /** The path of the request; in a batch, with the index of the entry. */
  readonly instance: string;
  /** The kind. */
  readonly error: 'INVALID_UPI_ID';
  /** The same as `detail`. */
  readonly message: string;
  /** The kind’s code. */
  readonly code: 'UPI001';
  /** Members that depend on the kind. */
  readonly details: {
    /** Never repeated. */
    readonly upiId: '[hidden]';
    /** The form. */
    readonly expectedFormat: 'username@bankcode';
    /** The payment request of the error. Absent if there is none yet. */
    readonly paymentRequestId?: number | undefined;
  };
  /** When it happened. */
  readonly timestamp: string;
  /** The same as `X-Request-Id`. */
  readonly requestId: string;
}

/** The payer or the bank declined the UPI payment. The payment request is failed. Let the payer try again. */
export interface UPI002 {
  /** The documentation of this kind. */
  readonly type: string;
  /** The kind as text, which may change. */
  readonly title: string;
  /** The HTTP status. */
  readonly status: 400;
  /** What is wrong, and what to do. */
  readonly detail: string;
  /** The path of the request; in a batch, with the index of the entry. */
  readonly instance: string;
  /** The kind. */
  readonly error: 'UPI_TRANSACTION_FAILED';
  /** The same as `detail`. */
  readonly message: string;
  /** The kind’s code. */
  readonly code: 'UPI002';
  /** Members that depend on the kind. */
  readonly details: {
    /**
     * U16 risk threshold exceeded; U30 invalid PIN; U66 device not registered; U69 collect request declined; or a
     * decline code of cards.
     */
    readonly upiResponse: '05' | '51' | '54' | '57' | '61' | 'U16' | 'U30' | 'U66' | 'U69';
    /** The code in words. */
    readonly reason: string;
    /** The payment request of the error. Absent if there is none yet. */
    readonly paymentRequestId?: number | undefined;
  };
  /** When it happened. */
  readonly timestamp: string;
  /** The same as `X-Request-Id`. */
  readonly requestId: string;
}

/**
 * The resource does not exist, belongs to another owner or to the other environment, or the method is wrong. Check the
 * path, the id and the key.
 */
export interface NF001 {
  /** The documentation of this kind. */
  readonly type: string;
  /** The kind as text, which may change. */
  readonly title: string;
  /** The HTTP status. */
  readonly status: 404;
  /** What is wrong, and what to do. */
  readonly detail: string;
  /** The path of the request; in a batch, with the index of the entry. */
  readonly instance: string;
  /** The kind. */
  readonly error: 'NOT_FOUND';
  /** The same as `detail`. */
  readonly message: string;
  /** The kind’s code. */
  readonly code: 'NF001';
  /** Members that depend on the kind. */
  readonly details: {
    /** The payment request of the error. Absent if there is none yet. */
    readonly paymentRequestId?: number | undefined;
  };
  /** When it happened. */
  readonly timestamp: string;
  /** The same as `X-Request-Id`. */
  readonly requestId: string;
}

/**
 * The `Idempotency-Key` was used with another request, or its first request is still running. Use a new key for a new
 * request. If the first request is still running, wait a moment.
 */
export interface IDEM001 {
  /** The documentation of this kind. */
  readonly type: string;
  /** The kind as text, which may change. */
  readonly title: string;
  /** The HTTP status. */
  readonly status: 400;
  /** What is wrong, and what to do. */
  readonly detail: string;
  /** The path of the request; in a batch, with the index of the entry. */
  readonly instance: string;
  /** The kind. */
  readonly error: 'IDEMPOTENCY_CONFLICT';
  /** The same as `detail`. */
  readonly message: string;
  /** The kind’s code. */
  readonly code: 'IDEM001';
  /** Members that depend on the kind. */
  readonly details: {
    /** The payment request of the error. Absent if there is none yet. */
    readonly paymentRequestId?: number | undefined;
  };
  /** When it happened. */
  readonly timestamp: string;
  /** The same as `X-Request-Id`. */
  readonly requestId: string;
}

/** The version in `X-API-Version` is not served. Send 2.1, or no such header. */
export interface VER001 {
  /** The documentation of this kind. */
  readonly type: string;
  /** The kind as text, which may change. */
  readonly title: string;
  /** The HTTP status. */
  readonly status: 400;
  /** What is wrong, and what to do. */
  readonly detail: string;
  /** The path of the request; in a batch, with the index of the entry. */
  readonly instance: string;
  /** The kind. */
  readonly error: 'UNSUPPORTED_VERSION';
  /** The same as `detail`. */
  readonly message: string;
  /** The kind’s code. */
  readonly code: 'VER001';
  /** Members that depend on the kind. */
  readonly details: {
    /** The versions that are served. */
    readonly supported: readonly string[];
  };
  /** When it happened. */
  readonly timestamp: string;
  /** The same as `X-Request-Id`. */
  readonly requestId: string;
}

/** The body is larger than this endpoint accepts. Send less data per request. */
export interface REQ001 {
  /** The documentation of this kind. */
  readonly type: string;
  /** The kind as text, which may change. */
  readonly title: string;
  /** The HTTP status. */
  readonly status: 413;
  /** What is wrong, and what to do. */
  readonly detail: string;
  /** The path of the request; in a batch, with the index of the entry. */
  readonly instance: string;
  /** The kind. */
  readonly error: 'PAYLOAD_TOO_LARGE';
  /** The same as `detail`. */
  readonly message: string;
  /** The kind’s code. */
  readonly code: 'REQ001';
  /** Members that depend on the kind. */
  readonly details: {
    /** Bytes. */
    readonly limit: number;
  };
  /** When it happened. */
  readonly timestamp: string;
  /** The same as `X-Request-Id`. */
  readonly requestId: string;
}

/**
 * The key has used up its requests for this minute (for a call without a key, your address has), or a payer has
 * received enough mails in this hour. Wait as long as `Retry-After` says.
 */
export interface RATE001 {
  /** The documentation of this kind. */
  readonly type: string;
  /** The kind as text, which may change. */
  readonly title: string;
  /** The HTTP status. */
  readonly status: 429;
  /** What is wrong, and what to do. */
  readonly detail: string;
  /** The path of the request; in a batch, with the index of the entry. */
  readonly instance: string;
  /** The kind. */
  readonly error: 'RATE_LIMIT_EXCEEDED';
  /** The same as `detail`. */
  readonly message: string;
  /** The kind’s code. */
  readonly code: 'RATE001';
  /** Members that depend on the kind. */
  readonly details: {
    /** Requests per minute, or mails per hour. */
    readonly limit: number;
    /** A minute or an hour. */
    readonly window: '1m' | '1h';
    /** Seconds. */
    readonly retryAfter: number;
  };
  /** When it happened. */
  readonly timestamp: string;
  /** The same as `X-Request-Id`. */
  readonly requestId: string;
}

/**
 * The service cannot accept the request at the moment: its database does not answer, or too many requests are in
 * progress. No work was started. Send the same request again after `Retry-After`.
 */
export interface SYS002 {
  /** The documentation of this kind. */
  readonly type: string;
  /** The kind as text, which may change. */
  readonly title: string;
  /** The HTTP status. */
  readonly status: 503;
  /** What is wrong, and what to do. */
  readonly detail: string;
  /** The path of the request; in a batch, with the index of the entry. */
  readonly instance: string;
  /** The kind. */
  readonly error: 'UNAVAILABLE';
  /** The same as `detail`. */
  readonly message: string;
  /** The kind’s code. */
  readonly code: 'SYS002';
  /** Members that depend on the kind. */
  readonly details: {
    /** Seconds. */
    readonly retryAfter: number;
    /** The payment request of the error. Absent if there is none yet. */
    readonly paymentRequestId?: number | undefined;
  };
  /** When it happened. */
  readonly timestamp: string;
  /** The same as `X-Request-Id`. */
  readonly requestId: string;
}

/**
 * An internal error occurred. The payment request shows whether anything was done. Read the payment request before you
 * retry, and report the request id.
 */
export interface SYS001 {
  /** The documentation of this kind. */
  readonly type: string;
  /** The kind as text, which may change. */
  readonly title: string;
  /** The HTTP status. */
  readonly status: 500;
  /** What is wrong, and what to do. */
  readonly detail: string;
  /** The path of the request; in a batch, with the index of the entry. */
  readonly instance: string;
  /** The kind. */
  readonly error: 'INTERNAL_ERROR';
  /** The same as `detail`. */
  readonly message: string;
  /** The kind’s code. */
  readonly code: 'SYS001';
  /** Members that depend on the kind. */
  readonly details: {
    /** The payment request of the error. Absent if there is none yet. */
    readonly paymentRequestId?: number | undefined;
  };
  /** When it happened. */
  readonly timestamp: string;
  /** The same as `X-Request-Id`. */
  readonly requestId: string;
}
