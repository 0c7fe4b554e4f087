/** Validated input of calls: the order and what the payer gave. Read by `http`. */
import type { BrowserInfo, Card, InputKind, Payer, Wallet } from '@paywright/contract';
import type { ClientInput } from '../../../database/collections/client.ts';
import type { GivenMembers } from '../../../database/collections/payment-request.ts';
import type { ChosenWay } from './pay-page.ts';

/** A validated order. The amount is plain decimal text. */
export interface OrderInput {
  readonly amount: string;
  readonly unit: string;
  readonly referenceId: string | null;
  readonly notifyUrl: string | null;
  readonly successUrl: string | null;
  readonly failureUrl: string | null;
  readonly originDomain: string | null;
}

/**
 * The validated body of an endpoint that pays. It holds card data: it exists as long as the call, and is never stored.
 */
export interface PayerInput {
  readonly kind: InputKind;
  /** From a merchant, every field is present. From the payer's page, the fields that the payment way needs. */
  readonly payer: Payer<never>;
  readonly card?: Card;
  readonly token?: string;
  readonly upiId?: string;
  readonly browserInfo?: BrowserInfo;
  readonly wallet?: Wallet;
  readonly captureDelayHours?: number;
  readonly is3ds?: boolean;
  readonly isSandbox?: boolean;
  /** The account as the merchant names it, not yet checked. */
  readonly providerAccount?: string;
  /** The whole body as sent, for adapters that narrow its bounds. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** Members of `POST /payment-requests` that are stored as given. */
export interface NewPaymentRequest extends OrderInput, GivenMembers {
  readonly client: ClientInput;
  /** True: a test payment request, even if the key is a live one. */
  readonly isSandbox?: boolean | undefined;
  /** The account as the merchant names it, not yet checked. */
  readonly providerAccount?: string | undefined;
  /** True: mail the link to the client. */
  readonly send: boolean;
}

/** What a payer chose on the page. */
export interface PayerChoice {
  /** The number of attempts that the page knew. */
  readonly seen: number;
  readonly way: ChosenWay;
}
