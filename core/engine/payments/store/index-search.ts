/**
 * Gives payments that earlier versions stored the members by which operators find them (`search-members.ts`). Every
 * change of a payment does the same, so this pass only matters for payments that do not change any more. It also
 * corrects keys: a host of an earlier version that erases a payer does not know them.
 */
import type { Connection } from 'mongoose';
import { DAY } from '../../../base/async/time.ts';
import { paymentRequestModel, type PaymentRecord } from '../../../database/collections/payment-request.ts';
import { searchIndexingModel } from '../../../database/collections/schema-version.ts';
import { fromDocument } from '../../../database/decimals.ts';
import { withSearchMembers } from './search-members.ts';

export interface SearchIndexing {
  /** Handles the next payments, newest first; at most `limit`. `more`: there are further ones. */
  next(limit: number): Promise<{ readonly done: number; readonly more: boolean }>;
}

/** During an upgrade, hosts of an earlier version store payments behind the first pass. The second one finds them. */
const passes = 2;
const id = 'payment search';

export function createSearchIndexing(connection: Connection, now: () => Date): SearchIndexing {
  const payments = paymentRequestModel(connection).collection;
  const progress = searchIndexingModel(connection);

  async function index(record: PaymentRecord): Promise<boolean> {
    const { searchKeys, problems } = withSearchMembers(record, record);
    if (searchKeys === record.searchKeys && problems === record.problems) return false;
    // A payment that changes at this moment gets the members by that change.
    const { matchedCount } = await payments.updateOne(
      { _id: record._id as never, version: record.version },
      { $set: { ...(searchKeys && { searchKeys }), ...(problems && { problems }) } },
    );
    return matchedCount === 1;
  }

  return {
    async next(limit) {
      const { version = 0, before, endedAt } = (await progress.findById(id).lean()) ?? {};
      const isWaiting = before === undefined && endedAt !== undefined && now().getTime() - endedAt.getTime() < DAY;
      if (version >= passes || isWaiting) return { done: 0, more: false };
      const found = await payments
        .find(before === undefined ? {} : { _id: { $lt: before as never } })
        .sort({ _id: -1 })
        .limit(limit)
        .toArray();
      let done = 0;
      for (const one of found) if (await index(fromDocument(one) as PaymentRecord)) done += 1;
      const more = found.length === limit;
      const change = more
        ? { $set: { before: Number(found.at(-1)!._id) }, $setOnInsert: { version } }
        : { $set: { version: version + 1, endedAt: now() }, $unset: { before: '' } };
      await progress.updateOne({ _id: id }, change, { upsert: true });
      return { done, more };
    },
  };
}
