/** Finds the payments to compare with a settlement file, in batches and by an index. */
import { readReference } from '@paywright/contract';
import type { Connection } from 'mongoose';
import { fromDocument } from '../database/decimals.ts';
import { paymentRequestModel } from '../database/collections/payment-request.ts';
import { attemptReferenceOf } from './compare.ts';
import type { OurPayment } from './movements.ts';
import type { SettlementRow } from './read-rows.ts';

export interface SettlementPayments {
  /** The payments that any of the references names, of any adapter. */
  namedBy(rows: readonly SettlementRow[]): Promise<readonly OurPayment[]>;
  /**
   * The payments of the adapter that were charged, or whose refund was requested, at or after `from` and before `to`.
   */
  movedBetween(adapter: string, from: Date, to: Date): AsyncIterable<OurPayment>;
}

const projection = {
  'attempts.n': 1,
  'attempts.reference': 1,
  'attempts.adapter': 1,
  'attempts.account': 1,
  'attempts.sandbox': 1,
  'attempts.outcome': 1,
  'attempts.amount': 1,
  'attempts.currency': 1,
  'attempts.capture': 1,
  'attempts.received': 1,
  'attempts.settledAt': 1,
  'attempts.providerReference': 1,
  'attempts.providerReferences': 1,
  refunds: 1,
  reportedRefunds: 1,
  refundTotals: 1,
  disputeStages: 1,
  feeAmount: 1,
} as const;
const batchSize = 500;

/** The planner uses the partial index only if the type is named. */
const among = (values: readonly string[]) => ({ $type: 'string', $in: values });

export function createSettlementPayments(connection: Connection): SettlementPayments {
  const { collection } = paymentRequestModel(connection);

  return {
    async namedBy(rows) {
      const subs = [
        ...new Set(rows.flatMap(({ kind, subReference }) => (kind === 'payment' ? [] : (subReference ?? [])))),
      ];
      const texts = new Set([...rows.flatMap(({ reference }) => reference ?? []), ...subs]);
      const ids = [...texts].flatMap((text) => {
        const reference = attemptReferenceOf(text);
        const id = Number(reference && readReference(reference)?.paymentRequestId);
        return Number.isSafeInteger(id) ? [id] : [];
      });
      const theirs = [...new Set(rows.flatMap(({ providerReference }) => providerReference ?? []))];
      const filters = [
        ...(ids.length > 0 ? [{ _id: { $in: ids } }] : []),
        ...(theirs.length > 0
          ? [{ 'attempts.providerReference': among(theirs) }, { 'attempts.providerReferences.id': among(theirs) }]
          : []),
        ...(subs.length > 0 ? [{ 'reportedRefunds.subReference': among(subs) }] : []),
      ];
      const found = new Map<number, OurPayment>();
      for (const filter of filters) {
        for await (const one of collection.find(filter as object, { projection })) {
          found.set(Number(one._id), fromDocument(one) as OurPayment);
        }
      }
      return [...found.values()];
    },

    async *movedBetween(adapter, from, to) {
      const between = { $gte: from, $lt: to };
      const charged = { attempts: { $elemMatch: { adapter, outcome: 'succeeded', settledAt: between } } };
      for await (const one of collection.find(charged, { projection, batchSize }))
        yield fromDocument(one) as OurPayment;
      const refunded = { refunds: { $elemMatch: { requestedAt: between } }, 'refunds.requestedAt': { $type: 'date' } };
      for await (const one of collection.find(refunded, { projection, batchSize })) {
        const payment = fromDocument(one) as OurPayment;
        // Excludes payments that the first query returned. A payment of another adapter, or not charged by it, is not
        // among them.
        const isCharged = payment.attempts.some(
          ({ adapter: by, outcome, settledAt }) =>
            by === adapter && outcome === 'succeeded' && settledAt !== null && settledAt >= from && settledAt < to,
        );
        if (!isCharged) yield payment;
      }
    },
  };
}
