/** Everything that is stored about one payment, in the order in which it happened. */
import type { Connection } from 'mongoose';
import { exchangeModel, type Exchange } from '../../../database/collections/exchange.ts';
import { inboxModel, type InboxEvent, type InboxState } from '../../../database/collections/inbox-row.ts';
import type { Facts, PaymentRecord } from '../../../database/collections/payment-request.ts';
import type { NotificationView } from '../../notifications/index.ts';
import { presentRefund } from '../present/present-payment.ts';
import { refundEntries } from '../state/refund-entries.ts';
import type { Caller } from '../types/caller.ts';
import { effectText } from './change-text.ts';
import type { LoadForCaller } from './get.ts';
import type { TimelineItem } from '../types/listing.ts';

export interface TimelineDeps {
  readonly connection: Connection;
  /** The notifications of a payment, with their attempts. */
  readonly notificationsOf: (paymentRequestId: number) => Promise<readonly NotificationView[]>;
}

export type TimelineOf = (
  record: Pick<PaymentRecord, '_id' | 'logs' | 'transitions' | keyof Facts>,
) => Promise<readonly TimelineItem[]>;

/** States of callbacks, as merchants see them. */
const shownStates: Readonly<Record<InboxState, string>> = {
  waiting: 'waiting',
  done: 'done',
  dead_letter: 'aside',
  malformed: 'malformed',
};

export function createTimeline({ connection, notificationsOf }: TimelineDeps): TimelineOf {
  const inbox = inboxModel(connection);
  const exchanges = exchangeModel(connection);
  return async (record) => {
    const { _id, logs, transitions } = record;
    const refunds = new Map(refundEntries(record).map((entry) => [entry.id, presentRefund(entry)]));
    const [rows, calls, notifications] = await Promise.all([
      inbox.find({ 'events.paymentRequestId': _id }).sort({ receivedAt: 1 }).limit(500).lean(),
      exchanges.find({ paymentRequestId: _id }).sort({ at: 1 }).limit(500).lean(),
      notificationsOf(_id),
    ]);
    const items: TimelineItem[] = [
      ...calls.flatMap((call) => exchangeItems(call)),
      ...rows.map((row): TimelineItem => {
        const { adapter, path, requestId, state } = row;
        const own = row.events.filter(({ paymentRequestId }) => paymentRequestId === _id);
        const facts = { adapter, route: path, requestId, state: shownStates[state] };
        return { at: row.receivedAt, kind: 'callback', ...facts, events: own.map(toReport) };
      }),
      ...logs.map((entry): TimelineItem => {
        const { at, attempt, code, message, refused, transactionId, details, received, threeDs } = entry;
        const refund = entry.refund === undefined ? undefined : refunds.get(entry.refund);
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
          ...(refund && { refund }),
        };
      }),
      ...transitions.map(({ at, from, to, cause }): TimelineItem => ({ at, kind: 'transition', from, to, cause })),
      ...notifications.map(({ createdAt: at, ...one }): TimelineItem => ({ at, kind: 'notification', ...one })),
    ];
    return items.toSorted((a, b) => a.at.getTime() - b.at.getTime());
  };
}

/** What an event of a callback reported about the payment, and its effect. */
export interface ReportedChange {
  readonly kind: string;
  /** The provider's number of the refund or dispute that it is about; null: none. */
  readonly subReference: string | null;
  readonly providerStatus: string;
  /** True if the adapter does not know the provider's status. */
  readonly isUnknown: boolean;
  readonly effect: string;
}

function toReport(one: InboxEvent): ReportedChange {
  const { kind, subReference, providerStatus, status } = one.event;
  return {
    kind,
    subReference: subReference ?? null,
    providerStatus,
    isUnknown: status === 'unknown',
    effect: effectText(one),
  };
}

/**
 * When a report about a refund or dispute arrived. Callbacks that arrive together may be applied in another order, so
 * the time of the log entry can contradict the case. Without its callback, it is the time of the entry.
 */
export function arrivalOf(entry: TimelineItem, timeline: readonly TimelineItem[]): Date {
  const { at, transactionId, message } = entry;
  const isReport = ({ kind, subReference, providerStatus }: ReportedChange): boolean =>
    subReference !== null &&
    subReference === transactionId &&
    typeof message === 'string' &&
    message.startsWith(`${kind} `) &&
    message.endsWith(`(${providerStatus})`);
  const callback = timeline.find(
    (one) => one.kind === 'callback' && ((one['events'] ?? []) as readonly ReportedChange[]).some(isReport),
  );
  return callback && callback.at < at ? callback.at : at;
}

/** The timeline of a payment request that the caller may see. The reports of callbacks are for operators. */
export type ReadTimeline = (caller: Caller, id: number) => Promise<readonly TimelineItem[]>;

export function createReadTimeline(deps: TimelineDeps & { readonly load: LoadForCaller }): ReadTimeline {
  const timelineOf = createTimeline(deps);
  return async function timeline(caller, id) {
    const items = await timelineOf(await deps.load(caller, id));
    return items.map(({ events: _events, ...item }) => item);
  };
}

function exchangeItems(call: Exchange): TimelineItem[] {
  const { at, ms, status, failure, adapter, attempt, method, path } = call;
  const facts = { adapter, attempt, call: call.call };
  const answered = new Date(at.getTime() + ms);
  return [
    { at, kind: 'request', ...facts, method, path },
    { at: answered, kind: 'answer', ...facts, status, failure, ms },
  ];
}
