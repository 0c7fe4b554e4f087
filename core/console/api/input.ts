/**
 * The inputs of operations: valibot schemas that carry their JSON Schema, so that the document cannot differ from the
 * check. They check the shape of an input. Its values are checked by the services, as for the console and the command.
 */
import * as v from 'valibot';
import { readInstant, instantForm } from '../../base/text/read-time.ts';
import { isStorable } from '../../http/input/form.ts';
import { nullable as orNull, type JsonSchema } from '../../http/openapi/json-schema.ts';

type Schema<T> = v.GenericSchema<unknown, T>;

function describe<T>(schema: Schema<T>, json: JsonSchema): Schema<T> {
  return v.pipe(schema, v.metadata({ json }));
}

export function text(
  description: string,
  { min = 1, max = 2048 }: { readonly min?: number; readonly max?: number } = {},
) {
  const schema = v.pipe(
    v.string('must be text'),
    v.check((value) => value.length >= min && value.length <= max, `must have ${min} to ${max} characters`),
    v.check(isStorable, 'must hold neither NUL nor half of a surrogate pair'),
  );
  return describe<string>(schema, { type: 'string', minLength: min, maxLength: max, description });
}

export function flag(description: string) {
  return describe<boolean>(v.boolean('must be true or false'), { type: 'boolean', description });
}

export function choice<const T extends string>(description: string, words: readonly T[]) {
  const schema = v.picklist(words, `must be one of ${words.join(', ')}`);
  return describe<T>(schema, { type: 'string', enum: words, description });
}

/** A query has the number as text. */
export function number(description: string, { min, max, isWhole = true }: Range) {
  const schema = v.pipe(
    v.unknown(),
    v.transform((value) => (typeof value === 'string' && /^\d{1,15}(\.\d{1,3})?$/.test(value) ? Number(value) : value)),
    v.number(isWhole ? 'must be a whole number' : 'must be a number'),
    v.check((value) => !isWhole || Number.isInteger(value), 'must be a whole number'),
    v.check((value) => value >= min && value <= max, `must be from ${min} to ${max}`),
  );
  return describe<number>(schema, { type: isWhole ? 'integer' : 'number', minimum: min, maximum: max, description });
}

interface Range {
  readonly min: number;
  readonly max: number;
  readonly isWhole?: boolean;
}

export function time(description: string) {
  const schema = v.pipe(
    v.string('must be text'),
    v.transform(readInstant),
    v.date('must be a day or time of ISO 8601, such as 2030-01-31T12:00:00Z'),
  );
  return describe<Date>(schema, { type: 'string', pattern: instantForm.source, description });
}

export function list<T>(description: string, item: Schema<T>) {
  return describe<readonly T[]>(v.array(item, 'must be a list'), {
    type: 'array',
    items: jsonSchemaOf(item),
    description,
  });
}

/** Bytes as base64. */
export function bytes(description: string) {
  const pattern = /^(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
  const schema = v.pipe(
    v.string('must be base64'),
    v.regex(pattern, 'must be base64'),
    v.transform((value): Uint8Array => Buffer.from(value, 'base64')),
  );
  return describe<Uint8Array>(schema, { type: 'string', pattern: pattern.source, description });
}

/** Any members. */
export function members(description: string) {
  const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);
  const schema = v.custom<Readonly<Record<string, unknown>>>(isObject, 'must be an object');
  return describe<Readonly<Record<string, unknown>>>(schema, {
    type: 'object',
    additionalProperties: true,
    description,
  });
}

/** The fee of an account. */
export const fee = describe<{ percent: string; fixed: Readonly<Record<string, string>> }>(
  v.strictObject({ percent: v.string('must be text'), fixed: v.record(v.string(), v.string('must be text')) }),
  {
    type: 'object',
    properties: {
      percent: { type: 'string', description: 'Decimal text, such as 1.4.' },
      fixed: {
        type: 'object',
        additionalProperties: { type: 'string' },
        description: 'The fixed part by currency, as decimal text.',
      },
    },
    required: ['percent', 'fixed'],
    additionalProperties: false,
    description: 'The fee of the provider per payment.',
  },
);

export function nullable<T>(schema: Schema<T>): Schema<T | null> {
  return describe<T | null>(v.nullable(schema), orNull(jsonSchemaOf(schema)));
}

/** What the document needs to know of a schema. */
interface Node {
  readonly type?: string;
  readonly wrapped?: Node;
}

/** The JSON Schema of a member. */
export function jsonSchemaOf(schema: v.GenericSchema): JsonSchema {
  const { type, wrapped } = schema as unknown as Node;
  if (type === 'optional') return jsonSchemaOf(wrapped as unknown as v.GenericSchema);
  return (v.getMetadata(schema) as { readonly json: JsonSchema }).json;
}

export function isOptional(schema: v.GenericSchema): boolean {
  return (schema as unknown as Node).type === 'optional';
}
