/** What the payments domain offers to `http`, `workers` and the commands; and what it takes. */
import type {
  Action,
  BrowserInfo,
  Card,
  DeclineCode,
  InputKind,
  Payer,
  PayerField,
  PayerFields,
  PaymentMethod,
  Wallet,
} from '@paywright/contract';
import type { ClientInput } from '../../database/collections/client.ts';
import type { GivenMembers } from '../../database/collections/payment-request.ts';
import type { Environment } from '../../base/environment.ts';
import type { Warning } from '../../base/warnings.ts';

export type { NotificationType } from '../../database/collections/payment-request.ts';

/** The caller of the service, from the API key. */
export interface Caller {
  readonly ownerId: number;
  readonly environment: Environment;
  readonly requestId: string;
  /** Where the request carries an `Idempotency-Key`. */
  readonly operation?: Operation;
  /** Called as soon as a payment request that the caller may see is known to exist: failures from then on name it. */
  readonly onPayment?: (id: number) => void;
}

/** What a request under an `Idempotency-Key` sets out to do: done once, however often it is sent. */
export interface Operation {
  /** The same for every repetition of the request. */
  readonly id: string;
  /**
   * Called before the payment request is made, or before its provider is called. Throws IDEM001 where another request took
   * over: nothing more may be done then.
   */
  readonly bindPayment: (paymentRequestId: number) => Promise<void>;
  /** The payment request that it is about, or is to make. Where an earlier run was to make it, it may be there. */
  readonly paymentRequestId?: number | undefined;
  /** True where an earlier run began it on its payment request: nothing is done again. */
  isApplied(): Promise<boolean>;
  /** What the call would answer as its payment request is now; that of a failed one is thrown. */
  currentAnswer(): Promise<PaymentAnswer>;
  /** One for each payment request that a batch makes, the same ones at every repetition. */
  forEntries(count: number): Promise<readonly Operation[]>;
}

/** What the address of a visit carries: any of them proves that it is a payer of this payment. */
export interface PayVisit {
  /** The link's own part: the whole page. */
  readonly linkKey?: string;
  /** The part of return addresses: the state, and the way back to the shop. */
  readonly returnPart?: string;
  /** A 3D Secure token: the attempt's next action too. */
  readonly token?: string;
}

/** What a payer chose on their page. */
export interface PayerChoice {
  /** How many attempts the page knew of. */
  readonly seen: number;
  readonly way: ChosenWay;
}

/** One run of an operation. */
export interface OperationRun extends Pick<Operation, 'id' | 'bindPayment' | 'paymentRequestId'> {
  /** Keeps these ids for what a batch makes; gives those of an earlier run, where there was one. */
  readonly reservePayments: (ids: readonly number[]) => Promise<readonly number[]>;
}

/** A validated amount: plain decimal text. */
export interface OrderInput {
  readonly amount: string;
  readonly unit: string;
  readonly referenceId: string | null;
  readonly notifyUrl: string | null;
  readonly successUrl: string | null;
  readonly failureUrl: string | null;
  readonly originDomain: string | null;
}

/** A validated body of an endpoint that pays. Holds card data: it lives as long as the call, and is never kept. */
export interface PayerInput {
  readonly kind: InputKind;
  /** From a merchant every field is there, from the payer's page those that their way to pay asks for. */
  readonly payer: Payer<never>;
  readonly card?: Card;
  readonly token?: string;
  readonly upiId?: string;
  readonly browserInfo?: BrowserInfo;
  readonly wallet?: Wallet;
  readonly captureDelayHours?: number;
  readonly is3ds?: boolean;
  readonly isSandbox?: boolean;
  /** The whole body as sent, for adapters that narrow its bounds. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** Members of `POST /payment-requests` that are stored as given. */
export interface NewPaymentRequest extends OrderInput, GivenMembers {
  readonly client: ClientInput;
  /** It is a test payment request, also where the key is a live one. */
  readonly isSandbox?: boolean | undefined;
  /** Mail the link to the client. */
  readonly send: boolean;
}

/** The payment request as JSON shows it; amounts are `JsonNumber`s, so that they are written digit for digit. */
export type PaymentRequestView = Readonly<Record<string, unknown>> & { readonly id: number };

/** What a call that pays comes to when it did not fail. A refusal is thrown as a `GatewayError` with the payment's id. */
export interface PaymentAnswer {
  readonly id: number;
  /** As it was when the call ended. Reads what is stored elsewhere: an answer that shows nothing need not wait for it. */
  readonly present: () => Promise<PresentedPayment>;
}

export interface PresentedPayment {
  readonly view: PaymentRequestView;
  /** What the payer must do next; null: nothing. */
  readonly action: Action | null;
}

export interface ListQuery {
  readonly status?: number;
  readonly referenceId?: string;
  readonly clientId?: number;
  readonly providerId?: number;
  readonly methodId?: number;
  readonly createdFrom?: Date;
  readonly createdTo?: Date;
  readonly limit: number;
  readonly cursor?: string;
}

export interface ListPage {
  readonly items: readonly PaymentRequestView[];
  readonly nextCursor: string | null;
}

export interface TimelineItem {
  readonly at: Date;
  readonly kind: 'request' | 'answer' | 'callback' | 'event' | 'transition' | 'notification';
  readonly [member: string]: unknown;
}

/** What the payer's page needs to know. Only the state, unless the unguessable part of the link was right. */
export interface PayPage {
  /** Who is paid. */
  readonly merchant: Merchant;
  readonly state: 'created' | 'pending' | 'paid' | 'failed' | 'refunded' | 'expired' | 'cancelled';
  /** Pending for a step of the payer that was lost with the provider's answer: there is nothing to do but wait. */
  readonly stepLost: boolean;
  /** Where the payer goes now that the state is final; null while it is not, or where the merchant gave none. */
  readonly leaveTo: string | null;
  /** The attempt's next action, for a visit with the link's own part or a right 3D Secure token. */
  readonly action: Action | null;
  /** The part of return addresses: who waits on the page asks by it how the payment is now. */
  readonly returnPart: string;
  /** Another one: the page shows something else now. It says nothing by itself. */
  readonly stamp: string;
  /** Only with the link's own part. */
  readonly details: PayPageDetails | null;
}

export interface PayPageDetails {
  readonly recipientName: string | null;
  /** The merchant's own number of the order. */
  readonly referenceId: string | null;
  /** The merchant's words on what is paid. */
  readonly notes: string | null;
  /** Spelled with the decimals of its currency. */
  readonly amount: string;
  readonly unit: string;
  /** What it is charged in; null where that is not known: `unit` is no currency, and no provider takes it. */
  readonly currency: string | null;
  /** No money moves. */
  readonly isTest: boolean;
  /** What it can be paid with now; empty where it cannot be paid, or no provider takes it. */
  readonly ways: readonly PayerWay[];
  /** What is known of the payer already. It is theirs, and not for everybody who has the link. */
  readonly known: Partial<PayerFields>;
  /** How many attempts there were: what the payer saw when they filled in the form. */
  readonly attempts: number;
  /** Why the latest attempt failed; null where it did not. */
  readonly failure: PayFailure | null;
  /** From then on nobody can begin to pay it; null where that is not known. */
  readonly expiresAt: Date | null;
  /** How the latest attempt pays; null: there was none. */
  readonly method: PaymentMethod | null;
  /** Of a payment in coins, once some came in. */
  readonly coins: ReceivedCoins | null;
  /** Once it is paid, also after it was refunded. */
  readonly receipt: PayReceipt | null;
}

/** How the merchant looks; null: as the gateway does. */
export interface PayBrand {
  /** The name of its file. */
  readonly logo: string | null;
  /** `#rrggbb`, readable on white. */
  readonly colour: string | null;
  /** Where payers find help: an e-mail address or an https address. */
  readonly support: string | null;
  /** An https address. */
  readonly terms: string | null;
}

/** The merchant as payers know it. */
export interface Merchant {
  /** The name that they go by, else the owner's; empty where there is no such owner. */
  readonly name: string;
  readonly brand: PayBrand;
}

/** What came in of a payment in coins, by the provider's rate: decimal text in what is charged in. */
export interface ReceivedCoins {
  readonly received: string;
  /** What is still to be sent; null: nothing. */
  readonly missing: string | null;
  /** What was sent beyond the amount; null: nothing. */
  readonly excess: string | null;
}

export interface PayReceipt {
  readonly paidAt: Date;
  /** The name of the attempt that paid towards its provider: `GW-10042-1`. */
  readonly reference: string;
  readonly way: Pick<PayerWay, 'method' | 'title' | 'coin'>;
  readonly cardBin: string | null;
  readonly cardLastDigits: string | null;
  /** What went back to the payer so far; null: nothing. */
  readonly refunded: string | null;
}

/** Why an attempt failed: the payer's bank refused, 3D Secure failed, or no provider took it and nothing was charged. */
export type PayFailure =
  { readonly kind: 'declined'; readonly code: DeclineCode } | { readonly kind: 'three_ds' | 'nothing_charged' };

/** What a payer chose: a method and, of pages and coins, whose. */
export interface ChosenWay {
  readonly method: PaymentMethod;
  /** Of a provider's page: the adapter. */
  readonly adapter: string | null;
  /** Of a coin: its code, such as `BTC`. */
  readonly coin: string | null;
}

/** A way to pay that some provider offers for the payment. */
export interface PayerWay extends ChosenWay {
  /** Names it in forms and addresses: `card`, `upi_qr`, `crypto.BTC`, `hosted_page.acme`. */
  readonly id: string;
  /** What its submission is. A card token is for merchants. */
  readonly kind: Exclude<InputKind, 'token'>;
  /** What the payer types here to pay with; null: nothing. */
  readonly instrument: 'card' | 'upiId' | null;
  /** For people: the provider of a page. */
  readonly title: string;
  /** What is charged in. */
  readonly currency: string;
  /** What must be known of the payer. */
  readonly fields: readonly PayerField[];
}

/** Everything that can be done with payment requests. Amounts are decimal text throughout. */
export interface Payments {
  create(caller: Caller, input: NewPaymentRequest): Promise<PaymentRequestView>;
  /** NF001 where it does not exist, is another owner's, or belongs to the other environment. */
  get(caller: Caller, id: number): Promise<PaymentRequestView>;
  /** Whether `get` would find it. */
  exists(caller: Caller, id: number): Promise<boolean>;
  /** As it is now, whatever became of it. NF001 as `get`. */
  answer(caller: Caller, id: number): Promise<PaymentAnswer>;
  /** An id that nothing has yet, for a payment request that `Operation.paymentRequestId` is to make. */
  reserveId(): Promise<number>;
  /** What a request under an `Idempotency-Key` sets out to do; `Caller.operation` of the calls that do it. */
  operation(caller: Caller, run: OperationRun): Operation;
  list(caller: Caller, query: ListQuery): Promise<ListPage>;
  timeline(caller: Caller, id: number): Promise<readonly TimelineItem[]>;
  /** Endpoints 2, 3, 5, 6: makes the payment request and submits it to the provider with this code. */
  payH2h(caller: Caller, code: number, order: OrderInput, input: PayerInput): Promise<PaymentAnswer>;
  /**
   * Endpoints 1 and 7: submits an existing payment request; the route rules choose the provider. `payer`: it comes from
   * the payer's page, which knew of so many attempts. With more of them it is PAY004, with ten in an hour RATE001; and it
   * goes along the way that they chose, or along none.
   */
  pay(caller: Caller, id: number, input: PayerInput, payer?: PayerChoice): Promise<PaymentAnswer>;
  /** Endpoint 1 with `transaction3dsId`: goes on after a 3D Secure step. */
  resume(caller: Caller, id: number, transaction3dsId: string): Promise<PaymentAnswer>;
  /** Endpoint 4. */
  confirm(caller: Caller, id: number, paymentId: string, code: string): Promise<PaymentAnswer>;
  /** `amount` absent: what is left. `attempt`: whose charge it is taken from; absent: of several, the first that holds it. */
  refund(caller: Caller, id: number, amount: string | undefined, attempt?: number): Promise<PaymentAnswer>;
  /** Collects an authorised payment; `amount` absent: all of it. */
  capture(caller: Caller, id: number, amount: string | undefined): Promise<PaymentAnswer>;
  /** One that is created or failed, or authorised where the provider can release the money. */
  cancel(caller: Caller, id: number): Promise<PaymentAnswer>;
  /**
   * The payer's page; undefined where the visit proves nothing about a payment. Else it requests `complete` or
   * `fetchStatus` where something waits, after `admit`, which may throw.
   */
  payPage(id: number, visit: PayVisit, admit: () => Promise<unknown>): Promise<PayPage | undefined>;
  /** The holder of the link pays and confirms for the owner, this payment alone. Undefined: no such payment, or another link's part. */
  payerOf(id: number, linkKey: string, requestId: string): Promise<Caller | undefined>;
  /** What the merchant surely did not mean by this order. `isToBePaid`: a route is still to be found for it. */
  warningsOf(
    caller: Caller,
    order: OrderInput,
    more?: { readonly isToBePaid?: true; readonly isSandbox?: boolean | undefined },
  ): readonly Warning[];
  /** The inputs that the adapter takes which carries the code; undefined: NF001. */
  inputKindsOf(code: number): readonly InputKind[] | undefined;
}
