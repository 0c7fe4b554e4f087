/** Finds all data about a payer in the database by e-mail address, for all merchants or for one. */
import type { Connection, mongo } from 'mongoose';
import { environmentsOf, ownerIdsOf } from '../engine/access/index.ts';
import { alarmModel, type Alarm } from '../database/collections/alarm.ts';
import { clientModel, type Client } from '../database/collections/client.ts';
import { fromDocument } from '../database/decimals.ts';
import { exchangeModel, type Exchange } from '../database/collections/exchange.ts';
import { idempotencyRecordModel, type IdempotencyRecordDocument } from '../database/collections/idempotency-record.ts';
import { inboxModel, type InboxRow } from '../database/collections/inbox-row.ts';
import { notificationModel, type NotificationDocument } from '../database/collections/notification.ts';
import { paymentRequestModel, type PaymentRecord } from '../database/collections/payment-request.ts';
import { streamedEventModel, type StreamedEvent } from '../database/collections/streamed-event.ts';
import type { Environment } from '../base/environment.ts';
import { partsOf } from '../engine/alarms/index.ts';
import type { TextEraser } from './texts.ts';

export interface Payer {
  readonly email: string;
  /** Absent: every merchant. */
  readonly ownerId?: number;
  /** Absent: test and live. */
  readonly environment?: Environment;
}

export interface Found {
  /** Includes clients that only point to another client. */
  readonly clients: readonly Client[];
  readonly payments: readonly PaymentRecord[];
  readonly notifications: readonly NotificationDocument[];
  /** Callbacks about these payments. */
  readonly callbacks: readonly InboxRow[];
  readonly exchanges: readonly (Exchange & { readonly _id: mongo.ObjectId })[];
  readonly answers: readonly IdempotencyRecordDocument[];
  readonly streamed: readonly StreamedEvent[];
  readonly alarms: readonly Alarm[];
}

/** Case-insensitive. */
const anyCase = { locale: 'en', strength: 2 } as const;

/**
 * An e-mail address of a payment that differs from its client's is in no index: the server reads all payments of these
 * merchants once.
 */
export async function findPayer(connection: Connection, payer: Payer): Promise<Omit<Found, 'alarms'>> {
  const { email } = payer;
  const scope = { ownerId: { $in: await ownerIdsOf(connection, payer) }, environment: { $in: environmentsOf(payer) } };
  const clients = clientModel(connection).collection;
  const named = await clients
    .find({ ...scope, $or: [{ emailKey: email }, { email }] }, { collation: anyCase })
    .toArray();
  const ids = named.flatMap(({ _id, aliasOf }) => [Number(_id), ...(aliasOf === undefined ? [] : [Number(aliasOf)])]);
  const all = await clients
    .find({ ...scope, $or: [{ _id: { $in: ids } }, { aliasOf: { $in: ids } }] } as mongo.Filter<mongo.Document>)
    .toArray();
  const { collection } = paymentRequestModel(connection);
  const paid = await collection
    .find(
      { ...scope, $or: [{ clientId: { $in: ids } }, { payerEmail: email }, { 'client.email': email }] },
      { collation: anyCase },
    )
    .sort({ _id: 1 })
    .toArray();
  const payments = paid.map((one) => fromDocument(one) as PaymentRecord);
  return {
    clients: all.map((one) => fromDocument(one) as Client),
    payments,
    ...(await findAbout(connection, payments)),
  };
}

async function findAbout(
  connection: Connection,
  payments: readonly PaymentRecord[],
): Promise<Pick<Found, 'notifications' | 'callbacks' | 'exchanges' | 'answers' | 'streamed'>> {
  const ids = { $in: payments.map(({ _id }) => _id) };
  const read = async <T>({ collection }: { readonly collection: Readable }, filter: object): Promise<readonly T[]> =>
    (await collection.find(filter).toArray()).map((one) => fromDocument(one) as T);
  return {
    notifications: await read(notificationModel(connection), { paymentRequestId: ids }),
    callbacks: await read(inboxModel(connection), { 'events.paymentRequestId': ids }),
    exchanges: await read(exchangeModel(connection), { paymentRequestId: ids }),
    answers: await read(idempotencyRecordModel(connection), {
      $or: [{ paymentRequestId: ids }, { reservedIds: ids }],
    }),
    streamed: await read(streamedEventModel(connection), { _id: { $in: payments.flatMap(namesOfEvents) } }),
  };
}

function namesOfEvents({ _id, sequence }: PaymentRecord): readonly string[] {
  return Array.from({ length: sequence }, (_, at) => `${_id}-${at + 1}`);
}

/** Alarms contain no personal data themselves, but text of a provider, or of an operator, may. */
export async function findAlarms(
  connection: Connection,
  { payments, callbacks }: Pick<Found, 'payments' | 'callbacks'>,
  texts: TextEraser,
  isNarrow: boolean,
): Promise<readonly Alarm[]> {
  const about = new Set([
    ...payments.map(({ _id }) => `payment ${_id}`),
    ...callbacks.map(({ _id }) => `callback ${_id}`),
  ]);
  const all = await alarmModel(connection).collection.find().toArray();
  return all
    .map((one) => fromDocument(one) as Alarm)
    .filter(
      ({ subject, reason, history = [] }) =>
        [reason, ...history.map((event) => event.reason ?? '')].some((text) => texts.isIn(text)) &&
        (!isNarrow || about.has(`${subject.type} ${subject.type === 'payment' ? partsOf(subject).name : subject.id}`)),
    );
}

interface Readable {
  find(filter: object): { toArray(): Promise<unknown[]> };
}
