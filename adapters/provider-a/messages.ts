/** What several of A's messages have in common. */
import { fromMinor, jsonDigits, readJson, utf8, v } from '@gateway/contract';

/** `{ minor, cur }`: minor units as a JSON integer of at most 15 digits; `cur` is any text. */
export const Sum = v.object({ minor: jsonDigits(15), cur: v.string() });
export type Sum = v.InferOutput<typeof Sum>;

/** An event's amount and currency. */
export function moneyOf({ minor, cur }: Sum): { amount: string; currency: string } {
  return { amount: fromMinor(minor, cur), currency: cur };
}

/** Which side a message says that it belongs to; nothing where it names neither. */
export function modeOf(mode: unknown): { mode?: 'live' | 'test' } {
  return mode === 'live' || mode === 'test' ? { mode } : {};
}

/** A body as a JSON object in UTF-8, numbers as spelled; undefined for anything else. */
export function readObject(body: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  const value = readJson(utf8(body));
  return isObject(value) ? value : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  // `readJson` gives objects without prototype; lists and spelled numbers have one.
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === null;
}

/** A's id of a payment: 1 to 40 characters, any. */
export function isTxn(text: string): boolean {
  return text !== '' && Array.from(text).length <= 40;
}
