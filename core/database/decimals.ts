/** Amounts are plain decimal text in the domain and Decimal128 in the database. Mongoose casts them when it writes. */
import { readDecimal } from '@paywright/contract';
import { mongo } from 'mongoose';

/**
 * Converts every Decimal128 to plain decimal text, Binary to bytes and Long to a number, in place: documents and lists
 * keep their identity.
 */
export function fromDocument(value: unknown): unknown {
  if (value === null || typeof value !== 'object' || value instanceof Date) return value;
  if (value instanceof mongo.Decimal128) return readDecimal(value.toString()) ?? value.toString();
  if (value instanceof mongo.Binary) return value.value();
  if (value instanceof mongo.Long) return value.toNumber();
  if (value instanceof Uint8Array) return value;
  const members = value as Record<string | number, unknown>;
  for (const key of Array.isArray(value) ? value.keys() : Object.keys(value)) {
    const member = members[key];
    if (member !== null && typeof member === 'object') members[key] = fromDocument(member);
  }
  return value;
}

/** Converts decimal text to the type that the database stores. */
export function toDecimal(text: string): mongo.Decimal128 {
  return mongo.Decimal128.fromString(text);
}
