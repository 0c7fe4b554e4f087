/** What a resource adds to the OpenAPI document, and what it knows of the service while it does so. */
import type { AdapterEntry, HttpConfig } from '../deps.ts';
import type { JsonSchema } from './json-schema.ts';
import type { Example, Paths } from './model.ts';

export interface DocumentFacts {
  readonly config: HttpConfig;
  readonly adapters: readonly AdapterEntry[];
  /** The addresses of notifications are served. */
  readonly hasNotifications: boolean;
  /** The address of reports is served. */
  readonly hasReports: boolean;
  /** For examples with a month that is not past. */
  readonly now: Date;
}

export interface Section {
  readonly paths: Paths;
  /** `components.schemas`, by name. */
  readonly schemas?: Readonly<Record<string, JsonSchema>>;
  /** `components.examples`, by name. */
  readonly examples?: Readonly<Record<string, Example>>;
}
