/** Reading: lists page by (createdAt, id), so that what is made meanwhile neither shifts nor hides anything. */
import type { Connection } from 'mongoose';
import { exchangeModel } from '../../documents/exchange.ts';
import { fromDocument } from '../../documents/decimals.ts';
import { inboxModel, type InboxState } from '../../documents/inbox-row.ts';
import { paymentRequestModel, status as statusIds, type PaymentRecord } from '../../documents/payment-request.ts';
import { paymentMethods } from '@gateway/contract';
import { invalidField } from '../../errors.ts';
import type { NotificationView } from '../../notifications/index.ts';
import type { Caller, ListPage, ListQuery, Payments, TimelineItem } from '../service.ts';
import { notShown, type ShownRecord } from './present.ts';
import type { Views } from './view.ts';

export interface ListingDeps {
  readonly connection: Connection;
  readonly views: Views;
  /** Throws NF001 where the caller may not see it. */
  readonly load: (caller: Caller, id: number) => Promise<PaymentRecord>;
  /** Of a payment, with their attempts. */
  readonly notificationsOf: (paymentRequestId: number) => Promise<readonly NotificationView[]>;
}

/** States of callbacks, as merchants read them. */
const shownStates: Readonly<Record<InboxState, string>> = {
  waiting: 'waiting',
  done: 'done',
  dead_letter: 'aside',
  malformed: 'malformed',
};

const cursorForm = /^(\d{1,15})-(\d{1,16})$/;

export function createListing(deps: ListingDeps): Pick<Payments, 'list' | 'timeline'> {
  const { connection, views, load, notificationsOf } = deps;
  const model = paymentRequestModel(connection);
  const inbox = inboxModel(connection);
  const exchanges = exchangeModel(connection);

  return {
    async list(caller: Caller, query: ListQuery): Promise<ListPage> {
      const found = await model.collection
        .find(filterOf(caller, query), { projection: notShown })
        .sort({ createdAt: -1, _id: -1 })
        .limit(query.limit + 1)
        .toArray();
      const records = found.slice(0, query.limit).map((one) => fromDocument(one) as ShownRecord);
      const last = records.at(-1);
      return {
        items: await views.presentAll(records),
        nextCursor: found.length > query.limit && last ? toCursor(last) : null,
      };
    },

    async timeline(caller, id) {
      const record = await load(caller, id);
      const [rows, calls, notifications] = await Promise.all([
        inbox.find({ 'events.paymentRequestId': record._id }).sort({ receivedAt: 1 }).limit(500).lean(),
        exchanges.find({ paymentRequestId: record._id }).sort({ at: 1 }).limit(500).lean(),
        notificationsOf(record._id),
      ]);
      const items: TimelineItem[] = [
        ...calls.flatMap((call) => exchangeItems(call)),
        ...rows.map((row): TimelineItem => {
          const { adapter, path, requestId, state } = row;
          return { at: row.receivedAt, kind: 'callback', adapter, route: path, requestId, state: shownStates[state] };
        }),
        ...record.logs.map((entry): TimelineItem => {
          const { at, attempt, code, message, refused, transactionId, details, received, threeDs } = entry;
          return {
            at,
            kind: 'event',
            attempt,
            code,
            message,
            refused,
            transactionId,
            details: details ?? {},
            received,
            threeDs,
          };
        }),
        ...record.transitions.map(({ at, from, to, cause }): TimelineItem => ({
          at,
          kind: 'transition',
          from,
          to,
          cause,
        })),
        ...notifications.map(({ createdAt: at, ...one }): TimelineItem => ({ at, kind: 'notification', ...one })),
      ];
      return items.toSorted((a, b) => a.at.getTime() - b.at.getTime());
    },
  };
}

function exchangeItems(call: {
  at: Date;
  ms: number;
  adapter: string;
  call: string;
  method: string;
  path: string;
  attempt: number;
  status: number | null;
  failure: string | null;
}): TimelineItem[] {
  const { at, ms, status, failure, adapter, attempt, method, path } = call;
  const facts = { adapter, attempt, call: call.call };
  const answered = new Date(at.getTime() + ms);
  return [
    { at, kind: 'request', ...facts, method, path },
    { at: answered, kind: 'answer', ...facts, status, failure, ms },
  ];
}

function toCursor({ createdAt, _id }: ShownRecord): string {
  return Buffer.from(`${createdAt.getTime()}-${_id}`).toString('base64url');
}

function readCursor(cursor: string): { at: Date; id: number } {
  const match = cursorForm.exec(Buffer.from(cursor, 'base64url').toString('latin1'));
  if (!match) throw invalidField('cursor', cursor, 'must be the nextCursor of an earlier page');
  return { at: new Date(Number(match[1])), id: Number(match[2]) };
}

function filterOf(caller: Caller, query: ListQuery): Record<string, unknown> {
  const { status, referenceId, clientId, providerId, methodId, createdFrom, createdTo, cursor } = query;
  const method = Object.entries(paymentMethods).find(([, id]) => id === methodId)?.[0];
  const created = { ...(createdFrom && { $gte: createdFrom }), ...(createdTo && { $lte: createdTo }) };
  const after = cursor === undefined ? undefined : readCursor(cursor);
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
      ...(after ? [{ $or: [{ createdAt: { $lt: after.at } }, { createdAt: after.at, _id: { $lt: after.id } }] }] : []),
    ],
  };
}
