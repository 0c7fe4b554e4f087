/** What a callback or a status fetch says, in the gateway's words. */
import type { Action, DeclineCode } from './outcome.ts';

export interface EventStatuses {
  payment:
    'authorised' | 'pending' | 'succeeded' | 'failed' | 'expired' | 'cancelled' | 'underpaid' | 'overpaid' | 'late';
  refund: 'pending' | 'succeeded' | 'failed' | 'reversed';
  chargeback: 'opened' | 'won' | 'lost' | 'reversed';
  '3ds': 'pending';
  token: 'active' | 'suspended' | 'deleted' | 'updated';
  ping: 'pending';
}
export type EventKind = keyof EventStatuses;
/** `unknown`: a word that the provider's table lacks. It is acknowledged, stored, counted, and changes nothing. */
export type EventStatus = EventStatuses[EventKind] | 'unknown';

/** One fact that a provider reports. Its status follows from `mapStatus`, never from the parser. */
export interface ReportedEvent {
  readonly kind: EventKind;
  /** The provider's own word, such as `AUTH:true`. */
  readonly word: string;
  /** Our reference of the attempt, where the message names it. */
  readonly reference: string | null;
  /** The provider's reference of the payment. */
  readonly providerReference: string | null;
  /** The provider's reference of the refund, dispute or case. */
  readonly subReference?: string;
  /** Decimal text in major units, with exactly the currency's decimals; null where the message names none. */
  readonly amount: string | null;
  readonly currency: string | null;
  /** Identity that the event is deduplicated by; null: none, so equal messages are no duplicates. */
  readonly dedupeKey: string | null;
  readonly decline?: DeclineCode;
  readonly declineText?: string;
  /** Which side the message says that it belongs to; core ignores it where the attempt went to the other. */
  readonly mode?: 'live' | 'test';
  /** `amount` is the sum so far, not this refund's own. */
  readonly cumulative?: true;
  /** The facts are not proven: core applies what `fetchStatus` answers instead. */
  readonly mustFetch?: true;
  /** Orders the messages about one object at the provider; larger is later. */
  readonly orderHint?: number;
  /** When it happened, by the provider. */
  readonly occurredAt?: Date;
  /** What the payer must do next, where a status fetch shows it. */
  readonly action?: Action;
  /** A status fetch shows that the payer finished the step: core calls `complete`, also where no return was seen. */
  readonly awaitsCompletion?: true;
  /** A failed 3D Secure step, where a status fetch shows it. */
  readonly threeDsResult?: string;
  /** Further proven facts that the adapter's own `mapStatus` needs; core never reads them. */
  readonly facts?: Readonly<Record<string, string | number | boolean | null>>;
}

/** What `fetchStatus` found. */
export type StatusReport =
  | {
      readonly news: 'events';
      /** As callbacks tell them: the payment's status first, then refunds and disputes that it shows. */
      readonly events: readonly ReportedEvent[];
      /** Handed to `afterCommit` once the events are stored. */
      readonly commitNote?: string;
    }
  /** The provider knows the payment and waits for the payer; nothing has happened yet. */
  | { readonly news: 'waiting'; readonly action?: Action }
  /** Final: the provider never had it, so nothing was charged. */
  | { readonly news: 'nothing_charged' }
  /** No statement: not known yet, an error, an unreadable answer. Core asks again. */
  | { readonly news: 'none'; readonly reason: string };

export function noNews(reason: string): StatusReport {
  return { news: 'none', reason };
}

type StatusTable = { readonly [K in EventKind]?: Readonly<Record<string, EventStatuses[K]>> };

/**
 * The usual `mapStatus`: a table by kind and word, pure and total. Words are compared exactly; one that the table
 * lacks is `unknown`. A `3ds` word that is not listed and a `ping` follow the same rule, so list them.
 */
export function statusTable(table: StatusTable): (event: ReportedEvent) => EventStatus {
  return ({ kind, word }) => {
    const words = table[kind] as Readonly<Record<string, EventStatus>> | undefined;
    return words && Object.hasOwn(words, word) ? words[word]! : 'unknown';
  };
}
