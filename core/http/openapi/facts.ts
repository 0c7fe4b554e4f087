/** What the document is made of beside the tables. */
import type { AdapterStanding, HttpConfig } from '../deps.ts';

export interface DocumentFacts extends Pick<
  HttpConfig,
  'publicUrl' | 'bodyLimitBytes' | 'batchLimitBytes' | 'callbackLimitBytes'
> {
  readonly adapters: readonly AdapterStanding[];
  /** The addresses of notifications are served. */
  readonly hasNotifications: boolean;
  /** The address of reports is served. */
  readonly hasReports: boolean;
  /** For examples with a month that is not past. */
  readonly now: Date;
}
