/** Members that many schemas have. */
import { Schema } from 'mongoose';

export const text = { type: String, default: null } as const;
export const date = { type: Date, default: null } as const;
export const bytes = { type: Buffer, default: null } as const;
/** Decimal text in the types, Decimal128 in the database. */
export const amount = { type: Schema.Types.Decimal128, default: null } as const;
/** Of a document inside another: no id of its own, and no member that the schema does not name. */
export const plain = { _id: false, strict: 'throw' } as const;
