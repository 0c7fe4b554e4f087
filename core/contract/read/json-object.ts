/** Messages that are one JSON object. */
import { utf8 } from '../callback.ts';
import { readJson, readJsonInSlices, type JsonLimits } from './json.ts';

/** The members of a JSON object in UTF-8, as `readJson` reads them; undefined for anything else. */
export function readJsonObject(body: Uint8Array, limits?: JsonLimits): Readonly<Record<string, unknown>> | undefined {
  const value = readJson(utf8(body), limits);
  return isJsonObject(value) ? value : undefined;
}

/**
 * Like `readJsonObject`, for long messages such as batches: it reads in slices, and the event loop serves other work in
 * between.
 */
export async function readJsonObjectInSlices(
  body: Uint8Array,
  limits?: JsonLimits,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const value = await readJsonInSlices(utf8(body), limits);
  return isJsonObject(value) ? value : undefined;
}

/** True for an object that `readJson` made; false for lists and for `JsonNumber`. */
export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  // Objects of `readJson` have no prototype; lists and `JsonNumber` have one.
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === null;
}
