/** An attempt as it is opened, and what the adapter gets of it. */
import { randomBytes } from 'node:crypto';
import { toReference, type Money, type PaymentMethod, type StoredPayment, type Submission } from '@gateway/contract';
import type { Action } from '@gateway/contract';
import type { Attempt, PaymentRecord } from '../facts.ts';
import { readDevice } from './read-device.ts';
import type { PayerInput } from '../service.ts';

export interface NewAttempt {
  readonly n: number;
  readonly paymentRequestId: number;
  readonly adapter: string;
  readonly providerCode: number;
  readonly method: PaymentMethod;
  readonly money: Money;
  readonly sandbox: boolean;
  readonly isFallback: boolean;
  readonly now: Date;
  /** How long the submission may run before its process is taken for dead. */
  readonly limitMs: number;
}

/** Shorter card numbers show too much of themselves in bin and last four together. */
const MIN_DIGITS_FOR_BIN = 13;

export function createAttempt(given: NewAttempt, input: PayerInput): Attempt {
  const number = input.card?.number ?? '';
  const { device, browser, osName } = readDevice(input.browserInfo?.userAgent);
  return {
    n: given.n,
    reference: toReference(given.paymentRequestId, given.n),
    adapter: given.adapter,
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
    referenceProven: false,
    decline: null,
    declineText: null,
    threeDsResult: null,
    acsResponse: null,
    threeDs: false,
    action: null,
    steps: [],
    payerCountry: input.payer.country,
    cardBin: number.length >= MIN_DIGITS_FOR_BIN ? number.slice(0, 6) : null,
    cardLastDigits: number ? number.slice(-4) : null,
    device,
    browser,
    osName,
    wishes: 0,
    answered: 0,
    wishedFor: [],
    wishFails: 0,
    asked: 0,
    askedAt: null,
    gaveUp: false,
    commitNote: null,
  };
}

/** What `submit` gets. */
export function toSubmission(record: PaymentRecord, attempt: Attempt, input: PayerInput): Submission {
  const { payer, card, token, upiId, browserInfo, wallet, captureDelayHours, is3ds } = input;
  return {
    ...attemptFacts(record, attempt),
    // Copies: a fallback gets what the payer gave, whatever the first adapter did to it.
    payer: { ...payer },
    ...(card && { card: { ...card } }),
    ...(token !== undefined && { token }),
    ...(upiId !== undefined && { upiId }),
    ...(browserInfo && { browserInfo }),
    ...(wallet && { wallet }),
    ...(captureDelayHours !== undefined && { captureDelayHours }),
    ...(is3ds !== undefined && { is3ds }),
  };
}

/** What the later calls get. */
export function toStoredPayment(record: PaymentRecord, attempt: Attempt, action: Action | null): StoredPayment {
  return {
    ...attemptFacts(record, attempt),
    method: attempt.method,
    ...(attempt.providerReference !== null && { providerReference: attempt.providerReference }),
    ...(action && { action }),
    endedAt: attempt.endedAt,
  };
}

function attemptFacts(record: PaymentRecord, attempt: Attempt): Omit<StoredPayment, 'method' | 'endedAt'> {
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

/** Names one 3D Secure step: 16 lower hex digits. */
export function newNonce(): string {
  return randomBytes(8).toString('hex');
}
