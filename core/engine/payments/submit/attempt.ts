/** Creates an attempt, and builds what the adapter receives about it. */
import {
  addDecimals,
  readBrowserInfo,
  readPayer,
  type Money,
  type PaymentMethod,
  type RefundRequest,
  type StoredPayment,
  type Submission,
  type Way,
} from '@paywright/contract';
import { toReference } from '@paywright/contract/core';
import { attemptOf, type Attempt } from '../../../database/collections/attempt.ts';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import type { Refund } from '../../../database/collections/refund.ts';
import { readDevice } from './read-device.ts';
import { currentTrace } from '../../../base/traces/index.ts';
import { mainAccount } from '../../providers/account-ref.ts';
import type { ProviderCalls } from '../../providers/calls.ts';
import type { ActiveAdapter } from '../../providers/load/load-adapters.ts';
import type { OrderInput, PayerInput } from '../types/input.ts';

export interface NewAttempt {
  readonly n: number;
  readonly paymentRequestId: number;
  readonly adapter: string;
  /** Absent: `main`. */
  readonly account?: string;
  readonly providerCode: number;
  readonly method: PaymentMethod;
  readonly money: Money;
  readonly sandbox: boolean;
  readonly isFallback: boolean;
  readonly now: Date;
  /** How long the submission may run before its process counts as dead. */
  readonly limitMs: number;
}

/**
 * The shortest card number whose BIN is kept. Of a shorter number, BIN and last four digits together would show too
 * much.
 */
const MIN_DIGITS_FOR_BIN = 13;

export function createAttempt(given: NewAttempt, input: PayerInput): Attempt {
  const number = input.card?.number ?? '';
  const { device, browser, osName } = readDevice(input.browserInfo?.userAgent);
  const trace = currentTrace();
  return {
    n: given.n,
    reference: toReference(given.paymentRequestId, given.n),
    adapter: given.adapter,
    ...(given.account !== undefined && given.account !== mainAccount && { account: given.account }),
    providerCode: given.providerCode,
    method: given.method,
    sandbox: given.sandbox,
    amount: given.money.amount,
    currency: given.money.currency,
    isFallback: given.isFallback,
    openedAt: given.now,
    deadlineAt: new Date(given.now.getTime() + given.limitMs),
    endedAt: null,
    outcome: 'open',
    unknown: false,
    nothingCharged: false,
    cancelled: false,
    late: false,
    paidAtOnce: false,
    settledAt: null,
    providerReference: null,
    referenceVerified: false,
    decline: null,
    declineText: null,
    threeDsResult: null,
    acsResponse: null,
    threeDs: false,
    action: null,
    stepLost: false,
    authorisedAt: null,
    capture: null,
    voidRequestedAt: null,
    steps: [],
    payerCountry: input.payer.country ?? null,
    cardBin: number.length >= MIN_DIGITS_FOR_BIN ? number.slice(0, 6) : null,
    cardLastDigits: number ? number.slice(-4) : null,
    device,
    browser,
    osName,
    fetchesRequested: 0,
    fetchesDone: 0,
    fetchSubjects: [],
    fetchFailures: 0,
    wrongCodes: 0,
    checks: 0,
    lastCheckedAt: null,
    visitedAt: null,
    notFoundAt: null,
    lateChecks: null,
    needsReview: false,
    seenToken: null,
    seenFailures: 0,
    adapterState: null,
    received: null,
    threeDsDemand: null,
    threeDsShown: null,
    ...(trace !== undefined && { trace }),
  };
}

/** The way that a payment of this order would take, before it has an attempt. */
export function paymentWayOf(
  calls: Pick<ProviderCalls, 'methodOf'>,
  active: ActiveAdapter,
  { unit, amount, sandbox }: Pick<OrderInput, 'unit' | 'amount'> & { readonly sandbox: boolean },
  input: PayerInput,
): Way {
  const attempt = { n: 1, reference: toReference(0, 1), amount, currency: unit, sandbox };
  return paymentWayNamed(active, calls.methodOf(active, toSubmission({ _id: 0, unit, isH2h: true }, attempt, input)));
}

/** The attempt with its payment way, which decides what becomes of a demand for 3D Secure. */
export function withPaymentWay(
  calls: Pick<ProviderCalls, 'methodOf'>,
  active: ActiveAdapter,
  record: PaymentRecord,
  attempt: Attempt,
  input: PayerInput,
): Attempt {
  const { method, threeDs } = paymentWayNamed(active, calls.methodOf(active, toSubmission(record, attempt, input)));
  return { ...attempt, method, threeDsDemand: input.is3ds ? threeDs : null };
}

export function paymentWayNamed({ adapter: { manifest } }: ActiveAdapter, method: PaymentMethod): Way {
  // A method that no way lists has no way that could enforce anything.
  return manifest.ways.find((way) => way.method === method) ?? { ...manifest.ways[0], method };
}

/** What `submit` receives: the payer as providers can read it. The stored payment keeps what was sent. */
export function toSubmission(record: PaymentFacts, attempt: AttemptMembers, input: PayerInput): Submission {
  const { kind, payer, card, token, upiId, wallet, captureDelayHours, is3ds } = input;
  const browserInfo = input.browserInfo && readBrowserInfo(input.browserInfo);
  // The schema of the input kind has checked that the kind's own member is present.
  return {
    ...attemptFacts(record, attempt),
    input: kind,
    // These are copies: a fallback receives what the payer gave, whatever the first adapter did to it.
    payer: readPayer(payer),
    ...(card && { card: { ...card } }),
    ...(token !== undefined && { token }),
    ...(upiId !== undefined && { upiId }),
    ...(browserInfo && { browserInfo }),
    ...(wallet && { wallet }),
    ...(captureDelayHours !== undefined && { captureDelayHours }),
    ...(is3ds !== undefined && { is3ds }),
  } as unknown as Submission;
}

/** What `refund` receives. */
export function toRefundRequest(record: PaymentRecord, refund: Refund, isRepetition: boolean): RefundRequest {
  const { n, attempt, amount, reference } = refund;
  const before = record.refunds.filter((one) => one.attempt === attempt && one.n < n && one.state !== 'failed');
  const { currency } = attemptOf(record, attempt)!;
  return {
    reference,
    money: { amount, currency },
    note: null,
    refundedSoFar: addDecimals('0', ...before.map((one) => one.amount)),
    isRepetition,
  };
}

type PaymentFacts = Pick<PaymentRecord, '_id' | 'unit' | 'isH2h'>;
type AttemptMembers = Pick<Attempt, 'n' | 'reference' | 'amount' | 'currency' | 'sandbox'>;

export function attemptFacts(record: PaymentFacts, attempt: AttemptMembers): Omit<StoredPayment, 'method' | 'endedAt'> {
  return {
    paymentRequestId: String(record._id),
    attempt: attempt.n,
    reference: attempt.reference,
    money: { amount: attempt.amount, currency: attempt.currency },
    unit: record.unit,
    sandbox: attempt.sandbox,
    isH2h: record.isH2h,
  };
}
