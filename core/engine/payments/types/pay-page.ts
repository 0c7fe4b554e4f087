/** What the payer's page shows. Read by `checkout` and `html`. */
import type {
  Action,
  DeclineCode,
  InputKind,
  PayerField,
  PayerFields,
  PaymentMethod,
  InterfaceField,
} from '@paywright/contract';

/** What the address of a visit carries. Each of these proves that the visitor is a payer of this payment. */
export interface PayVisit {
  /** The key in the link: shows the whole page. */
  readonly linkKey?: string;
  /** The part of return addresses: shows the state, and the way back to the shop. */
  readonly returnPart?: string;
  /** A 3D Secure token: shows the attempt's next action as well. */
  readonly token?: string;
  /** Nothing is requested: the payer has not come back, but a page or a form asks for the present state. */
  readonly isQuiet?: boolean;
  /** The provider sent the payer back because the payer gave up: the status is fetched, and no step is completed. */
  readonly isCancelled?: boolean;
}

/** What the payer's page needs to know. Only the state, unless the key in the link was right. */
export interface PayPage {
  /** The merchant who is paid. */
  readonly merchant: Merchant;
  readonly state: 'created' | 'pending' | 'paid' | 'failed' | 'refunded' | 'expired' | 'cancelled';
  /**
   * True if the payment is pending for a step of the payer that was lost with the provider's answer: the payer can only
   * wait.
   */
  readonly stepLost: boolean;
  /** True if the payment is pending for longer than usual. */
  readonly isSlow: boolean;
  /** Where the payer goes once the state is final. Null while it is not, or if the merchant gave no address. */
  readonly leaveTo: string | null;
  /** The attempt's next action, for a visit with the key of the link or with a valid 3D Secure token. */
  readonly action: Action | null;
  /** The part of return addresses: the waiting page asks with it for the present state of the payment. */
  readonly returnPart: string;
  /** If this value changes, the page shows something else. It has no other meaning. */
  readonly stamp: string;
  /** Present only with the key of the link. */
  readonly details: PayPageDetails | null;
  /** What is paid. */
  readonly due: PayDue;
}

/** What is paid, for every visitor who is a payer. */
export interface PayDue {
  /** Spelled with the decimals of its currency. */
  readonly amount: string;
  readonly unit: string;
  /** The currency that is charged. Null if it is unknown: `unit` is no currency, and no provider accepts it. */
  readonly currency: string | null;
  /** True: no money moves. */
  readonly isTest: boolean;
}

export interface PayPageDetails extends PayDue {
  readonly recipientName: string | null;
  /** The merchant's own number of the order. */
  readonly referenceId: string | null;
  /** The merchant's description of what is paid. */
  readonly notes: string | null;
  /** The ways to pay now. Empty if it cannot be paid, or if no provider accepts it. */
  readonly ways: readonly PayerWay[];
  /** What is known about the payer already. It is the payer's data, and not meant for everyone who has the link. */
  readonly known: Partial<PayerFields>;
  /** The number of attempts that the payer saw when filling in the form. */
  readonly attempts: number;
  /** When the latest attempt was submitted; null: it was not, or the submission is in progress. */
  readonly startedAt: Date | null;
  /**
   * If the payment waits for a step of the payer: when the payer can pay another way, which ends the step. Null: not
   * before the step has ended, or no step is open.
   */
  readonly otherWay: 'now' | Date | null;
  /** Why the latest attempt failed; null if it did not. */
  readonly failure: PayFailure | null;
  /** No new attempt can start from this time on; null: unknown. */
  readonly expiresAt: Date | null;
  /** The method of the latest attempt; null: there was none. */
  readonly method: PaymentMethod | null;
  /** The title of the way of the latest attempt, as its adapter names it; null: there was none. */
  readonly wayTitle: string | null;
  /** For a payment in coins, once some came in. */
  readonly coins: ReceivedCoins | null;
  /** Present once the payment is paid, also after a refund. */
  readonly receipt: PayReceipt | null;
}

/** The merchant's brand. Null values: the gateway's own look. */
export interface PayBrand {
  /** The name of the logo's file. */
  readonly logo: string | null;
  /** `#rrggbb`, readable on white. */
  readonly colour: string | null;
  /** Where payers find help: an e-mail address or an https address. */
  readonly support: string | null;
  /** An https address. */
  readonly terms: string | null;
}

/** The merchant as payers see it. */
export interface Merchant {
  /** The display name, else the owner's name. Empty if there is no such owner. */
  readonly name: string;
  readonly brand: PayBrand;
}

/** What came in of a payment in coins, at the provider's rate: decimal text in the charged currency. */
export interface ReceivedCoins {
  readonly received: string;
  /** What is still to be sent; null: nothing. */
  readonly missing: string | null;
  /** What was sent beyond the amount; null: nothing. */
  readonly excess: string | null;
}

export interface PayReceipt {
  readonly paidAt: Date;
  /** The reference of the attempt that paid: `GW-10042-1`. */
  readonly reference: string;
  readonly way: Pick<PayerWay, 'method' | 'coin'> & WayLook;
  readonly cardBin: string | null;
  readonly cardLastDigits: string | null;
  /** What the payer was charged: less than the requested amount if only a part of reserved money was captured. */
  readonly charged: string;
  /** True if `charged` differs from the requested amount. */
  readonly isPart: boolean;
  /** The amounts of further charges, if the payer was charged more than once. */
  readonly laterCharges: readonly string[];
  /** What was refunded to the payer so far, of all charges; null: nothing. */
  readonly refunded: string | null;
  /** When the latest refund succeeded; null: nothing was refunded, or the time is unknown. */
  readonly refundedAt: Date | null;
  /** True if the provider sent all refunds to this way. False: some were by hand, or of another charge. */
  readonly refundedByProvider: boolean;
}

/**
 * Why an attempt failed: the payer's bank declined, 3D Secure failed, the payer cancelled it at the provider, or no
 * provider accepted it and nothing was charged.
 */
export type PayFailure =
  | { readonly kind: 'declined'; readonly code: DeclineCode }
  | { readonly kind: 'field_refused'; readonly field: InterfaceField }
  | { readonly kind: 'three_ds' | 'cancelled' }
  /** `sandboxRule`: in test mode, the ending of the amount for which the sandbox fails, such as `.50`. */
  | { readonly kind: 'nothing_charged'; readonly sandboxRule?: string };

/** What a payer chose: a method and, for pages and coins, the provider or the coin. */
export interface ChosenWay {
  readonly method: PaymentMethod;
  /** For a provider's page: the adapter. */
  readonly adapter: string | null;
  /** For a coin: its code, such as `BTC`. */
  readonly coin: string | null;
}

/** A brand by which payers know a way: a card scheme, a wallet, a bank's scheme. */
export interface PayerBrand {
  readonly name: string;
  /** The file name of its picture; null: there is none. */
  readonly picture: string | null;
}

/** How the payer's page names a way and shows it. */
export interface WayLook {
  /** The provider's name for people. It tells two ways of the same name apart. */
  readonly title: string;
  /** The name of the way by language code, and by `''` in any other language. Absent: the page has words of its own. */
  readonly names?: Readonly<Record<string, string>>;
  /** The name of the page or app to which the payer is sent. Absent: the page names none. */
  readonly leadsTo?: string;
  readonly brands?: readonly PayerBrand[];
}

/** A way to pay that some provider offers for the payment. */
export interface PayerWay extends ChosenWay, WayLook {
  /** Identifies the way in forms and addresses: `card`, `upi_qr`, `crypto.BTC`, `hosted_page.acme`. */
  readonly id: string;
  /** The input kind of its submission. Card tokens are for merchants only. */
  readonly kind: Exclude<InputKind, 'token'>;
  /** What the payer types here to pay with; null: nothing. */
  readonly instrument: 'card' | 'upiId' | null;
  /** The currency that is charged. */
  readonly currency: string;
  /** The fields that must be known about the payer. */
  readonly fields: readonly PayerField[];
}
