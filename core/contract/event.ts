/** What a callback or a status fetch says, in the gateway's terms. */
import type { DeclineCode } from './statuses/decline-codes.ts';
import type { EventKind, EventStatus, StatusesByKind } from './statuses/event-statuses.ts';
import { compareDecimals, type Money } from './money/money.ts';
import type { Action, ProviderReferences, ThreeDsShown } from './outcome.ts';
import type { StoredPayment } from './payment.ts';

/** Limits of `details`: the number of members, and the characters of their names and values. */
export const detailLimits = { members: 10, name: 40, value: 200 } as const;

/** One fact that a provider reports. Its status comes from `mapStatus`, never from the parser. */
export interface ReportedEvent {
  readonly kind: EventKind;
  /** The provider's own status, such as `AUTH:true`. */
  readonly providerStatus: string;
  /** Our reference of the attempt; null if the message does not name it. */
  readonly reference: string | null;
  /** The provider's reference of the payment: any id that the provider gave it. */
  readonly providerReference: string | null;
  /**
   * Every id of the payment that the message names, as in an outcome. `providerReference` is among them. If core knows
   * one of them, the event is about that payment, and core learns the others; a callback that names another id under
   * a known name is refused and the status fetched.
   */
  readonly providerReferences?: ProviderReferences;
  /**
   * The provider's reference of the refund, dispute, case or single capture. Without it, a refund is identified by its
   * `dedupeKey` and amount, and all disputes of a payment are one case. A refund that was reported before is found by
   * it when a message names neither reference.
   */
  readonly subReference?: string;
  /**
   * Decimal text in major units, with exactly the currency's decimals; null if the message names no amount. In a fetch
   * it is never null for a success, because core could not believe that. For a chargeback it is the disputed amount,
   * which may exceed the payment's amount or be in another currency. For a payment in coins it is the price, not what
   * arrived.
   */
  readonly amount: string | null;
  readonly currency: string | null;
  /**
   * For a payment whose capture is separate from its authorisation: the sum captured so far, as decimal text in
   * `currency`. `amount` is then the authorised amount. With the status `succeeded` and a sum above 0, the payment is
   * paid with this sum; a later, larger sum raises it. Without the member, a success charges the whole `amount`.
   *
   * A provider that reports single captures instead sends one event for each: `amount` is the amount of that capture,
   * `subReference` its reference at the provider, and the status `succeeded`. Each reference counts once. A smaller
   * capture counts only if the payment was reported as `authorised`, before or after it.
   */
  readonly capturedAmount?: string;
  /**
   * For a payment in coins: everything that came in so far, as decimal text in the currency of `amount`; `0` if nothing
   * came in. It limits what can be refunded. Absent: the provider does not say.
   */
  readonly received?: string;
  /**
   * The key that the event is deduplicated by. Null: no key, so equal messages are not duplicates. An event id that
   * every repetition repeats is right if nothing else distinguishes two facts.
   */
  readonly dedupeKey: string | null;
  readonly decline?: DeclineCode;
  readonly declineText?: string;
  /** The side that the message says it belongs to. Core ignores the event if the attempt was made on the other side. */
  readonly mode?: 'live' | 'test';
  /**
   * The account that the message or the report names, as `manifest.accountKey` returns it. Core ignores the event if
   * the options of the call belong to another account. Since contract 2.1.
   */
  readonly accountKey?: string;
  /** `amount` is the total so far, not the amount of this refund alone. */
  readonly cumulative?: true;
  /**
   * For a payment with the status `cancelled`: the message does not say whether the money had been captured, but core
   * knows. Money that was only reserved is released, and a payment that is paid counts as refunded in full.
   */
  readonly orRefunded?: true;
  /** The facts are not verified: core applies what `fetchStatus` answers instead. */
  readonly mustFetch?: true;
  /**
   * Orders the messages about one object at the provider; a larger number is later. Like `occurredAt`, it decides
   * between two reports of one refund or dispute. So it must never be the creation time of the object itself.
   */
  readonly orderHint?: number;
  /** When it happened, according to the provider. */
  readonly occurredAt?: Date;
  /** The payer's next step, if a status fetch shows it. */
  readonly action?: Action;
  /** A status fetch shows that the payer finished the step. Core then calls `complete`, even if it saw no return. */
  readonly awaitsCompletion?: true;
  /**
   * A status fetch shows that the provider waits for a step of the payer, but cannot show the step itself. If core has
   * not stored the step either, it was lost with the submission's answer: the payment stays pending and reports that
   * until it ends.
   */
  readonly awaitsPayer?: true;
  /** A failed 3D Secure step, if a status fetch shows it. */
  readonly threeDsResult?: string;
  /** What the message proves about 3D Secure of this payment. */
  readonly threeDs?: ThreeDsShown;
  /**
   * Facts for the merchant to read: references of banks (`rrn`, `arn`), reason and deadline of a dispute, where a
   * refund is claimed. Within `detailLimits`; never a card number, a token or a UPI id.
   */
  readonly details?: Readonly<Record<string, string>>;
  /**
   * For a payment: a capture or a release that the provider had accepted failed later. The status is that of the
   * payment without it: `authorised` if the money is still reserved, `failed` if it is not. A payment that is already
   * paid stays paid, and core raises an alarm, because its money does not come.
   */
  readonly failedRequest?: 'capture' | 'void';
  /**
   * A second status of the message that the adapter's table lacks, while `providerStatus` decides. It changes nothing;
   * core counts it as an unknown status.
   */
  readonly unlistedStatus?: string;
  /** Further verified facts that the adapter's own `mapStatus` needs. Core never reads them. */
  readonly facts?: Readonly<Record<string, string | number | boolean | null>>;
}

/** What `fetchStatus` found. */
export type StatusReport =
  | {
      readonly result: 'events';
      /**
       * The events in the form that callbacks report: the payment's status first, then the refunds and disputes that
       * the provider shows.
       */
      readonly events: readonly ReportedEvent[];
      /** Passed to `markSeen` after the events are stored. */
      readonly seenToken?: string;
      /**
       * The events show every refund that the provider has of this payment, or their sum; no such event means no
       * refund. With `repeatRefund: 'never'`, this ends a refund of ours that is not among them: core believes it after
       * it was reported twice, the last time late enough.
       */
      readonly showsAllRefunds?: true;
    }
  /**
   * The provider knows the payment and waits; nothing has happened yet. `awaitsPayer` means the same as on an event.
   */
  | { readonly result: 'waiting'; readonly action?: Action; readonly awaitsPayer?: true }
  /**
   * The provider does not have the payment, so nothing was charged. Core believes it after it was reported twice, the
   * last time late enough.
   */
  | { readonly result: 'nothing_charged' }
  /** No statement: not known yet, an error, or an unreadable answer. Core asks again. */
  | { readonly result: 'no_information'; readonly reason: string };

/** Reports that nothing is known now; core asks again. The reason is for people. */
export function noInformation(reason: string): StatusReport {
  return { result: 'no_information', reason };
}

/**
 * Reports that the provider does not know the payment's reference. While the submission may still be in progress, that
 * says nothing. After it has ended, it means that nothing was charged. `afterMs` extends that time for a provider that
 * registers a payment later than it answers.
 */
export function notFound(
  { endedAt }: Pick<StoredPayment, 'endedAt'>,
  { now, afterMs }: { readonly now?: Date; readonly afterMs?: number } = {},
): StatusReport {
  const isFinal = endedAt !== null && (!now || !afterMs || now.getTime() - endedAt.getTime() >= afterMs);
  return isFinal ? { result: 'nothing_charged' } : noInformation('the submission may still be on its way');
}

/**
 * Details of an event, within `detailLimits`: longer values are cut, unknown ones are left out. Returns no member if
 * nothing is known.
 */
export function withDetails(
  known: Readonly<Record<string, string | null | undefined>>,
): Pick<ReportedEvent, 'details'> {
  const shown = Object.entries(known).flatMap(([name, text]) =>
    text ? [[name, text.slice(0, detailLimits.value)]] : [],
  );
  return shown.length > 0 ? { details: Object.fromEntries(shown.slice(0, detailLimits.members)) } : {};
}

/**
 * The total given back of a payment so far, for a status that shows only the sum: one event, identified by payment,
 * status and sum. A sum of zero gives no event; `showsAllRefunds` of the report then says that there is no refund.
 */
export function refundTotal(
  { reference, providerReference }: Pick<ReportedEvent, 'reference' | 'providerReference'>,
  providerStatus: string,
  { amount, currency }: Money,
): readonly ReportedEvent[] {
  if (compareDecimals(amount, '0') === 0) return [];
  const dedupeKey = `${providerReference ?? reference}:${providerStatus}:${amount}`;
  const about = { reference, providerReference, amount, currency };
  return [{ kind: 'refund', providerStatus, ...about, dedupeKey, cumulative: true }];
}

/**
 * Makes an event of a message that says which payment changed but not how: core fetches the payment. It has no dedupe
 * key, so equal pings are not duplicates, because the payment may have changed between them.
 */
export function toPing(providerReference: string): ReportedEvent {
  const about = { reference: null, providerReference, amount: null, currency: null };
  return { kind: 'ping', providerStatus: 'ping', ...about, dedupeKey: null, mustFetch: true };
}

/** The kind of message that an event was read from. */
export type EventSource = 'callback' | 'fetch';

/** Maps the provider's statuses; pure and total. A status that it does not know is `unknown`. */
export interface StatusMapping {
  (event: ReportedEvent, source: EventSource): EventStatus;
  /**
   * Every status that the mapping knows, by kind, from either source. The conformance kit checks the mapping against
   * it.
   */
  readonly statuses: StatusLists;
  /** The same, for each source alone. */
  readonly bySource: Readonly<Record<EventSource, StatusLists>>;
}

/** The provider's statuses by kind. */
export type StatusLists = { readonly [K in EventKind]?: readonly string[] };

/** The meaning of each status, by kind of event. */
export type StatusTable = { readonly [K in EventKind]?: Readonly<Record<string, StatusesByKind[K]>> };

/** One table per source, for providers whose callbacks and fetches use different statuses. */
export interface SourceTables {
  readonly callback: StatusTable;
  readonly fetch: StatusTable;
}

/** Decides what a status alone cannot decide. It receives what the table says, including `unknown`. Pure and total. */
export type RefineStatus = (status: EventStatus, event: ReportedEvent, source: EventSource) => EventStatus;

/**
 * Creates the usual `mapStatus`. Statuses are compared exactly. A status that the table lacks is `unknown`, also for
 * `3ds` and `ping`, so list those too.
 */
export function statusTable(table: StatusTable | SourceTables, refine?: RefineStatus): StatusMapping {
  const tables = isBySource(table) ? table : { callback: table, fetch: table };
  const lookUp = ({ kind, providerStatus }: ReportedEvent, source: EventSource): EventStatus => {
    const known = tables[source][kind] as Readonly<Record<string, EventStatus>> | undefined;
    return known && Object.hasOwn(known, providerStatus) ? known[providerStatus]! : 'unknown';
  };
  const mapStatus = (event: ReportedEvent, source: EventSource): EventStatus => {
    const status = lookUp(event, source);
    return refine ? refine(status, event, source) : status;
  };
  const bySource = { callback: listStatuses(tables.callback), fetch: listStatuses(tables.fetch) };
  return Object.assign(mapStatus, { statuses: listStatuses(tables.callback, tables.fetch), bySource });
}

function isBySource(table: StatusTable | SourceTables): table is SourceTables {
  return 'callback' in table;
}

function listStatuses(...tables: readonly StatusTable[]): StatusLists {
  const kinds = new Set(tables.flatMap((table) => Object.keys(table) as EventKind[]));
  const lists = [...kinds].map((kind) => {
    const statuses = new Set(tables.flatMap((table) => Object.keys(table[kind] ?? {})));
    return [kind, [...statuses]];
  });
  return Object.fromEntries(lists) as StatusLists;
}
