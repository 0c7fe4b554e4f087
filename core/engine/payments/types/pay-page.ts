/** What the payer's page shows. Read by `checkout` and `html`. */
import type { Action, DeclineCode, InputKind, PayerField, PayerFields, PaymentMethod } from '@paywright/contract';

/** What the address of a visit carries: any of them proves that it is a payer of this payment. */
export interface PayVisit {
  /** The link's own part: the whole page. */
  readonly linkKey?: string;
  /** The part of return addresses: the state, and the way back to the shop. */
  readonly returnPart?: string;
  /** A 3D Secure token: the attempt's next action too. */
  readonly token?: string;
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
