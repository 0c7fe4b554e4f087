/** Converts a table of fields into a form: a valibot schema, and a list of what is missing or wrong in a body. */
import { isEmail, JsonNumber, readDecimal } from '@paywright/contract';
import * as v from 'valibot';
import { invalidFields, missingFields } from '../../base/errors.ts';
import type { FieldError } from '../../base/errors.ts';
import type { Bounds, FieldTable, ObjectBounds } from './field-table.ts';
import { hidden } from './echo.ts';

type ValueOf<B extends Bounds> = B extends { readonly type: 'object'; readonly fields: infer F extends FieldTable }
  ? FormValue<F>
  : B extends { readonly type: 'boolean' }
    ? boolean
    : B extends { readonly type: 'integer' }
      ? number
      : string;
type FieldValue<B extends Bounds> = ValueOf<B> | (B extends { readonly nullable: true } ? null : never);
/** Fields that always have a value: a nullable field that is absent has the value null. */
type Present<T extends FieldTable> = {
  [K in keyof T]: T[K] extends { readonly required: true } | { readonly nullable: true } ? K : never;
}[keyof T];

/** The values of a valid body. Amounts are plain decimal text. */
export type FormValue<T extends FieldTable> = { readonly [K in Present<T>]: FieldValue<T[K]> } & {
  readonly [K in Exclude<keyof T, Present<T>>]?: FieldValue<T[K]>;
};

/** The result of a reader. It has a value if no field is missing or wrong. */
export interface Reading<T> {
  readonly missing: readonly string[];
  readonly wrong: readonly FieldError[];
  readonly value: T | undefined;
}

export interface Form<T extends FieldTable> {
  readonly fields: T;
  read(body: Readonly<Record<string, unknown>>): Reading<FormValue<T>>;
}

export function createForm<const T extends FieldTable>(fields: T): Form<T> {
  const schema = toObjectSchema(fields);
  return {
    fields,
    read(body) {
      const result = v.safeParse(schema, body, { abortPipeEarly: true });
      if (result.success) return { missing: [], wrong: [], value: result.output as FormValue<T> };
      const missing = result.issues.filter(isMissing).map(nameOf);
      const wrong = result.issues.filter((issue) => !isMissing(issue)).map((issue) => toFieldError(fields, issue));
      return { missing, wrong, value: undefined };
    },
  };
}

/** The values of all readings, or one error about all of them: VAL001 if a field is missing, else VAL002. */
export function accept<T extends readonly unknown[]>(...readings: { [K in keyof T]: Reading<T[K]> }): T {
  const missing = readings.flatMap((reading) => reading.missing);
  if (missing.length > 0) throw missingFields(missing);
  const [first, ...others] = readings.flatMap((reading) => reading.wrong);
  if (first) throw invalidFields([first, ...others]);
  return readings.map(({ value }) => value) as unknown as T;
}

type Issue = v.BaseIssue<unknown>;

function isMissing({ path }: Issue): boolean {
  return path?.at(-1)?.origin === 'key';
}

/** The name of a nested field, such as `browserInfo.colorDepth`. */
function nameOf({ path }: Issue): string {
  return path?.map(({ key }) => String(key)).join('.') ?? 'body';
}

function toFieldError(fields: FieldTable, issue: Issue): FieldError {
  const [outer, inner] = issue.path?.map(({ key }) => String(key)) ?? [];
  const bounds = outer === undefined ? undefined : fields[outer];
  const innermost = bounds?.type === 'object' && inner !== undefined ? bounds.fields[inner] : bounds;
  const value = innermost?.hidden ? hidden : issue.path?.at(-1)?.value;
  return { field: nameOf(issue), value, message: issue.message };
}

function toObjectSchema(fields: FieldTable): v.GenericSchema<unknown, unknown> {
  const entries = Object.entries(fields).map(([name, bounds]) => {
    const schema = toSchema(bounds);
    if (bounds.required) return [name, schema] as const;
    return [name, bounds.nullable ? v.optional(v.nullable(schema), null) : v.exactOptional(schema)] as const;
  });
  const isPlainObject = (value: unknown): boolean =>
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber);
  return v.pipe(v.custom<object>(isPlainObject, 'must be an object'), v.object(Object.fromEntries(entries)));
}

/** In other clients an amount is text, so that it stays exact. In JSON it is a number. */
function notANumber({ input }: { readonly input: unknown }): string {
  const isQuoted = typeof input === 'string' && /^\d{1,15}(\.\d{1,18})?$/.test(input);
  return isQuoted ? `must be a number: send ${input}, not "${input}"` : 'must be a number';
}

function toSchema(bounds: Bounds): v.GenericSchema<unknown, unknown> {
  switch (bounds.type) {
    case 'object':
      return toObjectSchema((bounds satisfies ObjectBounds).fields);
    case 'boolean':
      return v.boolean('must be true or false');
    case 'integer': {
      const { min, max } = bounds;
      return v.pipe(
        v.unknown(),
        v.transform((value) => (value instanceof JsonNumber ? toWhole(value) : undefined)),
        v.number('must be a whole number'),
        v.check((value) => value >= min && value <= max, `must be from ${min} to ${max}`),
      );
    }
    case 'amount':
      return v.pipe(
        v.custom<JsonNumber>((value) => value instanceof JsonNumber, notANumber),
        v.transform(toAmount),
        v.string('must be 0 or more, with at most 18 decimals'),
        v.check((decimal) => significantDigits(decimal) <= 15, 'must have at most 15 significant digits'),
        v.check((decimal) => !bounds.positive || decimal !== '0', 'must be more than 0'),
      );
    case 'text':
    case 'email':
    case 'url':
    case 'time': {
      const { type, min = 0, max = Infinity } = bounds;
      return v.pipe(
        v.string('must be text'),
        v.check((value) => countCharacters(value) >= min, `must have at least ${min} characters`),
        v.check((value) => countCharacters(value) <= max, `must have at most ${max} characters`),
        v.check(isStorable, 'must hold neither NUL nor half of a surrogate pair'),
        v.check((value) => type !== 'email' || isEmail(value), 'must be an e-mail address'),
        v.check((value) => type !== 'url' || isWebAddress(value), 'must be an http or https address'),
      );
    }
  }
}

/** Longer than any spelling of an amount that a double can hold. Reading a longer number would take quadratic time. */
const longestNumber = 400;

function toAmount({ text }: JsonNumber): string | undefined {
  return text.length <= longestNumber && Number.isFinite(Number(text)) ? readDecimal(text) : undefined;
}

/**
 * Reads `3`, `3.0` and `3e0` as the same whole number. Undefined for a fraction, or for more than a double can hold.
 */
function toWhole({ text }: JsonNumber): number | undefined {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : undefined;
}

function significantDigits(decimal: string): number {
  return decimal
    .replace('.', '')
    .replace(/^0+/, '')
    .replace(/(?<!0)0+$/, '').length;
}

function countCharacters(text: string): number {
  // A pair of surrogates is one character.
  return text.length - (text.match(/[\ud800-\udbff](?=[\udc00-\udfff])/g)?.length ?? 0);
}

/** False for text that the database would not return unchanged. */
export function isStorable(text: string): boolean {
  return !/[\0\p{Cs}]/u.test(text);
}

function isWebAddress(text: string): boolean {
  return /^https?:\/\/[^\s\p{Cc}]+$/iu.test(text) && URL.canParse(text);
}
