/** Finds the payments that the events of the inbox are about, and what is to be applied to them. */
import type { Connection } from 'mongoose';
import type { Logger } from 'pino';
import { attemptOf, idsOf } from '../../database/collections/attempt.ts';
import type { InboxEvent, InboxRow } from '../../database/collections/inbox-row.ts';
import { paymentRequestModel, type PaymentRecord } from '../../database/collections/payment-request.ts';
import { callbackContext, postedContext } from '../../database/encryption-context.ts';
import type { Encrypter } from '../../base/crypto/encryption.ts';
import { accountNameOf, mainAccount } from '../providers/account-ref.ts';
import { namedIds } from '../providers/mapped-event.ts';
import {
  ourError,
  readThreeDs,
  threeDsRoute,
  type AppliedEvent,
  type ThreeDsOptions,
  type WaitingEvent,
} from '../payments/index.ts';
import { fromBytes } from './raw-bytes.ts';

/** An event of a row, to be applied to a payment. */
export interface Item extends WaitingEvent {
  readonly row: InboxRow;
  /** The event's index in the row. */
  readonly index: number;
}

export interface Resolved {
  readonly byPayment: ReadonlyMap<number, readonly Item[]>;
  /** Results of events that are not applied, or not yet. */
  readonly results: readonly (Pick<Item, 'row' | 'index'> & { readonly result: AppliedEvent })[];
}

/** The note of an event that names only an id that several payments have, and none as its primary reference. */
export const ambiguous = 'several payments have its reference';

export interface ResolveDeps {
  readonly connection: Connection;
  readonly encrypter: Encrypter;
  readonly threeDs: ThreeDsOptions;
  readonly log: Logger;
}

/** Rejects only if the database fails: a row that cannot be read is tried again. */
export type ResolveRows = (rows: readonly InboxRow[]) => Promise<Resolved>;

export function createResolveRows({ connection, encrypter, threeDs, log }: ResolveDeps): ResolveRows {
  const payments = paymentRequestModel(connection);

  /**
   * The payments of events that do not carry our reference. The keys are the provider's own ids of the payment, or else
   * of the refund, by account and by adapter.
   */
  async function findByReference(events: readonly InboxEvent[]): Promise<Map<string, number | typeof ambiguous>> {
    const unnamed = events.flatMap(({ event, paymentRequestId }) => (paymentRequestId === null ? event : []));
    const references = unnamed.flatMap(namedIds);
    const refunds = unnamed.flatMap((event) => refundOf(event) ?? []);
    const filters = [
      ...(references.length
        ? [{ 'attempts.providerReference': among(references) }, { 'attempts.providerReferences.id': among(references) }]
        : []),
      ...(refunds.length ? [{ 'reportedRefunds.subReference': among(refunds) }] : []),
    ];
    if (!filters.length) return new Map();
    const found = await payments
      .find(filters.length === 1 ? filters[0]! : { $or: filters }, {
        'attempts.adapter': 1,
        'attempts.account': 1,
        'attempts.providerReference': 1,
        'attempts.providerReferences': 1,
        'reportedRefunds.attempt': 1,
        'reportedRefunds.subReference': 1,
      })
      .lean<Pick<PaymentRecord, '_id' | 'attempts' | 'reportedRefunds'>[]>();
    // If two payments have an id, the one that has it as its primary reference counts.
    const byAnyId = new Map<string, number | typeof ambiguous>();
    for (const { _id, attempts } of found)
      for (const attempt of attempts)
        for (const key of idsOf(attempt).flatMap((id) => scopesOf(attempt).map((scope) => keyOf(scope, id))))
          byAnyId.set(key, byAnyId.has(key) && byAnyId.get(key) !== _id ? ambiguous : _id);
    return new Map([
      ...byAnyId,
      ...found.flatMap(({ _id, attempts, reportedRefunds }) => [
        ...attempts.flatMap((attempt) =>
          scopesOf(attempt).map((scope) => [keyOf(scope, attempt.providerReference), _id] as const),
        ),
        ...reportedRefunds.flatMap(({ attempt: n, subReference }) => {
          const attempt = attemptOf({ attempts }, n);
          return attempt ? scopesOf(attempt).map((scope) => [refundKeyOf(scope, subReference), _id] as const) : [];
        }),
      ]),
    ]);
  }

  function toWaitingEvent(row: InboxRow, { event }: InboxEvent): WaitingEvent {
    const { adapter, pings, receivedAt, trace } = row;
    // Nothing proves a ping, so it belongs to no account.
    const waiting = { adapter, ...(pings === undefined && { accounts: provenBy(row) }), event, receivedAt, trace };
    if (adapter !== threeDsRoute) return waiting;
    const read = readThreeDs(fromBytes(encrypter.decrypt(row.encrypted, callbackContext(row._id))), threeDs);
    // The result was genuine when it arrived. If its token secret has been removed since, the step cannot be completed:
    // reconciliation fetches the status.
    if (read.verdict !== 'genuine') return waiting;
    const { nonce, posted, reference } = read.result;
    const encrypted = encrypter.encrypt(JSON.stringify(posted), postedContext({ reference }, nonce));
    return { ...waiting, posted: { nonce, encrypted } };
  }

  return async (rows) => {
    const waiting = rows.flatMap((row) =>
      row.events.flatMap((event, index) => (event.state === 'waiting' ? [{ row, index, event }] : [])),
    );
    const found = await findByReference(waiting.map(({ event }) => event));
    const byPayment = new Map<number, Item[]>();
    const results: { row: InboxRow; index: number; result: AppliedEvent }[] = [];
    for (const { row, index, event } of waiting) {
      const { kind } = event.event;
      const refund = refundOf(event.event);
      const { adapter } = row;
      const own = row.pings === undefined ? provenBy(row).map((account) => accountNameOf({ adapter, account })) : [];
      const scopes = [...own, adapter];
      const keys = scopes.flatMap((scope) =>
        refund === undefined ? namedIds(event.event).map((one) => keyOf(scope, one)) : [refundKeyOf(scope, refund)],
      );
      const key = keys.find((one) => found.has(one));
      const id = event.paymentRequestId ?? (key === undefined ? null : found.get(key)!);
      if (id === ambiguous) {
        results.push({ row, index, result: { state: 'retry', note: ambiguous } });
        continue;
      }
      if (kind === 'token') {
        results.push({ row, index, result: { state: 'nothing', note: 'the life of a token changes no payment' } });
      } else if (id === null) {
        results.push({ row, index, result: { state: 'retry', note: 'no such reference is known yet' } });
      } else {
        try {
          const item = { ...toWaitingEvent(row, event), row, index };
          const items = byPayment.get(id);
          if (items) items.push(item);
          else byPayment.set(id, [item]);
        } catch (error) {
          log.error({ err: error, requestId: row.requestId, inbox: row._id }, 'a callback could not be read');
          results.push({ row, index, result: { state: 'retry', note: ourError } });
        }
      }
    }
    return { byPayment, results };
  };
}

/** The accounts whose secret fits the callback. */
function provenBy({ account = mainAccount, sharedWith = [] }: InboxRow): readonly string[] {
  return [account, ...sharedWith];
}

/** The provider's number of a refund whose event names nothing else. */
function refundOf(event: InboxEvent['event']): string | undefined {
  const { kind, reference, subReference } = event;
  return kind === 'refund' && reference === null && namedIds(event).length === 0 ? subReference : undefined;
}

/** The type is needed: without it the query planner does not use the index. */
function among(references: readonly string[]) {
  return { $type: 'string', $in: [...new Set(references)] } as const;
}

/** Two accounts may use one id. Its own account counts first; another one is refused when the event is applied. */
function scopesOf(one: { readonly adapter: string; readonly account?: string }): readonly string[] {
  return [accountNameOf(one), one.adapter];
}

function keyOf(scope: string, id: string | null): string {
  return JSON.stringify([scope, id]);
}

function refundKeyOf(scope: string, subReference: string | null): string {
  return JSON.stringify([scope, 'refund', subReference]);
}
