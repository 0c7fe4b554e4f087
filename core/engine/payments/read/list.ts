/** A merchant's list of payment requests. */
import type { Connection } from 'mongoose';
import { fromDocument } from '../../../database/decimals.ts';
import {
  paymentRequestModel,
  status as statusIds,
  type PaymentRecord,
} from '../../../database/collections/payment-request.ts';
import { paymentMethods } from '@paywright/contract';
import type { Caller } from '../types/caller.ts';
import type { ListPage, ListQuery } from '../types/listing.ts';
import type { Payments } from '../service.ts';
import { afterCursor, newestFirst, toCursor } from './cursor.ts';
import { notShown, type ShownRecord } from '../present/present-payment.ts';
import type { TimelineOf } from './timeline.ts';
import type { Views } from '../present/view.ts';

export interface ListingDeps {
  readonly connection: Connection;
  readonly views: Views;
  /** Throws NF001 where the caller may not see it. */
  readonly load: (caller: Caller, id: number) => Promise<PaymentRecord>;
  readonly timelineOf: TimelineOf;
}

export function createListing(deps: ListingDeps): Pick<Payments, 'list' | 'timeline'> {
  const { connection, views, load, timelineOf } = deps;
  const model = paymentRequestModel(connection);

  return {
    async list(caller: Caller, query: ListQuery): Promise<ListPage> {
      const found = await model.collection
        .find(filterOf(caller, query), { projection: notShown })
        .sort(newestFirst)
        .limit(query.limit + 1)
        .toArray();
      const records = found.slice(0, query.limit).map((one) => fromDocument(one) as ShownRecord);
      const last = records.at(-1);
      return {
        items: await views.presentAll(records),
        nextCursor: found.length > query.limit && last ? toCursor(last) : null,
      };
    },

    timeline: async (caller, id) => timelineOf(await load(caller, id)),
  };
}

function filterOf(caller: Caller, query: ListQuery): Record<string, unknown> {
  const { status, referenceId, clientId, providerId, methodId, createdFrom, createdTo, cursor } = query;
  const method = Object.entries(paymentMethods).find(([, id]) => id === methodId)?.[0];
  const created = { ...(createdFrom && { $gte: createdFrom }), ...(createdTo && { $lte: createdTo }) };
  // Any attempt's: what an index finds, and the latest one's is among it.
  const latest = (member: string, value: unknown): Record<string, unknown> => ({
    [`attempts.${member}`]: value,
    $expr: { $eq: [{ $last: `$attempts.${member}` }, value] },
  });
  // No other status can be without.
  const withoutAttempts = { statusId: { $in: [statusIds.created, statusIds.expired] }, attempts: { $size: 0 } };
  return {
    ownerId: caller.ownerId,
    environment: caller.environment,
    ...(status !== undefined && { statusId: status }),
    ...(referenceId !== undefined && { referenceId }),
    ...(clientId !== undefined && { clientId }),
    ...(Object.keys(created).length && { createdAt: created }),
    $and: [
      {},
      ...(providerId === undefined ? [] : [providerId === 0 ? withoutAttempts : latest('providerCode', providerId)]),
      ...(methodId === undefined ? [] : [methodId === 0 ? withoutAttempts : latest('method', method ?? '')]),
      ...(cursor === undefined ? [] : [afterCursor(cursor)]),
    ],
  };
}
