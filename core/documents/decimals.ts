/** Amounts are plain decimal text in the domain and Decimal128 in the database; mongoose casts on the way in. */
import { readDecimal } from '@gateway/contract';
import { mongo } from 'mongoose';

/** The same value with every Decimal128 as plain decimal text, Binary as bytes and Long as number. */
export function fromDocument(value: unknown): unknown {
  if (value === null || typeof value !== 'object' || value instanceof Date) return value;
  if (value instanceof mongo.Decimal128) return readDecimal(value.toString()) ?? value.toString();
  if (value instanceof mongo.Binary) return value.value();
  if (value instanceof mongo.Long) return value.toNumber();
  if (value instanceof Uint8Array) return value;
  if (Array.isArray(value)) return value.map(fromDocument);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, fromDocument(member)]));
}
