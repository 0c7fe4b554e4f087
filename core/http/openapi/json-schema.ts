/** JSON Schema as OpenAPI 3.1 uses it (draft 2020-12), as far as the document needs it, and functions that write it. */

export interface JsonSchema {
  readonly $ref?: string;
  readonly title?: string;
  readonly description?: string;
  readonly type?: SchemaType | readonly SchemaType[];
  readonly format?: string;
  readonly pattern?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema | boolean;
  readonly oneOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly not?: JsonSchema;
  readonly discriminator?: { readonly propertyName: string; readonly mapping: Readonly<Record<string, string>> };
  readonly deprecated?: boolean;
  /** The names of the values of `enum`, in the same order. Many code generators name constants after them. */
  readonly 'x-enum-varnames'?: readonly string[];
  readonly 'x-enum-descriptions'?: readonly string[];
}

type SchemaType = 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array' | 'null';

/** A reference to one of `components.schemas`. */
export function schemaRef(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

export function text(description: string, more: JsonSchema = {}): JsonSchema {
  return { type: 'string', ...more, description };
}

/** An id, or another whole number of at least `minimum`. */
export function whole(description: string, minimum = 1): JsonSchema {
  return { type: 'integer', format: 'int64', minimum, description };
}

export function flag(description: string): JsonSchema {
  return { type: 'boolean', description };
}

/** An exact decimal, written as a JSON number with all its digits. */
export function decimal(description: string): JsonSchema {
  return { type: 'number', format: 'double', minimum: 0, description };
}

/** A time of ISO 8601 in UTC, with milliseconds. */
export function instant(description: string): JsonSchema {
  return { type: 'string', format: 'date-time', description };
}

export function oneOf(description: string, values: readonly (string | number)[]): JsonSchema {
  return { type: typeof values[0] === 'number' ? 'integer' : 'string', enum: values, description };
}

/** Numbers with a meaning each: the name of its constant, and words. */
export function numbered(
  description: string,
  meanings: readonly (readonly [value: number, name: string, words: string])[],
): JsonSchema {
  return {
    type: 'integer',
    enum: meanings.map(([value]) => value),
    'x-enum-varnames': meanings.map(([, name]) => name),
    'x-enum-descriptions': meanings.map(([, , words]) => words),
    description: `${description}: ${meanings.map(([value, , words]) => `${value} ${words}`).join(', ')}.`,
  };
}

/** The same schema, or null. */
export function nullable(schema: JsonSchema): JsonSchema {
  const { enum: values } = schema;
  const type = [schema.type, 'null'].flat() as SchemaType[];
  return { ...schema, type, ...(values && { enum: [...values, null] }) };
}

export function listOf(items: JsonSchema, description: string): JsonSchema {
  return { type: 'array', items, description };
}

/** An object of answers and notifications: all members are present, except those named as optional. */
export function object(
  properties: Readonly<Record<string, JsonSchema>>,
  { optional = [], ...more }: { readonly optional?: readonly string[] } & JsonSchema = {},
): JsonSchema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', ...more, properties, ...(required.length > 0 && { required }) };
}
