/** What a callback or a status fetch says, in the gateway's words. */
import type { DeclineCode } from './statuses/decline-codes.ts';
import type { EventKind, EventStatus, EventStatuses } from './statuses/event-statuses.ts';
import { compareDecimals, type Money } from './money/money.ts';
import type { Action, ThreeDsShown } from './outcome.ts';
import type { StoredPayment } from './payment.ts';

/** The most members of `details`, and the most characters of their names and values. */
export const detailLimits = { members: 10, name: 40, value: 200 } as const;

/** One fact that a provider reports. Its status follows from `mapStatus`, never from the parser. */
export interface ReportedEvent {
  readonly kind: EventKind;
  /** The provider's own word, such as `AUTH:true`. */
  readonly providerStatus: string;
  /** Our reference of the attempt, where the message names it. */
  readonly reference: string | null;
  /** The provider's reference of the payment. */
  readonly providerReference: string | null;
  /**
   * The provider's reference of the refund, dispute or case. Without one a refund is known by its `dedupeKey` and amount,
   * and all of a payment's disputes are one case. A refund that was reported once is found by it where a message names
   * neither reference.
   */
  readonly subReference?: string;
  /**
   * Decimal text in major units, with exactly the currency's decimals; null where the message names none. In a fetch never
   * null for a success, which core could not believe. Of a chargeback: what the dispute is about.
   */
  readonly amount: string | null;
  readonly currency: string | null;
  /** Of a payment in coins: decimal text, all that came in so far, in the currency of `amount`. */
  readonly received?: string;
  /**
   * Identity that the event is deduplicated by; null: none, so equal messages are no duplicates. An event id that is the
   * same in every repetition is right where nothing else distinguishes two facts.
   */
  readonly dedupeKey: string | null;
  readonly decline?: DeclineCode;
  readonly declineText?: string;
  /** Which side the message says that it belongs to; core ignores it where the attempt went to the other. */
  readonly mode?: 'live' | 'test';
  /** `amount` is the sum so far, not this refund's own. */
  readonly cumulative?: true;
  /** The facts are not verified: core applies what `fetchStatus` answers instead. */
  readonly mustFetch?: true;
  /** Orders the messages about one object at the provider; larger is later. */
  readonly orderHint?: number;
  /** When it happened, by the provider. */
  readonly occurredAt?: Date;
  /** What the payer must do next, where a status fetch shows it. */
  readonly action?: Action;
  /** A status fetch shows that the payer finished the step: core calls `complete`, also where no return was seen. */
  readonly awaitsCompletion?: true;
  /**
   * A status fetch shows that the provider waits for a step of the payer, and cannot show the step itself. Where core has
   * not stored it either, it was lost with the submission's answer: the payment stays pending and says so until it ends.
   */
  readonly awaitsPayer?: true;
  /** A failed 3D Secure step, where a status fetch shows it. */
  readonly threeDsResult?: string;
  /** What the message proves about 3D Secure of this payment. */
  readonly threeDs?: ThreeDsShown;
  /**
   * For the merchant to read: references of banks (`rrn`, `arn`), reason and deadline of a dispute, where a refund is
   * claimed. Within `detailLimits`; never a card number, a token or a UPI id.
   */
  readonly details?: Readonly<Record<string, string>>;
  /**
   * Of a payment: a capture or a release that the provider had taken came to nothing. The status says how the payment is
   * without it: `authorised` where the money is still reserved, `failed` where it is not. A payment that is paid by then
   * stays so; core raises an alarm, for its money does not come.
   */
  readonly failedRequest?: 'capture' | 'void';
  /** Further verified facts that the adapter's own `mapStatus` needs; core never reads them. */
  readonly facts?: Readonly<Record<string, string | number | boolean | null>>;
}

/** What `fetchStatus` found. */
export type StatusReport =
  | {
      readonly result: 'events';
      /** As callbacks report them: the payment's status first, then refunds and disputes that it shows. */
      readonly events: readonly ReportedEvent[];
      /** Handed to `markSeen` once the events are stored. */
      readonly seenToken?: string;
      /**
       * The events show every refund that the provider has of this payment, or their sum; without any it has none. With
       * `repeatRefund: 'never'` that ends a refund of ours that is not among them: core believes it once it is reported
       * twice, the last time late enough.
       */
      readonly showsAllRefunds?: true;
    }
  /** The provider knows the payment and waits; nothing has happened yet. `awaitsPayer` as on an event. */
  | { readonly result: 'waiting'; readonly action?: Action; readonly awaitsPayer?: true }
  /** The provider does not have it, so nothing was charged. Core believes it once it is reported twice, the last time late enough. */
  | { readonly result: 'nothing_charged' }
  /** No statement: not known yet, an error, an unreadable answer. Core asks again. */
  | { readonly result: 'no_information'; readonly reason: string };

export function noInformation(reason: string): StatusReport {
  return { result: 'no_information', reason };
}

/**
 * The provider does not know the payment's reference. As long as the submission may still be on its way, that says nothing;
 * once it has ended (for `afterMs`, where the provider registers a payment later than it answers), nothing was charged.
 */
export function notFound(
  { endedAt }: Pick<StoredPayment, 'endedAt'>,
  { now, afterMs }: { readonly now?: Date; readonly afterMs?: number } = {},
): StatusReport {
  const isFinal = endedAt !== null && (!now || !afterMs || now.getTime() - endedAt.getTime() >= afterMs);
  return isFinal ? { result: 'nothing_charged' } : noInformation('the submission may still be on its way');
}

/**
 * What was given back of a payment so far, where a status shows only the sum: one event under the identity of payment,
 * status and sum; none where the sum is zero, which `showsAllRefunds` of the report then says.
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
 * A message that says which payment changed, and not how: core fetches it. It has no identity, so equal pings are no
 * duplicates, for the payment may have changed between them.
 */
export function toPing(providerReference: string): ReportedEvent {
  const about = { reference: null, providerReference, amount: null, currency: null };
  return { kind: 'ping', providerStatus: 'ping', ...about, dedupeKey: null, mustFetch: true };
}

/** Which message an event was read from. */
export type EventSource = 'callback' | 'fetch';

/** What the provider's statuses mean: pure and total. A status that it does not know is `unknown`. */
export interface StatusMapping {
  (event: ReportedEvent, source: EventSource): EventStatus;
  /** Every status that it knows, by kind, from either source: the conformance kit holds the mapping to it. */
  readonly statuses: StatusLists;
  /** The same for each source alone. */
  readonly bySource: Readonly<Record<EventSource, StatusLists>>;
}

/** The provider's statuses by kind. */
export type StatusLists = { readonly [K in EventKind]?: readonly string[] };

/** By kind of event and the provider's status. */
export type StatusTable = { readonly [K in EventKind]?: Readonly<Record<string, EventStatuses[K]>> };

/** One table per source, where callbacks and fetches speak differently. */
export interface SourceTables {
  readonly callback: StatusTable;
  readonly fetch: StatusTable;
}

/** Decides what a status alone does not; gets what the table says, `unknown` included. Pure and total. */
export type RefineStatus = (status: EventStatus, event: ReportedEvent, source: EventSource) => EventStatus;

/**
 * The usual `mapStatus`. Statuses are compared exactly; one that the table lacks is `unknown`, of `3ds` and `ping` too, so
 * list theirs.
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
