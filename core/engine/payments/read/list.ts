/** A merchant's list of payment requests. */
import type { Connection } from 'mongoose';
import { fromDocument } from '../../../database/decimals.ts';
import { paymentRequestModel, status as statusIds } from '../../../database/collections/payment-request.ts';
import { paymentMethods } from '@paywright/contract';
import type { Caller } from '../types/caller.ts';
import type { ListPage, ListQuery } from '../types/listing.ts';
import { afterCursor, newestFirst, toCursor } from './cursor.ts';
import { notShown, type ShownRecord } from '../present/present-payment.ts';
import { mainAccount, parseAccountRef } from '../../providers/account-ref.ts';
import type { Views } from '../present/view.ts';

export interface ListDeps {
  readonly connection: Connection;
  readonly views: Pick<Views, 'presentAll'>;
}

export type ListPayments = (caller: Caller, query: ListQuery) => Promise<ListPage>;

export function createList({ connection, views }: ListDeps): ListPayments {
  const model = paymentRequestModel(connection);
  return async function list(caller, query) {
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
  };
}

function filterOf(caller: Caller, query: ListQuery): Record<string, unknown> {
  const { status, referenceId, clientId, providerId, methodId, providerAccount, createdFrom, createdTo, cursor } =
    query;
  const method = Object.entries(paymentMethods).find(([, id]) => id === methodId)?.[0];
  const created = { ...(createdFrom && { $gte: createdFrom }), ...(createdTo && { $lte: createdTo }) };
  // The index finds the payments of which any attempt fits; `$expr` keeps those whose latest attempt fits.
  const latest = (member: string, value: unknown): Record<string, unknown> => ({
    [`attempts.${member}`]: value,
    $expr: { $eq: [{ $last: `$attempts.${member}` }, value] },
  });
  // Payments of other statuses have attempts.
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
      ...(providerAccount === undefined ? [] : [latestAccount(providerAccount)]),
      ...(cursor === undefined ? [] : [afterCursor(cursor)]),
    ],
  };
}

/** The payments whose latest attempt has the account. The index of the adapter finds those with any attempt there. */
export function latestAccount(text: string): Record<string, unknown> {
  const { adapter, account } = parseAccountRef(text);
  // Attempts of the account main have no member `account`.
  const isSame = [
    { $eq: ['$$last.adapter', adapter] },
    { $eq: [{ $ifNull: ['$$last.account', mainAccount] }, account] },
  ];
  return {
    'attempts.adapter': adapter,
    $expr: { $let: { vars: { last: { $last: '$attempts' } }, in: { $and: isSame } } },
  };
}
