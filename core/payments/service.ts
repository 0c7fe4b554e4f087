/** What the payments domain offers to `http`, `workers` and the commands; and what it takes. */
import type { BrowserInfo, Card, InputKind, Payer, Wallet } from '@gateway/contract';

export type Environment = 'test' | 'live';

/** Who asks: from the API key. */
export interface Caller {
  readonly ownerId: number;
  readonly environment: Environment;
  readonly requestId: string;
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
  readonly payer: Payer;
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
export interface NewPaymentRequest extends OrderInput {
  readonly recipientName: string | null;
  readonly payerCountry: string | null;
  readonly notes: string | null;
  readonly client: ClientInput;
  readonly payerName: string | null;
  readonly payerEmail: string | null;
  readonly targetAccountTypeId: 0 | 1 | 2 | 3;
  readonly kycApplicantId: string | null;
  /** Mail the link to the client. */
  readonly send: boolean;
}

export interface ClientInput {
  readonly name: string | null;
  readonly email: string | null;
  readonly address: string | null;
  readonly phone: string | null;
  readonly memberId: string | null;
}

/** The payment request as JSON shows it; amounts are decimal text until `http` writes them as numbers. */
export type PaymentRequestView = Readonly<Record<string, unknown>> & { readonly id: number };
