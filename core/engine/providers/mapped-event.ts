/** Reports of adapters, with the status that each event is mapped to. */
import type { EventStatus, Parsed, ReportedEvent, StatusReport } from '@paywright/contract';

/** An event with the status that its adapter's `mapStatus` gives it. */
export type MappedEvent = ReportedEvent & {
  readonly status: EventStatus;
  /** The event names another account than the one whose options read it. Absent: it does not. */
  readonly ofOtherAccount?: true;
};

/** True for a report that the payer is charged. */
export function isChargedStatus(status: MappedEvent['status']): boolean {
  return status === 'succeeded' || status === 'overpaid' || status === 'late';
}

/** All ids of the payment at the provider that an event names. */
export function namedIds({
  providerReference,
  providerReferences = {},
}: Pick<ReportedEvent, 'providerReference' | 'providerReferences'>): readonly string[] {
  const ids = Object.values(providerReferences);
  return providerReference === null ? ids : [providerReference, ...ids];
}

type Mapped<T> = T extends { readonly events: readonly ReportedEvent[] }
  ? Omit<T, 'events'> & { readonly events: readonly MappedEvent[] }
  : T;

export type MappedReport = Mapped<StatusReport>;
export type MappedParsed = Mapped<Parsed>;
