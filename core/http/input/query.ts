/** Reads query parameters. Each may be given once; every wrong value is named in the error. */
import { instantForm, isDay, readInstant } from '../../base/text/read-time.ts';
import type { JsonSchema } from '../openapi/json-schema.ts';
import { isStorable } from './form.ts';
import type { Reading } from './form.ts';
import { toShownName } from './shown-name.ts';

const cursorForm = /^[A-Za-z0-9_-]+$/;

export interface Parameter<T> {
  /** The value, or undefined if the text is wrong. */
  readonly read: (text: string) => T | undefined;
  /** The rule for the text, such as `must be true or false`. */
  readonly rule: string;
  /** The same rule for the OpenAPI document. */
  readonly schema: JsonSchema;
}

type QueryValue<P> = { readonly [K in keyof P]?: P[K] extends Parameter<infer T> ? T : never };
export type Query = Readonly<Record<string, string | string[] | undefined>>;

/** An absent parameter has no value. Parameters that are not in the table are ignored. */
export function readQuery<P extends Readonly<Record<string, Parameter<unknown>>>>(
  parameters: P,
  query: Query,
): Reading<QueryValue<P>> {
  const given = Object.entries(parameters).flatMap(([field, { read, rule }]) => {
    const text = Object.hasOwn(query, field) ? query[field] : undefined;
    if (text === undefined) return [];
    const value = typeof text === 'string' && isWhole(text) ? read(text) : undefined;
    return [{ field, text, value, rule }];
  });
  const wrong = given
    .filter(({ value }) => value === undefined)
    .map(({ field, text, rule }) => ({ field, value: text, message: rule }));
  const value = Object.fromEntries(given.map(({ field, value }) => [field, value])) as QueryValue<P>;
  return { missing: [], wrong, value: wrong.length > 0 ? undefined : value };
}

/**
 * As `readQuery`, but unknown parameters are errors. For calls in which a mistyped filter would affect more than
 * intended.
 */
export function readExactQuery<P extends Readonly<Record<string, Parameter<unknown>>>>(
  parameters: P,
  query: Query,
): Reading<QueryValue<P>> {
  const { wrong, ...reading } = readQuery(parameters, query);
  const unknown = Object.entries(query).filter(([name]) => !Object.hasOwn(parameters, name));
  if (unknown.length === 0) return { wrong, ...reading };
  const message = `is an unknown parameter; the parameters are ${Object.keys(parameters).join(', ')}`;
  const named = unknown.map(([name, text]) => ({ field: toShownName(name), value: text, message }));
  return { ...reading, wrong: [...wrong, ...named], value: undefined };
}

/** False if the text contains the character that a decoder substitutes for bytes that are not UTF-8. */
function isWhole(text: string): boolean {
  return isStorable(text) && !text.includes('\uFFFD');
}

export const anyText: Parameter<string> = {
  read: (text) => text,
  rule: 'must be given once, as UTF-8 without NUL',
  schema: { type: 'string' },
};

export const flag: Parameter<boolean> = {
  read: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
  rule: 'must be true or false',
  schema: { type: 'boolean' },
};

/** Whole numbers from `min` to `max`, except those in `gaps`. */
export function whole<T extends number = number>(min: number, max: number, gaps: readonly number[] = []): Parameter<T> {
  return {
    read(text) {
      const value = /^(0|[1-9]\d{0,15})$/.test(text) ? Number(text) : NaN;
      return value >= min && value <= max && !gaps.includes(value) ? (value as T) : undefined;
    },
    rule: `must be a whole number from ${min} to ${max}${gaps.length > 0 ? `, but not ${gaps.join(', ')}` : ''}`,
    schema: { type: 'integer', minimum: min, maximum: max, ...(gaps.length > 0 && { not: { enum: gaps } }) },
  };
}

function withDefault<T>(parameter: Parameter<T>, value: T): Parameter<T> {
  return { ...parameter, schema: { ...parameter.schema, default: value } };
}

/** A `nextCursor`: text in base64url. The list that gave it refuses any other. */
const cursor: Parameter<string> = {
  read: (text) => (cursorForm.test(text) ? text : undefined),
  rule: 'must be the nextCursor of an earlier page',
  schema: { type: 'string', pattern: cursorForm.source },
};

export const anyId = whole(1, Number.MAX_SAFE_INTEGER);
export const defaultPageSize = 20;
/** The parameters of every list with pages. */
export const pageQuery = { limit: withDefault(whole(1, 100), defaultPageSize), cursor } as const;

export function oneOf<const T extends string>(words: readonly T[]): Parameter<T> {
  return {
    read: (text) => words.find((word) => word === text),
    rule: `must be one of ${words.join(', ')}`,
    schema: { type: 'string', enum: words },
  };
}

/** A day such as `2024-01-31`. */
export const day: Parameter<string> = {
  read: (text) => (isDay(text) ? text : undefined),
  rule: 'must be a day such as 2024-01-31',
  schema: { type: 'string', format: 'date' },
};

/** A day or time of ISO 8601, in UTC unless it has an offset. A `+` of the offset may have been decoded to a space. */
export const instant: Parameter<Date> = {
  read: readInstant,
  rule: 'must be a day or time of ISO 8601, such as 2024-01-31T12:00:00Z',
  schema: { type: 'string', pattern: instantForm.source },
};
