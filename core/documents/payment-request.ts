/** The payment request as MongoDB keeps it: what was asked, the facts, what follows from them, log and outbox. */
import { Schema, type Connection, type Model } from 'mongoose';
import type { PaymentRecord } from '../payments/facts.ts';
import { modelFor } from './model.ts';

const { Decimal128, Mixed } = Schema.Types;
const text = { type: String, default: null };
const amount = { type: Decimal128, default: null };
const date = { type: Date, default: null };
const plain = { _id: false, strict: 'throw' } as const;

const step = new Schema(
  { nonce: String, transactionId: text, takenAt: date, doneAt: date, posted: { type: Buffer, default: null } },
  plain,
);

const attempt = new Schema(
  {
    n: Number,
    reference: String,
    adapter: String,
    providerCode: Number,
    method: String,
    sandbox: Boolean,
    amount: Decimal128,
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
    referenceProven: Boolean,
    decline: text,
    declineText: text,
    threeDsResult: text,
    acsResponse: text,
    threeDs: Boolean,
    action: { type: Buffer, default: null },
    steps: [step],
    payerCountry: text,
    cardBin: text,
    cardLastDigits: text,
    device: text,
    browser: text,
    osName: text,
    wishes: Number,
    answered: Number,
    wishedFor: [String],
    wishFails: Number,
    asked: Number,
    askedAt: date,
    gaveUp: Boolean,
    commitNote: text,
  },
  plain,
);

const refund = new Schema(
  {
    n: Number,
    attempt: Number,
    reference: String,
    amount: Decimal128,
    state: String,
    answeredSucceeded: Boolean,
    providerReference: text,
    requestedAt: Date,
    asked: Number,
    askedAt: date,
  },
  plain,
);
const reportedRefund = new Schema(
  { attempt: Number, subReference: text, identity: String, amount: Decimal128, state: String },
  plain,
);
const stage = new Schema(
  { attempt: Number, subReference: text, stage: String, order: { type: Number, default: null } },
  plain,
);
const log = new Schema(
  {
    n: Number,
    attempt: Number,
    at: Date,
    transactionId: String,
    transactionStatusId: Number,
    code: String,
    message: String,
    refused: Boolean,
  },
  plain,
);

const schema = new Schema<PaymentRecord>(
  {
    _id: { type: Number, required: true },
    version: Number,
    ownerId: Number,
    environment: String,
    createdAt: Date,
    linkKey: String,
    amount: Decimal128,
    unit: String,
    recipientName: text,
    payerCountry: text,
    referenceId: text,
    notes: text,
    notifyUrl: text,
    successUrl: text,
    failureUrl: text,
    originDomain: text,
    targetAccountTypeId: Number,
    kycApplicantId: text,
    payerName: text,
    payerEmail: text,
    clientId: Number,
    client: Mixed,
    isH2h: Boolean,
    isPremiumCardBin: Boolean,
    routeRuleId: { type: Number, default: null },
    ftdTypeId: Number,
    attempts: [attempt],
    refunds: [refund],
    reportedRefunds: [reportedRefund],
    cumulatives: [new Schema({ attempt: Number, amount: Decimal128 }, plain)],
    stages: [stage],
    cancelledAt: date,
    lapsedAt: date,
    statusId: Number,
    paidAmount: amount,
    paidCurrency: text,
    refundedAmount: Decimal128,
    chargedBack: Boolean,
    feeAmount: amount,
    exchangeRate: amount,
    logs: [log],
    transitions: [new Schema({ at: Date, from: Number, to: Number, cause: String }, plain)],
    identities: [String],
    effects: [String],
    madeBy: text,
    sequence: Number,
    outbox: [
      new Schema({ sequence: Number, type: { type: String }, at: Date, body: String, requestId: String }, plain),
    ],
    outboxSince: date,
    askAt: date,
    askToken: text,
    askWorker: text,
    askLapses: { type: Number, default: 0 },
  },
  { collection: 'paymentRequests', strict: 'throw', versionKey: false, autoIndex: false, minimize: false },
);

schema.index({ ownerId: 1, environment: 1, createdAt: -1, _id: -1 });
schema.index({ ownerId: 1, environment: 1, statusId: 1, createdAt: -1, _id: -1 });
schema.index({ ownerId: 1, environment: 1, referenceId: 1 });
schema.index({ clientId: 1, environment: 1 });
// Holds all that the sum of a client's deposits asks for, so that no payment request is read for it.
schema.index(
  { clientId: 1, paidCurrency: 1, paidAmount: 1, refundedAmount: 1, _id: 1 },
  { name: 'deposits', partialFilterExpression: { paidCurrency: { $type: 'string' } } },
);
schema.index({ madeBy: 1 }, { unique: true, partialFilterExpression: { madeBy: { $type: 'string' } } });
schema.index({ 'attempts.adapter': 1, 'attempts.outcome': 1 });
// Only what waits stands in these, so that the workers' questions cost nothing while nothing waits. A question must name
// the type as well, or the planner does not see the index.
schema.index({ askAt: 1 }, { partialFilterExpression: { askAt: { $type: 'date' } } });
schema.index({ askWorker: 1 }, { partialFilterExpression: { askWorker: { $type: 'string' } } });
schema.index({ outboxSince: 1 }, { partialFilterExpression: { outboxSince: { $type: 'date' } } });
schema.index({ statusId: 1, createdAt: 1 }, { partialFilterExpression: { statusId: 0 } });
schema.index(
  { 'attempts.providerReference': 1 },
  { partialFilterExpression: { 'attempts.providerReference': { $type: 'string' } } },
);

export type PaymentRequestModel = Model<PaymentRecord>;

export function paymentRequestModel(connection: Connection): PaymentRequestModel {
  return modelFor(connection, 'PaymentRequest', schema);
}
