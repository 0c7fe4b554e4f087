/** Schema members that many collections use. */
import { Schema } from 'mongoose';

export const text = { type: String, default: null } as const;
export const date = { type: Date, default: null } as const;
export const bytes = { type: Buffer, default: null } as const;
/** Decimal text in the types, Decimal128 in the database. */
export const amount = { type: Schema.Types.Decimal128, default: null } as const;
/** Options of an embedded document: no `_id`, and members that the schema does not have are refused. */
export const plain = { _id: false, strict: 'throw' } as const;
