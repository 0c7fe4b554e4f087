/** Messages that are one JSON object. */
import { utf8 } from '../callback.ts';
import { readJson, readJsonInSlices, type JsonLimits } from './json.ts';

/** The members of a JSON object in UTF-8, as `readJson` reads them; undefined for anything else. */
export function readJsonObject(body: Uint8Array, limits?: JsonLimits): Readonly<Record<string, unknown>> | undefined {
  const value = readJson(utf8(body), limits);
  return isJsonObject(value) ? value : undefined;
}

/** As `readJsonObject`, for long messages such as batches: the event loop serves others meanwhile. */
export async function readJsonObjectInSlices(
  body: Uint8Array,
  limits?: JsonLimits,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const value = await readJsonInSlices(utf8(body), limits);
  return isJsonObject(value) ? value : undefined;
}

/** True for an object that `readJson` made; lists and spelled numbers are none. */
export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  // `readJson` gives objects without prototype; lists and spelled numbers have one.
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === null;
}
