/** An attempt: one submission to one provider, and everything known about it. Stored in its payment request. */
import {
  addDecimals,
  compareDecimals,
  type DeclineCode,
  type PaymentMethod,
  type InterfaceField,
  type ThreeDsShown,
  type ThreeDsSupport,
} from '@paywright/contract';
import { Schema } from 'mongoose';
import { bytes, date, plain, text } from '../members.ts';

/** The state of an attempt; `open` until something final is known. */
export type AttemptOutcome = 'open' | 'expired' | 'failed' | 'succeeded';

/** A 3D Secure challenge or method step. It waits for the payer's browser, or was taken and is being completed. */
export interface ThreeDsStep {
  /** Identifies the step in the gateway's own 3D Secure token. */
  readonly nonce: string;
  /** The provider's id of the challenge, if there is one. */
  readonly transactionId: string | null;
  readonly takenAt: Date | null;
  /** When `complete` answered for the step. A step that is taken but not done still needs a call of `complete`. */
  readonly doneAt: Date | null;
  /** The data that the browser posted, encrypted; null for a plain return. */
  readonly posted: Uint8Array | null;
}

const step = new Schema<ThreeDsStep>(
  { nonce: String, transactionId: text, takenAt: date, doneAt: date, posted: bytes },
  plain,
);

/** A capture: our request to collect money that the bank reserved. */
export interface Capture {
  /** Our reference of the capture towards the provider. */
  readonly reference: string;
  readonly amount: string;
  readonly state: 'requested' | 'unknown' | 'pending' | 'succeeded';
  readonly requestedAt: Date;
}

const captureSchema = new Schema<Capture>(
  { reference: String, amount: Schema.Types.Decimal128, state: String, requestedAt: Date },
  plain,
);

/** Our request to close the unpaid order at the provider, so that its payer can no longer pay it. */
export interface OrderClose {
  /** What follows if the provider confirms: a cancellation, another attempt, or the payment's expiry. */
  readonly purpose: 'cancel' | 'replace' | 'expire';
  /**
   * - `requested`: the provider is being asked, or the process that asked it died.
   * - `not_closed`: it refused, or gave no readable answer.
   */
  readonly state: 'requested' | 'not_closed' | 'closed';
  /** The latest request. */
  readonly requestedAt: Date;
  /** The number of all requests. */
  readonly tries: number;
  /** The number of requests at the payment's expiry. */
  readonly expiryTries: number;
  /** The merchant's operation that cancels the payment with this request; absent: it has no idempotency key. */
  readonly operation?: string;
}

const orderCloseSchema = new Schema<OrderClose>(
  { purpose: String, state: String, requestedAt: Date, tries: Number, expiryTries: Number, operation: String },
  plain,
);

/** One capture as the provider reports it. It was requested by us or in the provider's dashboard. */
export interface ReportedCapture {
  /** The provider's reference of the capture. */
  readonly subReference: string;
  readonly amount: string;
}

const reportedCaptureSchema = new Schema<ReportedCapture>(
  { subReference: String, amount: Schema.Types.Decimal128 },
  plain,
);

/** An id that the provider gives the payment, by the name that its adapter gives the id. */
export interface NamedReference {
  readonly name: string;
  readonly id: string;
}

const namedReferenceSchema = new Schema<NamedReference>({ name: String, id: String }, plain);

export interface Attempt {
  readonly n: number;
  readonly reference: string;
  readonly adapter: string;
  /** The account of the adapter; absent: `main`. It never changes, whatever config or assignments say later. */
  readonly account?: string;
  readonly providerCode: number;
  readonly method: PaymentMethod;
  readonly sandbox: boolean;
  readonly amount: string;
  readonly currency: string;
  readonly isFallback: boolean;
  readonly openedAt: Date;
  /** After this time the submission's process is considered dead. */
  readonly deadlineAt: Date;
  /** When the call of the submission ended; null while it may still run. */
  readonly endedAt: Date | null;
  readonly outcome: AttemptOutcome;
  /** The provider's answer never arrived or could not be read. */
  readonly unknown: boolean;
  readonly nothingCharged: boolean;
  /** The interface's field whose value the provider refused; absent: the attempt did not end this way. */
  readonly refusedField?: InterfaceField;
  /** In test mode: the rule of the sandbox that caused the provider's answer, such as `.50`. */
  readonly sandboxRule?: string;
  readonly cancelled: boolean;
  readonly late: boolean;
  /** The submission's own answer reported success. */
  readonly paidAtOnce: boolean;
  readonly settledAt: Date | null;
  /** The primary id of the payment at the provider. */
  readonly providerReference: string | null;
  /** Every id of the payment that the adapter has named, the primary one too; absent: it names none. */
  readonly providerReferences?: readonly NamedReference[];
  /** A success has named another primary reference than the answers before; absent: it has not. */
  readonly primaryChanged?: true;
  /** The reference came over our own connection, so no other source replaces it. */
  readonly referenceVerified: boolean;
  readonly decline: DeclineCode | null;
  readonly declineText: string | null;
  readonly threeDsResult: string | null;
  readonly acsResponse: string | null;
  /** A 3D Secure step was required, whatever its result. */
  readonly threeDs: boolean;
  /** The action for the payer, encrypted. */
  readonly action: Uint8Array | null;
  /**
   * The payer's next step was lost with the provider's answer: no one can take it, and the provider ends the payment.
   */
  readonly stepLost: boolean;
  /** When the bank reserved the money; null if it did not, or if the money was charged immediately. */
  readonly authorisedAt: Date | null;
  /** Null: no capture was requested, or the provider refused it. */
  readonly capture: Capture | null;
  /** Single captures that the provider reported; absent: none. */
  readonly captures?: readonly ReportedCapture[];
  /** The largest sum that the provider reported as captured so far; absent: none, or it is the charged amount. */
  readonly capturedTotal?: string;
  /** When a release of the reserved money was requested; null: it was not. */
  readonly voidRequestedAt: Date | null;
  /** Number of captures and releases that the provider refused, if any: the next one gets a new reference. */
  readonly refusedRequests?: number;
  /**
   * When the provider reported that captured money did not arrive; absent, or null in earlier versions: it did not
   * report that.
   */
  readonly captureFailedAt?: Date | null;
  /**
   * When core ended the attempt while it waited for its payer: another attempt or a cancellation replaced it, or the
   * payment expired. Absent: it did not end this way.
   */
  readonly replacedAt?: Date | null;
  /** Absent: core never asked the provider to close the order. */
  readonly close?: OrderClose;
  /** Member codes that were sent and have no answer yet; absent: none was ever sent. */
  readonly codesSent?: number;
  /** All steps so far. The last one is the payer's next step. */
  readonly steps: readonly ThreeDsStep[];
  readonly payerCountry: string | null;
  readonly cardBin: string | null;
  readonly cardLastDigits: string | null;
  readonly device: string | null;
  readonly browser: string | null;
  readonly osName: string | null;
  /** How many status fetches were requested and done. A ping during a fetch requests another one. */
  readonly fetchesRequested: number;
  readonly fetchesDone: number;
  /** What to fetch: refunds and disputes by the provider's reference; an empty text means the payment itself. */
  readonly fetchSubjects: readonly string[];
  /** Fetches for the current request that brought no information. */
  readonly fetchFailures: number;
  /** Member codes that were sent and have not proven right. A code counts before it is sent. */
  readonly wrongCodes: number;
  /** Scheduled checks so far, and the time of the latest. */
  readonly checks: number;
  readonly lastCheckedAt: Date | null;
  /** When a visit of the payment page last requested a status check. */
  readonly visitedAt: Date | null;
  /**
   * When a fetch first reported that nothing was charged. A single such answer is not trusted, because our request may
   * still be on its way.
   */
  readonly notFoundAt: Date | null;
  /**
   * For an attempt that failed because fetches reported no charge: the number of checks since then. Null: it did not
   * fail this way.
   */
  readonly lateChecks: number | null;
  /** The outcome is still unknown after the policy's last step. */
  readonly needsReview: boolean;
  /** The token that `markSeen` still has to send to the provider. */
  readonly seenToken: string | null;
  /** How often the provider refused this token. */
  readonly seenFailures: number;
  /** State that the adapter wants to get in later calls, encrypted; null: none. */
  readonly adapterState: Uint8Array | null;
  /** For a payment in coins: the amount received so far, as decimal text in its currency. */
  readonly received: string | null;
  /** How the payment way supports 3D Secure, if a merchant or a risk rule demanded it. Null: it was not demanded. */
  readonly threeDsDemand: ThreeDsSupport | null;
  /** The provider's report about 3D Secure. */
  readonly threeDsShown: ThreeDsShown | null;
  /** Trace context of the span that submitted the attempt; absent: traces were off. */
  readonly trace?: string;
}

export const attemptSchema: Schema<Attempt> = new Schema<Attempt>(
  {
    n: Number,
    reference: String,
    adapter: String,
    // Stored only for an account other than `main`: hosts of earlier versions do not know this member.
    account: String,
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
    // Hosts with the first version of this schema do not know these members, so they are stored only if they have a
    // value.
    refusedField: String,
    sandboxRule: String,
    refusedRequests: Number,
    captureFailedAt: Date,
    replacedAt: Date,
    close: { type: orderCloseSchema, default: undefined },
    codesSent: Number,
    providerReferences: { type: [namedReferenceSchema], default: undefined },
    primaryChanged: Boolean,
    captures: { type: [reportedCaptureSchema], default: undefined },
    capturedTotal: String,
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

/** Every known id of the payment at the provider. */
export function idsOf({
  providerReference,
  providerReferences = [],
}: Pick<Attempt, 'providerReference' | 'providerReferences'>): readonly string[] {
  const named = providerReferences.map(({ id }) => id);
  return providerReference === null ? named : [providerReference, ...named];
}

/**
 * The amount that arrived for an attempt: what the provider names as received (coins), otherwise the charged amount.
 * It may be more or less than what was charged.
 */
export function collectedAmount(attempt: Attempt): string {
  return attempt.received ?? (attempt.outcome === 'succeeded' ? chargedAmount(attempt) : '0');
}

/** The part of the charged amount that arrived, and so can be refunded. */
export function arrivedAmount(attempt: Attempt): string {
  const [charged, collected] = [chargedAmount(attempt), collectedAmount(attempt)];
  return compareDecimals(collected, charged) < 0 ? collected : charged;
}

/** The amount that the payer is charged: for reserved money, the part that is captured, at most what was reserved. */
export function chargedAmount(attempt: Attempt): string {
  const { amount, capture, captures = [], capturedTotal = '0' } = attempt;
  if (!hasCaptureReports(attempt)) return capture?.amount ?? amount;
  const single = addDecimals('0', ...captures.map((one) => one.amount));
  const answered = capture?.state === 'succeeded' ? capture.amount : '0';
  const largest = [single, capturedTotal, answered].reduce((one, other) =>
    compareDecimals(one, other) < 0 ? other : one,
  );
  return compareDecimals(largest, amount) > 0 ? amount : largest;
}

/** True if the provider reported what was captured. Otherwise a success is about our capture, or the whole amount. */
export function hasCaptureReports({ captures = [], capturedTotal }: Attempt): boolean {
  return captures.length > 0 || capturedTotal !== undefined;
}

export function latestAttempt(record: { readonly attempts: readonly Attempt[] }): Attempt | undefined {
  return record.attempts.at(-1);
}

/**
 * True for money that arrived without the demanded 3D Secure. On a payment way that enforces 3D Secure, a step that the
 * provider sent the payer through proves it too. Not known before the submission has ended, because its answer may be
 * the proof.
 */
export function lacksThreeDs({ outcome, endedAt, threeDsDemand, threeDsShown, threeDs }: Attempt): boolean {
  if (!threeDsDemand || outcome !== 'succeeded' || endedAt === null) return false;
  return threeDsShown === null ? threeDsDemand === 'enforced' && !threeDs : threeDsShown === 'none';
}
