/** OpenAPI 3.1 as types, as far as the document needs it. */
import type { Header } from './headers.ts';
import type { JsonSchema } from './json-schema.ts';

export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: Readonly<Record<'title' | 'version' | 'summary' | 'description', string>> & {
    readonly contact: Readonly<Record<string, string>>;
    readonly license: Readonly<Record<string, string>>;
  };
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  /** An extension that this service's own page and other viewers understand. */
  readonly 'x-tagGroups': readonly { readonly name: string; readonly tags: readonly string[] }[];
  readonly paths: Paths;
  readonly webhooks: Readonly<Record<string, PathItem>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly headers: Readonly<Record<string, Header>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly examples: Readonly<Record<string, Example>>;
    readonly links: Readonly<Record<string, Link>>;
    readonly securitySchemes: Readonly<Record<string, unknown>>;
  };
}

/** A call that an answer leads to. */
export interface Link {
  readonly operationId: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly description: string;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: true;
  readonly description: string;
  readonly schema: JsonSchema;
  readonly example?: unknown;
  /** For a parameter of the query: `?name` without a value is the same as `?name=`. */
  readonly allowEmptyValue?: true;
}

export interface Example {
  readonly summary: string;
  readonly value: unknown;
}

export interface MediaType {
  readonly schema: JsonSchema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, Example | { readonly $ref: string }>>;
}

export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly $ref: string }>>;
  readonly content?: Readonly<Record<string, MediaType>>;
  readonly links?: Readonly<Record<string, { readonly $ref: string }>>;
}

export interface RequestBody {
  readonly description?: string;
  readonly required: boolean;
  readonly content: Readonly<Record<string, MediaType>>;
}

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  /** The scopes that the API key needs. They are not roles in `security`, because linters do not know those. */
  readonly 'x-scopes'?: readonly string[];
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: RequestBody;
  readonly responses: Readonly<Record<string, Response>>;
}

export interface PathItem {
  readonly servers?: readonly { readonly url: string; readonly description: string }[];
  readonly get?: Operation;
  readonly post?: Operation;
  readonly put?: Operation;
  readonly patch?: Operation;
  readonly delete?: Operation;
}

export type Paths = Readonly<Record<string, PathItem>>;
