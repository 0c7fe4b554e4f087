/** What adapters report, together with what its words mean. */
import type { EventStatus, Parsed, ReportedEvent, StatusReport } from '@gateway/contract';

/** An event with the status that its adapter's `mapStatus` gives it. */
export type StatedEvent = ReportedEvent & { readonly status: EventStatus };

type Stated<T> = T extends { readonly events: readonly ReportedEvent[] }
  ? Omit<T, 'events'> & { readonly events: readonly StatedEvent[] }
  : T;

export type StatedReport = Stated<StatusReport>;
export type StatedParsed = Stated<Parsed>;
