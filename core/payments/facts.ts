/** What is known of a payment request. Its status is a pure function of these facts, so the order of events cannot matter. */
import type { DeclineCode, PaymentMethod } from '@gateway/contract';
import type { ClientInput, Environment } from './service.ts';

/** How far an attempt has come; `open` until something final is known. */
export type AttemptOutcome = 'open' | 'expired' | 'failed' | 'succeeded';

/** A 3D Secure challenge or method step that waits for the payer's browser, or was taken and is being completed. */
export interface Step {
  /** Names the step in the gateway's own 3D Secure token. */
  readonly nonce: string;
  /** The provider's id of the challenge, where it has one. */
  readonly transactionId: string | null;
  readonly takenAt: Date | null;
  /** When `complete` answered for it. Taken and not done: `complete` still has to be called. */
  readonly doneAt: Date | null;
  /** What the browser posted, sealed; null for a plain return. */
  readonly posted: Uint8Array | null;
}

/** One submission to one provider. */
export interface Attempt {
  readonly n: number;
  readonly reference: string;
  readonly adapter: string;
  readonly providerCode: number;
  readonly method: PaymentMethod;
  readonly sandbox: boolean;
  readonly amount: string;
  readonly currency: string;
  readonly isFallback: boolean;
  readonly openedAt: Date;
  /** After this the submission's process is taken for dead. */
  readonly deadlineAt: Date;
  /** When the submission's call ended; null while it may still run. */
  readonly endedAt: Date | null;
  readonly outcome: AttemptOutcome;
  /** The provider's answer never came, or could not be read. */
  readonly unknown: boolean;
  readonly nothingCharged: boolean;
  readonly cancelled: boolean;
  readonly late: boolean;
  /** Succeeded by the submission's own answer. */
  readonly paidAtOnce: boolean;
  readonly settledAt: Date | null;
  readonly providerReference: string | null;
  /** The reference came over our own connection: nothing else replaces it. */
  readonly referenceProven: boolean;
  readonly decline: DeclineCode | null;
  readonly declineText: string | null;
  readonly threeDsResult: string | null;
  readonly acsResponse: string | null;
  /** A 3D Secure step was asked for, whatever its result. */
  readonly threeDs: boolean;
  /** The action for the payer, sealed. */
  readonly action: Uint8Array | null;
  /** Every step so far; the last one is the payer's next. */
  readonly steps: readonly Step[];
  readonly payerCountry: string | null;
  readonly cardBin: string | null;
  readonly cardLastDigits: string | null;
  readonly device: string | null;
  readonly browser: string | null;
  readonly osName: string | null;
  /** Questions wished for and answered: a ping during a fetch asks again. */
  readonly wishes: number;
  readonly answered: number;
  /** What the wishes are about: refunds and cases by the provider's reference, the payment itself by an empty text. */
  readonly wishedFor: readonly string[];
  /** Fetches for the present wish that brought no news. */
  readonly wishFails: number;
  /** Status fetches so far, and when the latest was. */
  readonly asked: number;
  readonly askedAt: Date | null;
  /** Nobody knows after the policy's last step: a person must look. */
  readonly gaveUp: boolean;
  /** What `afterCommit` still has to tell the provider. */
  readonly commitNote: string | null;
}

export type RefundState = 'asking' | 'unknown' | 'pending' | 'succeeded' | 'failed';

/** A refund that we asked for. */
export interface Refund {
  readonly n: number;
  readonly attempt: number;
  readonly reference: string;
  readonly amount: string;
  readonly state: RefundState;
  /** The provider's answer itself said *succeeded*, not only an event. */
  readonly answeredSucceeded: boolean;
  /** The provider's number of it, where it has one that is not the payment's. */
  readonly providerReference: string | null;
  readonly requestedAt: Date;
  readonly asked: number;
  readonly askedAt: Date | null;
}

/** What the provider reports of one refund: one row per number and state, or one event without number. */
export interface ReportedRefund {
  readonly attempt: number;
  /** Null: the provider gave no number; then `identity` tells equal events apart. */
  readonly subReference: string | null;
  readonly identity: string;
  readonly amount: string;
  readonly state: 'pending' | 'failed' | 'succeeded' | 'reversed';
}

export type Stage = 'opened' | 'won' | 'lost' | 'reversed';

/** A stage of a chargeback case that was reported; the case's state follows from all of its stages. */
export interface ReportedStage {
  readonly attempt: number;
  readonly subReference: string | null;
  readonly stage: Stage;
  /** The provider's order hint, or the time of the event in milliseconds. */
  readonly order: number | null;
}

/** The largest running total of refunds that a provider has told. */
export interface Cumulative {
  readonly attempt: number;
  readonly amount: string;
}

export interface Facts {
  readonly attempts: readonly Attempt[];
  readonly refunds: readonly Refund[];
  readonly reportedRefunds: readonly ReportedRefund[];
  readonly cumulatives: readonly Cumulative[];
  readonly stages: readonly ReportedStage[];
  readonly cancelledAt: Date | null;
  /** Nobody paid in time. */
  readonly lapsedAt: Date | null;
}

/** One line of the payment's log; never changed once written. */
export interface LogEntry {
  readonly n: number;
  readonly attempt: number;
  readonly at: Date;
  /** The provider's reference. */
  readonly transactionId: string;
  readonly transactionStatusId: 0 | 1 | 2 | 3;
  /** Decline or UPI code, `OUTCOME_UNKNOWN`, `DOUBLE_CHARGE`, or empty. */
  readonly code: string;
  readonly message: string;
  /** Refused events are logged but never mirrored as the last entry. */
  readonly refused: boolean;
}

export interface OutboxEntry {
  readonly sequence: number;
  readonly type: NotificationType;
  readonly at: Date;
  /** The frozen bytes of the notification. */
  readonly body: string;
  readonly requestId: string;
}

export type NotificationType =
  | 'payment.pending'
  | 'payment.succeeded'
  | 'payment.failed'
  | 'payment.refunded'
  | 'payment.partially_refunded'
  | 'payment.refund_reversed'
  | 'payment.charged_back'
  | 'payment.chargeback_reversed'
  | 'payment.expired';

export interface Transition {
  readonly at: Date;
  readonly from: number;
  readonly to: number;
  readonly cause: string;
}

/** A payment request as it is stored; amounts are plain decimal text here and Decimal128 in the database. */
export interface PaymentRecord extends Facts {
  readonly _id: number;
  /** Grows with every change of the facts; settle compares and sets it. */
  readonly version: number;
  readonly ownerId: number;
  readonly environment: Environment;
  readonly createdAt: Date;
  /** The unguessable part of `link`. */
  readonly linkKey: string;
  readonly amount: string;
  readonly unit: string;
  readonly recipientName: string | null;
  readonly payerCountry: string | null;
  readonly referenceId: string | null;
  readonly notes: string | null;
  readonly notifyUrl: string | null;
  readonly successUrl: string | null;
  readonly failureUrl: string | null;
  readonly originDomain: string | null;
  readonly targetAccountTypeId: number;
  readonly kycApplicantId: string | null;
  readonly payerName: string | null;
  readonly payerEmail: string | null;
  readonly clientId: number;
  readonly client: ClientInput;
  readonly isH2h: boolean;
  readonly isPremiumCardBin: boolean;
  readonly routeRuleId: number | null;
  readonly ftdTypeId: 0 | 1 | 2;
  /** Derived from the facts with every change, for queries. */
  readonly statusId: StatusId;
  readonly paidAmount: string | null;
  readonly paidCurrency: string | null;
  readonly refundedAmount: string;
  readonly chargedBack: boolean;
  readonly feeAmount: string | null;
  readonly exchangeRate: string | null;
  readonly logs: readonly LogEntry[];
  readonly transitions: readonly Transition[];
  /** Identities that added a fact: the truth of deduplication. */
  readonly identities: readonly string[];
  /** Names of the merchant's requests under an `Idempotency-Key` whose effect stands here. */
  readonly effects: readonly string[];
  /** The one of them that made it at endpoint 8: a repetition finds it, and makes no other. */
  readonly madeBy: string | null;
  readonly sequence: number;
  readonly outbox: readonly OutboxEntry[];
  /** Since when something waits in the outbox; null: nothing does. */
  readonly outboxSince: Date | null;
  /** When the provider is to be asked next; while a worker asks, when its lease ends. Null: nothing to ask. */
  readonly askAt: Date | null;
  readonly askToken: string | null;
  readonly askWorker: string | null;
  /** How often in a row whoever asked ended, or failed, without a word. */
  readonly askLapses: number;
}

/** 0 created, 1 pending, 2 paid, 3 failed, 4 refunded in full, 5 expired or cancelled by the merchant. */
export type StatusId = 0 | 1 | 2 | 3 | 4 | 5;
export const status = { created: 0, pending: 1, paid: 2, failed: 3, refunded: 4, expired: 5 } as const;

export function attemptOf(record: Pick<PaymentRecord, 'attempts'>, n: number): Attempt | undefined {
  return record.attempts[n - 1];
}

export function latestAttempt(record: Pick<PaymentRecord, 'attempts'>): Attempt | undefined {
  return record.attempts.at(-1);
}
