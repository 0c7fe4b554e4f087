/** The payment request as the interface shows it. */
import { isAboveZero, JsonNumber, paymentMethods, subtractDecimals } from '@paywright/contract';
import type { Client } from '../../../database/collections/client.ts';
import { authorisedAttempt } from '../state/authorised-attempt.ts';
import { chargesOf } from '../state/charges.ts';
import { transactionStatus } from '../state/decide.ts';
import { refundedSum } from '../state/derive-status.ts';
import { disputedSum } from '../state/disputes.ts';
import { refundableOf } from '../state/left-to-refund.ts';
import { receivedSum } from '../state/received-coins.ts';
import { refundEntries, type RefundEntry } from '../state/refund-entries.ts';
import { accountNameOf } from '../../providers/account-ref.ts';
import { latestAttempt } from '../../../database/collections/attempt.ts';
import type { LogEntry, PaymentRecord } from '../../../database/collections/payment-request.ts';
import type { PaymentRequestView, RefundView } from '../types/answer.ts';

export interface PresentContext {
  readonly publicUrl: string;
  readonly ownerName: string;
  readonly client: Client;
  /** Decimal text in the reporting currency. */
  readonly totalDeposits: string;
}

/** Members of a payment that are not shown and need not be read. */
export const notShown = {
  transitions: 0,
  seenEventIds: 0,
  operations: 0,
  outbox: 0,
  lease: 0,
  countedDeposit: 0,
  keyEnvironment: 0,
  createdBy: 0,
  sequence: 0,
  outboxSince: 0,
  nextCheckAt: 0,
  payerPhone: 0,
  searchKeys: 0,
} as const satisfies Partial<Record<keyof PaymentRecord, 0>>;

export type ShownRecord = Omit<PaymentRecord, keyof typeof notShown>;

/** Amounts are `JsonNumber`s, so that they are written as exact JSON numbers. */
export function presentPayment(record: ShownRecord, context: PresentContext): PaymentRequestView {
  const latest = latestAttempt(record);
  const lastLog = record.logs.findLast(({ refused }) => !refused);
  const { publicUrl, client } = context;
  const money = (amount: string | null): JsonNumber | null => (amount === null ? null : new JsonNumber(amount));
  return {
    id: record._id,
    ownerId: record.ownerId,
    userId: null,
    recipientName: record.recipientName,
    amount: new JsonNumber(record.amount),
    unit: record.unit,
    paymentRequestStatusId: record.statusId,
    transactionId: latest ? numberOf(record, latest.n) : null,
    transactionNumber: latest?.providerReference ?? null,
    payerCountry: latest?.payerCountry ?? record.payerCountry,
    referenceId: record.referenceId,
    notes: record.notes,
    link: `${publicUrl}/pay/${record._id}?k=${record.linkKey}`,
    createDate: record.createdAt.toISOString(),
    expiresAt: record.expiresAtText ?? record.expiresAt?.toISOString() ?? null,
    clientId: record.clientId,
    clientName: record.client.name ?? client.name,
    clientEmail: record.client.email ?? client.email,
    clientAddress: record.client.address ?? client.address,
    clientPhone: record.client.phone ?? client.phone,
    clientMemberId: record.client.memberId ?? client.memberId,
    client: presentClient(record, context),
    notifyUrl: record.notifyUrl,
    successUrl: record.successUrl,
    failureUrl: record.failureUrl,
    transactionStatusId: transactionStatus(record),
    targetAccountTypeId: record.targetAccountTypeId,
    originDomain: record.originDomain,
    chargedBack: record.chargedBack,
    feeAmount: money(record.feeAmount),
    grossAmount: money(record.paidAmount),
    netAmount: record.paidAmount === null ? null : money(subtractDecimals(record.paidAmount, record.feeAmount ?? '0')),
    receivedAmount: money(receivedSum(record.attempts)),
    ...refundedMembers(record),
    exchangeRate: money(record.exchangeRate),
    transactionCurrency: latest?.currency ?? null,
    cardBin: latest?.cardBin ?? null,
    cardLastDigits: latest?.cardLastDigits ?? null,
    device: latest?.device ?? null,
    browser: latest?.browser ?? null,
    osName: latest?.osName ?? null,
    kycApplicantId: record.kycApplicantId,
    threeDs: latest?.threeDs ?? false,
    logMessage: lastLog?.message ?? null,
    logTransactionId: lastLog?.transactionId ?? null,
    logTransactionStatusId: lastLog?.transactionStatusId ?? 0,
    logPayerCountry: lastLog ? (attemptOfLog(record, lastLog)?.payerCountry ?? null) : null,
    logPaymentProviderId: lastLog ? (attemptOfLog(record, lastLog)?.providerCode ?? 0) : 0,
    paymentMethodId: latest ? paymentMethods[latest.method] : 0,
    paymentProviderId: latest?.providerCode ?? 0,
    providerAccount: latest ? accountNameOf(latest) : (record.providerAccount ?? null),
    logCreateDate: (lastLog?.at ?? record.createdAt).toISOString(),
    lastLog: lastLog ? presentLog(record, lastLog) : {},
    logs: record.logs.map((entry) => presentLog(record, entry)),
    ftdTypeId: record.ftdTypeId,
    routeRuleId: record.routeRuleId,
    payerName: record.payerName,
    payerEmail: record.payerEmail,
    isFallback: latest?.isFallback ?? false,
    isPendingFallback: (latest?.isFallback ?? false) && latest?.endedAt === null,
    isAuthorised: authorisedAttempt(record) !== undefined,
    isSandbox: record.environment === 'test',
    isH2h: record.isH2h,
    isDelayedApproval: record.attempts.some(({ outcome, paidAtOnce }) => outcome === 'succeeded' && !paidAtOnce),
    isPremiumCardBin: record.isPremiumCardBin,
  };
}

/** The sums concern the first charge only: the refund of a double charge leaves the payment paid. */
function refundedMembers(record: ShownRecord): Readonly<Record<string, unknown>> {
  const [first] = chargesOf(record);
  const sum = (amount: string): JsonNumber => new JsonNumber(isAboveZero(amount) ? amount : '0');
  return {
    refundedAmount: sum(first ? refundedSum(record, first.n) : '0'),
    refundableAmount: sum(first ? refundableOf(record, first) : '0'),
    disputedAmount: sum(first ? disputedSum(record, first) : '0'),
    refunds: refundEntries(record).map(presentRefund),
  };
}

export function presentRefund(entry: RefundEntry): RefundView {
  const { id, reference, amount, status, failureReason, createdAt, doneAt, charge } = entry;
  return {
    id,
    reference,
    amount: new JsonNumber(amount),
    status,
    failureReason,
    createDate: createdAt?.toISOString() ?? null,
    doneDate: doneAt?.toISOString() ?? null,
    charge,
  };
}

/** Our number of an attempt or of a log entry: the payment's id × 1000 + n stays below 2^53. */
function numberOf(record: ShownRecord, n: number): number {
  return record._id * 1000 + n;
}

function attemptOfLog(record: ShownRecord, { attempt }: LogEntry): ShownRecord['attempts'][number] | undefined {
  return record.attempts[attempt - 1];
}

function presentLog(record: ShownRecord, entry: LogEntry): Record<string, unknown> {
  const attempt = attemptOfLog(record, entry);
  return {
    id: numberOf(record, entry.n),
    paymentRequestId: record._id,
    transactionId: entry.transactionId,
    transactionStatusId: entry.transactionStatusId,
    code: entry.code,
    message: entry.message,
    payerCountry: attempt?.payerCountry ?? '',
    paymentProviderId: attempt?.providerCode ?? 0,
    paymentMethodId: attempt ? paymentMethods[attempt.method] : 0,
    threeDs: attempt?.threeDs ?? false,
    cardBin: attempt?.cardBin ?? '',
    cardLastDigits: attempt?.cardLastDigits ?? '',
    device: attempt?.device ?? '',
    browser: attempt?.browser ?? '',
    osName: attempt?.osName ?? '',
    isFallback: attempt?.isFallback ?? false,
    isPendingFallback: (attempt?.isFallback ?? false) && attempt?.endedAt === null,
    createDate: entry.at.toISOString(),
  };
}

function presentClient(
  record: ShownRecord,
  { client, ownerName, totalDeposits }: PresentContext,
): Record<string, unknown> {
  return {
    name: client.name ?? '',
    email: client.email ?? '',
    id: client._id,
    ownerId: record.ownerId,
    userId: null,
    ownerName,
    address: client.address ?? '',
    phone: client.phone ?? '',
    memberId: client.memberId ?? '',
    hasPaymentRequests: true,
    totalDeposits: new JsonNumber(totalDeposits),
    createDate: client.createdAt.toISOString(),
  };
}
