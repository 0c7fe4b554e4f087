/** The part of the OpenAPI document that a resource adds, and the facts that it may use. */
import type { AdapterEntry, HttpConfig } from '../deps.ts';
import type { JsonSchema } from './json-schema.ts';
import type { Example, Paths } from './model.ts';

export interface DocumentFacts {
  readonly config: HttpConfig;
  readonly adapters: readonly AdapterEntry[];
  /** True if the addresses of notifications are served. */
  readonly hasNotifications: boolean;
  /** True if the address of reports is served. */
  readonly hasReports: boolean;
  /** The present time, for examples with a month in the future. */
  readonly now: Date;
}

export interface Section {
  readonly paths: Paths;
  /** `components.schemas`, by name. */
  readonly schemas?: Readonly<Record<string, JsonSchema>>;
  /** `components.examples`, by name. */
  readonly examples?: Readonly<Record<string, Example>>;
}
