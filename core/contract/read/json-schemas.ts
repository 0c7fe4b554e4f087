/** Schemas for messages that `readJson` read. They check numbers by their digits, never as doubles. */
import * as v from 'valibot';
import { JsonNumber } from './json.ts';
import { readJsonObject } from './json-object.ts';
import { isDecimal, readDecimal } from '../money/money.ts';

const spelledNumber = v.custom<JsonNumber>((value) => value instanceof JsonNumber, 'a number');

/** A whole number of at most `maxDigits` digits, without sign, point or exponent. The result is its digits. */
export function jsonDigits(maxDigits: number): v.GenericSchema<unknown, string> {
  return v.pipe(
    spelledNumber,
    v.transform(({ text }) => text),
    v.regex(new RegExp(`^(0|[1-9]\\d{0,${maxDigits - 1}})$`), `a whole number of at most ${maxDigits} digits`),
  );
}

/** A whole number that a double holds exactly. */
export function jsonInteger(): v.GenericSchema<unknown, number> {
  return v.pipe(
    spelledNumber,
    v.transform((number) => number.toSafeInteger()),
    v.number('a whole number'),
  );
}

/** Any JSON number that is not negative, as plain decimal text (`2.59E+1` is `25.9`). */
export function jsonDecimal(): v.GenericSchema<unknown, string> {
  return v.pipe(
    spelledNumber,
    v.transform(({ text }) => readDecimal(text)),
    v.string('a decimal amount'),
  );
}

/** A text that `isDecimal` accepts as an amount; its spelling is kept. */
export const decimalText = v.pipe(v.string(), v.check(isDecimal, 'a decimal amount'));

/** A member that is not worth refusing the message for: undefined if it is missing or has another form. */
export function lenient<S extends v.GenericSchema>(schema: S) {
  return v.fallback(v.optional(schema), undefined);
}

/** The schema's output for the value; undefined if the schema refuses it. */
export function readAs<S extends v.GenericSchema>(schema: S, value: unknown): v.InferOutput<S> | undefined {
  const result = v.safeParse(schema, value);
  return result.success ? result.output : undefined;
}

/** The schema's output for a message that is one JSON object in UTF-8; undefined for any other message. */
export function readJsonBody<S extends v.GenericSchema>(
  schema: S,
  { body }: { readonly body: Uint8Array },
): v.InferOutput<S> | undefined {
  return readAs(schema, readJsonObject(body));
}
