/** One submission to one provider, and what is known of it: kept in its payment request. */
import {
  compareDecimals,
  type DeclineCode,
  type PaymentMethod,
  type ThreeDsShown,
  type ThreeDsSupport,
} from '@paywright/contract';
import { Schema } from 'mongoose';
import { bytes, date, plain, text } from '../members.ts';

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
  /** What the browser posted, encrypted; null for a plain return. */
  readonly posted: Uint8Array | null;
}

const step = new Schema<Step>(
  { nonce: String, transactionId: text, takenAt: date, doneAt: date, posted: bytes },
  plain,
);

/** Money that the bank reserved, collected by our request. */
export interface Capture {
  /** Our name for it towards the provider. */
  readonly reference: string;
  readonly amount: string;
  readonly state: 'requested' | 'unknown' | 'pending' | 'succeeded';
  readonly requestedAt: Date;
}

const captureSchema = new Schema<Capture>(
  { reference: String, amount: Schema.Types.Decimal128, state: String, requestedAt: Date },
  plain,
);

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
  readonly referenceVerified: boolean;
  readonly decline: DeclineCode | null;
  readonly declineText: string | null;
  readonly threeDsResult: string | null;
  readonly acsResponse: string | null;
  /** A 3D Secure step was required, whatever its result. */
  readonly threeDs: boolean;
  /** The action for the payer, encrypted. */
  readonly action: Uint8Array | null;
  /** The payer's next step was lost with the provider's answer: nobody can take it, and the provider ends the payment. */
  readonly stepLost: boolean;
  /** When the bank reserved the money; null: it has not, or it was charged at once. */
  readonly authorisedAt: Date | null;
  /** Null: none was requested, or the provider refused it. */
  readonly capture: Capture | null;
  /** Since when the reserved money is to be released; null: it is not. */
  readonly voidRequestedAt: Date | null;
  /** Captures and releases that the provider refused, where there were any: the next one has a name of its own. */
  readonly refusedRequests?: number;
  /** When the provider reported that money which it had collected did not come; absent, or null of before: it did not. */
  readonly captureFailedAt?: Date | null;
  /** Every step so far; the last one is the payer's next. */
  readonly steps: readonly Step[];
  readonly payerCountry: string | null;
  readonly cardBin: string | null;
  readonly cardLastDigits: string | null;
  readonly device: string | null;
  readonly browser: string | null;
  readonly osName: string | null;
  /** Fetches that were requested and done: a ping during a fetch requests another. */
  readonly fetchesRequested: number;
  readonly fetchesDone: number;
  /** What is to be fetched: refunds and cases by the provider's reference, the payment itself by an empty text. */
  readonly fetchSubjects: readonly string[];
  /** Fetches for the present request that brought no information. */
  readonly fetchFailures: number;
  /** Member codes that were sent and not found right. */
  readonly wrongCodes: number;
  /** Scheduled checks so far, and when the latest was. */
  readonly checks: number;
  readonly lastCheckedAt: Date | null;
  /** When a visit of the payer's page last asked for a look. */
  readonly visitedAt: Date | null;
  /** When a fetch first found nothing charged. One such answer is not believed: our request may still wait somewhere. */
  readonly notFoundAt: Date | null;
  /** Failed because fetches found nothing charged: how often it was asked for since; null: it did not fail by that. */
  readonly lateChecks: number | null;
  /** The outcome is unknown after the policy's last step. */
  readonly needsReview: boolean;
  /** What `afterCommit` still has to send to the provider. */
  readonly seenToken: string | null;
  /** How often the provider did not take it. */
  readonly seenFailures: number;
  /** What the adapter wants back in later calls, encrypted; null: it left nothing. */
  readonly adapterState: Uint8Array | null;
  /** Of a payment in coins: what came in so far, decimal text in its currency. */
  readonly received: string | null;
  /** 3D Secure was demanded, by the merchant or a risk rule: what its way to pay makes of that. Null: nobody did. */
  readonly threeDsDemand: ThreeDsSupport | null;
  /** What the provider reports about 3D Secure. */
  readonly threeDsShown: ThreeDsShown | null;
  /** Of the span that submitted it; absent: traces were off. */
  readonly trace?: string;
}

export const attemptSchema: Schema<Attempt> = new Schema<Attempt>(
  {
    n: Number,
    reference: String,
    adapter: String,
    providerCode: Number,
    method: String,
    sandbox: Boolean,
    amount: Schema.Types.Decimal128,
    currency: String,
    isFallback: Boolean,
    openedAt: Date,
    deadlineAt: Date,
    endedAt: date,
    outcome: String,
    unknown: Boolean,
    nothingCharged: Boolean,
    cancelled: Boolean,
    late: Boolean,
    paidAtOnce: Boolean,
    settledAt: date,
    providerReference: text,
    referenceVerified: Boolean,
    decline: text,
    declineText: text,
    threeDsResult: text,
    acsResponse: text,
    threeDs: Boolean,
    action: bytes,
    stepLost: { type: Boolean, default: false },
    authorisedAt: date,
    capture: { type: captureSchema, default: null },
    voidRequestedAt: date,
    // Members that hosts of this schema's first versions do not know, and therefore only where they say something.
    refusedRequests: Number,
    captureFailedAt: Date,
    steps: [step],
    payerCountry: text,
    cardBin: text,
    cardLastDigits: text,
    device: text,
    browser: text,
    osName: text,
    fetchesRequested: Number,
    fetchesDone: Number,
    fetchSubjects: [String],
    fetchFailures: Number,
    wrongCodes: { type: Number, default: 0 },
    checks: Number,
    lastCheckedAt: date,
    visitedAt: date,
    notFoundAt: date,
    lateChecks: { type: Number, default: null },
    needsReview: Boolean,
    seenToken: text,
    seenFailures: { type: Number, default: 0 },
    adapterState: bytes,
    received: text,
    threeDsDemand: text,
    threeDsShown: text,
    trace: String,
  },
  plain,
);

export function attemptOf(record: { readonly attempts: readonly Attempt[] }, n: number): Attempt | undefined {
  return record.attempts[n - 1];
}

/** What came in of an attempt: what is charged, or what arrived in coins, where that differs. */
export function collectedAmount(attempt: Attempt): string {
  const charged = attempt.outcome === 'succeeded' ? chargedAmount(attempt) : '0';
  const { received } = attempt;
  return received !== null && compareDecimals(received, charged) > 0 ? received : charged;
}

/** What the payer is charged: of reserved money the part that is collected. */
export function chargedAmount({ amount, capture }: Attempt): string {
  return capture?.amount ?? amount;
}

export function latestAttempt(record: { readonly attempts: readonly Attempt[] }): Attempt | undefined {
  return record.attempts.at(-1);
}

/**
 * True for money that came in without the 3D Secure that was demanded. On a way that enforces it, a step that the provider
 * sent the payer through shows it too. Not known before the submission has ended: its answer may be the one that shows it.
 */
export function lacksThreeDs({ outcome, endedAt, threeDsDemand, threeDsShown, threeDs }: Attempt): boolean {
  if (!threeDsDemand || outcome !== 'succeeded' || endedAt === null) return false;
  return threeDsShown === null ? threeDsDemand === 'enforced' && !threeDs : threeDsShown === 'none';
}
