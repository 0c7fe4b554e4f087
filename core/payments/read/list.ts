/** Reading: lists page by (createdAt, id), so that what is made meanwhile neither shifts nor hides anything. */
import type { Connection } from 'mongoose';
import { exchangeModel } from '../../documents/exchange.ts';
import { fromDocument } from '../../documents/decimals.ts';
import { inboxModel } from '../../documents/inbox-row.ts';
import { paymentRequestModel } from '../../documents/payment-request.ts';
import { paymentMethods } from '@gateway/contract';
import { invalidField } from '../../errors.ts';
import type { PaymentsDeps } from '../deps.ts';
import type { PaymentRecord } from '../facts.ts';
import type { Caller, ListPage, ListQuery, PaymentRequestView, Payments, TimelineItem } from '../service.ts';

export interface ListingDeps extends PaymentsDeps {
  readonly connection: Connection;
  /** As they are stored; what they share is asked for once. */
  readonly presentAll: (records: readonly PaymentRecord[]) => Promise<PaymentRequestView[]>;
  /** Notifications of a payment with their attempts, for the timeline. */
  readonly notificationsOf: (paymentRequestId: number) => Promise<readonly TimelineItem[]>;
}

export interface Listing extends Pick<Payments, 'list'> {
  timelineOf(record: PaymentRecord): Promise<readonly TimelineItem[]>;
}

const cursorForm = /^(\d{1,15})-(\d{1,16})$/;

export function createListing({ connection, presentAll, notificationsOf }: ListingDeps): Listing {
  const model = paymentRequestModel(connection);
  const inbox = inboxModel(connection);
  const exchanges = exchangeModel(connection);

  return {
    async list(caller: Caller, query: ListQuery): Promise<ListPage> {
      const found = await model
        .find(filterOf(caller, query))
        .sort({ createdAt: -1, _id: -1 })
        .limit(query.limit + 1)
        .lean();
      const records = found.slice(0, query.limit).map((one) => fromDocument(one) as PaymentRecord);
      const last = records.at(-1);
      return {
        items: await presentAll(records),
        nextCursor: found.length > query.limit && last ? toCursor(last) : null,
      };
    },

    async timelineOf(record) {
      const [rows, calls, notifications] = await Promise.all([
        inbox.find({ 'events.paymentRequestId': record._id }).sort({ receivedAt: 1 }).limit(500).lean(),
        exchanges.find({ paymentRequestId: record._id }).sort({ at: 1 }).limit(500).lean(),
        notificationsOf(record._id),
      ]);
      const items: TimelineItem[] = [
        ...calls.flatMap((call) => exchangeItems(call)),
        ...rows.map((row): TimelineItem => {
          const { adapter, path, requestId, state } = row;
          return { at: row.receivedAt, kind: 'callback', adapter, route: path, requestId, state };
        }),
        ...record.logs.map(({ at, attempt, code, message, refused, transactionId }): TimelineItem => {
          return { at, kind: 'event', attempt, code, message, refused, transactionId };
        }),
        ...record.transitions.map(({ at, from, to, cause }): TimelineItem => ({
          at,
          kind: 'transition',
          from,
          to,
          cause,
        })),
        ...notifications,
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

function toCursor({ createdAt, _id }: PaymentRecord): string {
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
  const latest = (member: string, value: unknown): Record<string, unknown> => ({
    $expr: { $eq: [{ $last: `$attempts.${member}` }, value] },
  });
  return {
    ownerId: caller.ownerId,
    environment: caller.environment,
    ...(status !== undefined && { statusId: status }),
    ...(referenceId !== undefined && { referenceId }),
    ...(clientId !== undefined && { clientId }),
    ...(Object.keys(created).length && { createdAt: created }),
    $and: [
      {},
      ...(providerId === undefined
        ? []
        : [providerId === 0 ? { 'attempts.0': { $exists: false } } : latest('providerCode', providerId)]),
      ...(methodId === undefined
        ? []
        : [methodId === 0 ? { 'attempts.0': { $exists: false } } : latest('method', method ?? '')]),
      ...(after ? [{ $or: [{ createdAt: { $lt: after.at } }, { createdAt: after.at, _id: { $lt: after.id } }] }] : []),
    ],
  };
}
